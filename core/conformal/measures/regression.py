"""The conformity measures for regression, both about a model of the label."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression

from ...arrays import FloatArray, linear_predictor
from ...errors import InputError
from ...inputs import as_numbers
from ...rows.examples import Examples, Objects, checked_examples
from ...rows.weights import weighted_deviation, weighted_mean
from ..scores import IntervalScores
from .base import ConformityMeasure, fitted_by_weight

RESIDUAL_FLOOR = 1e-6
"""Residuals below this share of their root mean square are raised to it before the log."""

_PERFECT_FIT = 1e-10


class StandardMeasure(ConformityMeasure):
    """``A(x, y) = -log|y - yhat(x)|``: one width for all.

    The logarithm of the paper's standard measure (eq. ncm with sigma = 1): the same ranks, on
    a scale where IFACM's additive layers multiply the interval. ``yhat`` is by ordinary least
    squares, or by any ``model`` of scikit-learn's kind, a pipeline too. One that is fitted already
    is used as it is within ``sklearn.frozen.FrozenEstimator``; the rows that the measure is then
    fitted on should not be those of the model, whose errors there are too small.
    """

    task = "regression"
    takes_weights = True

    def __init__(self, model: BaseEstimator | None = None) -> None:
        self.model = model

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the model; InputError if it predicts the label without any error."""
        examples = checked_examples(self, X, y, fitting=True)
        self.location_, _ = _fit_location(self.model, examples)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        examples = checked_examples(self, X)
        zeros = np.zeros(len(examples))
        return IntervalScores(_predict(self.location_, examples), log_scale=zeros, shift=zeros)


class NormalizedMeasure(ConformityMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|``, the paper's eq. (ncm) in logarithms.

    ``yhat`` is an ordinary least squares fit of the label, ``log sigma`` one of
    ``log|residual|`` on the same training examples (Papadopoulos et al., 2002).

    Parameters
    ----------
    model, scale_model
        Of scikit-learn's kind, in the places of these two; of a fitted one see
        :class:`StandardMeasure`.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import NormalizedMeasure
    >>> X = np.linspace(0.0, 1.0, 100)[:, None]
    >>> y = np.exp(3.0 * X[:, 0]) * np.tile([-1.0, 1.0], 50)
    >>> scores = NormalizedMeasure().fit(X, y).score_functions(X)
    >>> scores.log_scale[-1] > scores.log_scale[0]  # wider where prediction is harder
    np.True_
    """

    task = "regression"
    takes_weights = True

    def __init__(
        self, model: BaseEstimator | None = None, *, scale_model: BaseEstimator | None = None
    ) -> None:
        self.model = model
        self.scale_model = scale_model

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit both models; InputError if the first predicts the label without any error."""
        examples = checked_examples(self, X, y, fitting=True)
        self.location_, residuals = _fit_location(self.model, examples)
        floor = RESIDUAL_FLOOR * np.sqrt(weighted_mean(residuals**2, examples.weights))
        log_residuals = np.log(np.maximum(residuals, floor))
        self.log_scale_ = _fitted(self.scale_model, examples, log_residuals)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        examples = checked_examples(self, X)
        center, log_scale = (_predict(m, examples) for m in (self.location_, self.log_scale_))
        return IntervalScores(center, log_scale, shift=np.zeros(len(examples)))


def _fitted(chosen: BaseEstimator | None, examples: Examples, y: FloatArray) -> BaseEstimator:
    if chosen is None:
        return LinearRegression().fit(examples.X, y, examples.weights)
    return fitted_by_weight(clone(chosen), examples, y)


def _fit_location(
    chosen: BaseEstimator | None, examples: Examples
) -> tuple[BaseEstimator, FloatArray]:
    """Return the model of the label, and its absolute residuals, shape (n,)."""
    y = as_numbers(examples.labels)
    model = _fitted(chosen, examples, y)
    residuals = np.abs(y - _predict(model, examples))
    if residuals.max() <= _PERFECT_FIT * weighted_deviation(y, examples.weights):
        raise InputError(
            "label.determined",
            "the features determine the label exactly in the training rows, so there is no "
            "uncertainty to audit; drop the feature that copies the label",
        )
    return model, residuals


def _predict(model: BaseEstimator, examples: Examples) -> FloatArray:
    if isinstance(model, LinearRegression):  # the same for a row whatever others are beside it
        return linear_predictor(examples.X, model.coef_, model.intercept_)
    return as_numbers(model.predict(examples.given))
