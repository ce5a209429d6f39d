"""The model of a numeric label that the regression measures share."""

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from ..errors import InputError
from ..prediction_sets import FloatArray, as_matrix

_PERFECT_FIT = 1e-10


def fit_least_squares(X: FloatArray, y: FloatArray) -> tuple[Any, FloatArray]:
    """Return the ordinary least squares model of y and its absolute residuals, shape (n,).

    Raises
    ------
    InputError
        If the label is an exact linear function of the features: no uncertainty is left.
    """
    X, y = as_matrix(X), np.asarray(y, dtype=np.float64)
    model = LinearRegression().fit(X, y)
    residuals = np.abs(y - model.predict(X))
    if residuals.max() <= _PERFECT_FIT * np.std(y):
        raise InputError(
            "the features determine the label exactly in the training rows, so there is no "
            "uncertainty to audit; drop the feature that copies the label"
        )
    return model, residuals
