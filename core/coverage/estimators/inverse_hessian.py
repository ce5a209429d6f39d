"""The inverse of a Hessian, kept in use while the parameters move on."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor
from scipy.linalg.lapack import dpotrs

from ...arrays import FloatArray


class Curvature:
    """An inverse Hessian: that of one point, corrected by the gradients seen since (BFGS).

    A Hessian costs as much as a dozen gradients, and its factor still gives nearly Newton's
    step when a few outcomes have changed.

    References
    ----------
    Nocedal (1980), "Updating quasi-Newton matrices with limited storage".
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
