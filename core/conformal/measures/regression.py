"""The conformity measures for regression, both about a least squares model of the label."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LinearRegression

from ...arrays import FloatArray, linear_predictor
from ...errors import InputError
from ...inputs import as_numbers
from ...weights import weighted_deviation, weighted_mean
from ..examples import Examples, Objects, checked_examples
from ..scores import IntervalScores
from .base import ConformityMeasure

RESIDUAL_FLOOR = 1e-6
"""Residuals below this share of their root mean square are raised to it before the log."""

_PERFECT_FIT = 1e-10


class StandardMeasure(ConformityMeasure):
    """``A(x, y) = -log|y - yhat(x)|`` with yhat by ordinary least squares: one width for all.

    The logarithm of the paper's standard measure (eq. ncm with sigma = 1): the same ranks, on
    a scale where IFACM's additive layers multiply the interval.
    """

    task = "regression"

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the model; InputError if the label is an exact linear function of the features."""
        self.location_, _ = _fit_least_squares(checked_examples(self, X, y, fitting=True))
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        X = checked_examples(self, X).X
        zeros = np.zeros(len(X))
        return IntervalScores(_predict(self.location_, X), log_scale=zeros, shift=zeros)


class NormalizedMeasure(ConformityMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|``, the paper's eq. (ncm) in logarithms.

    ``yhat`` is an ordinary least squares fit of the label, ``log sigma`` one of
    ``log|residual|`` on the same training examples (Papadopoulos et al., 2002).
    """

    task = "regression"

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit both models; InputError if the label is an exact linear function of the features."""
        examples = checked_examples(self, X, y, fitting=True)
        self.location_, residuals = _fit_least_squares(examples)
        floor = RESIDUAL_FLOOR * np.sqrt(weighted_mean(residuals**2, examples.weights))
        log_residuals = np.log(np.maximum(residuals, floor))
        self.log_scale_ = LinearRegression().fit(examples.X, log_residuals, examples.weights)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        X = checked_examples(self, X).X
        log_scale = _predict(self.log_scale_, X)
        return IntervalScores(_predict(self.location_, X), log_scale, shift=np.zeros(len(X)))


def _fit_least_squares(examples: Examples) -> tuple[LinearRegression, FloatArray]:
    """Return the model of the label, and its absolute residuals, shape (n,)."""
    X, y = examples.X, as_numbers(examples.labels)
    model = LinearRegression().fit(X, y, examples.weights)
    residuals = np.abs(y - _predict(model, X))
    if residuals.max() <= _PERFECT_FIT * weighted_deviation(y, examples.weights):
        raise InputError(
            "label.determined",
            "the features determine the label exactly in the training rows, so there is no "
            "uncertainty to audit; drop the feature that copies the label",
        )
    return model, residuals


def _predict(model: LinearRegression, X: FloatArray) -> FloatArray:
    return linear_predictor(X, model.coef_, model.intercept_)
