"""The normalised conformity measure for regression: intervals as wide as the difficulty."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

from ...arrays import as_matrix
from ..examples import Objects, as_examples
from ..scores import IntervalScores
from .base import ConformityMeasure
from .least_squares import fit_least_squares, predict

RESIDUAL_FLOOR = 1e-6
"""Residuals below this share of their root mean square are raised to it before the log."""


class NormalizedMeasure(ConformityMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|``, the paper's eq. (ncm) in logarithms.

    ``yhat`` is an ordinary least squares fit of the label, ``log sigma`` one of
    ``log|residual|`` on the same training examples (Papadopoulos et al., 2002).
    """

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit both models.

        Raises
        ------
        InputError
            If the label is an exact linear function of the features.
        """
        examples = as_examples(X, y)
        self.location_, residuals = fit_least_squares(examples)
        floor = RESIDUAL_FLOOR * np.sqrt(np.mean(residuals**2))
        log_residuals = np.log(np.maximum(residuals, floor))
        self.log_scale_ = LinearRegression().fit(examples.X, log_residuals)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        X = as_matrix(X)
        return IntervalScores(
            predict(self.location_, X),
            log_scale=predict(self.log_scale_, X),
            shift=np.zeros(len(X)),
        )
