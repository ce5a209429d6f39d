"""What became of prediction sets, counted by group: the one way for rows and for engines' sums."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Counts, Weights
from ..tables.rules import in_a_rule
from .grouping import Variable
from .statistics import FEWEST_JUDGED, effective, wilson_interval

_LEAST_EXCESS = 0.1
"""By so much the group's share of the rows exceeds that of all rows, or there is no telling."""


@dataclass(frozen=True, eq=False)
class Tally:
    """What became of prediction sets: each of the m entries is of one row, or of several alike.

    ``n`` are so many rows, of whose sets ``hits`` hold their label, ``largest`` every label and
    ``empty`` none; ``size`` is the sum of their sizes. Where rows have weights, all but ``n`` are
    sums of these, and ``weight`` that of all. Arrays have shape (m,). ``rows`` are those counted,
    where each is an entry; without them, all are taken for independent.
    """

    n: FloatArray
    hits: FloatArray
    size: FloatArray
    largest: FloatArray
    empty: FloatArray
    are_intervals: bool
    weight: Weights = None
    rows: Outcomes | None = None

    @classmethod
    def of(cls, outcomes: Outcomes) -> Self:
        """Return that of rows one by one."""
        sizes, counts = outcomes.sizes, outcomes.counts
        return cls(
            n=np.ones(len(counts)),
            hits=counts * outcomes.correct,
            size=counts * sizes,
            largest=counts * (sizes == outcomes.largest),
            empty=counts * (sizes == 0.0),
            are_intervals=outcomes.are_intervals,
            weight=outcomes.weights,
            rows=outcomes,
        )


class ByGroup:
    """The entries of a tally in groups; arrays have shape (count,), NaN of a group without rows.

    ``n`` are the numbers of rows, ``whole`` the sums of their weights, ``accuracy`` the shares of
    sets that hold their label, with the ends of 95 % intervals, ``low`` and ``high``; accuracy
    varies by ``design_effects`` more than that of independent rows, of which ``right`` of
    ``effective`` say as much. ``are_clusters`` says that a group of one cluster is asked about by
    itself, and no sample of clusters.
    """

    def __init__(
        self, tally: Tally, codes: IndexArray, count: int, *, are_clusters: bool = False
    ) -> None:
        self.tally, self._codes, self.count = tally, codes, count
        self.n: IndexArray = np.rint(self.sums(tally.n)).astype(np.intp)
        self.whole: Counts = self.n if tally.weight is None else self.sums(tally.weight)
        self.accuracy = self.shares(tally.hits)
        self.design_effects = np.ones(count)
        if tally.rows is not None:
            effects = tally.rows.design_effects(codes, count)
            alone = are_clusters and tally.rows.are_single(codes, count)
            self.design_effects = np.where(alone, 1.0, effects)
        self.right, self.effective = effective(self.accuracy, self.n, self.design_effects)
        self.low, self.high = wilson_interval(self.right, self.effective)

    def sums(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return the sums of the entries' values."""
        return np.asarray(np.bincount(self._codes, values, self.count), dtype=np.float64)

    def shares(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return sums of the entries' values for each row, by weight if rows have weights."""
        with np.errstate(invalid="ignore"):
            share: FloatArray = self.sums(values) / self.whole
        return share

    def lines(self, **more: NDArray[Any]) -> list[dict[str, Any]]:
        """Return by group rows, accuracy, its interval and more figures, as plain values."""
        figures = {"n": self.n, "accuracy": self.accuracy, "low": self.low, "high": self.high}
        return lines(figures | more)


def lines(columns: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return what stands in each line of some columns, by name, as plain values."""
    by_line = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, line, strict=True)) for line in by_line]


@dataclass(frozen=True)
class SegmentCoverage:
    """The share of right sets among the n test rows of a segment, with its 95 % interval.

    ``name`` is what the segment is, such as "county = Devon" or "age >= 65".
    """

    name: str
    n: int
    coverage: float
    low: float
    high: float


@dataclass(frozen=True)
class PartOfSegment:
    """Some of the test rows of a segment: n out of ``size``."""

    name: str
    n: int
    size: int


class ColumnSegments:
    """The segments of test rows by columns, counted again and again for other outcomes."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._divided: list[tuple[IndexArray, list[str], IndexArray]] = []
        for variable in variables:
            if variable.kind in ("column", "group"):
                codes, bands = variable.partition.codes, variable.partition.bands
                names = [str(rule) for rule in variable.partition.rules[:bands]]
                values = map(in_a_rule, variable.partition.names[bands:])
                names += [f"{in_a_rule(variable.name)} = {value}" for value in values]
                self._divided.append((codes, names, np.bincount(codes, minlength=len(names))))

    def worst(self, outcomes: Outcomes) -> SegmentCoverage | None:
        """Return the segment whose interval for coverage ends lowest; None where all are small."""
        tally = Tally.of(outcomes.unclustered)
        found = [
            SegmentCoverage(name, *figures.values())
            for codes, names, _ in self._divided
            for name, figures in zip(names, ByGroup(tally, codes, len(names)).lines(), strict=True)
        ]
        judged = (one for one in found if one.n >= FEWEST_JUDGED)
        return min(judged, key=lambda one: one.high, default=None)

    def most_in_excess(self, rows: BoolArray) -> PartOfSegment | None:
        """Return the segment whose share of some rows, shape (n,), most exceeds that of all.

        None where no share does clearly, or by one row alone, which is of many segments.
        """
        n, best, excess = int(rows.sum()), None, _LEAST_EXCESS
        for codes, names, sizes in self._divided:
            counts = np.bincount(codes[rows], minlength=len(names))
            above = counts / max(n, 1) - sizes / len(rows)
            place = int(np.argmax(above))
            if above[place] >= excess and counts[place] > 1:
                excess = float(above[place])
                best = PartOfSegment(names[place], int(counts[place]), int(sizes[place]))
        return best
