"""Weights of rows, such as survey or importance weights, and figures of rows that have them.

``weights`` are positive, shape (n,); None where each row counts once, and figures are then to the
last digit those without any. With whole weights every figure but those of uncertainty is that of
the rows repeated so often.
"""

import math

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray

Weights = FloatArray | None  # of n rows, positive, shape (n,); None: each counts once
Counts = FloatArray | IndexArray  # sums of weights: whole numbers where each row counts once

_VANISHING = 1e-12  # of the mean
_MOST_WHOLE = 2.0**32  # of 2,000,000 such the sum is still exact


def weighted_mean(values: FloatArray | BoolArray | IndexArray, weights: Weights) -> float:
    """Return the mean of values, shape (n,): of shares never above 1, however weights add up."""
    if weights is None:
        return float(values.mean())
    return float((weights * values).sum() / weights.sum())


def weighted_deviation(values: FloatArray, weights: Weights) -> float:
    """Return the standard deviation of values, shape (n,), whose squares no float may hold."""
    size = _of_size_one(values)
    if weights is None:
        deviation = size.std()
    else:
        deviation = np.sqrt(weighted_mean((size - weighted_mean(size, weights)) ** 2, weights))
    return float(np.ldexp(deviation, _exponent(values)))


def weighted_quantiles(
    values: FloatArray, shares: FloatArray | float, weights: Weights
) -> FloatArray:
    """Return quantiles of values, none of them NaN, interpolated as by :func:`numpy.quantile`."""
    if weights is None:
        return np.asarray(np.quantile(values, shares))
    order = np.argsort(values, kind="stable")
    ordered, reached = values[order], np.cumsum(weights[order])
    place = np.asarray(shares) * max(float(reached[-1]) - 1.0, 0.0)
    below = np.floor(place)
    ends = (np.searchsorted(reached, at, side="right") for at in (below, below + 1.0))
    low, high = (ordered[np.minimum(end, len(ordered) - 1)] for end in ends)
    return np.asarray(low + (high - low) * (place - below))


def weighted_median(values: FloatArray, weights: Weights) -> float:
    """Return the median of values, shape (n,), none of them NaN."""
    return float(np.median(values) if weights is None else weighted_quantiles(values, 0.5, weights))


@np.errstate(invalid="ignore", over="ignore")
def mean_and_error(
    values: FloatArray, weights: Weights, clusters: IndexArray | None
) -> tuple[float, float, int]:
    """Return the mean of rows' values, its standard error, and the degrees of freedom of that.

    By whole clusters, where there are some. NaN where values are, or are infinite.
    """
    mean = weighted_mean(values, weights)
    off = values - mean
    if weights is not None:
        off *= weights / weights.mean()
    sums = (
        off if clusters is None else np.bincount(np.unique(clusters, return_inverse=True)[1], off)
    )
    freedom = len(sums) - 1
    if freedom < 1:
        return mean, math.inf, freedom
    return mean, math.sqrt(len(sums) / freedom * float(np.sum(sums**2))) / len(off), freedom


def total(weights: Weights, n: int) -> float:
    """Return the sum of n rows' weights."""
    return float(n if weights is None else weights.sum())


def weights_of(weights: Weights, rows: BoolArray | IndexArray | slice) -> Weights:
    """Return the weights of some of the rows."""
    return None if weights is None else weights[rows]


def effective_size(weights: Weights, n: int) -> float:
    """Return how many rows of one weight say as much as n rows: ``(sum w)**2 / sum w**2``.

    Kish (1965), "Survey sampling", section 11.7.
    """
    return float(n if weights is None or n == 0 else weights.sum() ** 2 / (weights**2).sum())


def that_count(weights: FloatArray) -> BoolArray:
    """Say which weights, shape (n,), some NaN, count: beside the mean others vanish in any sum."""
    size = _of_size_one(weights)
    return np.asarray(size > _VANISHING * np.nanmean(size))


def scaled(weights: FloatArray) -> FloatArray:
    """Return weights as they are to count: whole numbers as they are, others with a mean of 1.

    Whole numbers say how many rows each stands for. Others mean shares alone, so that they are
    brought to a scale on which the one new row of a conformal predictor counts as the average row.
    """
    size = _of_size_one(weights)
    is_whole = bool((weights == np.round(weights)).all()) and weights.max() <= _MOST_WHOLE
    return weights if is_whole else size / size.mean()


def _of_size_one(values: FloatArray) -> FloatArray:
    """Return values, some NaN, times a power of two, which changes no digit: the largest near 1."""
    return np.asarray(np.ldexp(values, -_exponent(values)))


def _exponent(values: FloatArray) -> int:
    return int(np.frexp(np.nanmax(np.abs(values)))[1])
