"""Logistic regression with a penalty on the sizes of the slopes."""

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import logit

from ...arrays import BoolArray, FloatArray
from .design_matrix import Design
from .log_loss import LogLoss
from .penalized import FitAtStrength, LinearFit, PenalisedEstimator

SHARES = np.geomspace(1.0, 1e-3, 7)
"""Of the smallest strength that leaves no feature."""

_TOLERANCE = 1e-6
"""Of the gradient of the mean log-loss at the optimum."""


class LassoEstimator(PenalisedEstimator):
    """Minimises ``mean log-loss + strength * sum(abs(slopes))``, intercept free.

    The strength is cross-validated, out of SHARES of the smallest one that leaves no feature;
    see :class:`PenalisedEstimator`. Each slope is written as a difference of two parts that are
    not negative, whose sum is its size: what remains is smooth, with bounds (L-BFGS-B).
    """

    title = "lasso regression"

    def _strengths(self, design: Design, correct: BoolArray) -> FloatArray:
        null = np.zeros(design.size)
        null[0] = logit(correct.mean())
        slopes = LogLoss(design, 0.0).at(null, correct).gradient[1:]
        strengths: FloatArray = SHARES * np.abs(slopes).max(initial=0.0)
        return strengths

    def _fit_at_strength(self, design: Design) -> FitAtStrength:
        loss = LogLoss(design, 0.0)

        def fit(correct: BoolArray, strength: float) -> LinearFit:
            beta = _minimum(loss, correct, strength)
            converged = _is_optimal(beta, loss.at(beta, correct).gradient, strength)
            return LinearFit(*design.coefficients(beta), converged)

        return fit


def _minimum(loss: LogLoss, correct: BoolArray, strength: float) -> FloatArray:
    d = loss.design.size - 1

    def objective(parts: FloatArray) -> tuple[float, FloatArray]:
        beta = _joined(parts, d)
        gradient = loss.at(beta, correct).gradient
        value = loss.value(beta, correct) + strength * float(parts[1:].sum())
        slopes = gradient[1:]
        return value, np.concatenate([gradient[:1], strength + slopes, strength - slopes])

    start = np.zeros(1 + 2 * d)
    start[0] = logit(correct.mean())
    lowest = np.append(-np.inf, np.zeros(2 * d))
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(lowest),
        options={"maxiter": 1000, "maxfun": 10_000, "ftol": 0.0, "gtol": _TOLERANCE / 10.0},
    )
    return _joined(found.x, d)


def _joined(parts: FloatArray, d: int) -> FloatArray:
    return np.append(parts[0], parts[1 : 1 + d] - parts[1 + d :])


def _is_optimal(beta: FloatArray, gradient: FloatArray, strength: float) -> bool:
    """Say whether each slope that is not 0 is held by its penalty, and each other within it."""
    slopes, pull = beta[1:], gradient[1:]
    held = np.where(slopes == 0.0, np.maximum(np.abs(pull) - strength, 0.0), 0.0)
    moved = np.where(slopes == 0.0, 0.0, pull + strength * np.sign(slopes))
    return bool(np.abs([gradient[0], *held, *moved]).max() <= _TOLERANCE)
