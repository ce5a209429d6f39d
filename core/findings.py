"""What the figures say, in words that need no statistics."""

import math
from collections.abc import Sequence

from .audit_only import ALL, AuditOnlyRow
from .result import ResultRow

_CLEAR = 0.01
_SOME = 0.05
_SMALLEST_P = 0.001
_BEYOND_NOISE = 1.5
"""Times its floor, a DCV that estimation noise no longer explains."""


def findings(before: ResultRow, after: ResultRow, confidence_level: float) -> list[str]:
    """Return sentences on the test rows before and after the adjustment.

    How sure it is that coverage depends on the features, by how much it deviates, and what a
    rejection means for a predictor that was adjusted on a training set of limited size.
    """
    promised = f"{100.0 * confidence_level:g} %"
    if before.p_value is None or math.isnan(before.p_value):
        return [
            (
                f"Before, all prediction sets of the test rows are {_alike(before)}, so nothing "
                "can be said of how coverage depends on the features."
            )
        ]
    sentences = [
        (
            f"Before, {_evidence(before.p_value)} that coverage depends on the features "
            f"({_p(before.p_value)}). {_deviation(before, promised)}"
        )
    ]
    if after.p_value is None or math.isnan(after.p_value):
        return sentences
    sentences.append(f"After, {_remaining(after)} {_deviation(after, promised)}")
    if after.p_value <= _SOME and after.dcv_floor is not None:
        sentences.append(_meaning(after, after.dcv_floor))
    return sentences


def audit_only_findings(rows: Sequence[AuditOnlyRow], confidence_level: float) -> list[str]:
    """Return sentences on how coverage depends on the audit-only columns, before and after."""
    if not rows or math.isnan(rows[0].p_value):
        return []
    before, after = rows[:2]  # of all columns together, or of the only one
    promised = f"{100.0 * confidence_level:g} %"
    what = "the audit-only columns" if before.column == ALL else f"audit-only {before.column}"
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


def _alike(row: ResultRow) -> str:
    return "right" if row.accuracy == 1.0 else "wrong"


def _evidence(p_value: float) -> str:
    if p_value <= _CLEAR:
        return "there is clear evidence"
    return "there is some evidence" if p_value <= _SOME else "there is no evidence"


def _remaining(row: ResultRow | AuditOnlyRow) -> str:
    assert row.p_value is not None  # noqa: S101 - asked by the caller
    if row.p_value <= _SOME:
        return f"some dependence is left ({_p(row.p_value)})."
    return f"no dependence can be told from chance any more ({_p(row.p_value)})."


def _p(p_value: float) -> str:
    """Return a p-value in words: how often chance alone would look like this."""
    if p_value < _SMALLEST_P:
        return "chance alone would look like this in fewer than 1 of 1,000 cases"
    return f"chance alone would look like this in {100.0 * p_value:.2g} % of cases"


def _deviation(row: ResultRow | AuditOnlyRow, promised: str) -> str:
    low, high = _points(row.dcv_corrected_low), _points(row.dcv_corrected_high)
    return (
        f"For a typical row coverage is off {promised} by about {_points(row.dcv_corrected)} "
        f"percentage points (95 % interval {low} to {high})."
    )


def _meaning(row: ResultRow, floor: float) -> str:
    seen, least = _points(row.dcv), _points(floor)
    if row.dcv <= _BEYOND_NOISE * floor:
        return (
            f"That is what an adjustment leaves that was fitted on so many training rows: as "
            f"measured, {seen} points, where about {least} cannot be avoided. More training rows "
            "would lower it."
        )
    return (
        f"That is more than the number of training rows explains: as measured, {seen} points, "
        f"where about {least} cannot be avoided."
    )


def _points(share: float | None) -> str:
    """Return a share in percentage points."""
    return "?" if share is None else f"{100.0 * share:.1f}"
