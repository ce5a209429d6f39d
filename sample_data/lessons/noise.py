"""Outcomes of prediction sets whose coverage is known, and the DCV that redrawn test sets show.

The first feature is -1 or 1, equally often, and the others are standard normal. A set is right with
probability ``LEVEL - unevenness`` where the first is -1, and ``LEVEL + unevenness`` where it is 1.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evencover.core.arrays import FloatArray
from evencover.core.coverage.dcv import deviation, noise_floor
from evencover.core.coverage.estimators import LogisticEstimator

LEVEL = 0.9
DRAWS = 200


@dataclass(frozen=True)
class Redrawn:
    """DCV of each redrawn test set, shape (draws,), and p(x) of the first set's rows, (n,)."""

    dcv: FloatArray
    p: FloatArray

    @property
    def root_mean_square(self) -> float:
        """That of the DCV over the draws, as the floor is."""
        return float(np.sqrt(np.mean(self.dcv**2)))


@lru_cache(maxsize=64)
def redrawn(n: int, features: int, unevenness: float, seed: int, draws: int = DRAWS) -> Redrawn:
    """Return what so many draws of n test rows with so many features show."""
    rng = np.random.default_rng(seed)
    estimates = [_estimated(rng, n, features, unevenness) for _ in range(draws)]
    return Redrawn(np.array([deviation(p, LEVEL).value for p in estimates]), estimates[0])


def _estimated(rng: np.random.Generator, n: int, features: int, unevenness: float) -> FloatArray:
    X = rng.standard_normal((n, features))
    X[:, 0] = np.sign(X[:, 0])
    correct = rng.random(n) < LEVEL + unevenness * X[:, 0]
    return LogisticEstimator().fit(X, correct).predict(X)


def expected_dcv(n: int, features: int, unevenness: float = 0.0) -> float:
    """Return about how large DCV is on n test rows: the floor and the unevenness, in squares."""
    return math.hypot(unevenness, noise_floor(features + 1, n, LEVEL))
