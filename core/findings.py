"""What the figures say, in words that need no statistics."""

import math

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
            f"Before, {_evidence(_p_value(before))} that coverage depends on the features "
            f"{_how(before)}({_p(_p_value(before))}). {_deviation(before, promised)}"
        )
    ]
    if after.p_value is None or math.isnan(after.p_value):
        return sentences
    sentences.append(f"After, {_remaining(after)} {_deviation(after, promised)}")
    if _p_value(after) <= _SOME and after.dcv_floor is not None:
        sentences.append(_meaning(after, after.dcv_floor))
    return sentences


def _alike(row: ResultRow) -> str:
    return "right" if row.accuracy == 1.0 else "wrong"


def _evidence(p_value: float) -> str:
    if p_value <= _CLEAR:
        return "there is clear evidence"
    return "there is some evidence" if p_value <= _SOME else "there is no evidence"


def _remaining(row: ResultRow) -> str:
    p_value = _p_value(row)
    if p_value <= _SOME:
        return f"some dependence {_how(row)}is left ({_p(p_value)})."
    return f"no dependence {_how(row)}can be told from chance any more ({_p(p_value)})."


def _p_value(row: ResultRow) -> float:
    """Return the p-value of the estimator behind DCV, as far as there is one."""
    assert row.p_value is not None  # noqa: S101 - asked by the caller
    if _is_by_formula(row) or row.p_value_permuted is None:
        return row.p_value
    return row.p_value_permuted


def _how(row: ResultRow) -> str:
    """Return what kind of dependence the p-value is of, where it is not that of the estimator."""
    has_own = _is_by_formula(row) or row.p_value_permuted is not None
    return "" if has_own else "in a straight line "


def _is_by_formula(row: ResultRow) -> bool:
    """Say whether the noise of the estimator behind DCV is known: of a logistic regression's."""
    return row.dcv_corrected is not None


def _p(p_value: float) -> str:
    """Return a p-value in words: how often chance alone would look like this."""
    if p_value < _SMALLEST_P:
        return "chance alone would look like this in fewer than 1 of 1,000 cases"
    return f"chance alone would look like this in {100.0 * p_value:.2g} % of cases"


def _deviation(row: ResultRow, promised: str) -> str:
    if not _is_by_formula(row):
        return (
            f"Estimates judged on rows that they have not seen vouch for {promised} being missed "
            f"by {_points(row.dcv_crossfitted)} percentage points for a typical row."
        )
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
