"""Logistic regression of correctness on the objects, fitted to the last digits."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor
from scipy.linalg.lapack import dpotrs
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.base import clone

from ...arrays import BoolArray, FloatArray, IndexArray
from ...rows.weights import Weights, effective_size, total, weighted_mean
from ...scoring.arithmetic import linear_predictor, sigmoid
from ...scoring.functions import Function, Linear, Through
from .base import ProbabilityEstimator, common_outcome
from .design_matrix import Design, RareColumn

_ARMIJO = 1e-4
_SMALLEST_STEP = 2.0**-30
_TRUSTED_DECREMENT = 1e-10
"""Below it Newton steps are taken whole: the loss no longer shows a difference to check."""

_LEAST_SHARE = 1e-15
_FAR = 1.0  # a parameter moved farther has left the point whose curvature is known
_SLOW = 0.3  # a step that leaves more than this share of the decrement calls for a new Hessian


@dataclass(frozen=True)
class Point:
    """Parameters, shape (1 + d,), with the gradient there and p(x) of the rows, shape (n,)."""

    beta: FloatArray
    gradient: FloatArray
    probability: FloatArray


class LogLoss:
    """``(sum of log-losses + 0.5 * ridge * sum(slopes**2)) / n`` on the rows of a design.

    Losses count as often as the ``weights`` say, and n is their sum.
    """

    def __init__(self, design: Design, ridge: float, weights: Weights = None) -> None:
        self.design = design
        self._weights, self._n = weights, total(weights, design.n)
        self._penalty = np.full(design.size, ridge / self._n)
        self._penalty[0] = 0.0

    def _counted(self, values: FloatArray, rows: slice | IndexArray) -> FloatArray:
        return values if self._weights is None else values * self._weights[rows]

    def value(self, beta: FloatArray, correct: BoolArray) -> float:
        """Return the loss for outcomes ``correct``, shape (n,)."""
        total = 0.0
        # a step too long loses, and need not warn
        with np.errstate(over="ignore", invalid="ignore"):
            for block in self.design.blocks:
                linear = block.linear(beta)
                losses = np.logaddexp(0.0, linear) - correct[block.rows] * linear
                total += float(self._counted(losses, block.rows).sum())
            return total / self._n + 0.5 * float(self._penalty @ beta**2)

    def at(self, beta: FloatArray, correct: BoolArray) -> Point:
        """Return the point of parameters for outcomes ``correct``, shape (n,)."""
        probability = np.empty(self.design.n)
        gradient = np.zeros(self.design.size)
        for block in self.design.blocks:
            within = probability[block.rows]
            _sigmoid(block.linear(beta), out=within)
            error = self._counted(within - correct[block.rows], block.rows)
            block.add_sums(error, gradient)
        return Point(beta, gradient / self._n + self._penalty * beta, probability)

    def moved(self, point: Point, rows: IndexArray, correct: BoolArray) -> Point:
        """Return a point after the outcomes of some rows have changed to what they are now."""
        change = self._counted(np.where(correct[rows], -1.0, 1.0), rows)
        gradient = self.design.sums(rows, change) / self._n
        return replace(point, gradient=point.gradient + gradient)

    def settled(
        self, beta: FloatArray, rows: IndexArray, correct: BoolArray, before: BoolArray
    ) -> FloatArray:
        """Return parameters where separated rare columns of some rows have their own best value.

        Where all rows of a rare column have one outcome, or had it in the outcomes ``before``,
        its best parameter is far away, held by the ridge alone, or is back from there. Newton's
        method makes its way one unit of the linear predictor at a time; on the column's few rows
        it is found at once.
        """
        beta = beta.copy()
        for column in self.design.rare_columns(rows):
            outcome, counted = correct[column.rows], column.rows
            if self._weights is not None:
                counted = counted[self._weights[counted] > 0.0]
            if _is_one(correct[counted]) or _is_one(before[counted]):
                beta[column.position] += self._best_change(beta, column, outcome)
        return beta

    def _best_change(self, beta: FloatArray, column: RareColumn, outcome: BoolArray) -> float:
        linear, here = self.design.linear(beta, column.rows), beta[column.position]
        ridge, values = self._penalty[-1] * self._n, self._counted(column.values, column.rows)

        def slope(change: float) -> float:
            error = expit(linear + change * column.values) - outcome
            return float(values @ error + ridge * (here + change))

        reach = 100.0 / column.values.min()  # no ridge worth its name holds one beyond
        if not slope(-reach) < 0.0 < slope(reach):  # too far away to be found here
            return 0.0
        change, found = brentq(slope, -reach, reach, full_output=True, disp=False)
        return float(change) if found.converged else 0.0

    def hessian(self, probability: FloatArray) -> FloatArray:
        """Return the Hessian where the rows have these probabilities; outcomes do not matter."""
        total = np.zeros((self.design.size, self.design.size))
        for block in self.design.blocks:
            within = probability[block.rows]
            total += block.products(self._counted(within * (1.0 - within), block.rows))
        hessian: FloatArray = total / self._n + np.diag(self._penalty)
        return hessian


def _sigmoid(linear: FloatArray, out: FloatArray) -> None:
    """Write 1 / (1 + exp(-linear)): to the last digits SciPy's, in a third of the time."""
    with np.errstate(over="ignore"):  # of an infinite number the reciprocal is 0
        np.exp(np.negative(linear, out=out), out=out)
    out += 1.0
    np.reciprocal(out, out=out)


def _is_one(outcomes: BoolArray) -> bool:
    return bool(outcomes.all() or not outcomes.any())


class Curvature:
    """An inverse Hessian: that of one point, corrected by the gradients seen since (BFGS).

    A Hessian costs as much as some seven gradients, and its factor still gives nearly Newton's
    step when a few outcomes have changed. After Nocedal (1980), "Updating quasi-Newton matrices
    with limited storage".
    """

    def __init__(self, hessian: FloatArray) -> None:
        self._factor = _factorised(hessian)
        self._seen: list[tuple[FloatArray, FloatArray, float]] = []

    def direction(self, gradient: FloatArray) -> FloatArray:
        """Return the step to the minimum, as far as is known."""
        rest, shares = -gradient, []
        for step, change, product in reversed(self._seen):
            share = float(step @ rest) / product
            shares.append(share)
            rest = rest - share * change
        direction = self.inverse_times(rest)
        for (step, change, product), share in zip(self._seen, reversed(shares), strict=True):
            direction = direction + (share - float(change @ direction) / product) * step
        return direction

    def inverse_times(self, values: FloatArray) -> FloatArray:
        """Return the product of the first point's inverse Hessian with a vector or matrix."""
        factor, is_lower = self._factor
        product: FloatArray
        product, _ = dpotrs(factor, values, lower=is_lower)  # cho_solve's checks take much longer
        return product

    def learn(self, step: FloatArray, change: FloatArray) -> None:
        """Take note of how a step changed the gradient."""
        product = float(step @ change)
        if product > 0.0:  # of a convex loss, but for rounding
            self._seen.append((step, change, product))

    def forget(self) -> None:
        """Drop what was learned: it was of other outcomes, but of the same Hessian nearly."""
        self._seen.clear()


def _factorised(hessian: FloatArray) -> tuple[FloatArray, bool]:
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
    maximum_likelihood = True
    takes_weights = True

    def __init__(self, *, ridge: float = 1e-6, tol: float = 1e-20, max_iter: int = 100) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        self.fits(X, weights).fit(self, correct)

    def fits(self, X: FloatArray, weights: Weights = None) -> "LogisticFits":
        """Return what fits on the same objects again and again, each time from the last fit."""
        return LogisticFits(self, Design(X), weights)

    def _probabilities(self, X: FloatArray) -> FloatArray:
        return sigmoid(linear_predictor(X, self.coef_, self.intercept_))

    def _written(self) -> Function:
        return Through(Linear(self.coef_, float(self.intercept_)), ("sigmoid",))


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
        design, point = self._loss.design, None
        estimator.constant_ = common_outcome(correct)
        if estimator.constant_ is not None:
            estimator.intercept_, estimator.coef_ = math.nan, np.full(design.size - 1, np.nan)
            estimator.converged_, estimator.n_iter_ = True, 0
            return np.full(design.n, estimator.constant_)
        if self._last is not None:
            start = self._warm_start(*self._last, correct)
            point = self._descend(estimator, start, correct, patient=False)
        if point is None or not estimator.converged_:
            self._curvature, beta = None, np.zeros(design.size)
            # weights may make of it 1, to the last digit
            share = weighted_mean(correct, self._weights)
            beta[0] = logit(np.clip(share, _LEAST_SHARE, 1.0 - _LEAST_SHARE))
            beta = self._loss.settled(beta, np.arange(design.n), correct, correct)
            point = self._descend(estimator, self._loss.at(beta, correct), correct)
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
