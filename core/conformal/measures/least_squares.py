"""The model of a numeric label that the regression measures share."""

import numpy as np
from sklearn.linear_model import LinearRegression

from ...arrays import FloatArray, as_matrix, linear_predictor
from ...errors import InputError

_PERFECT_FIT = 1e-10


def fit_least_squares(X: FloatArray, y: FloatArray) -> tuple[LinearRegression, FloatArray]:
    """Return the ordinary least squares model of y and its absolute residuals, shape (n,).

    Raises
    ------
    InputError
        If the label is an exact linear function of the features: no uncertainty is left.
    """
    X, y = as_matrix(X), np.asarray(y, dtype=np.float64)
    model = LinearRegression().fit(X, y)
    residuals = np.abs(y - predict(model, X))
    if residuals.max() <= _PERFECT_FIT * np.std(y):
        raise InputError(
            "label.determined",
            "the features determine the label exactly in the training rows, so there is no "
            "uncertainty to audit; drop the feature that copies the label",
        )
    return model, residuals


def predict(model: LinearRegression, X: FloatArray) -> FloatArray:
    """Return the model's predictions for objects X, shape (n,)."""
    return linear_predictor(X, model.coef_, model.intercept_)
