"""Damped Newton steps to the least smoothed check loss, from wide smoothing to narrow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ...arrays import FloatArray
from ...events import StopRequest, never
from .check_loss import CheckLoss, Point

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
