"""Gradient boosted trees."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from ...arrays import BoolArray, FloatArray
from ...rows.weights import Weights, weighted_mean
from ...threads import single_openmp_thread
from .base import ProbabilityEstimator, common_outcome, with_a_column

FEWEST = 20
"""Rows of either outcome: with fewer there is nothing to divide, let alone to check it on."""

_MARGIN = 1e-6


class TreesEstimator(ProbabilityEstimator):
    """Gradient boosted trees of at most 8 leaves, as many as predict a fifth of the rows best.

    That fifth is always the same, and the trees are grown on the rest; p is held between 1e-6
    and 1 - 1e-6. With fewer than FEWEST rows of either outcome p is the overall share.
    It has converged if the trees ended before their bound, ``max_trees``.
    """

    title = "boosted trees"
    takes_weights = True

    def __init__(self, *, max_trees: int = 200) -> None:
        self.max_trees = max_trees

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        self.constant_, self.converged_ = common_outcome(correct), True
        self._model, self._overall = None, weighted_mean(correct, weights)
        if min(correct.sum(), (~correct).sum()) < FEWEST:
            return
        model = HistGradientBoostingClassifier(
            max_iter=self.max_trees,
            max_leaf_nodes=8,
            early_stopping=True,
            validation_fraction=0.2,
            n_iter_no_change=5,
            random_state=0,
        )
        with single_openmp_thread():
            self._model = model.fit(with_a_column(X), correct, weights)
        self.converged_ = bool(model.n_iter_ < self.max_trees)

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self._model is None:
            return np.full(len(X), self._overall)
        with single_openmp_thread():
            probability = self._model.predict_proba(with_a_column(X))[:, 1]
        clipped: FloatArray = np.clip(probability, _MARGIN, 1.0 - _MARGIN)
        return clipped
