"""The standard conformity measure for regression: intervals of one width."""

from typing import Self

import numpy as np

from ...arrays import FloatArray, as_matrix
from ..scores import IntervalScores
from .base import ConformityMeasure
from .least_squares import fit_least_squares, predict


class StandardMeasure(ConformityMeasure):
    """``A(x, y) = -log|y - yhat(x)|`` with yhat by ordinary least squares.

    The logarithm of the paper's standard measure (eq. ncm with sigma = 1): the same ranks, on
    a scale where IFACM's additive layers multiply the interval.
    """

    def fit(self, X: FloatArray, y: FloatArray) -> Self:
        """Fit the model of the label on X, shape (n, d), and y, shape (n,).

        Raises
        ------
        InputError
            If the label is an exact linear function of the features.
        """
        self.location_, _ = fit_least_squares(X, y)
        return self

    def score_functions(self, X: FloatArray) -> IntervalScores:
        """Return the scores of the objects X, shape (n, d), as functions of the label."""
        X, zeros = as_matrix(X), np.zeros(len(X))
        return IntervalScores(predict(self.location_, X), log_scale=zeros, shift=zeros)
