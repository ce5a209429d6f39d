"""How the coverage of a faultless predictor varies with the draw of its calibration rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import stats

from ..arrays import FloatArray, IndexArray
from .rank import threshold_rank

_NODES = 64
"""Equally likely coverages that stand for the law where a mean over it is wanted."""


@dataclass(frozen=True)
class CoverageLaw:
    """Beta(``hits``, ``misses``), the law of the coverage that calibration rows bring about.

    Without both, coverage is ``level`` whatever was drawn. From Vovk (2012), "Conditional validity
    of inductive conformal predictors": n + 1 - r and r for n calibration rows and rank r.
    """

    level: float
    hits: float = 0.0
    misses: float = 0.0

    @classmethod
    def of_calibration(cls, n: int, level: float, design_effect: float = 1.0) -> Self:
        """Return that of n calibration rows, which say as much as n / ``design_effect`` of them."""
        rank = threshold_rank(n, level)
        return cls(level, (n + 1 - rank) / design_effect, rank / design_effect)

    @property
    def is_fixed(self) -> bool:
        """Whether coverage does not vary: nothing was calibrated, or every set holds all."""
        return self.misses == 0.0

    @property
    def variance(self) -> float:
        """That of the coverage."""
        if self.is_fixed:
            return 0.0
        total = self.hits + self.misses
        return self.hits * self.misses / (total**2 * (total + 1.0))

    @cached_property
    def nodes(self) -> FloatArray:
        """Equally likely coverages, shape (m,)."""
        if self.is_fixed:
            return np.array([1.0 if self.hits else self.level])
        middles = (np.arange(_NODES) + 0.5) / _NODES
        return np.asarray(stats.beta.ppf(middles, self.hits, self.misses), dtype=np.float64)

    def draw(self, rng: np.random.Generator) -> float:
        """Return the coverage of calibration rows drawn at random."""
        return float(self.nodes[0] if self.is_fixed else rng.beta(self.hits, self.misses))

    def band(self, n: int, share: float) -> tuple[float, float]:
        """Return the ends of the shares of n rows' right sets, so likely to lie between them."""
        if self.is_fixed:
            low, high = stats.binom.interval(share, n, float(self.nodes[0]))
        else:
            low, high = stats.betabinom.interval(share, n, self.hits, self.misses)
        return float(low) / n, float(high) / n

    def mean_distance(self, n: IndexArray) -> FloatArray:
        """Return the mean distance of the share of n rows' right sets from CL, shape (m,)."""
        p, rows = self.nodes[None, :], n[:, None].astype(np.float64)
        cut = np.floor(rows * self.level)
        below = rows * self.level * stats.binom.cdf(cut, rows, p)
        below -= rows * p * stats.binom.cdf(cut - 1.0, rows - 1.0, p)
        distance = 2.0 * below + rows * (p - self.level)
        return np.asarray((distance / rows).mean(axis=1), dtype=np.float64)
