"""Logistic regression with a penalty on the squares of the slopes."""

from functools import cache

import numpy as np

from ...arrays import BoolArray, FloatArray
from .base import FitAgain
from .design_matrix import Design
from .logistic import LogisticEstimator
from .penalized import FitAtStrength, LinearFit, PenalisedEstimator

STRENGTHS = (10.0, 1.0, 0.1, 0.01, 0.001, 0.0001)
"""Per row. The log-loss has a curvature of CL (1 - CL) a row, 0.09 at 0.9: the first leaves a
hundredth of the slopes, the last all of them."""


class RidgeEstimator(PenalisedEstimator):
    """Minimises ``mean log-loss + 0.5 * strength * sum(slopes**2)``, intercept free.

    The strength is cross-validated, out of STRENGTHS; see :class:`PenalisedEstimator`.
    """

    title = "ridge regression"

    def _strengths(self, design: Design, correct: BoolArray) -> FloatArray:  # noqa: ARG002
        return np.array(STRENGTHS)

    def _fit_at_strength(self, design: Design) -> FitAtStrength:
        @cache
        def fits(strength: float) -> FitAgain:
            return LogisticEstimator(ridge=strength * design.n).fits_on(design)

        def fit(correct: BoolArray, strength: float) -> LinearFit:
            fitted, _ = fits(strength)(correct)
            assert isinstance(fitted, LogisticEstimator)  # noqa: S101 - for the type checker
            return LinearFit(fitted.intercept_, fitted.coef_, fitted.converged_)

        return fit
