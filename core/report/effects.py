"""What an adjustment does to coverage, judged by paired tests, and whether it pays."""

from collections.abc import Mapping, Sequence
from typing import Literal

from .. import levels
from ..experiment.result import AuditedPredictor
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from .coverage_findings import named_group
from .dependence_findings import p_value_of
from .result import AuditResult

Effect = Literal["helps", "harms", "mixed", "unclear", "nothing"]
"""What an adjustment does; the last where it adjusts nothing."""

EFFECTS: Mapping[str, str] = {
    "helps": "helps",
    "harms": "does harm",
    "mixed": "helps in one way and does harm in another",
    "unclear": "makes no clear difference on the whole",
    "nothing": "changes nothing",
}
"""The same in words."""


def effect_of(result: AuditResult, predictor: AuditedPredictor) -> Effect:
    """Return what an adjustment does, by paired tests on the test rows.

    It helps where it makes coverage over the features more even, or raises a group too low; it
    harms where it makes coverage less even, or lowers a group, or all rows, to what is clearly too
    low.
    """
    name = predictor.name
    if not predictor.adjusts:
        return "nothing"
    evenness = evenness_of(result, name)
    helps = evenness == "more-even" or bool(raised(result, name))
    harms = evenness == "less-even" or bool(lowered(result, name)) or spoils_all(result, name)
    if helps and harms:
        return "mixed"
    return "helps" if helps else "harms" if harms else "unclear"


def pays(
    result: AuditResult, name: str
) -> Literal["yes", "no-dependence", "only-on-test-rows", "less-than-cost"]:
    """Say whether the training rows show more to adjust than adjusting costs.

    An adjustment whose cost is known by no formula may see what their score test does not. Where
    the test rows clearly show a dependence, or a group to name, there is something to mend, though
    the training rows do not tell.
    """
    comparison = result.comparison(name)
    p_value, found, cost = comparison.found_p_value, comparison.found, comparison.cost
    if cost is None:
        return "yes"
    if p_value is not None and not p_value <= levels.EFFECT:
        return "only-on-test-rows" if _shows_on_test_rows(result) else "no-dependence"
    return "less-than-cost" if found is not None and found <= cost else "yes"


def _shows_on_test_rows(result: AuditResult) -> bool:
    p_value = p_value_of(result.row("test", result.reference))
    return p_value <= levels.FEATURES or named_group(result) is not None


def evenness_of(result: AuditResult, name: str) -> Literal["more-even", "less-even", "unclear"]:
    """Return how an adjustment changes the evenness of coverage over the features.

    For it to be more even something has to tell that there is anything to mend.
    """
    comparison = result.comparison(name)
    if not comparison.unevenness_p_value <= levels.EFFECT:
        return "unclear"
    if comparison.unevenness_change > 0.0:
        return "less-even"
    is_needed = pays(result, name) in ("yes", "only-on-test-rows")
    return "more-even" if is_needed else "unclear"


def spoils_all(result: AuditResult, name: str) -> bool:
    """Say whether coverage of all rows is too low after, but was not before."""
    return result.coverage(name).is_low and not result.coverage(result.reference).is_low


def groups(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return a predictor's segments and rules."""
    return [*result.of(result.segments, name), *result.of(result.worst_segments, name)]


def raised(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups that were too low and have clearly more coverage, most rows first."""
    mended = [row for row in groups(result, name) if row.status in ("mended", "better")]
    return sorted(mended, key=lambda row: -row.n * result.change(name, row.group).change)


def lowered(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups too low after that were not before, or clearly less, as rows left them."""
    low: list[JudgedRow] = [*result.too_low(name), *result.rules_too_low(name)]
    level: float = result.settings["cl"]
    return [
        row
        for row in low
        if result.change(name, row.group).high < 0.0
        and (row.status == "unchanged" or same_group(result, row, result.reference).high >= level)
    ]


def same_group(result: AuditResult, group: JudgedRow, name: str) -> JudgedRow:
    """Return the same group by another predictor."""
    return next(row for row in rows_like(result, group, name) if row.group == group.group)


def rows_like(result: AuditResult, group: JudgedRow, name: str) -> Sequence[JudgedRow]:
    """Return a predictor's segments or rules, whichever the group is one of."""
    if isinstance(group, SegmentRow):
        return result.of(result.segments, name)
    return result.of(result.worst_segments, name)
