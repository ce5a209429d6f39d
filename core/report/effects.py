"""What adjustments do, and whether one is to be used: judged once, for sentences and advice."""

import math
from collections.abc import Mapping
from typing import Literal

from .. import levels
from ..experiment.result import AuditedPredictor
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import JudgedRow
from .class_findings import missed_class
from .dependence_findings import by_trees_of, p_value_of
from .groups import all_groups, low_groups, named_group
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

    It helps where it makes coverage over the features more even, or over the classes if it promises
    the level for each, or raises a group, or then a class, too low; it harms where it makes
    coverage less even, or lowers a group, or all rows, to what is clearly too low. What helps and
    leaves a group too low that was not, is mixed.
    """
    name = predictor.name
    if not predictor.adjusts:
        return "nothing"
    is_less_even = evenness_of(result, name) == "less-even"
    helps = bool(_gains(result, predictor))
    harms = is_less_even or bool(lowered(result, name)) or spoils_all(result, name)
    new = (row for row in low_groups(result, name) if row.status == "new")
    # too low only then is no clear fall by itself, but what just helps leaves nobody so
    if helps and (harms or any(result.change(name, row.group).change < 0.0 for row in new)):
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
        row = result.row("test", result.reference)
        shown = [p_value_of(row), by_trees_of(row)]
        if comparison.unevenness_change < 0.0 < comparison.spread_before:  # by trees, too
            shown.append(comparison.unevenness_p_value)
        is_shown = any(each <= levels.FEATURES for each in shown) or is_of_features(result)
        return "only-on-test-rows" if is_shown else "no-dependence"
    return "less-than-cost" if found is not None and found <= cost else "yes"


def evenness_of(result: AuditResult, name: str) -> Literal["more-even", "less-even", "unclear"]:
    """Return how an adjustment changes the evenness of coverage over the features.

    For it to be more even something has to tell that there is anything to mend.
    """
    made, is_known = result.comparison(name), result.coverage(name).is_known
    if not (is_known and made.unevenness_p_value <= levels.EFFECT):
        return "unclear"
    # a spread of 0 is one that other rows do not confirm
    if made.unevenness_change > 0.0:
        return "less-even" if made.spread_after > 0.0 else "unclear"
    is_needed = made.spread_before > 0.0 and pays(result, name) in ("yes", "only-on-test-rows")
    return "more-even" if is_needed else "unclear"


def is_of_features(result: AuditResult) -> bool:
    """Say whether the group named is one by more than columns that no adjustment sees."""
    group = named_group(result)
    return group is not None and not columns_of(group) <= {*result.settings["audit_only"]}


def columns_of(group: JudgedRow) -> set[str]:
    """Return the columns by which a group is one."""
    return {*(group.columns if isinstance(group, SegmentRow) else group.variables)}


def spoils_all(result: AuditResult, name: str) -> bool:
    """Say whether coverage of all rows is too low after, but was not before."""
    return result.coverage(name).is_low and not result.coverage(result.reference).is_low


def raised(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups that were too low and have clearly more coverage, most rows first.

    The one named is one question, each of the others one of as many as are too low.
    """
    named, asked = named_group(result), len(low_groups(result, result.reference))
    clear = [
        row
        for row in all_groups(result, name)
        if row.status in ("mended", "better", "unclear")
        and result.change(name, row.group).low > 0.0
        and (
            (named is not None and row.group == named.group)
            or result.change(name, row.group).p_value <= levels.EFFECT / asked
        )
    ]
    return sorted(clear, key=lambda row: -row.n * result.change(name, row.group).change)


def lowered(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return the groups too low after that were not before, or clearly less, as rows left them.

    Of those too low before, each is one question of as many as there are.
    """
    level, first = result.settings["cl"], result.reference
    asked = max(1, len(low_groups(result, first)))

    def is_lowered(row: JudgedRow) -> bool:
        made = result.change(name, row.group)
        if row.status == "unchanged":
            return made.change < 0.0 and made.p_value <= levels.EFFECT / asked
        return bool(made.high < 0.0 and same_group(result, row, first).high >= level)

    return list(filter(is_lowered, low_groups(result, name)))


def same_group(result: AuditResult, group: JudgedRow, name: str) -> JudgedRow:
    """Return the same group by another predictor."""
    return next(row for row in all_groups(result, name) if row.group == group.group)


def _gained(result: AuditResult, by: AuditedPredictor) -> list[JudgedRow]:
    """Return the groups that it raises, and the class missed most if it promises and does so."""
    gained, missed = raised(result, by.name), missed_class(result) if by.by_classes else None
    if missed is not None and result.change(by.name, missed.group).low > 0.0:
        gained.append(missed)
    return gained


def _gains(result: AuditResult, by: AuditedPredictor) -> list[tuple[float, float]]:
    """Return how far it raises groups, and evens coverage out, each with its p-value."""
    changes = [result.change(by.name, row.group) for row in _gained(result, by)]
    gains = [(made.change, made.p_value) for made in changes]
    if evenness_of(result, by.name) == "more-even":
        made = result.comparison(by.name)
        gains.append((made.spread_before - made.spread_after, made.unevenness_p_value))
    return gains


_SEEN = 0.01
"""A change of the spread, or of a group's coverage, of less than a point is one nobody sees."""

_DEARER = 1.5
"""Times the size before: sets that are larger on average are a price that few would pay."""

_PART = 0.5
"""Of what the training rows show is to be mended there, in DCV squared, to be acted on."""

_FAR = 0.05
"""A fall of coverage of all rows that no evidence of training rows outweighs."""

SURE = 0.01
"""Of what training rows alone show, or test rows alone: one of them has to be sure."""


def against(result: AuditResult, by: AuditedPredictor) -> str:
    """Return why an adjustment is not to be used, by what it gains and loses; empty if it is.

    It is if it clearly helps by what somebody can see, and, where it also lowers a group, if the
    lowest group is no lower after, and the rows missed in the worst group fewer or coverage over
    all rows clearly more even; never if coverage of all rows becomes too low or sets half as large
    again. What promises for classes is judged by the lowest class. Where test rows do not tell,
    training rows may, if they surely show something to mend and, where formulas tell how much, more
    than adjusting costs; where these show nothing, or a group is lowered, too, what test rows show
    has to be as sure.
    """
    effect, name, why = effect_of(result, by), by.name, ""
    gains, paid = _gains(result, by), pays(result, by.name)
    is_sure = min((p_value for _, p_value in gains), default=1.0) <= SURE
    if spoils_all(result, name):
        why = "spoils-all"
    elif effect in ("nothing", "harms"):
        why = effect
    elif keeps_sides(result, name) and effect != "mixed":
        why = ""
    elif _growth(result, name) > _DEARER:
        why = "too-large"
    elif effect == "unclear" and not _training_rows_tell(result, name):
        why = effect if paid == "yes" else paid
    elif effect == "mixed" and not (outweighs(result, by) and is_sure):
        why = effect
    elif effect != "unclear" and max(change for change, _ in gains) < _SEEN:
        why = "unseen"
    elif paid == "no-dependence" or (paid == "only-on-test-rows" and not is_sure):
        why = "only-on-test-rows"
    return why


def keeps_sides(result: AuditResult, name: str) -> bool:
    """Say whether shares of misses below and above were asked for, which an adjustment promises."""
    return result.settings.get("below") is not None and name == "two-sided"


def _lowest(result: AuditResult, by: AuditedPredictor, name: str) -> float:
    """Return coverage of the lowest of a predictor's groups, or classes if ``by`` promises them."""
    families = ("label",) if by.by_classes else (*levels.GROUPS,)
    judged = (row.accuracy for row in all_groups(result, name) if row.family in families)
    return min(judged, default=math.nan)


def most_missed(result: AuditResult, name: str) -> tuple[float, JudgedRow | None]:
    """Return the worst of the groups too low, and how many rows fewer than promised it has."""
    level: float = result.settings["cl"]
    missed = [(row.n * (level - row.accuracy), row) for row in low_groups(result, name)]
    return max(missed, key=lambda each: each[0], default=(0.0, None))


def classes_lost(result: AuditResult, by: AuditedPredictor) -> list[SegmentRow]:
    """Return the classes that clearly have less coverage by what promises for classes."""
    classes = [row for row in result.of(result.segments, by.name) if row.family == "label"]
    lost = [row for row in classes if result.change(by.name, row.group).high < 0.0]
    return lost if by.by_classes else []


def _growth(result: AuditResult, name: str) -> float:
    """Return how many times as large the average set is after."""
    before, after = (result.row("test", of).inefficiency for of in (result.reference, name))
    return after / before if before and math.isfinite(before) else 1.0


def outweighs(result: AuditResult, by: AuditedPredictor) -> Literal["evenness", "missed", ""]:
    """Return what outweighs that a group is lowered, or coverage less even; or nothing.

    It is evenness, or the rows that the worst group misses no more. Where coverage is less even
    these have to be more than what its spread grows by comes to over all rows.
    """
    name, first, evenness = by.name, result.reference, evenness_of(result, by.name)
    before, after = (_lowest(result, by, of) for of in (first, name))
    if after < before - _SEEN:
        return ""
    if evenness == "more-even":
        return "evenness"
    gained, lost = most_missed(result, first)[0] - most_missed(result, name)[0], 0.0
    if evenness == "less-even":
        made = result.comparison(name)
        lost = result.data.test * (made.spread_after - made.spread_before)
    return "missed" if gained > lost else ""


def _training_rows_tell(result: AuditResult, name: str) -> bool:
    """Say whether training rows surely show what an adjustment mends, and no test rows object.

    These do where coverage of the group named falls, and where that of one named beforehand, or of
    all rows, clearly does, or that of all rows by 5 points.
    """
    made, named = result.comparison(name), named_group(result)
    before, after = (result.coverage(of) for of in (result.reference, name))
    if made.found_p_value is None or made.mended is None or made.cost is None or before.is_low:
        return False
    beforehand = (row for row in result.of(result.segments, name) if row.named)
    falls = [
        before.share - after.share > _FAR,
        result.change(name).high < 0.0,
        named is not None and result.change(name, named.group).change < 0.0,
        *(result.change(name, row.group).high < 0.0 for row in beforehand),
        # no advice by straight lines alone: trees find something on test rows, too
        result.row("test", result.reference).dcv_crossfitted_trees == 0.0,
    ]
    is_sure = made.found_p_value <= SURE and pays(result, name) == "yes"
    return is_sure and made.mended >= _PART and not any(falls)


def best(result: AuditResult) -> AuditedPredictor | None:
    """Return the adjustment to be used; None if none is.

    What keeps the shares of misses asked for comes first, what helps before what does harm, too,
    and before what test rows do not show. Of these what leaves neither group nor class too low, and
    then the cheapest, of those within a standard error of the most even: Breiman, Friedman, Olshen
    and Stone (1984), "Classification and regression trees", section 3.4.3. What has no known cost
    is dearest: of 50 worlds with something to mend that is right in 96 %, the smallest sets in 86 %
    and the most even in 84 %. A group or class that no feature tells of comes before all that.
    """
    group, missed = named_group(result), missed_class(result)

    def rank(by: AuditedPredictor) -> tuple[bool, int, int]:
        effect = ("helps", "mixed", "unclear").index(effect_of(result, by))
        unseen = 0 if is_of_features(result) else left(by)
        return not keeps_sides(result, by.name), effect, unseen

    def left(by: AuditedPredictor) -> int:
        unmended = group is not None and same_group(result, group, by.name).status != "mended"
        return unmended + (missed is not None and missed not in _gained(result, by))

    def dearness(by: AuditedPredictor) -> float:
        cost = result.comparison(by.name).cost
        return math.inf if cost is None else cost

    worth = [by for by in result.predictors[1:] if not against(result, by)]
    if not worth:
        return None
    first = min(map(rank, worth))
    made = {result.comparison(by.name): by for by in worth if rank(by) == first}
    even = min(made, key=lambda row: row.unevenness_change)
    most = even.unevenness_change + even.unevenness_standard_error
    near = (by for row, by in made.items() if not row.unevenness_change > most)
    return min(near, key=lambda by: (left(by), dearness(by)))
