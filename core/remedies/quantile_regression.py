"""Quantile regression: the smoothed check loss, its least by Newton, and how strong a ridge is."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from ..arrays import BoolArray, FloatArray
from ..coverage.estimators.design_matrix import Design
from ..events import StopRequest, never
from ..rows.folds import FOLDS, fold_numbers
from ..rows.weights import (
    Weights,
    effective_size,
    total,
    weighted_mean,
    weighted_quantiles,
    weights_of,
)


@dataclass(frozen=True)
class Point:
    """Parameters, shape (1 + d,), with the loss there and its derivative.

    ``below``, shape (n,), says how far each score is below the quantile: 1 and 0 but for smoothing.
    """

    beta: FloatArray
    value: float
    gradient: FloatArray
    below: FloatArray
    width: float


@dataclass(frozen=True)
class CheckLoss:
    """``mean of rho(score - quantile) + 0.5 * ridge * sum(slopes**2)`` on the rows of a design.

    ``rho(u) = share * u + width * log(1 + exp(-u / width))``, which is the check loss of Koenker
    and Bassett (1978), "Regression quantiles", as the width goes to 0, and convex for any other.
    """

    design: Design
    scores: FloatArray  # finite, shape (n,)
    share: float  # of the scores below the quantile
    ridge: float
    weights: Weights = None

    def _counted(self, values: FloatArray, rows: slice) -> FloatArray:
        """Return values of some rows as often as these count."""
        return values if self.weights is None else values * self.weights[rows]

    def at(self, beta: FloatArray, width: float) -> Point:
        """Return the point of parameters."""
        below, gradient, lost = np.empty(self.design.n), np.zeros(self.design.size), 0.0
        # a step too long loses, and need not warn
        with np.errstate(over="ignore", invalid="ignore"):
            for block in self.design.blocks:
                rows = block.rows
                under = block.linear(beta)
                under -= self.scores[rows]
                lost += width * float(self._counted(np.logaddexp(0.0, under / width), rows).sum())
                lost -= self.share * float(self._counted(under, rows).sum())
                within = below[rows]
                expit(under / width, out=within)
                block.add_sums(self._counted(within - self.share, rows), gradient)
            slopes = np.append(0.0, beta[1:])
            n = total(self.weights, self.design.n)
            value = lost / n + 0.5 * self.ridge * float(slopes @ slopes)
            gradient = gradient / n + self.ridge * slopes
        return Point(beta, value, gradient, below, width)

    def hessian(self, point: Point) -> FloatArray:
        """Return the second derivative."""
        products = np.zeros((self.design.size, self.design.size))
        for block in self.design.blocks:
            below = point.below[block.rows]
            products += block.products(self._counted(below * (1.0 - below), block.rows))
        hessian: FloatArray = products / (total(self.weights, self.design.n) * point.width)
        hessian[np.diag_indices(self.design.size)] += np.append(
            0.0, np.full(len(products) - 1, self.ridge)
        )
        return hessian


def check_losses(residuals: FloatArray, share: float) -> FloatArray:
    """Return the check loss, not smoothed, of scores less their quantile, shape (n,)."""
    return residuals * (share - (residuals < 0.0))


WIDTHS = tuple(np.geomspace(1.0, 0.02, 6).tolist())
"""Of the smoothing, in the scores' median absolute deviation: each fit starts the next."""

_NEAR, _EXACT = 1e-4, 1e-9
"""Newton decrements, in the same unit, at which a fit that starts another ends, and the last."""

_FIRST_DAMPING, _RAISED, _LOWERED = 1e-3, 10.0, 0.1
_NO_DAMPING, _MOST_DAMPING = 1e-6, 1e12
_MOST_STEPS = 100
_ARMIJO = 1e-4


@dataclass
class Descent:
    """Minimises one loss; ``steps`` counts Newton steps, those not taken among them.

    The Hessian's diagonal is raised until the loss falls, and less after every step that did:
    Levenberg (1944) and Marquardt (1963). What is added is measured by the largest curvature seen,
    as in rare columns there may be none at all where a step leads to.
    """

    unit: float  # the scores' scale
    steps: int = 0
    converged: bool = True
    _diagonal: FloatArray | float = field(default=0.0, init=False)

    def run(
        self,
        loss: CheckLoss,
        beta: FloatArray,
        widths: Sequence[float] = WIDTHS,
        should_stop: StopRequest = never,
    ) -> FloatArray:
        """Return the best parameters, shape (1 + d,), at the last of the widths."""
        self._diagonal = 0.0
        for number, width in enumerate(widths):
            tolerance = (_EXACT if number == len(widths) - 1 else _NEAR) * self.unit
            beta = self._minimise(loss, loss.at(beta, width * self.unit), tolerance)
            if should_stop():
                break
        return beta

    def _minimise(self, loss: CheckLoss, point: Point, tolerance: float) -> FloatArray:
        damping = 0.0
        for _ in range(_MOST_STEPS):
            hessian = loss.hessian(point)
            self._diagonal = np.maximum(self._diagonal, np.diag(hessian))
            while damping < _MOST_DAMPING:
                step = self._step(hessian, damping, point.gradient)
                decrement = -float(point.gradient @ step)
                if damping <= _FIRST_DAMPING and decrement <= tolerance:
                    return point.beta
                self.steps += 1
                there = loss.at(point.beta + step, point.width)
                if there.value <= point.value - _ARMIJO * decrement:  # NaN is no lower
                    break
                damping = max(_RAISED * damping, _FIRST_DAMPING)
            else:
                break
            point = there
            damping = damping * _LOWERED if damping > _NO_DAMPING else 0.0
        self.converged = False
        return point.beta

    def _step(self, hessian: FloatArray, damping: float, gradient: FloatArray) -> FloatArray:
        raised = hessian + damping * np.diag(np.broadcast_to(self._diagonal, len(hessian)))
        try:
            step: FloatArray = cho_solve(cho_factor(raised, lower=True), -gradient)
        except LinAlgError:
            step = np.full_like(gradient, math.nan)
        return step


STRENGTHS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 1e-4)
"""In units of the loss's curvature: the first leaves few of the slopes, the last nearly all."""

WEAKEST = STRENGTHS[-1]

FIRST = 0.1
"""The strength of the fit that tells columns apart: the least at which it is known to exist."""

FEW_MISSES = 50.0
"""Rows below the quantile for each parameter: with fewer, the training rows' noise is a good part
of the slopes, and a strength is chosen."""


@dataclass(frozen=True)
class QuantileFit:
    """A linear quantile, its slopes of shape (d,), with the descent that led there.

    ``loss`` is what has its least at ``point``: parameters of columns times a scale.
    """

    intercept: float
    slopes: FloatArray
    descent: Descent
    loss: CheckLoss
    beta: FloatArray

    @property
    def terms(self) -> float:
        """How many parameters there are but for the ridge: ``trace(H (H + ridge)^-1)``."""
        point = self.loss.at(self.beta, WIDTHS[-1] * self.descent.unit)
        held = np.diag(np.linalg.pinv(self.loss.hessian(point)))[1:]
        return float(self.loss.design.size - self.loss.ridge * held.sum())


@dataclass(frozen=True)
class Regression:
    """The regression of a share's quantile of scores, shape (n,), on columns X, shape (n, d).

    ``unit`` is the scores' scale.
    """

    X: FloatArray
    scores: FloatArray
    share: float
    unit: float
    weights: Weights = None

    @property
    def has_few_misses(self) -> bool:
        """Whether rows below the quantile are few for the parameters."""
        n, d = self.X.shape
        return bool(self.share * effective_size(self.weights, n) < FEW_MISSES * (1 + d))

    def part(self, rows: BoolArray) -> "Regression":
        """Return that of some of the rows."""
        weights = weights_of(self.weights, rows)
        return replace(self, X=self.X[rows], scores=self.scores[rows], weights=weights)

    def fits(
        self,
        strengths: Sequence[float],
        scale: FloatArray | None = None,
        should_stop: StopRequest = never,
    ) -> Iterator[QuantileFit]:
        """Yield a fit with each strength, each starting the next, to columns times a scale."""
        design = Design(self.X if scale is None else self.X * scale)
        beta, widths = np.zeros(design.size), WIDTHS
        beta[0] = weighted_quantiles(self.scores, self.share, self.weights)
        loss = CheckLoss(design, self.scores, self.share, 0.0, self.weights)
        below = loss.at(beta, self.unit).below
        curvature = weighted_mean(below * (1.0 - below), self.weights) / self.unit
        for strength in strengths:
            descent, held = Descent(self.unit), replace(loss, ridge=strength * curvature)
            beta, widths = descent.run(held, beta, widths, should_stop), WIDTHS[-1:]
            intercept, slopes = design.coefficients(beta)
            slopes = slopes if scale is None else slopes * scale
            yield QuantileFit(intercept, slopes, descent, held, beta)

    def scale(self) -> FloatArray:
        """Return the size of each slope in a first fit, shape (d,), their mean square 1.

        A ridge for columns times these holds back most what seemed not to matter: where many
        columns are rare and few of them matter, slopes of the others are noise. It is the adaptive
        ridge of Grandvalet (1998), "Least absolute shrinkage is equivalent to quadratic
        penalization", after one step; Zou (2006), "The adaptive lasso and its oracle properties".
        """
        sizes = np.abs(next(self.fits((FIRST,))).slopes)
        norm = float(np.linalg.norm(sizes))
        return sizes * (math.sqrt(len(sizes)) / norm) if norm > 0.0 else np.ones(len(sizes))

    def chosen_strength(self, should_stop: StopRequest = never) -> float:
        """Return the strength whose fits, on four fifths of the rows each, predict the others best.

        By the check loss; of equals, the strongest.
        """
        losses, fold = np.zeros(len(STRENGTHS)), fold_numbers(len(self.X))
        for number in range(FOLDS):
            inside = fold != number
            if should_stop() or len(np.unique(fold[inside])) < FOLDS - 1:
                break
            known, others = self.part(inside), self.part(~inside)
            for place, fit in enumerate(known.fits(STRENGTHS, known.scale())):
                residuals = others.scores - others.X @ fit.slopes - fit.intercept
                lost = weighted_mean(check_losses(residuals, self.share), others.weights)
                losses[place] += lost * total(others.weights, len(residuals))
        return STRENGTHS[int(np.argmin(losses))]
