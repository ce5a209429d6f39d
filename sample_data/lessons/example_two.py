"""The paper's Example 2: X is 1 or 2, equally often, and Y is uniform on [0, X].

From Bellotti (2021), "Approximation to object conditional validity with inductive conformal
predictors". ``eps`` is the significance level, below 1/2; a predictor's intervals are [0, a] for
X = 1 and [0, b] for X = 2.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Intervals:
    """The predictor with the ends a, from 0 to 1, and b, from 0 to 2."""

    a: float
    b: float

    @property
    def coverage_one(self) -> float:
        """P(Y in [0, a] | X = 1)."""
        return self.a

    @property
    def coverage_two(self) -> float:
        """P(Y in [0, b] | X = 2)."""
        return self.b / 2.0

    @property
    def coverage(self) -> float:
        """P(Y in R), over both kinds of objects."""
        return (self.coverage_one + self.coverage_two) / 2.0

    @property
    def mean_width(self) -> float:
        """E |R|."""
        return (self.a + self.b) / 2.0


def narrowest(eps: float) -> Intervals:
    """Return those of the smallest mean width whose coverage is 1 - eps."""
    return Intervals(1.0, 2.0 - 4.0 * eps)


def even(eps: float) -> Intervals:
    """Return those whose coverage is 1 - eps for either kind."""
    return Intervals(1.0 - eps, 2.0 * (1.0 - eps))


def all_valid(eps: float, count: int = 41) -> list[Intervals]:
    """Return some of those whose coverage is 1 - eps, from the smallest a to the largest."""
    ends = np.linspace(1.0 - 2.0 * eps, 1.0, count)
    return [Intervals(float(a), float(4.0 * (1.0 - eps) - 2.0 * a)) for a in ends]
