"""Whether coverage depends on the objects at all, whatever its level."""

import math

import numpy as np
from scipy import linalg, stats

from ..arrays import FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Weights

DRAWS = 999
"""So that a p-value of 0.001 can be reached."""

MANY = 1000
"""Rows of the rarer outcome, or clusters with some, by which the law of the statistic is known."""

_ROUNDING = 1e-9
"""Statistics this close are the same: a draw may give the outcomes back as they were."""

_NOTHING = 1e-99
_INDEPENDENT = 1e-10
"""A combination of columns that varies by less than this share of the most is a rounding error."""

_SEED = 0


def score_test(X: FloatArray, outcomes: Outcomes) -> float:
    """Return the p-value of Rao's score test that correctness depends on X, (n, d), linearly.

    Its null hypothesis is one probability for all, of any value. NaN where all outcomes are equal.

    The statistic is ``|Z' W (c - share)|**2``, Z the whitened X. Where wrong sets are few its law
    depends on the features: outcomes are permuted, which is exact. Of clusters, and of rows with
    weights, which no permutation leaves as they are, the signs of whole scores are drawn: the wild
    bootstrap of Kline and Santos (2012), "A score based approach to wild bootstrap inference". The
    null hypothesis leaves only the share to be fitted, so that it needs few clusters; fewer than 9
    cannot show a p-value of 0.005. P-values of draws are those of Phipson and Smyth (2010),
    "Permutation p-values should never be zero". Where there is plenty, the statistic is a sum of
    squares of normal variables, with White's covariance.
    """
    correct, clusters, weights = outcomes.correct, outcomes.clusters, outcomes.weights
    share = outcomes.accuracy
    if correct.all() or not correct.any():
        return math.nan
    rare = correct if share < 0.5 else ~correct  # noqa: PLR2004 - the fewer
    centred, axes = whitening(X, weights)
    sums, seen = centred * (correct - share)[:, None], int(rare.sum())
    if weights is not None:
        sums *= weights[:, None]
    if clusters is not None:
        sums, seen = cluster_sums(sums, clusters), len(np.unique(clusters[rare]))
    if seen >= MANY:
        return _by_law(sums, axes)
    rng, Z, sums = np.random.default_rng(_SEED), centred @ axes, sums @ axes
    if clusters is None and weights is None:
        rows = (rng.choice(len(Z), seen, replace=False, shuffle=False) for _ in range(DRAWS))
        drawn = np.array([Z[some].sum(axis=0) for some in rows])
    else:
        signs = (rng.choice([-1.0, 1.0], len(sums)) for _ in range(DRAWS))
        drawn = np.array([sign @ sums for sign in signs]) * _widened(len(sums))
    score = sums.sum(axis=0)
    as_large = (drawn**2).sum(axis=1) >= (1.0 - _ROUNDING) * float(score @ score)
    return float(1 + as_large.sum()) / (1 + len(drawn))


def _by_law(sums: FloatArray, axes: FloatArray) -> float:
    """Return the p-value by a law of the first three moments of the total's square along the axes.

    Imhof (1961), "Computing the distribution of quadratic forms in normal variables", section 4.
    """
    score = sums.sum(axis=0) @ axes
    covariance = axes.T @ (sums.T @ sums) @ axes * _widened(len(sums)) ** 2
    first, square = float(np.trace(covariance)), covariance @ covariance
    second, third = float(np.trace(square)), float((square * covariance).sum())
    if third == 0.0:
        return 1.0
    freedom = second**3 / third**2
    at = (float(score @ score) - first) * math.sqrt(freedom / second) + freedom
    return float(stats.chi2.sf(at, freedom))


def _widened(clusters: int) -> float:
    """Return what the share, fitted to the same outcomes, has taken of the deviation.

    Of a single cluster it has taken all: it shows nothing.
    """
    return math.sqrt(clusters / max(clusters - 1, _NOTHING))


def whitening(X: FloatArray, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Return the centred columns, shape (n, d), and which of their combinations are whitened."""
    if weights is None:
        centred = X - X.mean(axis=0)
        variances, axes = linalg.eigh(centred.T @ centred)
    else:
        centred = X - weights @ X / weights.sum()
        variances, axes = linalg.eigh(centred.T @ (weights[:, None] * centred))
    some = variances > _INDEPENDENT * max(variances.max(initial=0.0), np.finfo(float).tiny)
    return centred, axes[:, some] / np.sqrt(variances[some])


def cluster_sums(rows: FloatArray, clusters: IndexArray) -> FloatArray:
    """Return the sum of each cluster's rows, shape (clusters, d)."""
    sums = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    return sums
