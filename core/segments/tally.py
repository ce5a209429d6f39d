"""What became of prediction sets, counted by group: the one way for rows and for engines' sums."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Counts, Weights
from .grouping import Variable
from .statistics import FEWEST_JUDGED, effective, share_of, wilson_interval

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

    def by(self, codes: IndexArray, count: int, *, are_clusters: bool = False) -> "ByGroup":
        """Return the entries in ``count`` groups, whose numbers are ``codes``, shape (m,)."""
        return ByGroup(self, codes, count, are_clusters)


@dataclass(frozen=True, eq=False)
class ByGroup:
    """The entries of a tally in groups; arrays have shape (count,), NaN of a group without rows."""

    tally: Tally
    codes: IndexArray
    count: int
    are_clusters: bool = False
    """Whether a group of one cluster is asked about by itself, and no sample of clusters."""

    def sums(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return the sums of the entries' values."""
        return np.asarray(np.bincount(self.codes, values, self.count), dtype=np.float64)

    def shares(self, values: FloatArray) -> FloatArray:
        """Return sums of the entries' values for each row, by weight if rows have weights."""
        return share_of(self.sums(values), self.whole)

    @cached_property
    def n(self) -> IndexArray:
        """The numbers of rows."""
        return np.rint(self.sums(self.tally.n)).astype(np.intp)

    @cached_property
    def whole(self) -> Counts:
        """The sums of the rows' weights."""
        return self.n if self.tally.weight is None else self.sums(self.tally.weight)

    @cached_property
    def accuracy(self) -> FloatArray:
        """The shares of sets that hold their label."""
        return self.shares(self.tally.hits)

    @cached_property
    def design_effects(self) -> FloatArray:
        """By how much accuracy varies more than that of independent rows."""
        rows = self.tally.rows
        if rows is None:
            return np.ones(self.count)
        effects = rows.design_effects(self.codes, self.count)
        if not self.are_clusters:
            return effects
        return np.where(rows.are_single(self.codes, self.count), 1.0, effects)

    @cached_property
    def effective(self) -> tuple[IndexArray, IndexArray]:
        """Hits and rows of as many independent rows as say as much."""
        return effective(self.accuracy, self.n, self.design_effects)

    @cached_property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the 95 % intervals for accuracy."""
        return wilson_interval(*self.effective)

    def figures(self) -> list[dict[str, Any]]:
        """Return rows, accuracy and the ends of its interval, ``low`` and ``high``, by group."""
        low, high = self.interval
        return lines({"n": self.n, "accuracy": self.accuracy, "low": low, "high": high})


def lines(columns: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return what stands in each line of some columns, by name, as plain values."""
    by_line = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, line, strict=True)) for line in by_line]


class SegmentName(NamedTuple):
    """A segment: a value of a variable, or a band of its numbers or dates."""

    variable: str
    value: str
    is_band: bool


@dataclass(frozen=True)
class SegmentCoverage:
    """The share of right sets among the n test rows of a segment, with its 95 % interval."""

    name: SegmentName
    n: int
    coverage: float
    low: float
    high: float


@dataclass(frozen=True)
class PartOfSegment:
    """Some of the test rows of a segment: n out of ``size``."""

    name: SegmentName
    n: int
    size: int


class ColumnSegments:
    """The segments of test rows by columns, counted again and again for other outcomes."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._variables = [one for one in variables if one.kind in ("column", "group")]
        self._sizes = [_counts(one, slice(None)) for one in self._variables]

    def worst(
        self, outcomes: Outcomes, followed: SegmentName | None
    ) -> tuple[SegmentCoverage | None, SegmentCoverage | None]:
        """Return the segment whose interval for coverage ends lowest, and one that is followed.

        Without one that is the lowest, too; None where all are small.
        """
        found = [*self._coverage(outcomes)]
        judged = (one for one in found if one.n >= FEWEST_JUDGED)
        lowest = min(judged, key=lambda one: one.high, default=None)
        if followed is None:
            return lowest, lowest
        return lowest, next(one for one in found if one.name == followed)

    def most_in_excess(self, rows: BoolArray) -> PartOfSegment | None:
        """Return the segment whose share of some rows, shape (n,), most exceeds that of all.

        None where no share does clearly, or by one row alone, which is of many segments.
        """
        n, best, excess = int(rows.sum()), None, _LEAST_EXCESS
        for variable, sizes in zip(self._variables, self._sizes, strict=True):
            counts = _counts(variable, rows)
            above = counts / max(n, 1) - sizes / len(rows)
            place = int(np.argmax(above))
            if above[place] >= excess and counts[place] > 1:
                excess = float(above[place])
                best = PartOfSegment(_name(variable, place), int(counts[place]), int(sizes[place]))
        return best

    def _coverage(self, outcomes: Outcomes) -> Iterator[SegmentCoverage]:
        tally = Tally.of(outcomes.unclustered)
        for variable, n in zip(self._variables, self._sizes, strict=True):
            found = tally.by(variable.partition.codes, len(n)).figures()
            for place, figures in enumerate(found):
                yield SegmentCoverage(_name(variable, place), *figures.values())


def _name(variable: Variable, place: int) -> SegmentName:
    partition = variable.partition
    return SegmentName(variable.name, partition.names[place], place < partition.bands)


def _counts(variable: Variable, rows: BoolArray | slice) -> IndexArray:
    codes, names = variable.partition.codes, variable.partition.names
    return np.bincount(codes[rows], minlength=len(names))
