"""What adjustments make of coverage, and what to do now."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from .. import levels
from ..experiment.figures import AdjustmentRow
from ..experiment.result import AuditedPredictor
from ..preparation.column_names import protected_attribute
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import Group, judged_by
from .coverage_findings import change_of, holds_all, is_clear, missed_class, named_group
from .dependence_findings import p_value_of
from .result import AuditResult, Finding, Severity

Effect = Literal["helps", "harms", "mixed", "unclear", "nothing"]
"""What an adjustment does; the last where it adjusts nothing."""

_SEVERITIES: Mapping[Effect, Severity] = {
    "helps": "good",
    "harms": "problem",
    "mixed": "problem",
    "unclear": "neutral",
    "nothing": "neutral",
}

_ON_REASONS = {"stopped": "run-on", "stalled": "restart"}

_MOST_ADVICE = 2

_WIDE = 0.05
"""A share known to within so much either way is known well enough to act on."""


def remedy_findings(result: AuditResult) -> list[Finding]:
    """Return what each further predictor makes of the group named, and of all rows."""
    if holds_all(result):
        return []
    group = named_group(result)
    return [f for by in result.predictors[1:] for f in _remedy(result, by, group)]


def advice_findings(result: AuditResult) -> list[Finding]:
    """Return one or two things to do now."""
    find = partial(Finding, "advice", "advice", result.reference)
    if holds_all(result):
        return [find(advice="more-calibration-rows")]
    group, advice = named_group(result), []
    if result.coverage(result.reference).is_low:
        advice.append(find(advice="recalibrate" if _may_differ(result) else "other-seeds"))
    advice += [_on_adjustment(result, by) for by in _worth_a_word(result)]
    is_counted = result.data.sample is not None  # where the rows are, and nothing can be fitted
    is_mendable = not result.predictors[0].is_calibrated and not is_counted
    if is_mendable and (group is not None or advice):
        advice.append(_on_ready_made(result))
    if group is not None:
        advice += _on_group(result, group)
    features = [name for name in result.data.features if protected_attribute(name) is not None]
    if features and result.adjustments:
        advice.append(find(figures={"columns": features}, advice="audit-only"))
    once: dict[str, Finding] = {}
    for each in advice:
        once.setdefault(each.advice, each)
    return list(once.values())[:_MOST_ADVICE]


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
    helps = evenness == "more-even" or bool(_raised(result, name))
    harms = evenness == "less-even" or bool(_lowered(result, name)) or _spoils_all(result, name)
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


def _spoils_all(result: AuditResult, name: str) -> bool:
    """Say whether coverage of all rows is too low after, but was not before."""
    return result.coverage(name).is_low and not result.coverage(result.reference).is_low


def _groups(result: AuditResult, name: str) -> list[Group]:
    return [*result.of(result.segments, name), *result.of(result.worst_segments, name)]


def _raised(result: AuditResult, name: str) -> list[Group]:
    """Return the groups that were too low and have clearly more coverage, most rows first."""
    raised = [row for row in _groups(result, name) if row.status in ("mended", "better")]
    return sorted(raised, key=lambda row: -row.n * result.change(name, row.group).change)


def _lowered(result: AuditResult, name: str) -> list[Group]:
    """Return the groups too low after that were not before, or clearly less, as rows left them."""
    low: list[Group] = [*result.too_low(name), *result.rules_too_low(name)]
    level: float = result.settings["cl"]
    return [
        row
        for row in low
        if result.change(name, row.group).high < 0.0
        and (row.status == "unchanged" or _same(result, row, result.reference).high >= level)
    ]


def _same(result: AuditResult, group: Group, name: str) -> Group:
    """Return the same group by another predictor."""
    return next(row for row in _like(result, group, name) if row.group == group.group)


def _like(result: AuditResult, group: Group, name: str) -> Sequence[Group]:
    """Return a predictor's segments or rules, whichever the group is one of."""
    if isinstance(group, SegmentRow):
        return result.of(result.segments, name)
    return result.of(result.worst_segments, name)


def _remedy(result: AuditResult, by: AuditedPredictor, group: Group | None) -> list[Finding]:
    name, after = by.name, result.coverage(by.name)
    find = partial(Finding, topic="remedy", predictor=name)
    figures: dict[str, Any] = {"overall": after.share, "low": after.is_low}
    if group is not None:
        figures["of_group"] = _same(result, group, name).accuracy
    if not by.is_adjustment:
        return [find("beside", who=group, figures=figures)]
    effect = effect_of(result, by)
    figures |= {"effect": effect, "why": by.no_layer_reason}
    if effect == "nothing":
        return [find("effect", figures=figures)]
    comparison = result.comparison(name)
    figures |= _changes(result, name, group) | {
        "unevenness": evenness_of(result, name),
        "spoils_all": _spoils_all(result, name),
        "of_class": _of_class(result, name),
        "new": sum(row.status == "new" for row in _groups(result, name)),
        "raised": [{"group": row, **change_of(result, name, row)} for row in _raised(result, name)],
        "dcv_crossfitted": [
            result.row("test", of).dcv_crossfitted for of in (result.reference, name)
        ],
        "unevenness_p_value": comparison.unevenness_p_value,
        "size_ratio_median": comparison.size_ratio_median,
        "size_ratio_mean": comparison.size_ratio_mean,
        "size_before": result.row("test", result.reference).inefficiency,
        "size_after": result.row("test", name).inefficiency,
    }
    return [
        find("effect", severity=_SEVERITIES[effect], who=group, figures=figures),
        *_spoilt(result, name),
        *_cost(result, comparison),
    ]


def _changes(result: AuditResult, name: str, group: Group | None) -> dict[str, Any]:
    if group is None:
        return {}
    return {"status": _same(result, group, name).status} | change_of(result, name, group)


def _of_class(result: AuditResult, name: str) -> dict[str, Any] | None:
    """Return the class that is missed most, and its change, where that is clear."""
    missed = missed_class(result)
    made = None if missed is None else change_of(result, name, missed)
    return {"class": missed.value, **made} if missed and made and is_clear(made) else None


def _spoilt(result: AuditResult, name: str) -> list[Finding]:
    """Return for whom coverage is too low after but was not before: most rows missed."""
    lowered = _lowered(result, name)
    found = []
    for row in lowered[:1]:
        before = _same(result, row, result.reference).accuracy
        figures = {"before": before, "after": row.accuracy, "groups": len(lowered)}
        # one that was too low before is judged by that
        judged = result.reference if row.status == "unchanged" else name
        q = judged_by(_like(result, row, judged), result.coverage(judged))[row.group]
        found.append(Finding("group-spoilt", "remedy", name, "problem", row, figures, q))
    return found


def _cost(result: AuditResult, comparison: AdjustmentRow) -> list[Finding]:
    if comparison.cost is None:
        return []
    figures = {
        "cost": comparison.cost,
        "found": comparison.found,
        "pays": pays(result, comparison.predictor),
        "train": result.data.train,
    }
    certainty = comparison.found_p_value
    return [Finding("cost", "remedy", comparison.predictor, figures=figures, certainty=certainty)]


def _worth_a_word(result: AuditResult) -> list[AuditedPredictor]:
    """Return the adjustment after which coverage is most even, of those that help; or else all."""
    adjustments = [by for by in result.predictors[1:] if by.is_adjustment]
    helping = [by for by in adjustments if effect_of(result, by) == "helps"]

    def unevenness(by: AuditedPredictor) -> float:
        found = result.row("test", by.name).dcv_crossfitted
        return math.inf if found is None else found

    return [min(helping, key=unevenness)] if helping else adjustments


def _on_adjustment(result: AuditResult, by: AuditedPredictor) -> Finding:
    find = partial(Finding, "advice", "advice", by.name)
    effect = effect_of(result, by)
    if effect == "nothing":
        if by.suggested_penalty is not None and pays(result, by.name) == "yes":
            figures = {"c": result.settings["c"], "suggested": by.suggested_penalty}
            return find(figures=figures, advice="try-c")
        if by.no_layer_reason in _ON_REASONS:
            return find(advice=_ON_REASONS[by.no_layer_reason])
        return find(figures={"why": "nothing"}, advice="keep")
    if effect == "helps":
        return find(advice="use")
    why, rows = pays(result, by.name), _rows_to_pay(result, result.comparison(by.name))
    # what helps in one way has shown that there is something to mend
    figures = {"why": effect if why == "yes" or effect == "mixed" else why, "rows": rows}
    return find(figures=figures, advice="keep")


def _may_differ(result: AuditResult) -> bool:
    """Say whether more than chance may set test rows apart from what sets were calibrated on."""
    fixed = result.settings.get("split_column") or result.settings.get("time")
    return bool(fixed) or not result.predictors[0].is_calibrated


def _on_ready_made(result: AuditResult) -> Finding:
    """Return how sets that stand in the table can be given in another form, which can be mended."""
    ends = [result.settings["lower"], result.settings["upper"]]
    find = partial(Finding, "advice", "advice", result.reference)
    if None in ends:
        return find(advice="mend-sets")
    return find(figures={"columns": ends}, advice="mend-intervals")


def _rows_to_pay(result: AuditResult, comparison: AdjustmentRow) -> int | None:
    """Return with how many training rows adjusting would cost half of what there is to mend."""
    if not comparison.found or comparison.cost is None:
        return None
    return math.ceil(result.data.train * (2.0 * comparison.cost / comparison.found) ** 2)


def _on_group(result: AuditResult, group: Group) -> list[Finding]:
    find = partial(Finding, "advice", "advice", result.reference, who=group)
    columns = {*(group.columns if isinstance(group, SegmentRow) else group.variables)}
    hidden = columns & set(result.settings["audit_only"])
    clusters = columns & {result.settings["group"]}
    statuses = {_same(result, group, name).status for name in result.adjustments}
    unmended = bool(statuses) and "mended" not in statuses
    advice = []
    if hidden and unmended:
        advice.append(find(figures={"columns": sorted(hidden)}, advice="unseen"))
    elif clusters and unmended:
        advice.append(find(figures={"columns": sorted(clusters)}, advice="set-apart"))
    elif unmended and _is_no_straight_line(result):
        advice.append(find(advice="bends"))
    if (group.high - group.low) / 2.0 > _WIDE:
        share = group.accuracy
        needed = math.ceil(4.0 * max(share * (1.0 - share), 0.05) / _WIDE**2)
        advice.append(find(figures={"rows": needed}, advice="more-rows-of"))
    return advice


def _is_no_straight_line(result: AuditResult) -> bool:
    """Say whether the features' straight lines do not show what is wrong."""
    p_value = p_value_of(result.row("test", result.reference))
    return result.settings["ifacm_estimator"] == "logistic" and not p_value <= levels.EFFECT
