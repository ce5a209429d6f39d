"""Logistic regression of correctness on the objects, fitted to the last digits."""

from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit, logit

from ..prediction_sets import BoolArray, FloatArray
from .base import ProbabilityEstimator

_BLOCK_ROWS = 4096
_ARMIJO = 1e-4
_SMALLEST_STEP = 2.0**-30
_TRUSTED_DECREMENT = 1e-10
"""Below it Newton steps are taken whole: the loss no longer shows a difference to check."""


class LogisticEstimator(ProbabilityEstimator):
    """Minimises ``sum of log-losses + 0.5 * ridge * sum(slopes**2)``, intercept free.

    The ridge is far below any figure shown, but makes the optimum exist where a one-hot column
    separates the outcomes perfectly. Newton's method with backtracking runs until the Newton
    decrement of the mean loss is at most ``tol``, so that a fit's last digits do not depend on
    where it started: IFACM's search compares fits whose outcomes differ in a few rows.

    Parameters
    ----------
    ridge
        Weight of the penalty on the slopes; predictors are meant to be standardised.
    tol
        Largest Newton decrement ``g' H^-1 g`` (of the mean loss) accepted as converged.
    max_iter
        Bound on the Newton steps.

    Attributes
    ----------
    intercept_ : float
    coef_ : ndarray of shape (d,)
        NaN when all outcomes are equal: p is then that constant.
    constant_ : float or None
        The common outcome when all outcomes are equal.
    converged_ : bool
    n_iter_ : int
        Newton steps taken.
    """

    def __init__(self, *, ridge: float = 1e-6, tol: float = 1e-20, max_iter: int = 100) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: FloatArray, correct: BoolArray, *, start: Self | None = None) -> Self:
        """Fit on objects X, shape (n, d), and outcomes ``correct``, shape (n,)."""
        share = float(correct.mean())
        self.constant_ = share if share in (0.0, 1.0) else None
        if self.constant_ is not None:
            return self._fit_constant(X.shape[1])
        loss = _Loss(X, correct.astype(np.float64), self.ridge)
        if start is not None and start.constant_ is None:
            self._fit_newton(loss, np.append(start.intercept_, start.coef_))
            if self.converged_:
                return self
        cold = np.zeros(X.shape[1] + 1)
        cold[0] = logit(share)
        return self._fit_newton(loss, cold)

    def predict(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        probability: FloatArray = expit(X @ self.coef_ + self.intercept_)
        return probability

    def standard_errors(self, X: FloatArray) -> FloatArray:
        """Return the slopes' standard errors, shape (d,), for the objects X fitted on.

        From the inverse Hessian at the optimum; NaN when all outcomes were equal.
        """
        if self.constant_ is not None:
            return np.full(len(self.coef_), np.nan)
        loss = _Loss(X, np.zeros(len(X)), self.ridge)  # the Hessian does not depend on outcomes
        _, hessian = loss.derivatives(np.append(self.intercept_, self.coef_))
        inverse = cho_solve(_factorise(hessian), np.eye(len(hessian)))
        errors: FloatArray = np.sqrt(np.diag(inverse)[1:] / len(X))
        return errors

    def _fit_constant(self, n_columns: int) -> Self:
        self.intercept_ = float("nan")
        self.coef_ = np.full(n_columns, np.nan)
        self.converged_ = True
        self.n_iter_ = 0
        return self

    def _fit_newton(self, loss: "_Loss", beta: FloatArray) -> Self:
        self.converged_ = False
        for iteration in range(self.max_iter + 1):
            gradient, hessian = loss.derivatives(beta)
            direction = -cho_solve(_factorise(hessian), gradient)
            decrement = -float(gradient @ direction)
            self.n_iter_ = iteration
            if decrement <= self.tol:
                self.converged_ = True
                break
            step = loss.step_length(beta, direction, decrement)
            if step == 0.0 or iteration == self.max_iter:
                break
            beta = beta + step * direction
        self.intercept_, self.coef_ = float(beta[0]), beta[1:]
        return self


class _Loss:
    """The mean penalised log-loss and its derivatives; intercept first in ``beta``."""

    def __init__(self, X: FloatArray, outcome: FloatArray, ridge: float) -> None:
        self.X = X
        self.outcome = outcome
        self.n = len(X)
        self.penalty = np.full(X.shape[1] + 1, ridge / self.n)
        self.penalty[0] = 0.0

    def value(self, beta: FloatArray) -> float:
        linear = self.X @ beta[1:] + beta[0]
        losses = np.logaddexp(0.0, linear) - self.outcome * linear
        return float(losses.mean() + 0.5 * (self.penalty @ beta**2))

    def derivatives(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return gradient and Hessian, in row blocks: the weighted copy of X stays in cache."""
        size = len(beta)
        gradient = np.zeros(size)
        hessian = np.zeros((size, size))
        weighted = np.empty((min(_BLOCK_ROWS, self.n), size))
        for first in range(0, self.n, _BLOCK_ROWS):
            X = self.X[first : first + _BLOCK_ROWS]
            probability = expit(X @ beta[1:] + beta[0])
            error = probability - self.outcome[first : first + _BLOCK_ROWS]
            gradient[0] += error.sum()
            gradient[1:] += X.T @ error
            root = np.sqrt(probability * (1.0 - probability))
            block = weighted[: len(X)]
            block[:, 0] = root
            np.multiply(X, root[:, None], out=block[:, 1:])
            hessian += block.T @ block
        gradient = gradient / self.n + self.penalty * beta
        return gradient, hessian / self.n + np.diag(self.penalty)

    def step_length(self, beta: FloatArray, direction: FloatArray, decrement: float) -> float:
        """Return a step along the Newton direction that lowers the loss; 0 if there is none."""
        if decrement <= _TRUSTED_DECREMENT:
            return 1.0
        here, step = self.value(beta), 1.0
        while self.value(beta + step * direction) > here - _ARMIJO * step * decrement:
            step /= 2.0
            if step < _SMALLEST_STEP:
                return 0.0
        return step


def _factorise(hessian: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor, of a matrix raised just enough where rounding needs it."""
    raised = 0.0
    while True:
        try:
            factor: tuple[FloatArray, bool] = cho_factor(
                hessian + raised * np.eye(len(hessian)), lower=True
            )
        except LinAlgError:
            raised = 10.0 * raised or 1e-16 * max(float(np.trace(hessian)), 1e-300)
        else:
            return factor
