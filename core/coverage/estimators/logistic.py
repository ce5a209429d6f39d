"""Logistic regression of correctness on the objects, fitted to the last digits."""

import math
from typing import ClassVar

import numpy as np
from scipy.special import expit, logit
from sklearn.base import clone

from ...arrays import BoolArray, FloatArray
from ...rows.weights import Weights, effective_size, weighted_mean
from .base import ProbabilityEstimator, common_outcome
from .design_matrix import Design
from .log_loss import Curvature, LogLoss, Point

_ARMIJO = 1e-4
_SMALLEST_STEP = 2.0**-30
_TRUSTED_DECREMENT = 1e-10
"""Below it Newton steps are taken whole: the loss no longer shows a difference to check."""

_FAR = 1.0
"""A parameter moved farther has left the point whose curvature is known."""

_SLOW = 0.3
"""A step that leaves more than this share of the decrement calls for a new Hessian."""


class LogisticEstimator(ProbabilityEstimator):
    """Minimises ``sum of log-losses + 0.5 * ridge * sum(slopes**2)``, intercept free.

    The ridge is far below any figure shown, but makes the optimum exist where a one-hot column
    separates the outcomes perfectly. Newton's method with backtracking, which goes on with an
    old Hessian as long as that serves, runs until the Newton decrement ``g' H^-1 g`` of the mean
    loss is at most ``tol``, so that a fit's last digits do not depend on where it started: IFACM's
    search compares fits whose outcomes differ in a few rows. Predictors are meant to be
    standardised. ``intercept_`` and ``coef_``, shape (d,), are NaN when all outcomes are equal.
    """

    title = "logistic regression"
    maximum_likelihood: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True

    def __init__(self, *, ridge: float = 1e-6, tol: float = 1e-20, max_iter: int = 100) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        LogisticFits(self, Design(X), weights).fit(self, correct)

    def fits(self, X: FloatArray, weights: Weights = None) -> "LogisticFits":
        """Return what fits on the same objects again and again, each time from the last fit."""
        return LogisticFits(self, Design(X), weights)

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        probability: FloatArray = expit(X @ self.coef_ + self.intercept_)
        return probability


class LogisticFits:
    """Fits on the same objects, each setting out from the last, with its curvature."""

    def __init__(self, estimator: LogisticEstimator, design: Design, weights: Weights) -> None:
        self._estimator, self._weights = estimator, weights
        self._loss = LogLoss(design, estimator.ridge, weights)
        self._last: tuple[Point, BoolArray] | None = None
        self._curvature: Curvature | None = None

    def __call__(self, correct: BoolArray) -> tuple[LogisticEstimator, FloatArray]:
        """Return an estimator fitted on outcomes, shape (n,), and its p(x), shape (n,)."""
        fitted = clone(self._estimator)
        return fitted, self.fit(fitted, correct)

    def without(self, rows: BoolArray, correct: BoolArray) -> FloatArray:
        """Return p(x) of the ``rows``, a mask, by a fit to the outcomes of all others.

        The same as one to these alone, but that it sets out from the last fit to all rows.
        """
        constant = common_outcome(correct[~rows])
        if constant is not None:
            return np.full(int(rows.sum()), constant)
        kept = np.where(rows, 0.0, 1.0 if self._weights is None else self._weights)
        others = LogisticFits(self._estimator, self._loss.design, kept)
        if self._last is not None:
            left_out, (last, _) = np.flatnonzero(rows), self._last
            beta = others._loss.settled(last.beta, left_out, correct, correct)
            others._last = others._loss.at(beta, correct), correct
            others._curvature = self._curvature
        return others(correct)[1][rows]

    def standard_errors(self, fitted: LogisticEstimator, probability: FloatArray) -> FloatArray:
        """Return the slopes' standard errors, shape (d,), of a fit to these objects, and its p(x).

        From the inverse Hessian at the optimum, with the mean weight by weight in the place of
        1; NaN when all outcomes were equal.
        """
        design = self._loss.design
        if fitted.constant_ is not None:
            return np.full(design.size - 1, np.nan)
        curvature = Curvature(self._loss.hessian(probability))
        variances = np.diag(curvature.inverse_times(np.eye(design.size)))
        n = effective_size(self._weights, design.n)
        _, errors = design.coefficients(np.sqrt(variances / n))
        return errors

    def fit(self, estimator: LogisticEstimator, correct: BoolArray) -> FloatArray:
        """Fit an estimator on outcomes, shape (n,), and return p(x), shape (n,)."""
        design, share, point = self._loss.design, weighted_mean(correct, self._weights), None
        estimator.constant_ = common_outcome(correct)
        if estimator.constant_ is not None:
            estimator.intercept_, estimator.coef_ = math.nan, np.full(design.size - 1, np.nan)
            estimator.converged_, estimator.n_iter_ = True, 0
            return np.full(design.n, estimator.constant_)
        if self._last is not None:
            start = self._warm_start(*self._last, correct)
            point = self._descend(estimator, start, correct, patient=False)
        if point is None or not estimator.converged_:
            point = self._descend(estimator, self._cold_start(share, correct), correct)
        estimator.intercept_, estimator.coef_ = design.coefficients(point.beta)
        self._last = (point, correct.copy()) if estimator.converged_ else None
        return point.probability

    def _warm_start(self, last: Point, before: BoolArray, correct: BoolArray) -> Point:
        changed = np.flatnonzero(correct != before)
        beta = self._loss.settled(last.beta, changed, correct, before)
        if np.array_equal(beta, last.beta):  # then nothing but the changed rows need be looked at
            return self._loss.moved(last, changed, correct)
        if np.abs(beta - last.beta).max() > _FAR:
            self._curvature = None
        return self._loss.at(beta, correct)

    def _cold_start(self, share: float, correct: BoolArray) -> Point:
        self._curvature = None
        beta = np.zeros(self._loss.design.size)
        beta[0] = logit(share)
        every = np.arange(len(correct))
        return self._loss.at(self._loss.settled(beta, every, correct, correct), correct)

    def _descend(
        self,
        estimator: LogisticEstimator,
        point: Point,
        correct: BoolArray,
        *,
        patient: bool = True,
    ) -> Point:
        """Return the minimum, or where the way there ended: the estimator's ``converged_``.

        Without patience it also ends where Newton's step must be cut: a start that bad is left
        for a cold one.
        """
        curvature, safe, last = self._curvature, point, math.inf
        if curvature is not None:
            curvature.forget()
        estimator.converged_ = False
        for iteration in range(estimator.max_iter + 1):
            estimator.n_iter_ = iteration
            step, decrement = _step(curvature, point)
            is_newton = curvature is None or not 0.0 <= decrement <= _SLOW * last
            if curvature is None or is_newton:
                point = point if decrement < last else safe
                curvature = Curvature(self._loss.hessian(point.probability))
                step, decrement = _step(curvature, point)
                length = self._length(point, step, decrement, correct)
                if length < 1.0 and not patient:
                    break
                step = length * step
            if decrement <= estimator.tol:
                estimator.converged_ = True
                break
            if iteration == estimator.max_iter or not step.any():
                break
            before, last = point, decrement
            point = self._loss.at(before.beta + step, correct)
            curvature.learn(step, point.gradient - before.gradient)
            safe = point if is_newton else before  # Newton's steps are known to lower the loss
        self._curvature = curvature
        return point

    def _length(
        self, point: Point, step: FloatArray, decrement: float, correct: BoolArray
    ) -> float:
        """Return the share of Newton's step that lowers the loss; 0 if there is none."""
        if decrement <= _TRUSTED_DECREMENT:
            return 1.0
        here, share = self._loss.value(point.beta, correct), 1.0
        while not self._loss.value(point.beta + share * step, correct) <= (
            here - _ARMIJO * share * decrement  # NaN is no lower
        ):
            share /= 2.0
            if share < _SMALLEST_STEP:
                return 0.0
        return share


def _step(curvature: Curvature | None, point: Point) -> tuple[FloatArray, float]:
    """Return the step to the minimum, and the Newton decrement; infinite without curvature."""
    if curvature is None:
        return np.zeros_like(point.beta), math.inf
    step = curvature.direction(point.gradient)
    return step, -float(point.gradient @ step)
