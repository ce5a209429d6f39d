"""The share of correct sets among the nearest objects."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from ...arrays import BoolArray, FloatArray
from ...rows.weights import Weights
from ...threads import single_openmp_thread
from .base import FitAgain, ProbabilityEstimator, common_outcome, with_a_column

NUMBERS = (400, 200, 100, 50, 25)
"""Of neighbours, of which one is chosen."""

MOST_SHARE = 4
"""At most the rows' number divided by this are neighbours."""

_Neighbours = NDArray[np.int32]


class NeighboursEstimator(ProbabilityEstimator):
    """The share of correct sets among the k nearest objects, by Euclidean distance.

    k is one of NUMBERS, at most a quarter of the rows: that whose shares without the row itself
    have the smallest squared error, of equals the largest. One more neighbour is counted with the
    share of correct sets overall, so that p is never 0 or 1. Of equally distant objects those
    that come first in the search are taken, the same in every run. Neighbours are looked for
    among at most ``most_rows`` of the rows, evenly spaced: the time grows with its square.
    Predictors are meant to be standardised.
    """

    title = "nearest neighbours"

    def __init__(self, *, most_rows: int = 5_000) -> None:
        self.most_rows = most_rows

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:  # noqa: ARG002
        objects = _Objects(X, self.most_rows)
        self.take(objects, correct, objects.others())

    def fits(self, X: FloatArray, weights: Weights = None) -> FitAgain:  # noqa: ARG002
        """Return what fits on the same objects again and again: neighbours are found once."""
        objects = _Objects(X, self.most_rows)
        own, others = objects.nearest(X, objects.numbers[0]), objects.others()

        def fit_again(correct: BoolArray) -> tuple[ProbabilityEstimator, FloatArray]:
            fitted = clone(self)
            fitted.take(objects, correct, others)
            return fitted, fitted.shares(own)

        return fit_again

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        return self.shares(self._objects.nearest(X, self.k_))

    def take(self, objects: "_Objects", correct: BoolArray, others: _Neighbours) -> None:
        """Fit on objects whose neighbours among themselves are known."""
        self.constant_, self.converged_, self.k_ = common_outcome(correct), True, 0
        self._objects = objects
        self._outcomes = correct[objects.rows].astype(np.int32)
        self._overall = float(correct.mean())
        if self.constant_ is not None:
            return
        counts = np.cumsum(self._outcomes[others], axis=1)
        errors = [
            float(np.mean((self._smoothed(counts[:, k - 1], k) - self._outcomes) ** 2))
            for k in objects.numbers
        ]
        self.k_ = objects.numbers[int(np.argmin(errors))]

    def shares(self, neighbours: _Neighbours) -> FloatArray:
        """Return p(x) of objects whose neighbours are known, the nearest first, shape (n, K)."""
        counts = self._outcomes[neighbours[:, : self.k_]].sum(axis=1)
        return self._smoothed(counts, self.k_)

    def _smoothed(self, counts: NDArray[np.int32], k: int) -> FloatArray:
        smoothed: FloatArray = np.add(counts, self._overall, dtype=np.float64) / (k + 1.0)
        return smoothed


class _Objects:
    """The objects among which neighbours are looked for: some rows of those given."""

    def __init__(self, X: FloatArray, most_rows: int) -> None:
        self.rows = slice(None, None, -(-len(X) // most_rows))
        self._X = with_a_column(X)[self.rows]
        most = max(len(self._X) // MOST_SHARE, 1)
        self.numbers = [k for k in NUMBERS if k <= most] or [most]
        self._search = NearestNeighbors(algorithm="brute").fit(self._X)

    def others(self) -> _Neighbours:
        """Return the nearest other objects of each of these, the nearest first; of one, itself."""
        if len(self._X) == 1:
            return np.zeros((1, 1), dtype=np.int32)
        return self.nearest(None, min(self.numbers[0], len(self._X) - 1))

    def nearest(self, X: FloatArray | None, k: int) -> _Neighbours:
        queries = None if X is None else with_a_column(X)
        with single_openmp_thread():
            found = self._search.kneighbors(queries, k, return_distance=False)
        return np.asarray(found, dtype=np.int32)
