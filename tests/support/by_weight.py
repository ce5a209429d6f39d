"""New rows whose coverage is known, in 48 settings of weights, noise and calibration rows."""

import numpy as np
from scipy.special import ndtr

from evencover.core.conformal.rank import WeightedScores

STRATA, SHARES = np.array([1.0, 5.0, 20.0]), np.array([0.7, 0.25, 0.05])
KINDS = ("lognormal", "pareto", "strata", "one heavy row")
NOISE = {"alike": lambda u: 1.0 + 0.0 * u, "more": lambda u: 1.0 + u, "less": lambda u: 2.0 - u}
ROWS = (50, 200, 1000, 5000)
SETTINGS = [(kind, noise, n) for kind in KINDS for noise in NOISE for n in ROWS]
NEW = 400


def drawn(rng, kind, n, *, by_weight):
    """Return n weights, by their own probability or in proportion, and their ranks in (0, 1)."""
    if kind == "lognormal":
        z = rng.normal(float(by_weight), 1.0, n)
        return np.exp(z), ndtr(z)
    if kind == "pareto":
        w = rng.random(n) ** (-1.0 / (0.5 if by_weight else 1.5))
        return w, 1.0 - w**-1.5
    if kind == "strata":
        shares = SHARES * STRATA if by_weight else SHARES
        which = rng.choice(3, n, p=shares / shares.sum())
        return STRATA[which], np.array([0.35, 0.825, 0.975])[which]
    w, rank = np.ones(n), 0.5 * rng.random(n)
    if not by_weight:
        w[0], rank[0] = 0.5 * (n - 1), rng.random()
    return w, rank


def coverage(rng, setting, level, draws):
    """Return coverage of new rows and the share of finite sets in each draw, shape (draws, 2)."""
    kind, noise, n = setting
    found = np.empty((draws, 2))
    for each in found:
        w, rank = drawn(rng, kind, n, by_weight=False)
        scores = -np.abs(rng.normal(size=n)) * NOISE[noise](rank)
        new, its_rank = drawn(rng, kind, NEW, by_weight=True)
        reach = -WeightedScores.of(scores, level, w).threshold(new) / NOISE[noise](its_rank)
        each[:] = (2.0 * ndtr(reach) - 1.0).mean(), np.isfinite(reach).mean()
    return found
