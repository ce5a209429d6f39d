"""How unequal coverage is over the segments of one variable."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from ..arrays import FloatArray, IndexArray
from .by_segment import SegmentRow
from .grouping import VariableKind
from .statistics import FEWEST_COMPARED, LEVEL, difference_interval


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """Differences in one predictor's coverage between the segments of one variable.

    All figures are those of the segments with at least 30 test rows, and of the ``reference``: the
    largest unless chosen. There are so many ``groups`` of these, the reference among them, and so
    many segments with fewer test rows ``left_out``, not counting empty ones.

    ``gap`` is the difference of largest size between a segment's accuracy and the reference's,
    negative where the reference has more; NaN, with None for ``gap_segment``, where there is none.
    ``gap_low`` and ``gap_high`` are Newcombe's interval for it at Bonferroni's level, as it is the
    largest of several: the intervals of all these differences hold together in 95 % of cases.

    ``coverage_gap`` is the mean distance of the segments' accuracies from CL, weighted by rows; its
    floor what that is on average by chance alone, where coverage is CL in each of the segments.
    Unweighted, each segment counts once, as in CovGap of Ding, Angelopoulos, Bates, Jordan and
    Tibshirani (2023), "Class-conditional conformal prediction with many classes".

    ``lowest`` is feature-stratified coverage, as in Angelopoulos and Bates (2021), "A gentle
    introduction to conformal prediction and distribution-free uncertainty quantification": the
    lowest of several is below CL by chance alone. NaN and None where there is none.
    """

    shared: ClassVar = (
        *("variable", "kind", "reference", "reference_n", "groups", "left_out"),
        *("coverage_gap_floor", "coverage_gap_unweighted_floor"),
    )

    predictor: str
    variable: str
    kind: VariableKind
    reference: str
    reference_n: int
    groups: int
    left_out: int
    gap: float
    gap_segment: str | None
    gap_low: float
    gap_high: float
    coverage_gap: float
    coverage_gap_floor: float
    coverage_gap_unweighted: float
    coverage_gap_unweighted_floor: float
    lowest: float
    lowest_segment: str | None

    @property
    def group(self) -> str:
        """Which variable it is, whatever the predictor."""
        return self.variable


def gap_rows(
    segments: Iterable[SegmentRow], confidence_level: float, reference: Mapping[str, str]
) -> list[GapRow]:
    """Return each predictor's gaps between the segments of each variable.

    ``reference`` names, by variable, the segment to compare with instead of the largest.
    """
    return [
        _gap_row(list(rows), confidence_level, reference.get(variable))
        for (_, variable), rows in groupby(segments, key=lambda row: (row.predictor, row.variable))
    ]


def mean_distance_by_chance(n: IndexArray, confidence_level: float) -> FloatArray:
    """Return the mean of ``|hits / n - CL|`` of binomial hits with probability CL, shape (m,).

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
    accuracy = np.array([row.accuracy for row in groups])
    distance = np.abs(accuracy - confidence_level)
    lowest = groups[int(accuracy.argmin())] if groups else None
    return GapRow(
        predictor=reference.predictor,
        variable=reference.variable,
        kind=reference.kind,
        reference=reference.value,
        reference_n=reference.n,
        groups=len(others) + 1,
        left_out=sum(0 < row.n < FEWEST_COMPARED for row in rows if row is not reference),
        coverage_gap=_mean(distance, n),
        coverage_gap_floor=_mean(by_chance, n),
        coverage_gap_unweighted=_mean(distance),
        coverage_gap_unweighted_floor=_mean(by_chance),
        lowest=math.nan if lowest is None else lowest.accuracy,
        lowest_segment=None if lowest is None else lowest.value,
        **_largest_gap(others, reference),
    )


def _largest_gap(others: Sequence[SegmentRow], reference: SegmentRow) -> dict[str, Any]:
    if not others or reference.n == 0:
        return {"gap": math.nan, "gap_segment": None, "gap_low": math.nan, "gap_high": math.nan}
    n = np.array([row.n for row in others], dtype=np.intp)
    hits = np.array([_hits(row) for row in others], dtype=np.intp)
    gaps = hits / n - reference.accuracy
    level = 1.0 - (1.0 - LEVEL) / len(others)  # so that the intervals of all gaps hold together
    low, high = difference_interval(hits, n, (_hits(reference), reference.n), level)
    largest = int(np.abs(gaps).argmax())
    return {
        "gap": float(gaps[largest]),
        "gap_segment": others[largest].value,
        "gap_low": float(low[largest]),
        "gap_high": float(high[largest]),
    }


def _hits(row: SegmentRow) -> int:
    return round(row.n * row.accuracy)


def _mean(values: FloatArray, weights: IndexArray | None = None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else math.nan
