"""Estimators of p(x) that scikit-learn fits: penalised, nearest neighbours, boosted trees."""

import warnings
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from ...arrays import BoolArray, FloatArray
from ...conformal.models import written_trees
from ...rows.folds import FOLDS, fold_numbers
from ...rows.weights import Weights, total, weighted_mean, weights_of
from ...scoring.arithmetic import held, sigmoid, with_a_column
from ...scoring.functions import Constant, Function, Through
from ...threads import single_openmp_thread
from .base import FitAgain, ProbabilityEstimator, common_outcome

RIDGE_STRENGTHS = np.array([10.0, 1.0, 0.1, 0.01, 0.001, 0.0001])
"""Per row. The log-loss has a curvature of CL (1 - CL) a row, 0.09 at 0.9: the first leaves a
hundredth of the slopes, the last all of them."""

LASSO_SHARES = np.array([1.0001, *np.geomspace(1.0, 1e-3, 7)[1:]])
"""Of the smallest strength that leaves no feature; the first leaves none, however it rounds."""

NUMBERS = (400, 200, 100, 50, 25)  # of neighbours, of which one is chosen

_FEWEST = 20
"""Rows of either outcome: with fewer trees have nothing to divide, let alone to check it on."""

_Neighbours = NDArray[np.int32]


class PenalizedEstimator(ProbabilityEstimator):
    """Minimises the mean log-loss and a penalty on the slopes, whose strength is cross-validated.

    Of a grid of strengths it takes the one whose fits, on four fifths of the rows each, predict the
    other rows with the smallest log-loss; of equals, the strongest. A fold without which all
    outcomes are equal is not judged on; where none can be, the strongest penalty is taken.
    Predictors are meant to be standardised.

    ``strength_`` is the one chosen, per row; it and ``coef_``, shape (d,), are NaN if outcomes are
    all equal.
    """

    takes_weights = True
    strength_: float
    coef_: FloatArray
    _model: ClassVar[LogisticRegression]  # whose ``C`` will be set by the strength
    _grid: ClassVar[FloatArray]  # the strongest first
    _grid_is_relative = False  # to the smallest strength by which the lasso leaves no feature

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        if self.constant_ is not None:
            self.strength_, self.coef_ = np.nan, np.full(X.shape[1], np.nan)
            return
        objects = with_a_column(X)
        self.strength_ = self._chosen_strength(objects, correct, weights)
        self._fitted = _fit_at(clone(self._model), self.strength_, objects, correct, weights)
        self.coef_ = self._fitted.coef_[0, : X.shape[1]]
        self.converged_ = bool(self._fitted.n_iter_[0] < self._fitted.max_iter)

    def _probabilities(self, X: FloatArray) -> FloatArray:
        return np.asarray(self._fitted.predict_proba(with_a_column(X))[:, 1])

    def _chosen_strength(self, X: FloatArray, correct: BoolArray, weights: Weights) -> float:
        strengths = self._grid
        if self._grid_is_relative:
            error = correct - weighted_mean(correct, weights)
            slopes = X.T @ (error if weights is None else weights * error) / total(weights, len(X))
            # where no feature varies, any strength will do but 0
            strengths = np.maximum(strengths * np.abs(slopes).max(), 1e-12)
        losses, fold = np.zeros(len(strengths)), fold_numbers(len(X))
        for number in range(FOLDS if len(X) >= FOLDS else 0):
            # enough to choose by: these fits are 30 times as many as the last
            rows, model = fold == number, clone(self._model).set_params(tol=1e-6)
            if common_outcome(correct[~rows]) is None:
                of_others = weights_of(weights, ~rows)
                for i, strength in enumerate(strengths):
                    _fit_at(model, strength, X[~rows], correct[~rows], of_others)
                    linear = model.decision_function(X[rows])
                    lost = np.logaddexp(0.0, linear) - correct[rows] * linear
                    losses[i] += np.sum(lost if weights is None else weights[rows] * lost)
        return float(strengths[np.argmin(losses)])


def _fit_at(
    model: LogisticRegression, strength: float, X: FloatArray, correct: BoolArray, weights: Weights
) -> LogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # ``converged_`` says so
        model.set_params(C=1.0 / (strength * total(weights, len(X))))
        return model.fit(X, correct, weights)


class RidgeEstimator(PenalizedEstimator):
    """Minimises ``mean log-loss + 0.5 * strength * sum(slopes**2)``, intercept free."""

    title = "ridge regression"
    _model = LogisticRegression(solver="newton-cholesky", tol=1e-10, warm_start=True)
    _grid = RIDGE_STRENGTHS


class LassoEstimator(PenalizedEstimator):
    """Minimises ``mean log-loss + strength * sum(abs(slopes))``, intercept free."""

    title = "lasso regression"
    # its penalty falls on the intercept too, but a thousandth of a per mille of it only; saga,
    # which spares it, takes minutes where a feature has a long tail
    _model = LogisticRegression(
        solver="liblinear",
        l1_ratio=1.0,
        intercept_scaling=1e5,
        tol=1e-9,
        max_iter=1000,
        random_state=0,
    )
    _grid = LASSO_SHARES
    _grid_is_relative = True


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
        self.take(_Objects(X, self.most_rows), correct)

    def fits(self, X: FloatArray, weights: Weights = None) -> FitAgain:  # noqa: ARG002
        """Return what fits on the same objects again and again: neighbours are found once."""
        objects = _Objects(X, self.most_rows)
        own = objects.nearest(X, objects.numbers[0])

        def fit_again(correct: BoolArray) -> tuple[ProbabilityEstimator, FloatArray]:
            fitted = clone(self)
            fitted.take(objects, correct)
            return fitted, fitted.shares(own)

        return fit_again

    def take(self, objects: "_Objects", correct: BoolArray) -> None:
        """Fit on objects whose neighbours among themselves are found once."""
        self.constant_, self.converged_, self.k_ = common_outcome(correct), True, 0
        self._objects, self._overall = objects, float(correct.mean())
        self._outcomes = correct[objects.rows].astype(np.int32)
        if self.constant_ is not None:
            return
        counts = np.cumsum(self._outcomes[objects.others], axis=1)
        errors = [
            float(np.mean((self._smoothed(counts[:, k - 1], k) - self._outcomes) ** 2))
            for k in objects.numbers
        ]
        self.k_ = objects.numbers[int(np.argmin(errors))]

    def shares(self, neighbours: _Neighbours) -> FloatArray:
        """Return p(x) of objects whose neighbours are known, the nearest first, shape (n, K)."""
        return self._smoothed(self._outcomes[neighbours[:, : self.k_]].sum(axis=1), self.k_)

    def _probabilities(self, X: FloatArray) -> FloatArray:
        return self.shares(self._objects.nearest(X, self.k_))

    def _smoothed(self, counts: NDArray[np.int32], k: int) -> FloatArray:
        return np.asarray(np.add(counts, self._overall, dtype=np.float64) / (k + 1.0))


class _Objects:
    """The objects among which neighbours are looked for: some rows of those given."""

    def __init__(self, X: FloatArray, most_rows: int) -> None:
        self.rows = slice(None, None, -(-len(X) // most_rows))
        self._X = with_a_column(X)[self.rows]
        most = max(len(self._X) // 4, 1)
        self.numbers = [k for k in NUMBERS if k <= most] or [most]
        self._search = NearestNeighbors(algorithm="brute").fit(self._X)

    @cached_property
    def others(self) -> _Neighbours:
        """The nearest other objects of each of these, the nearest first; of one, itself."""
        if len(self._X) == 1:
            return np.zeros((1, 1), dtype=np.int32)
        return self.nearest(None, min(self.numbers[0], len(self._X) - 1))

    def nearest(self, X: FloatArray | None, k: int) -> _Neighbours:
        queries = None if X is None else with_a_column(X)
        with single_openmp_thread():
            found = self._search.kneighbors(queries, k, return_distance=False)
        return np.asarray(found, dtype=np.int32)


class TreesEstimator(ProbabilityEstimator):
    """Gradient boosted trees of few leaves, as many as predict a fifth of the rows best.

    That fifth is always the same, and the trees are grown on the rest; p is held between 1e-6
    and 1 - 1e-6. With fewer than 20 rows of either outcome p is the overall share.
    It has converged if the trees ended before their bound, ``max_trees``. Without ``stops_early``
    there are so many, grown on all rows.
    """

    title = "boosted trees"
    takes_weights = True

    def __init__(
        self,
        *,
        max_trees: int = 200,
        max_leaves: int = 8,
        least_rows: int = 20,
        stops_early: bool = True,
    ) -> None:
        self.max_trees, self.max_leaves = max_trees, max_leaves
        self.least_rows, self.stops_early = least_rows, stops_early

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        self._model, self._overall = None, weighted_mean(correct, weights)
        if min(correct.sum(), (~correct).sum()) < _FEWEST:
            return
        model = HistGradientBoostingClassifier(
            max_iter=self.max_trees,
            max_leaf_nodes=self.max_leaves,
            min_samples_leaf=self.least_rows,
            early_stopping=self.stops_early,
            validation_fraction=0.2,
            n_iter_no_change=5,
            random_state=0,
        )
        with single_openmp_thread():
            self._model = model.fit(with_a_column(X), correct, weights)
        self.converged_ = not self.stops_early or bool(model.n_iter_ < self.max_trees)

    def _probabilities(self, X: FloatArray) -> FloatArray:
        if self._model is None:
            return np.full(len(X), self._overall)
        with single_openmp_thread():
            odds = self._model.decision_function(with_a_column(X))
        return held(sigmoid(odds))

    def _written(self) -> Function:
        if self._model is None:
            return Constant(self._overall)
        return Through(written_trees(self._model), ("sigmoid", "held"))
