"""The mean penalised log-loss of a logistic regression, and its derivatives."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor
from scipy.linalg.lapack import dpotrs
from scipy.optimize import brentq
from scipy.special import expit

from ...arrays import BoolArray, FloatArray, IndexArray
from ...rows.weights import Weights, total
from .design_matrix import Design, RareColumn

_FARTHEST = 100.0
"""Of a linear predictor: no ridge worth its name holds one beyond."""


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
        """Return values of some rows as often as these count."""
        return values if self._weights is None else values * self._weights[rows]

    def value(self, beta: FloatArray, correct: BoolArray) -> float:
        """Return the loss for outcomes ``correct``, shape (n,)."""
        total = 0.0
        # a step too long loses, and need not warn
        with np.errstate(over="ignore", invalid="ignore"):
            for block in self.design.blocks:
                linear = block.linear(beta)
                losses = _log_of_one_and_exp(linear) - correct[block.rows] * linear
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

        reach = _FARTHEST / column.values.min()
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


def _log_of_one_and_exp(linear: FloatArray) -> FloatArray:
    """Return log(1 + exp(linear)), with a rounding error as of 1, in a third of NumPy's time."""
    logs: FloatArray = np.log(1.0 + np.exp(-np.abs(linear)))
    logs += np.maximum(linear, 0.0)
    return logs


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
