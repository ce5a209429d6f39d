"""Intervals for shares and their differences, and tests of coverage in segments."""

from typing import Literal

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri, xlogy

from ..arrays import FloatArray, IndexArray
from ..rows.weights import Counts


def difference_interval(
    hits: IndexArray, n: IndexArray, other_hits: IndexArray, other_n: IndexArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of hybrid score intervals for shares less those of other samples.

    ``hits`` and ``n``, shape (m,), are successes and rows; ``other_hits`` and ``other_n`` those of
    the independent samples that are subtracted. Newcombe (1998), "Interval estimation for the
    difference between independent proportions", method 10: from the Wilson intervals of both.
    """
    low, high = wilson_interval(hits, n, level)
    other_low, other_high = wilson_interval(other_hits, other_n, level)
    with np.errstate(invalid="ignore"):
        share, other = hits / n, other_hits / other_n
    difference = share - other
    return (
        difference - np.hypot(share - low, other_high - other),
        difference + np.hypot(high - share, other - other_low),
    )


Status = Literal["fine", "low", "mended", "better", "unchanged", "unclear", "new"]
"""What became of a group; see :mod:`.under_coverage`, which is where it is decided."""

POWER = 0.8
LEVEL = 0.95
NORMAL = float(ndtri(0.5 + LEVEL / 2.0))
"""Standard errors to either side that hold a normal variable so often."""

FEWEST_JUDGED = 20
"""Test rows that a group needs to be judged, or to be set beside others: with fewer, only the very
worst would show, and the lowest of several would be the smallest."""


def effective(
    share: FloatArray, n: IndexArray, design_effects: FloatArray
) -> tuple[IndexArray, IndexArray]:
    """Return successes and rows of independent samples that say as much, shape (m,) each.

    ``share`` is that of successes among n rows; ``design_effects`` are by how much it varies more
    than one of independent rows of one weight, shape (m,) each.
    """
    fewer = np.where(n > 0, np.maximum(np.floor(n / design_effects), 1.0), 0.0).astype(np.intp)
    return np.rint(np.nan_to_num(share) * fewer).astype(np.intp), fewer


def p_values(
    hits: IndexArray, n: IndexArray, all_hits: Counts | int, all_n: Counts | int
) -> FloatArray:
    """Return two-sided exact p-values of "coverage in the segment is that of all rows".

    Given how many of all rows are hits, those of a segment are hypergeometric if coverage does
    not depend on it. Twice the smaller tail, at most 1; NaN where a segment is empty.
    """
    # a frozen law would take longer to make than to ask
    law, shape = stats.hypergeom, (all_n, all_hits, n)
    tails = np.minimum(law.cdf(hits, *shape), law.sf(hits - 1, *shape))
    return np.where(n > 0, np.minimum(1.0, 2.0 * tails), np.nan)


def shortfall_p_values(hits: IndexArray, n: IndexArray, level: float) -> FloatArray:
    """Return exact p-values of "coverage in the segment is the level", small if it falls short.

    Twice the lower tail of the binomial law, at most 1: as strict as a two-sided test.
    """
    tail = np.asarray(stats.binom.cdf(hits, n, level), dtype=np.float64)
    return np.minimum(1.0, 2.0 * tail)


def q_values(p: FloatArray) -> FloatArray:
    """Return p-values adjusted for many looks by Benjamini and Hochberg; NaN stays NaN.

    Of the segments with a q of at most x, a share of at most x is expected to be there by chance.
    """
    adjusted, known = np.full(len(p), np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = stats.false_discovery_control(p[known], method="bh")
    return adjusted


def holm(p: FloatArray) -> FloatArray:
    """Return p-values adjusted by Holm: the chance of a single false one is bounded."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def log_likelihood_gain(hits: Counts, n: Counts, share: float) -> FloatArray:
    """Return the gain in log-likelihood by a share of hits of their own for groups, shape (m,).

    ``n`` has at least one row each; ``share``, that of all rows, is neither 0 nor 1.
    """
    misses = n - hits
    of_hits, of_misses = hits / (share * n), misses / ((1.0 - share) * n)
    gain: FloatArray = np.add(xlogy(hits, of_hits), xlogy(misses, of_misses), dtype=np.float64)
    return gain


def detectable(
    n: IndexArray, all_hits: Counts | int, all_n: Counts | int, level: float, p_value: float
) -> FloatArray:
    """Return the smallest shortfall from CL that so many rows show with 80 % power.

    To show is to be clearly too low: p-values of at most ``p_value``, of fewer hits than all rows
    have and than CL, ``level``, asks for, and a 95 % interval below that. NaN where not even a
    segment without any hit would stand out.
    """
    critical = _largest_count(p_value / 2.0, n, all_hits, all_n)
    # Wilson's interval is below CL exactly where CL's own normal interval is above the share
    below = n * level - NORMAL * np.sqrt(n * level * (1.0 - level))
    critical = np.minimum(critical, np.ceil(below) - 1.0)
    critical = np.minimum(critical, stats.binom.ppf(p_value / 2.0, n, level) - 1.0)
    shows = critical >= 0.0
    safe = np.where(shows, critical, 0.0)
    # a binomial count is at most the critical one with probability POWER at this coverage
    coverage = stats.beta.ppf(1.0 - POWER, safe + 1.0, np.maximum(n - safe, 1.0))
    return np.where(shows, np.maximum(level - coverage, 0.0), np.nan)


def _largest_count(
    tail: float, n: IndexArray, all_hits: Counts | int, all_n: Counts | int
) -> IndexArray:
    """Return the largest count of hits with at most that probability to be reached; -1 if none is.

    By bisection, of all segments together: SciPy looks for quantiles one by one.
    """
    low, high = np.full(len(n), -1), n - 1
    while (low < high).any():
        middle = (low + high + 1) // 2
        is_rare = stats.hypergeom.cdf(middle, all_n, all_hits, n) <= tail
        low, high = np.where(is_rare, middle, low), np.where(is_rare, high, middle - 1)
    return low


def paired_interval(
    gained: IndexArray, lost: IndexArray, n: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of 95 % intervals for the change of a share of the same n rows, shape (m,).

    ``gained`` are rows right only after, ``lost`` right only before. Agresti and Min (2005),
    "Simple improved confidence intervals for comparing matched proportions": Wald's, with half a
    row more of each of the four kinds.
    """
    rows = n + 2.0
    change, discordant = (gained - lost) / rows, (gained + lost + 1.0) / rows
    half = NORMAL * np.sqrt((discordant - change**2) / rows)
    return change - half, change + half


def paired_p_values(gained: IndexArray, lost: IndexArray, n: IndexArray) -> FloatArray:
    """Return two-sided p-values of "as many rows gained as lost", shape (m,).

    By :func:`paired_interval`, so that one is at most 5 % where that leaves 0 out.
    """
    low, high = paired_interval(gained, lost, n)
    error = (high - low) / (2.0 * NORMAL)
    return np.asarray(2.0 * ndtr(-np.abs(low + high) / 2.0 / error))


def wilson_interval(
    successes: IndexArray, n: IndexArray, level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's score interval for shares of successes; NaN where n is 0.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    z = float(ndtri(0.5 + level / 2.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = successes / n
        centre = (share + z**2 / (2.0 * n)) / (1.0 + z**2 / n)
        spread = np.sqrt(share * (1.0 - share) / n + z**2 / (4.0 * n**2))
    half = spread * z / (1.0 + z**2 / np.maximum(n, 1))
    # at shares of 0 and 1 the ends are those values exactly; rounding must not show
    low = np.where(successes == 0, 0.0 * share, centre - half)
    high = np.where(successes == n, 0.0 * share + 1.0, centre + half)
    return low, high


def exact_interval(successes: Counts | float, n: Counts | int) -> tuple[FloatArray, FloatArray]:
    """Return the ends of exact 95 % intervals for shares of successes of n rows, at least one.

    Each end fails in 2.5 % at most: Clopper and Pearson (1934), "The use of confidence or fiducial
    limits illustrated in the case of the binomial".
    """
    tail, misses = (1.0 - LEVEL) / 2.0, n - successes
    low = stats.beta.ppf(tail, np.maximum(successes, 1), misses + 1)
    high = stats.beta.ppf(1.0 - tail, successes + 1, np.maximum(misses, 1))
    return np.where(successes == 0, 0.0, low), np.where(misses == 0, 1.0, high)
