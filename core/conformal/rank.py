"""The one integer on which the coverage guarantee rests, computed exactly.

``eps * (n + 1)`` in binary floating point loses or gains a rank: with CL = 0.9 and n = 19 it
is 1.9999999999999996 instead of 2. Everything that needs the rank takes it from here, and the law
that coverage has by it.
"""

import functools
import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..arrays import FloatArray, IndexArray
from ..messages import InputError
from ..rows.weights import Weights

_RESOLUTION = Decimal("1e-12")
_MANY = 20_000
_SAMPLED = 1000
_SAFETY = 3.0  # standard errors of the sample's rank; too low a bound only costs time
_ROUNDING = 1e-7  # of an average row's weight: sums of weights that differ by less are equal


@functools.lru_cache
def exact_significance(confidence_level: float) -> Fraction:
    """Return ``eps = 1 - CL`` as an exact fraction.

    CL is read as the shortest decimal that prints as the given float, rounded to 12 digits,
    so that 0.9000000000000004 (the product of a grid) means 0.9. InputError if it is not
    strictly between 0 and 1, here and in all that follows.
    """
    try:
        level = Decimal(str(confidence_level)).quantize(_RESOLUTION)
        usable = 0 < level < 1
    except InvalidOperation:  # NaN and infinity
        usable = False
    if not usable:
        raise InputError(
            "confidence_level.range",
            "confidence level {given} is not strictly between 0 and 1; choose for example 0.9",
            given=confidence_level,
        )
    return 1 - Fraction(level)


def threshold_rank(n: int, confidence_level: float) -> int:
    """Return r, the rank of the calibration score that serves as threshold.

    A label is kept when its score is at least the r-th smallest of the ``n`` calibration
    scores, ``r = floor(eps * (n + 1))``; this is the paper's eq. (predinterval1) solved for
    the score. ``r = 0`` means that every label is kept: the calibration set is too small for
    the confidence level.
    """
    return math.floor(exact_significance(confidence_level) * (n + 1))


def smallest_calibration_size(confidence_level: float) -> int:
    """Return the smallest n for which :func:`threshold_rank` is at least 1."""
    return math.ceil(1 / exact_significance(confidence_level)) - 1


def conformal_threshold(
    scores: NDArray[np.float64], confidence_level: float, weights: Weights = None
) -> float:
    """Return the score a label needs to be kept; ``-inf`` when every label is kept.

    Of the calibration examples' scores, shape (n,), infinities are legal; ValueError if one is
    NaN, for an order statistic would be meaningless. With weights it is that of a new example which
    counts as an average one of these: see :class:`WeightedScores` for others.
    """
    if np.isnan(scores).any():
        raise ValueError("a calibration score is NaN")
    if weights is not None:
        return float(WeightedScores.of(scores, confidence_level, weights).threshold(None)[0])
    rank = threshold_rank(len(scores), confidence_level)
    return _smallest(scores, rank) if rank else -math.inf


_SHARES = (0.5, 0.75, 0.95, 0.975)


def nested_levels(
    scores: FloatArray, confidence_level: float
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return thresholds, ascending, whose sets lie within each other, and by what ranks they part.

    They are of calibration scores, shape (n,), ascending, for some shares and the level. The ranks,
    one more, sum to n + 1; of tied scores they count rows. Nothing where the level itself has no
    finite threshold.
    """
    own, shares = threshold_rank(len(scores), confidence_level), (*_SHARES, confidence_level)
    known = {rank for share in shares if (rank := threshold_rank(len(scores), share))}
    finite = [rank for rank in known if math.isfinite(scores[rank - 1])]
    if own not in finite:
        return (), ()
    levels = np.unique(scores[np.array(finite) - 1])
    below = np.searchsorted(scores, levels)
    return (*levels.tolist(),), (*np.diff([-1, *below, len(scores)]).tolist(),)


def _smallest(scores: FloatArray, rank: int) -> float:
    """Return the ``rank``-th smallest score.

    Of many it is looked for among those up to a bound, by a sample a little too high; after Floyd
    and Rivest (1975), "Expected time bounds for selection". Of 100,000 the fifth part of the time.
    """
    if len(scores) > _MANY:
        sample = np.sort(scores[:: len(scores) // _SAMPLED])
        share = rank / len(scores)
        place = math.ceil(len(sample) * share + _SAFETY * math.sqrt(len(sample) * share))
        few = scores[scores <= sample[min(place, len(sample) - 1)]]
        scores = few if len(few) >= rank else scores
    return float(np.partition(scores, rank - 1)[rank - 1])


def capped(weights: FloatArray, confidence_level: float) -> FloatArray:
    """Return weights as they count in thresholds: each at most half of eps of their sum.

    Or twice their mean, if that is more. A row above would alone decide where the threshold lies:
    beside one of a third of all, coverage of the others is 86 % where 90 % is asked, and with the
    cap 89.8 %, see ``tests/benchmarks/weights.py``.
    """
    n, ascending = len(weights), np.sort(weights)
    if n == 0:
        return weights
    share = max(float(exact_significance(confidence_level)) / 2.0, 2.0 / n)
    cut = np.arange(min(n, math.ceil(1.0 / share - _ROUNDING)))  # how many are above the cap
    caps = share * np.cumsum(ascending)[::-1][cut] / (1.0 - share * cut)
    return np.minimum(weights, float(caps[np.argmax(caps >= ascending[::-1][cut])]))


@dataclass(frozen=True, eq=False)
class WeightedScores:
    """The scores of calibration rows with weights, from which the thresholds of new rows follow.

    A label is kept where the weights of the calibration scores up to its own, and of the new row,
    sum to more than eps of the sum of all: Tibshirani, Barber, Candes and Ramdas (2019), "Conformal
    prediction under covariate shift". Only ratios of weights matter. Those of calibration rows are
    :func:`capped`, and a new row for at most what leaves its set finite, where as many equal
    weights would.
    """

    scores: FloatArray  # ascending
    reached: FloatArray  # sums of the weights before each, and of all
    significance: float
    above_cap: int  # of the rows, those that count for less than their weight

    @classmethod
    def of(cls, scores: FloatArray, confidence_level: float, weights: Weights) -> Self:
        """Return scores, none of them NaN, in order; each counts once if there are no weights."""
        given = np.ones(len(scores)) if weights is None else weights
        counting, order = capped(given, confidence_level), np.argsort(scores, kind="stable")
        reached, eps = np.cumsum([0.0, *counting[order]]), exact_significance(confidence_level)
        return cls(scores[order], reached, float(eps), int((counting < given).sum()))

    @property
    def whole(self) -> float:
        """The sum of all weights."""
        return float(self.reached[-1])

    @property
    def _is_enough(self) -> bool:
        return len(self.scores) + 1 >= 1.0 / self.significance - _ROUNDING

    def counted(self, new: Weights) -> FloatArray:
        """Return how much new rows count for by their weights, shape (m,); None: an average one."""
        if new is None:
            new = np.array([self.whole / max(len(self.scores), 1)])
        just_finite = self.whole * self.significance / (1.0 - self.significance)
        if self._is_enough:
            return np.minimum(new, just_finite)
        return np.maximum(new, just_finite * (1.0 + _ROUNDING))

    def threshold(self, new: Weights) -> FloatArray:
        """Return the score that a label of each new row needs, by the rows' weights, shape (m,)."""
        counting = self.counted(new)
        if not self._is_enough:
            return np.full(len(counting), -math.inf)
        needed = self.significance * (self.whole + counting) - counting
        needed += _ROUNDING * self.whole / len(self.scores)
        found: FloatArray = self.scores[np.searchsorted(self.reached, needed, side="right") - 1]
        return found


_NODES = 64  # equally likely coverages that stand for the law where a mean over it is wanted


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

    def interval(self, share: float) -> tuple[float, float]:
        """Return the ends of the coverages so likely to be brought about."""
        if self.is_fixed:
            return float(self.nodes[0]), float(self.nodes[0])
        low, high = stats.beta.interval(share, self.hits, self.misses)
        return float(low), float(high)

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
