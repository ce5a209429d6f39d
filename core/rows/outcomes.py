"""Prediction sets, what became of them, and how much less rows say that are alike or weighted."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..arrays import BoolArray, FloatArray, IndexArray
from ..inputs import as_codes, as_numbers
from .weights import Weights, effective_size, weighted_mean, weights_of

_TAIL = 0.995  # where the law of few clusters' mean is made as wide as Student's


@dataclass(frozen=True)
class IntervalSets:
    """Prediction intervals, shape (n,) each; infinite ends mean that every label is kept.

    Where the lower end is above the upper one the interval is empty.
    """

    lower: FloatArray
    upper: FloatArray

    @property
    def sizes(self) -> FloatArray:
        """Widths of the intervals, shape (n,); 0 of an empty one."""
        with np.errstate(invalid="ignore"):  # both ends beyond all floats
            widths = self.upper - self.lower
        return np.where(np.isinf(self.upper), np.inf, np.maximum(widths, 0.0))

    def within(self, low: float, high: float) -> "IntervalSets":
        """Return what lies between two numbers of each interval."""
        return IntervalSets(np.maximum(self.lower, low), np.minimum(self.upper, high))

    def contain(self, y: FloatArray) -> BoolArray:
        """Say for each row whether its interval holds ``y``, shape (n,)."""
        y = as_numbers(y)
        return (self.lower <= y) & (y <= self.upper)


@dataclass(frozen=True)
class LabelSets:
    """Label sets as a membership matrix, shape (n, number of labels)."""

    members: BoolArray

    @property
    def sizes(self) -> FloatArray:
        """Numbers of labels in the sets, shape (n,)."""
        return np.asarray(self.members.sum(axis=1), dtype=np.float64)

    def contain(self, y: NDArray[np.intp]) -> BoolArray:
        """Say for each row whether its set holds the label code ``y``, shape (n,)."""
        return np.asarray(self.members[np.arange(len(y)), as_codes(y, self.members.shape[1])])


PredictionSets = IntervalSets | LabelSets


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of the prediction sets of n rows, and how much that says.

    Rows of one of the ``clusters``, numbered from 0 up, may be alike; None: each is by itself. What
    clusters have in common is seen on the outcomes ``beside`` these, too, which have clusters of
    their own: a few of them, or outcomes that are all equal, show little. Rows of different
    ``weights`` say less than as many equal ones.
    """

    correct: BoolArray  # which of the sets hold their label, shape (n,)
    sizes: FloatArray = field(default_factory=lambda: np.empty(0))
    """Their widths, or numbers of labels, shape (n,); empty where nobody asks for them."""
    largest: float = math.inf  # the number of all labels; infinite for intervals
    weights: Weights = None
    clusters: IndexArray | None = None
    beside: "Outcomes | None" = None
    p_values: FloatArray | None = None  # of the labels, where one threshold is for all sets

    @property
    def accuracy(self) -> float:
        """The share of those that hold their label."""
        return weighted_mean(self.correct, self.weights)

    @property
    def are_intervals(self) -> bool:
        """Whether they are intervals rather than sets of labels."""
        return math.isinf(self.largest)

    def part(self, where: BoolArray | IndexArray) -> "Outcomes":
        """Return the outcomes of some of the rows."""
        return replace(
            self,
            correct=self.correct[where],
            sizes=self.sizes[where] if len(self.sizes) else self.sizes,
            weights=weights_of(self.weights, where),
            clusters=None if self.clusters is None else self.clusters[where],
            p_values=None if self.p_values is None else self.p_values[where],
        )

    @property
    def unclustered(self) -> "Outcomes":
        """The same, with each row by itself."""
        return replace(self, clusters=None)

    @cached_property
    def counts(self) -> FloatArray:
        """How often each row counts, shape (n,)."""
        return np.ones(len(self.correct)) if self.weights is None else self.weights

    @property
    def are_independent(self) -> bool:
        """Whether rows are as good as drawn by themselves, and all count alike."""
        return self.clusters is None and self.weights is None

    @property
    def worth(self) -> float:
        """How many rows, or clusters, of one weight say as much."""
        if self.clusters is None:
            return effective_size(self.weights, len(self.correct))
        if self.weights is None:
            return float(len(np.unique(self.clusters)))
        of_clusters = np.bincount(self.clusters, self.weights).astype(np.float64)
        return effective_size(of_clusters, len(of_clusters))

    @cached_property
    def correlation(self) -> float:
        """The correlation of two outcomes of one cluster; 0 where none is seen."""
        known = (self,) if self.beside is None else (self, self.beside)
        seen, most = map(sum, zip(*(of.products for of in known), strict=True))
        return min(1.0, max(0.0, seen / most)) if most else 0.0

    @cached_property
    def products(self) -> tuple[float, float]:
        """Of two errors in a cluster, the products' sum over pairs, and the most it can be."""
        if self.clusters is None or len(self.correct) == 0:
            return 0.0, 0.0
        share, counts = self.accuracy, self.counts
        error = counts * (self.correct - share)
        sums, sizes = (np.bincount(self.clusters, of) for of in (error, counts))
        pairs = float((sizes**2).sum() - (counts**2).sum())
        products = float((sums**2).sum() - (error**2).sum())
        return products, pairs * share * (1.0 - share)

    def design_effects(self, segments: IndexArray, count: int) -> FloatArray:
        """Return by how much each segment's share varies more than that of independent rows.

        ``segments`` numbers the rows' segments, of which there are ``count``, shape (n,). At least
        1, at most the segment's rows. Kish (1965), "Survey sampling": ``1 + (m - 1) rho``, m the
        mean over rows of their cluster's size in the segment; widened as Student's law for few
        clusters, or a few large ones: n over the mean size of all rows' clusters says how many.
        With weights sizes are by these, and it is multiplied by the effect of unequal ones: Gabler,
        Haeder and Lahiri (1999), "A model based justification of Kish's formula for design effects
        for weighting and clustering".
        """
        if self.are_independent:
            return np.ones(count)
        n = np.bincount(segments, minlength=count)
        if self.clusters is not None and len(self.clusters) and self.clusters.max() == 0:
            return np.maximum(n, 1.0)  # one cluster shows nothing of how alike its rows are
        unequal = self._unequal(segments, n)
        if self.clusters is None or self.correlation == 0.0:
            return unequal
        counts = self.counts
        (met, sizes), squares = self._meetings(segments), np.bincount(segments, counts**2, count)
        mean_size = np.bincount(met, sizes**2, count) / np.where(n > 0, squares, 1.0)
        effects = 1.0 + np.maximum(mean_size - 1.0, 0.0) * self.correlation
        freedom = float(counts.sum() ** 2 / np.sum(np.bincount(self.clusters, counts) ** 2)) - 1.0
        few = stats.t.ppf(_TAIL, freedom) / stats.norm.ppf(_TAIL) if freedom > 0.0 else np.inf
        widened: FloatArray = np.where(effects > 1.0, effects * few**2, 1.0)
        return np.minimum(unequal * widened, np.maximum(n, 1))

    def _unequal(self, segments: IndexArray, n: IndexArray) -> FloatArray:
        """Return the design effects of the weights w alone, shape (count,).

        Kish's ``n sum w**2 / (sum w)**2`` takes errors e for as large whatever the weight. Where
        heavy rows are the wrong ones, ``n sum (w e)**2 / (sum w)**2 / (p (1 - p))`` is larger, and
        taken: Korn and Graubard (1998), "Confidence intervals for proportions with small expected
        number of positive counts estimated from survey data".
        """
        if self.weights is None:
            return np.ones(len(n))
        w, some, count = self.weights, n > 0, len(n)
        squares = np.bincount(segments, w**2, count)
        sums = np.where(some, np.bincount(segments, w, count), 1.0)
        share = np.bincount(segments, w * self.correct, count) / sums
        errors = np.bincount(segments, (w * (self.correct - share[segments])) ** 2, count)
        spread = share * (1.0 - share)
        seen = np.where(spread > 0.0, errors / np.where(spread > 0.0, spread, 1.0), 0.0)
        # to nine digits: rounding must not cost a row where all weights are equal
        effects = np.round(n * np.maximum(squares, seen) / sums**2, 9)
        return np.where(some, np.minimum(effects, n), 1.0)

    def are_single(self, segments: IndexArray, count: int) -> BoolArray:
        """Say which segments, numbered as above, have all their rows in one cluster."""
        return np.asarray(np.bincount(self._meetings(segments)[0], minlength=count) == 1)

    def _meetings(self, segments: IndexArray) -> tuple[IndexArray, FloatArray]:
        """Return the segment of each pair of a segment and a cluster that meet, and its weight."""
        clusters = np.arange(len(segments)) if self.clusters is None else self.clusters
        width = int(clusters.max(initial=0)) + 1
        pairs, places = np.unique(segments * width + clusters, return_inverse=True)
        return pairs // width, np.bincount(places, self.counts).astype(np.float64)

    @cached_property
    def design_effect(self) -> float:
        """That of all rows together."""
        return float(self.design_effects(np.zeros(len(self.correct), dtype=np.intp), 1)[0])
