"""Linear quantiles of scores, tilted towards a new row: a simplex over the rows."""

import numpy as np
from scipy.linalg import qr

from ..arrays import FloatArray, IndexArray

_NEAR = 1e-9  # whole numbers, and, by their spread, equal scores that are parted
_BALANCED = 1e-12  # of a row: less is rounding
_MOST_PIVOTS = 1_000


class TiltedQuantiles:
    """The ``share``-quantile of scores, shape (n,), linear in X, shape (n, k), for new objects.

    For each object x, whose own score is above, the fit b of least ``sum w_i rho(s_i - X_i b) -
    share * mean w * x b``: Gibbs, Cherian and Candes (2023), "Conformal prediction with conditional
    guarantees". All start from the fit without any, three or four pivots away. Scores are finite;
    equal ones are parted by less than matters, so that no two bases are one point.
    """

    def __init__(
        self, X: FloatArray, scores: FloatArray, share: float, weights: FloatArray
    ) -> None:
        _, lengths, axes = np.linalg.svd(X, full_matrices=False)
        self._axes = axes[lengths > _NEAR * lengths.max(initial=0.0)].T
        self._X, self._share = X @ self._axes, share
        self._weights = weights / weights.mean() if len(weights) else weights
        gaps = np.diff(np.unique(scores))
        room = min(_NEAR * np.ptp(scores), gaps.min() / 4.0) if len(gaps) else 1.0
        parted = np.random.default_rng(0).random(len(scores))
        if len(gaps) and room < _BALANCED * np.ptp(scores):  # gaps that are rounding part nothing
            room, parted[np.argsort(scores)] = _NEAR * np.ptp(scores), np.sort(parted)
        self._scores = scores + room * parted
        self._start = np.arange(0)
        if len(scores):
            far = np.abs(scores - np.quantile(scores, share))
            near = self._X / (1.0 + far / (np.median(far) or 1.0))[:, None]
            _, order = qr(near.T, mode="r", pivoting=True)
            start = self._best_basis(order[: self._X.shape[1]], np.zeros(self._X.shape[1]))
            assert start is not None  # noqa: S101 - losses are at least 0
            self._start = start

    def combination(self, x: FloatArray) -> tuple[IndexArray, FloatArray] | None:
        """Return the rows, and coefficients, of the scores that make up x's quantile.

        None if it has no bound, as where no rows are like x, shape (k,).
        """
        inside = x @ self._axes
        if not np.allclose(self._axes @ inside, x, atol=1e-6):
            return None
        basis = self._best_basis(self._start, self._share * inside)
        if basis is None:
            return None
        coefficients = np.linalg.solve(self._X[basis].T, inside)
        whole = np.round(coefficients)  # a quantile that is one row's score is just that
        coefficients = np.where(np.abs(coefficients - whole) < _NEAR, whole, coefficients)
        return basis[coefficients != 0.0], coefficients[coefficients != 0.0]

    def _best_basis(self, basis: IndexArray, tilt: FloatArray) -> IndexArray | None:
        """Return the rows that the best fit goes through, by pivots from others; None if none."""
        X, share, weights, basis = self._X, self._share, self._weights, basis.copy()
        inverse = np.linalg.inv(X[basis])
        residuals = self._scores - X @ (inverse @ self._scores[basis])
        residuals[basis] = 0.0
        for _ in range(_MOST_PIVOTS):
            pull = weights * (share - (residuals < 0.0))
            pull[basis] = 0.0
            # what the basis would have to pull for all to be in balance, and may
            needed, most = -((pull @ X + tilt) @ inverse), weights[basis]
            beyond = np.maximum(needed - share * most, (share - 1.0) * most - needed)
            place = int(np.argmax(beyond))
            if beyond[place] <= _BALANCED:
                return basis
            away = -np.sign(needed[place])
            along = X @ (away * inverse[:, place])
            along[np.abs(along) < _BALANCED] = 0.0
            along[basis] = 0.0
            met = np.flatnonzero(residuals * along > 0.0)
            met = met[np.argsort(residuals[met] / along[met])]
            end = int(np.searchsorted(np.cumsum((weights * np.abs(along))[met]), beyond[place]))
            if end == len(met):
                return None
            step = residuals[met[end]] / along[met[end]]
            residuals = residuals - step * along
            residuals[basis[place]], residuals[met[end]] = -away * step, 0.0
            basis[place] = met[end]
            entering = X[met[end]] @ inverse
            entering[place] -= 1.0  # by Sherman and Morrison (1950)
            inverse -= np.outer(inverse[:, place] / (1.0 + entering[place]), entering)
        raise ArithmeticError("the quantile of scores was not found")
