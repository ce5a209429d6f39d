"""How unequal coverage is over the segments of one variable."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..conformal.coverage_law import CoverageLaw
from .by_segment import SegmentRow
from .grouping import VariableKind
from .statistics import FEWEST_JUDGED, LEVEL, difference_interval


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """Differences in one predictor's coverage between the segments of one variable.

    All figures are those of the segments with at least 20 test rows, and of the ``reference``: the
    largest unless chosen. There are so many ``groups`` of these, the reference among them, and so
    many segments with fewer test rows ``left_out``, not counting empty ones.

    ``gap`` is the difference of largest size between a segment's accuracy and the reference's,
    negative where the reference has more; NaN, with None for ``gap_segment``, where there is none.
    ``gap_low`` and ``gap_high`` are Newcombe's interval for it at Bonferroni's level: those of all
    differences of all variables of its family, see ``SegmentRow``, hold together in 95 % of cases.
    A group made after looking has none.

    ``coverage_gap`` is the mean distance of the segments' accuracies from CL, weighted by rows; its
    floor what that is on average by chance alone, that of drawing the calibration rows included,
    where coverage is the same in each of the segments.
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
    segments: Sequence[SegmentRow], law: CoverageLaw, reference: Mapping[str, str]
) -> list[GapRow]:
    """Return each predictor's gaps between the segments of each variable.

    ``law`` is that of a faultless predictor's coverage; ``reference`` names, by variable, the
    segment to compare with instead of the largest.
    """
    by_variable = groupby(segments, key=lambda row: (row.predictor, row.variable))
    compared = [_Compared.of(list(rows), reference.get(name)) for (_, name), rows in by_variable]
    comparisons = Counter[tuple[str, str]]()
    for one in compared:
        comparisons[one.family] += len(one.others)
    return [one.row(law, comparisons[one.family]) for one in compared]


@dataclass(frozen=True)
class _Compared:
    """One variable's segments that are compared, for one predictor."""

    rows: Sequence[SegmentRow]
    reference: SegmentRow

    @classmethod
    def of(cls, rows: Sequence[SegmentRow], chosen: str | None) -> Self:
        largest = max(rows, key=lambda row: row.counted)
        return cls(rows, next((row for row in rows if row.value == chosen), largest))

    @property
    def family(self) -> tuple[str, str]:
        kind = self.reference.kind
        return self.reference.predictor, kind if kind in ("label", "look") else "objects"

    @property
    def groups(self) -> list[SegmentRow]:
        return [row for row in self.rows if row.n >= FEWEST_JUDGED]

    @property
    def others(self) -> list[SegmentRow]:
        return [row for row in self.groups if row is not self.reference]

    def row(self, law: CoverageLaw, comparisons: int) -> GapRow:
        rows, reference, groups = self.rows, self.reference, self.groups
        weight = np.array([row.counted for row in groups])
        effective = np.array([row.n_effective for row in groups], dtype=np.intp)
        by_chance = law.mean_distance(effective)
        accuracy = np.array([row.accuracy for row in groups])
        distance = np.abs(accuracy - law.level)
        lowest = groups[int(accuracy.argmin())] if groups else None
        small = (row for row in rows if row is not reference and 0 < row.n < FEWEST_JUDGED)
        return GapRow(
            predictor=reference.predictor,
            variable=reference.variable,
            kind=reference.kind,
            reference=reference.value,
            reference_n=reference.n,
            groups=len(self.others) + 1,
            left_out=len(list(small)),
            coverage_gap=_mean(distance, weight),
            coverage_gap_floor=_mean(by_chance, weight),
            coverage_gap_unweighted=_mean(distance),
            coverage_gap_unweighted_floor=_mean(by_chance),
            lowest=math.nan if lowest is None else lowest.accuracy,
            lowest_segment=None if lowest is None else lowest.value,
            **_largest_gap(self.others, reference, comparisons),
        )


def _largest_gap(
    others: Sequence[SegmentRow], reference: SegmentRow, comparisons: int
) -> dict[str, Any]:
    if not others or reference.n == 0:
        return {"gap": math.nan, "gap_segment": None, "gap_low": math.nan, "gap_high": math.nan}
    gaps = np.array([row.accuracy - reference.accuracy for row in others])
    largest = int(np.abs(gaps).argmax())
    low = high = math.nan
    if reference.kind != "look":
        level = 1.0 - (1.0 - LEVEL) / comparisons
        ends = difference_interval(*_counts(others[largest]), *_counts(reference), level)
        low, high = (float(end[0]) for end in ends)
    return {
        "gap": float(gaps[largest]),
        "gap_segment": others[largest].value,
        "gap_low": low,
        "gap_high": high,
    }


def _counts(row: SegmentRow) -> tuple[IndexArray, IndexArray]:
    """Return hits and rows, of as many independent rows as say as much, shape (1,)."""
    n = row.n_effective
    return np.array([round(n * row.accuracy)]), np.array([n])


def _mean(values: FloatArray, weights: FloatArray | IndexArray | None = None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else math.nan
