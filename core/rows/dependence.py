"""Rows that are not independent, or count unequally: how much less they say than others do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, stats

from ..arrays import BoolArray, FloatArray, IndexArray
from .weights import Weights, weighted_mean

_NOTHING = 1e-99
_INDEPENDENT = 1e-10
"""A combination of columns that varies by less than this share of the most is a rounding error."""

_DIGITS = 9
"""Of effects of weights: rounding must not cost a row where all are equal."""

_TAIL = 0.995
"""Where the law of few clusters' mean is made as wide as Student's."""


@dataclass(frozen=True, eq=False)
class DependentRows:
    """How alike the outcomes, shape (n,), of one cluster's rows are, and how rows count.

    ``clusters`` numbers the clusters from 0 up, shape (n,); None: every row is by itself. What
    clusters have in common is seen on the rows ``beside`` these, too, which have clusters of their
    own: a few of them, or outcomes that are all equal, show little. Rows of different ``weights``
    say less than as many equal ones.
    """

    correct: BoolArray
    clusters: IndexArray | None = None
    beside: "DependentRows | None" = None
    weights: Weights = None

    @cached_property
    def counted(self) -> FloatArray:
        """How often each row counts, shape (n,)."""
        return np.ones(len(self.correct)) if self.weights is None else self.weights

    @property
    def are_independent(self) -> bool:
        """Whether rows are as good as drawn by themselves, and all count alike."""
        return self.clusters is None and self.weights is None

    @cached_property
    def correlation(self) -> float:
        """The correlation of two outcomes of one cluster; 0 where none is seen."""
        seen, most = self.products
        if self.beside is not None:
            seen, most = seen + self.beside.products[0], most + self.beside.products[1]
        return min(1.0, max(0.0, seen / most)) if most else 0.0

    @cached_property
    def products(self) -> tuple[float, float]:
        """Of two errors in a cluster, the products' sum over pairs, and the most it can be."""
        if self.clusters is None or len(self.correct) == 0:
            return 0.0, 0.0
        share, counted = weighted_mean(self.correct, self.weights), self.counted
        error = counted * (self.correct - share)
        sums, sizes = (np.bincount(self.clusters, of) for of in (error, counted))
        pairs = float((sizes**2).sum() - (counted**2).sum())
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
        counted = self.counted
        (met, sizes), squares = self._meetings(segments), np.bincount(segments, counted**2, count)
        mean_size = np.bincount(met, sizes**2, count) / np.where(n > 0, squares, 1.0)
        effects = 1.0 + np.maximum(mean_size - 1.0, 0.0) * self.correlation
        freedom = float(counted.sum() ** 2 / np.sum(np.bincount(self.clusters, counted) ** 2)) - 1.0
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
        effects = np.round(n * np.maximum(squares, seen) / sums**2, _DIGITS)
        return np.where(some, np.minimum(effects, n), 1.0)

    def are_single(self, segments: IndexArray, count: int) -> BoolArray:
        """Say which segments, numbered as above, have all their rows in one cluster."""
        single: BoolArray = np.bincount(self._meetings(segments)[0], minlength=count) == 1
        return single

    def _meetings(self, segments: IndexArray) -> tuple[IndexArray, FloatArray]:
        """Return the segment of each pair of a segment and a cluster that meet, and its weight."""
        clusters = np.arange(len(segments)) if self.clusters is None else self.clusters
        key = segments * (int(clusters.max(initial=0)) + 1) + clusters
        pairs, places = np.unique(key, return_inverse=True)
        of_pairs: IndexArray = pairs // (int(clusters.max(initial=0)) + 1)
        sizes: FloatArray = np.bincount(places, weights=self.counted).astype(np.float64)
        return of_pairs, sizes

    @cached_property
    def design_effect(self) -> float:
        """That of all rows together."""
        return float(self.design_effects(np.zeros(len(self.correct), dtype=np.intp), 1)[0])

    def spread_effect(self, X: FloatArray) -> float:
        """Return by how much the spread of p(x), squared, exceeds that of independent rows.

        That is the mean over whitened columns of X, shape (n, d), of the design effects of their
        scores, which are the larger the more a cluster's rows are alike in x, too. At least 1. The
        effect of weights is that of errors which are as large whatever the weight: those of a
        faultless predictor.
        """
        if self.are_independent:
            return 1.0
        counted, Z = self.counted[:, None], whitened(X, self.weights) * self.counted[:, None]
        by_weight = float(np.sum(Z**2) / max(np.sum(Z**2 / counted), _NOTHING) / counted.mean())
        scores = Z * (self.correct - weighted_mean(self.correct, self.weights))[:, None]
        independent = float(np.sum(scores**2))
        if self.clusters is None or independent == 0.0:
            return max(1.0, by_weight)
        sums = cluster_sums(scores, self.clusters)
        together = len(sums) / max(len(sums) - 1, 1) * float(np.sum(sums**2)) / independent
        return max(1.0, by_weight * (together if len(sums) > 1 else 1.0))


def whitened(X: FloatArray, weights: Weights = None) -> FloatArray:
    """Return combinations of the centred columns with ``Z' W Z = I``, as many as X has rank."""
    centred, axes = whitening(X, weights)
    Z: FloatArray = centred @ axes
    return Z


def whitening(X: FloatArray, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Return the centred columns, shape (n, d), and which of their combinations are whitened."""
    if weights is None:
        centred = X - X.mean(axis=0)
        variances, axes = linalg.eigh(centred.T @ centred)
    else:
        centred = X - weights @ X / weights.sum()
        variances, axes = linalg.eigh(centred.T @ (weights[:, None] * centred))
    some = variances > _INDEPENDENT * max(variances.max(initial=0.0), np.finfo(float).tiny)
    return centred, axes[:, some] / np.sqrt(variances[some])


def cluster_sums(rows: FloatArray, clusters: IndexArray) -> FloatArray:
    """Return the sum of each cluster's rows, shape (clusters, d)."""
    sums = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    return sums
