"""What the figures say, in words that need no statistics."""

import math
from collections.abc import Sequence

from ..coverage.exchangeability import Drift
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.search.worst_segments import WorstSegmentRow
from .result import ResultRow
from .wording import brief, rule_in_brief

_CLEAR = 0.01
_SOME = 0.05
_SMALLEST_P = 0.001
_BEYOND_NOISE = 1.5
"""Times its floor, a DCV that estimation noise no longer explains."""

_SCOPE = (
    "All this sees only coverage that rises or falls steadily with a feature. Where it is off in "
    "the middle of a feature's range, or only where several features meet, the segments tell."
)

_WORSE = (
    "So the adjustment made coverage less even than it was: it carries the chance of its training "
    "rows into every prediction, and there was less than that to mend. Keep the predictor as it "
    "was before."
)

_Row = ResultRow | AuditOnlyRow


def findings(before: ResultRow, after: ResultRow, confidence_level: float) -> list[str]:
    """Return sentences on the test rows before and after the adjustment.

    How sure it is that coverage depends on the features, by how much it deviates, and what a
    rejection means for a predictor that was adjusted on a training set of limited size. A reader
    is not to take a large p-value for proof that coverage is even, a small one after the
    adjustment for its failure, or either for a statement on bends and interactions.
    """
    promised = f"{100.0 * confidence_level:g} %"
    if before.p_value is None or math.isnan(before.p_value):
        return [_nothing_to_tell("Before", before)]
    sentences = [
        (
            f"Before, {_evidence(_p_value(before))} that coverage depends on the model's "
            f"features {_how(before)}({_p(_p_value(before))}). {_deviation(before, promised)}"
        )
    ]
    if after.p_value is None or math.isnan(after.p_value):
        return [*sentences, _nothing_to_tell("After", after)]
    sentences.append(f"After, {_remaining(after)} {_deviation(after, promised)}")
    if _is_less_even(before, after):
        sentences.append(_WORSE)
    elif _p_value(after) <= _SOME and after.dcv_floor is not None:
        sentences.append(_meaning(after, after.dcv_floor))
    return [*sentences, _SCOPE] if _is_by_formula(before) else sentences


def level_finding(before: ResultRow, after: ResultRow, drift: Drift) -> str:
    """Return a sentence on the overall level, and on what chance alone makes of it."""
    low, high = 100.0 * drift.accuracy_low, 100.0 * drift.accuracy_high
    return (
        f"Overall, the prediction sets of {100.0 * before.accuracy:.1f} % of the test rows hold "
        f"their label before, and of {100.0 * after.accuracy:.1f} % after; with so many rows "
        f"chance puts it between {low:.1f} % and {high:.1f} % in 99 of 100 splits."
    )


def worst_finding(
    before: Sequence[WorstSegmentRow], after: Sequence[WorstSegmentRow], rules: int
) -> str:
    """Return a sentence on the rules of clearly low coverage, and on the surest of them.

    ``before`` and ``after`` are those of the ``rules`` judged, the surest before first.
    """
    if not rules:
        return (
            "There is nothing to search for worst segments: too few test rows, or none of them "
            "with clearly more wrong prediction sets than others."
        )
    if not before and not after:
        return (
            f"The search for worst segments finds none: of its {rules} rules, none has clearly low "
            "coverage on the rows that it is judged on, before or after."
        )
    surest = [*before, *after][0]
    return (
        f"The search for worst segments finds {_rules(len(before))} of clearly low coverage before "
        f"and {len(after)} after, the surest of them {rule_in_brief(surest.rule)}: coverage is "
        f"{_percent(surest.accuracy_base)} before (95 % interval {_percent(surest.low_base)} to "
        f"{_percent(surest.high_base)}) and {_percent(surest.accuracy_adjusted)} after, of "
        f"{surest.n} rows that had no part in the search."
    )


def audit_only_findings(rows: Sequence[AuditOnlyRow], confidence_level: float) -> list[str]:
    """Return sentences on how coverage depends on the audit-only columns, before and after."""
    if not rows or math.isnan(rows[0].p_value):
        return []
    before, after = rows[:2]  # of all columns together, or of the only one
    promised = f"{100.0 * confidence_level:g} %"
    what = "the audit-only columns" if before.joint else f"audit-only {brief(before.column)}"
    sentences = [
        (
            f"Before, {_evidence(before.p_value)} that coverage depends on {what} "
            f"({_p(before.p_value)}). {_deviation(before, promised)}"
        )
    ]
    if not math.isnan(after.p_value):
        sentences.append(f"After, as to {what}, {_remaining(after)} {_deviation(after, promised)}")
        if after.p_value <= _SOME:
            sentences.append(
                "The adjustment cannot see these columns, so it mends only what other columns "
                "tell of them."
            )
    return sentences


def _is_less_even(before: ResultRow, after: ResultRow) -> bool:
    """Say whether the deviation is larger after, by more than it is known to before."""
    if before.dcv_corrected_high is None or after.dcv_corrected is None:
        return False
    return after.dcv_corrected > before.dcv_corrected_high


def _rules(count: int) -> str:
    return "1 rule" if count == 1 else f"{count} rules"


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _nothing_to_tell(when: str, row: ResultRow) -> str:
    alike = "right" if row.accuracy == 1.0 else "wrong"
    return (
        f"{when}, all prediction sets of the test rows are {alike}, so nothing can be said of how "
        "coverage depends on the features."
    )


def _evidence(p_value: float) -> str:
    if p_value <= _CLEAR:
        return "there is clear evidence"
    return "there is some evidence" if p_value <= _SOME else "there is no evidence"


def _remaining(row: _Row) -> str:
    p_value = _p_value(row)
    if p_value <= _CLEAR:
        return f"a dependence {_how(row)}is clearly left ({_p(p_value)})."
    if p_value <= _SOME:
        return f"there is some evidence that a dependence {_how(row)}is left ({_p(p_value)})."
    return f"no dependence {_how(row)}can be told from chance ({_p(p_value)})."


def _p_value(row: _Row) -> float:
    """Return the p-value of the estimator behind DCV, as far as there is one."""
    permuted = _permuted(row)
    value = row.p_value if permuted is None else permuted
    assert value is not None  # noqa: S101 - asked by the caller
    return value


def _how(row: _Row) -> str:
    """Return what kind of dependence the p-value is of, where it is not that of the estimator."""
    has_own = _is_by_formula(row) or _permuted(row) is not None
    return "" if has_own else "in a straight line "


def _is_by_formula(row: _Row) -> bool:
    """Say whether the noise of the estimator behind DCV is known: of a logistic regression's."""
    return row.dcv_corrected is not None


def _permuted(row: _Row) -> float | None:
    return None if isinstance(row, AuditOnlyRow) or _is_by_formula(row) else row.p_value_permuted


def _p(p_value: float) -> str:
    """Return a p-value in words: how often chance alone would look like this."""
    chance = "with no dependence at all, chance would make coverage look at least this uneven in"
    if p_value < _SMALLEST_P:
        return f"{chance} fewer than 1 of 1,000 cases"
    share = f"{chance} {100.0 * p_value:.2g} % of cases"
    return share if p_value <= _SOME else f"{share}; this does not prove that coverage is even"


def _deviation(row: _Row, promised: str) -> str:
    if isinstance(row, ResultRow) and not _is_by_formula(row):
        return (
            f"Judged on rows that they have not seen, its estimates find coverage off {promised} "
            f"by {_points(row.dcv_crossfitted)} percentage points, as a root mean square over the "
            "rows."
        )
    low, high = _points(row.dcv_corrected_low), _points(row.dcv_corrected_high)
    return (
        f"Coverage is off {promised} by about {_points(row.dcv_corrected)} percentage points, as a "
        f"root mean square over the rows (95 % interval {low} to {high})."
    )


def _meaning(row: ResultRow, floor: float) -> str:
    least, faultless = _points(floor), _points(row.dcv_floor_unadjusted)
    measured = (
        f"the deviation as measured is {_points(row.dcv)} points, chance among the test rows "
        f"included; the best adjustment of its kind from so many training rows would show about "
        f"{least}, and a faultless predictor that needs no adjustment about {faultless}."
    )
    if row.dcv <= _BEYOND_NOISE * floor:
        return (
            "This is what is to be expected of an adjustment of this kind: it carries the chance "
            f"of its training rows into every prediction. In figures: {measured} More training "
            "rows would lower it."
        )
    return f"This is more than so many training rows explain: {measured}"


def _points(share: float | None) -> str:
    """Return a share in percentage points."""
    return "?" if share is None else f"{100.0 * share:.1f}"
