"""Linear quantiles of scores, tilted towards a new row: a simplex over the rows.

The programme of Gibbs, Cherian and Candes (2023), "Conformal prediction with conditional
guarantees", for one new object: ``minimise sum w_i rho(s_i - x_i b) - share * w x b``.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from ..arrays import FloatArray, IndexArray

_NEAR = 1e-9
"""How far multipliers may be beyond their bounds, in rows; what coefficients are rounded to; and
by how much of their spread scores are parted that are equal."""

_PIVOTS = 1_000  # beyond a hundred nothing was seen to go


@dataclass
class Vertex:
    """A fit through d rows, its basis: parameters b, their residuals, and the basis' inverse."""

    basis: IndexArray  # shape (d,)
    inverse: FloatArray  # of X[basis]
    residuals: FloatArray  # shape (n,); 0 on the basis


class TiltedQuantiles:
    """The ``share``-quantile of scores, shape (n,), linear in X, shape (n, d), of full rank.

    For each new object one programme, which starts from the fit without any new object: three or
    four pivots, each of which costs one product with X. Scores are finite; equal ones, and sums of
    some that equal sums of others, are parted by less than matters, so that no two bases are of
    one point. ``weights``, shape (n,), have a mean of 1.
    """

    def __init__(
        self, X: FloatArray, scores: FloatArray, share: float, weights: FloatArray
    ) -> None:
        self._X, self._share, self._weights = X, share, weights
        gaps = np.diff(np.unique(scores))
        room = min(_NEAR * np.ptp(scores), gaps.min() / 4.0) if len(gaps) else 1.0
        self._scores = scores + room * np.random.default_rng(0).random(len(scores))
        start = self._vertex(self._first_basis())
        untilted = self._optimum(start, np.zeros(X.shape[1]))
        self._start = start if untilted is None else self._vertex(untilted.basis)

    def combination(self, x: FloatArray) -> tuple[IndexArray, FloatArray] | None:
        """Return rows and the coefficients of their scores that make up an object's quantile.

        ``x`` is of shape (d,). None if the quantile has no bound.
        """
        found = self._optimum(self._start, self._share * x)
        if found is None:
            return None
        coefficients = np.linalg.solve(self._X[found.basis].T, x)
        whole = np.round(coefficients)
        # exact where they are whole, so that a quantile that is one row's score is just that
        coefficients = np.where(np.abs(coefficients - whole) < _NEAR, whole, coefficients)
        used = coefficients != 0.0
        return found.basis[used], coefficients[used]

    def _first_basis(self) -> IndexArray:
        """Return d independent rows near the quantile: each is that of the rows equal to it."""
        kinds, code = np.unique(self._X, axis=0, return_inverse=True)
        order = np.lexsort((self._scores, code.ravel()))
        counts = np.bincount(code.ravel())
        place = np.cumsum(counts) - counts + (self._share * (counts - 1)).astype(np.intp)
        _, chosen = qr((kinds * np.sqrt(counts)[:, None]).T, mode="r", pivoting=True)
        return np.asarray(order[place[chosen[: self._X.shape[1]]]], dtype=np.intp)

    def _vertex(self, basis: IndexArray) -> Vertex:
        inverse: FloatArray = np.linalg.inv(self._X[basis]).astype(np.float64)
        residuals = self._scores - self._X @ (inverse @ self._scores[basis])
        residuals[basis] = 0.0
        return Vertex(basis, inverse, residuals)

    def _optimum(self, start: Vertex, tilt: FloatArray) -> Vertex | None:
        """Return the best vertex, by pivots from another; None if there is no bound."""
        X, share, weights = self._X, self._share, self._weights
        basis, inverse, residuals = start.basis.copy(), start.inverse.copy(), start.residuals.copy()
        pull = weights * (share - (residuals < 0.0))
        pull[basis] = 0.0
        for _ in range(_PIVOTS):
            # what the basis' rows would have to pull for all to be in balance
            needed = -((pull @ X + tilt) @ inverse)
            above = needed - weights[basis] * share
            below = weights[basis] * (share - 1.0) - needed
            place = int(np.argmax(np.maximum(above, below)))
            gain, sign = max((above[place], -1.0), (below[place], 1.0))
            if gain <= _NEAR * 1e-3:
                return Vertex(basis, inverse, residuals)
            along = X @ (sign * inverse[:, place])
            along[basis] = 0.0
            met = np.flatnonzero(residuals * along > 0.0)
            steps = residuals[met] / along[met]
            order = np.argsort(steps)
            lost = np.cumsum((weights[met] * np.abs(along[met]))[order])
            end = int(np.searchsorted(lost, gain))
            if end == len(lost):
                return None
            passed, entering, step = met[order[:end]], met[order[end]], steps[order[end]]
            pull[passed] += weights[passed] * np.sign(-residuals[passed])
            residuals -= step * along
            leaving = basis[place]
            residuals[leaving] = -sign * step
            pull[leaving] = weights[leaving] * (share - (sign > 0.0))
            pull[entering], residuals[entering] = 0.0, 0.0
            row = X[entering] @ inverse
            column = inverse[:, place] / row[place]
            inverse -= np.outer(column, row)
            inverse[:, place] = column
            basis[place] = entering
        raise ArithmeticError("the quantile of scores was not found")
