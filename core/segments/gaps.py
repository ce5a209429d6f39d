"""How unequal coverage is over the segments of one variable."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..arrays import FloatArray
from .by_segment import SegmentRow
from .grouping import VariableKind
from .statistics import FEWEST_COMPARED, difference_interval

LEVEL = 0.95
"""At which the intervals of all gaps of a variable hold together."""

_When = Literal["base", "adjusted"]


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """Differences in coverage between the segments of one variable of the test rows.

    All figures are those of the segments with at least 30 test rows, and of the reference.

    Attributes
    ----------
    reference, reference_n
        The segment the others are compared with, and its test rows: the largest unless chosen.
    groups
        Number of segments that figures are of, the reference among them.
    left_out
        Number of segments with fewer test rows, but some.
    gap_base, gap_adjusted
        The difference of largest size between a segment's accuracy and the reference's: negative
        where the reference has more. NaN where there is none to compare with, as its ends.
    gap_segment_base, gap_segment_adjusted
        The segment that shows it; None where there is none.
    gap_low_base, gap_high_base, gap_low_adjusted, gap_high_adjusted
        Ends of Newcombe's interval for that difference. As it is the largest of several, the level
        is Bonferroni's: the intervals of all these differences hold together in 95 % of cases.
    coverage_gap_base, coverage_gap_adjusted
        Mean distance of the segments' accuracies from CL, weighted by rows.
    coverage_gap_floor
        What it is on average by chance alone, where coverage is CL in each of the segments.
    coverage_gap_unweighted_base, coverage_gap_unweighted_adjusted, coverage_gap_unweighted_floor
        The same with each segment counting once, as the field's CovGap does.
    lowest_base, lowest_adjusted
        Accuracy of the segment where it is lowest: feature-stratified coverage. The lowest of
        several is below CL by chance alone.
    lowest_segment_base, lowest_segment_adjusted
        That segment; None where there is none.

    References
    ----------
    Ding, Angelopoulos, Bates, Jordan and Tibshirani (2023), "Class-conditional conformal
    prediction with many classes", for CovGap; Angelopoulos and Bates (2021), "A gentle
    introduction to conformal prediction and distribution-free uncertainty quantification", for
    feature-stratified coverage.
    """

    variable: str
    kind: VariableKind
    reference: str
    reference_n: int
    groups: int
    left_out: int
    gap_base: float
    gap_segment_base: str | None
    gap_low_base: float
    gap_high_base: float
    gap_adjusted: float
    gap_segment_adjusted: str | None
    gap_low_adjusted: float
    gap_high_adjusted: float
    coverage_gap_base: float
    coverage_gap_adjusted: float
    coverage_gap_floor: float
    coverage_gap_unweighted_base: float
    coverage_gap_unweighted_adjusted: float
    coverage_gap_unweighted_floor: float
    lowest_base: float
    lowest_segment_base: str | None
    lowest_adjusted: float
    lowest_segment_adjusted: str | None


def gap_rows(
    segments: Iterable[SegmentRow], confidence_level: float, reference: Mapping[str, str]
) -> list[GapRow]:
    """Return the gaps between the segments of each variable.

    ``reference`` names, by variable, the segment to compare with instead of the largest.
    """
    return [
        _gap_row(list(rows), confidence_level, reference.get(variable))
        for variable, rows in groupby(segments, key=lambda row: row.variable)
    ]


def mean_distance_by_chance(n: NDArray[np.intp], confidence_level: float) -> FloatArray:
    """Return the mean of ``|hits / n - CL|`` of binomial hits with probability CL, shape (m,).

    References
    ----------
    De Moivre's formula; see Diaconis and Zabell (1991), "Closed form summation for classical
    distributions".
    """
    above = np.floor(n * confidence_level) + 1.0
    probability = np.asarray(stats.binom.pmf(above, n, confidence_level))
    distance: FloatArray = 2.0 * above * (1.0 - confidence_level) * probability / n
    return distance


def _gap_row(rows: Sequence[SegmentRow], confidence_level: float, chosen: str | None) -> GapRow:
    largest = max(rows, key=lambda row: row.n)
    reference = next((row for row in rows if row.value == chosen), largest)
    groups = [row for row in rows if row.n >= FEWEST_COMPARED]
    others = [row for row in groups if row is not reference]
    n = np.array([row.n for row in groups], dtype=np.intp)
    by_chance = mean_distance_by_chance(n, confidence_level)
    figures: dict[str, Any] = {}
    for when in ("base", "adjusted"):
        figures |= _largest_gap(others, reference, when)
        figures |= _over_groups(groups, n, confidence_level, when)
    return GapRow(
        variable=reference.variable,
        kind=reference.kind,
        reference=reference.value,
        reference_n=reference.n,
        groups=len(others) + 1,
        left_out=sum(0 < row.n < FEWEST_COMPARED for row in rows if row is not reference),
        coverage_gap_floor=_mean(by_chance, n),
        coverage_gap_unweighted_floor=_mean(by_chance),
        **figures,
    )


def _largest_gap(
    others: Sequence[SegmentRow], reference: SegmentRow, when: _When
) -> dict[str, Any]:
    found: tuple[str | None, float, float, float] = (None, math.nan, math.nan, math.nan)
    if others and reference.n > 0:
        n = np.array([row.n for row in others], dtype=np.intp)
        hits = np.array([_hits(row, when) for row in others], dtype=np.intp)
        gaps = hits / n - _accuracy(reference, when)
        level = 1.0 - (1.0 - LEVEL) / len(others)
        low, high = difference_interval(hits, n, (_hits(reference, when), reference.n), level)
        largest = int(np.abs(gaps).argmax())
        found = (
            others[largest].value,
            float(gaps[largest]),
            float(low[largest]),
            float(high[largest]),
        )
    names = ("gap_segment", "gap", "gap_low", "gap_high")
    return {f"{name}_{when}": value for name, value in zip(names, found, strict=True)}


def _over_groups(
    groups: Sequence[SegmentRow], n: NDArray[np.intp], confidence_level: float, when: _When
) -> dict[str, Any]:
    accuracy = np.array([_accuracy(row, when) for row in groups])
    distance = np.abs(accuracy - confidence_level)
    lowest = groups[int(accuracy.argmin())] if groups else None
    return {
        f"coverage_gap_{when}": _mean(distance, n),
        f"coverage_gap_unweighted_{when}": _mean(distance),
        f"lowest_{when}": math.nan if lowest is None else _accuracy(lowest, when),
        f"lowest_segment_{when}": None if lowest is None else lowest.value,
    }


def _accuracy(row: SegmentRow, when: _When) -> float:
    return row.accuracy_base if when == "base" else row.accuracy_adjusted


def _hits(row: SegmentRow, when: _When) -> int:
    return round(row.n * _accuracy(row, when))


def _mean(values: FloatArray, weights: NDArray[np.intp] | None = None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else math.nan
