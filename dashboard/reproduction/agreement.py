"""A figure somebody published beside our own over several seeds."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from scipy import stats

from evencover.core.experiment.differences import spread

EXPECTED = 0.95
"""Of the range in which the figure of one more seed is to be expected."""


@dataclass(frozen=True)
class Agreement:
    """One figure as it was printed, and ours: mean and deviation with n - 1, NaN where unknown.

    ``margin`` is half the width of the range about ``mean`` in which the figure of one more seed
    lies with probability EXPECTED if figures are normal (a prediction interval, Student's t), wider
    by what the published figure is rounded; NaN with fewer than two figures.
    """

    printed: str
    mean: float
    sd: float
    margin: float

    @property
    def published(self) -> float:
        """The published figure as a number."""
        return float(self.printed)

    @property
    def within(self) -> bool | None:
        """Whether the published figure could be one more of ours; None if unknown."""
        if math.isnan(self.margin):
            return None
        return abs(self.difference) <= self.margin * (1.0 + 1e-9)  # of binary fractions

    @property
    def difference(self) -> float:
        """Ours less the published figure."""
        return self.mean - self.published

    @property
    def relative(self) -> float:
        """The same, as a share of the published figure."""
        return self.difference / self.published

    def with_spread(self, form: str) -> str:
        """Return our figure in this form with its spread, if there is one; empty if unknown."""
        if math.isnan(self.mean):
            return ""
        return f"{self.mean:{form}}" + ("" if math.isnan(self.sd) else f" ± {self.sd:.2g}")

    def columns(self, name: str) -> dict[str, float]:
        """Return both and the spread, as the columns of a figure of this name."""
        return {name: self.published, f"{name}_ours": self.mean, f"{name}_sd": self.sd}


def agreement(printed: str, ours: Sequence[float]) -> Agreement:
    """Compare a published figure, as it was printed, with ours from different seeds."""
    sd = spread(ours)
    rounding = 0.5 * 10.0 ** int(Decimal(printed).as_tuple().exponent)
    return Agreement(printed, mean(ours), sd, reach(len(ours)) * sd + rounding)


def reach(n: int) -> float:
    """Return how many standard deviations of n figures one more of them may be from their mean.

    That of a prediction interval, ``t sqrt(1 + 1 / n)``; NaN for fewer than two figures.
    """
    if n < 2:  # noqa: PLR2004 - two make a spread
        return math.nan
    return float(stats.t.ppf((1.0 + EXPECTED) / 2.0, n - 1)) * math.sqrt(1.0 + 1.0 / n)


def mean(values: Sequence[float]) -> float:
    """Return the mean; NaN of nothing."""
    return float(np.mean(values)) if len(values) else math.nan


def relative_change(before: float, after: float) -> float:
    """Return by what share a figure has grown; NaN from 0, or where one is not finite."""
    if before == 0.0 or not (math.isfinite(before) and math.isfinite(after)):
        return math.nan
    return after / before - 1.0


def disagreement(figures: Iterable[Agreement]) -> float:
    """Return the mean of ``|log(ours / published)|``: 0.1 is about 10 % off, on average.

    Infinite where one of ours is not positive and finite.
    """
    ratios = [figure.mean / figure.published for figure in figures]
    if not all(math.isfinite(ratio) and ratio > 0.0 for ratio in ratios):
        return math.inf
    return mean([abs(math.log(ratio)) for ratio in ratios])
