"""Accuracy by segment: for whom the prediction sets hold their labels how often."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grouping import Variable, VariableKind
from .outcomes import Judged
from .statistics import detectable, holm, p_values, q_values, wilson_interval


@dataclass(frozen=True, kw_only=True)
class SegmentRow:
    """Share of correct prediction sets in one segment of the test rows, before and after.

    Attributes
    ----------
    variable, value, kind
        What the test rows are divided by, which of its segments this is, and whether it goes by a
        column, a pair of columns, a cohort or the label (see ``VariableKind``).
    is_band
        Whether ``value`` is a band of numbers or dates, and no value of the table.
    low_base, high_base, low_adjusted, high_adjusted
        Ends of Wilson's 95 % intervals for the accuracies.
    inefficiency_base, inefficiency_adjusted
        Mean set size, or mean width with the label standardised.
    p_value_base, p_value_adjusted
        Exact, two-sided, of "coverage in the segment is that of all test rows".
    q_value_base, q_value_adjusted
        The same, adjusted by Benjamini and Hochberg for all the segments looked at.
    holm_base, holm_adjusted
        The same, adjusted by Holm: stricter, the chance of a single false one is bounded.
    detectable
        The smallest shortfall in coverage that the segment's rows would show with 80 % power at
        5 %; NaN where they are too few to show any.
    share_infinite_base, share_infinite_adjusted
        Share of intervals that are infinite, so hold every label; None for sets of labels.
    share_full_base, share_full_adjusted
        Share of sets that hold every label; None for intervals.
    share_empty_base, share_empty_adjusted
        Share of sets without any label; None for intervals, which always hold their centre.
    """

    variable: str
    value: str
    n: int
    accuracy_base: float
    accuracy_adjusted: float
    low_base: float
    high_base: float
    low_adjusted: float
    high_adjusted: float
    inefficiency_base: float
    inefficiency_adjusted: float
    p_value_base: float
    p_value_adjusted: float
    q_value_base: float
    q_value_adjusted: float
    holm_base: float
    holm_adjusted: float
    detectable: float
    share_infinite_base: float | None
    share_infinite_adjusted: float | None
    share_full_base: float | None
    share_full_adjusted: float | None
    share_empty_base: float | None
    share_empty_adjusted: float | None
    kind: VariableKind = "column"
    is_band: bool = False


def segment_rows(
    variables: Iterable[Variable], *, base: Judged, adjusted: Judged
) -> list[SegmentRow]:
    """Return accuracy before and after in every segment of every variable.

    Parameters
    ----------
    variables
        Divisions of the test rows.
    base, adjusted
        The test rows' prediction sets before and after.
    """
    columns: dict[str, list[NDArray[Any]]] = {}
    for variable in variables:
        codes, names = variable.partition.codes, variable.partition.names
        n = np.bincount(codes, minlength=len(names))
        found: dict[str, NDArray[Any]] = {
            "variable": np.full(len(n), variable.name, dtype=object),
            "value": np.array(names, dtype=object),
            "kind": np.full(len(n), variable.kind, dtype=object),
            "is_band": np.arange(len(n)) < variable.partition.bands,
            "n": n,
            "detectable": detectable(n, int(base.correct.sum()), len(codes)),
        }
        for name, judged in (("base", base), ("adjusted", adjusted)):
            found |= _figures(codes, n, judged, name)
        for key, values in found.items():
            columns.setdefault(key, []).append(values)
    whole = {key: np.concatenate(values) for key, values in columns.items()}
    for name in ("base", "adjusted") if whole else ():
        whole[f"q_value_{name}"] = q_values(whole[f"p_value_{name}"])
        whole[f"holm_{name}"] = holm(whole[f"p_value_{name}"])
    rows = zip(*(values.tolist() for values in whole.values()), strict=True)
    return [SegmentRow(**dict(zip(whole, row, strict=True))) for row in rows]


def _figures(
    codes: NDArray[np.intp], n: NDArray[np.intp], judged: Judged, name: str
) -> dict[str, NDArray[Any]]:
    """Return the figures of all segments of one variable, shape (number of segments,) each."""
    hits = np.bincount(codes[judged.correct], minlength=len(n))
    low, high = wilson_interval(hits, n)
    with np.errstate(invalid="ignore"):
        accuracy = hits / n
        size = np.bincount(codes, weights=judged.sizes, minlength=len(n)) / n
    return {
        f"accuracy_{name}": accuracy,
        f"low_{name}": low,
        f"high_{name}": high,
        f"inefficiency_{name}": size,
        f"p_value_{name}": p_values(hits, n, int(judged.correct.sum()), len(codes)),
    } | {f"{share}_{name}": values for share, values in _shares(codes, n, judged).items()}


def _shares(
    codes: NDArray[np.intp], n: NDArray[np.intp], judged: Judged
) -> dict[str, NDArray[Any]]:
    """Return the shares of sets that are infinite, full or empty; None where meaningless."""
    unknown = np.full(len(n), None, dtype=object)

    def share(size: float) -> NDArray[Any]:
        with np.errstate(invalid="ignore"):
            return np.bincount(codes[judged.sizes == size], minlength=len(n)) / n

    if judged.are_intervals:
        return {
            "share_infinite": share(judged.largest),
            "share_full": unknown,
            "share_empty": unknown,
        }
    return {
        "share_infinite": unknown,
        "share_full": share(judged.largest),
        "share_empty": share(0.0),
    }
