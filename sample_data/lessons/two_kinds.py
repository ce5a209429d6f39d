"""Houses in town and in the country, equally many: prices in the country are harder to tell.

The error of a prediction is normal, with a standard deviation of 10 in town and of 17.5 in the
country, in thousands. All intervals are equally wide: prediction +- h.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import optimize
from scipy.special import ndtri
from scipy.stats import beta, norm

from evencover.core.arrays import FloatArray
from evencover.core.conformal.rank import CoverageLaw, conformal_threshold

SPREADS: Mapping[str, float] = {"town": 10.0, "country": 17.5}


def coverage(half_width: FloatArray) -> dict[str, FloatArray]:
    """Return the true coverage of intervals of these half widths: of all houses, and by kind."""
    by_kind = {
        kind: np.asarray(2.0 * norm.cdf(half_width / spread) - 1.0)
        for kind, spread in SPREADS.items()
    }
    return {"all": np.mean(list(by_kind.values()), axis=0), **by_kind}


def exact_half_width(level: float) -> float:
    """Return the half width whose coverage of all houses is ``level``."""
    widest = max(SPREADS.values()) * float(ndtri((1.0 + level) / 2.0))
    found = optimize.brentq(lambda h: float(coverage(np.array(h))["all"]) - level, 0.0, widest)
    return float(found)


@dataclass(frozen=True)
class Way:
    """Intervals of one width for each kind, in the order of ``SPREADS``: widths and coverage."""

    widths: Sequence[float]
    coverage: Sequence[float]


@lru_cache(maxsize=1)
def ways(level: float) -> Mapping[str, Way]:
    """Return intervals of one width for all, and three ways in which coverage is even."""
    one = 2.0 * exact_half_width(level)
    kept = [float(coverage(np.array(one / 2.0))[kind]) for kind in SPREADS]
    named = {"each at CL": level, "town lowered": kept[1], "country raised": kept[0]}
    even = {
        name: Way([2.0 * s * float(ndtri((1.0 + c) / 2.0)) for s in SPREADS.values()], [c, c])
        for name, c in named.items()
    }
    return {"one width": Way([one, one], kept), **even}


@lru_cache(maxsize=64)
def calibrated(n: int, level: float, draws: int, seed: int) -> FloatArray:
    """Return the half widths that so many draws of n calibration houses lead to, shape (draws,)."""
    rng = np.random.default_rng(seed)
    spreads = rng.choice(list(SPREADS.values()), size=(draws, n))
    scores = -np.log(np.abs(spreads * rng.standard_normal((draws, n))))
    thresholds = [conformal_threshold(drawn, level) for drawn in scores]
    return np.asarray(np.exp(-np.array(thresholds)))


@dataclass(frozen=True)
class Promised:
    """One house: its kind, its interval and its price, in thousands."""

    kind: str
    low: float
    high: float
    price: float

    @property
    def held(self) -> bool:
        """Whether the interval holds the price."""
        return self.low <= self.price <= self.high


def typical(level: float, per_kind: int = 20, way: str = "one width") -> list[Promised]:
    """Return houses of each kind whose errors are the quantiles of their law, in mixed order.

    So the share of intervals that hold their price is the true one, to the nearest house below.
    For ``way`` see :func:`ways`.
    """
    rng, middles = np.random.default_rng(4), (np.arange(per_kind) + 0.5) / per_kind
    houses = []
    for (kind, spread), width in zip(SPREADS.items(), ways(level)[way].widths, strict=True):
        half = width / 2.0
        sizes = rng.permutation(spread * ndtri((1.0 + middles) / 2.0))
        errors = np.where(np.arange(per_kind) % 2, sizes, -sizes)
        predicted = 200.0 + 40.0 * rng.random(per_kind)
        houses += [
            Promised(kind, float(p - half), float(p + half), float(p + e))
            for p, e in zip(predicted, errors, strict=True)
        ]
    return houses


def share_below(coverage_of_all: float, n: int, level: float) -> float:
    """Return the share of calibration sets that lead to less coverage of all houses than that."""
    law = CoverageLaw.of_calibration(n, level)
    return float(beta.cdf(coverage_of_all, law.hits, law.misses))


def coverage_density(at: FloatArray, n: int, level: float) -> FloatArray:
    """Return the density of the coverage of all houses over calibration sets, shape (m,)."""
    law = CoverageLaw.of_calibration(n, level)
    return np.asarray(beta.pdf(at, law.hits, law.misses))
