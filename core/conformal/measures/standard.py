"""The standard conformity measure for regression: intervals of one width."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...arrays import as_matrix
from ..examples import Objects, as_examples
from ..scores import IntervalScores
from .base import ConformityMeasure
from .least_squares import fit_least_squares, predict


class StandardMeasure(ConformityMeasure):
    """``A(x, y) = -log|y - yhat(x)|`` with yhat by ordinary least squares.

    The logarithm of the paper's standard measure (eq. ncm with sigma = 1): the same ranks, on
    a scale where IFACM's additive layers multiply the interval.
    """

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the model of the label.

        Raises
        ------
        InputError
            If the label is an exact linear function of the features.
        """
        self.location_, _ = fit_least_squares(as_examples(X, y))
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        X, zeros = as_matrix(X), np.zeros(len(X))
        return IntervalScores(predict(self.location_, X), log_scale=zeros, shift=zeros)
