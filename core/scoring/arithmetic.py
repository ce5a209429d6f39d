"""What scores are computed by, here and wherever they are learned: so both agree to the last digit.

Each result is of its own row alone, whatever rows are beside it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_SECONDS_A_DAY = 86_400.0
_LAST_MONTH = 12
_MOST_LOG = 700.0
_THURSDAY = 3  # the weekday of 1970-01-01


def linear_predictor(X: FloatArray, slopes: FloatArray, intercept: float) -> FloatArray:
    """Return ``X @ slopes + intercept``, to the same last digit for every copy of an object.

    A BLAS product rounds a row by its place in the block, so copies of one example would get
    scores a unit of the last digit apart, and on data with ties ``score >= threshold`` would
    break the guarantee. For 51 columns this takes about twice as long.
    """
    X, slopes = np.ascontiguousarray(X), np.ascontiguousarray(slopes)  # sums hang on strides, too
    linear: FloatArray = np.einsum("ij,j->i", X, slopes)
    linear += intercept
    return linear


def standardised(
    raw: FloatArray, kept: NDArray[Any], mean: FloatArray, scale: FloatArray
) -> FloatArray:
    """Return some of the columns of a matrix, less their means, in units of their scales."""
    X = raw.take(kept, axis=1)
    X -= mean
    X /= scale
    return X


def unit_of(logarithm: FloatArray) -> FloatArray:
    """Return numbers by their logarithms, as far as floats hold them and their reciprocals."""
    unit: FloatArray = np.exp(np.clip(logarithm, -_MOST_LOG, _MOST_LOG))
    return unit


def with_pairs(X: FloatArray, farthest: float) -> FloatArray:
    """Return features, and products of every two cut there, shape (n, d + d (d + 1) / 2)."""
    cut = np.clip(X, -farthest, farthest)
    one, other = np.triu_indices(X.shape[1])
    return np.hstack([X, cut[:, one] * cut[:, other]])


def with_a_column(X: FloatArray) -> FloatArray:
    """Return objects X, shape (n, d); if d is 0, with one constant column."""
    return X if X.shape[1] else np.zeros((len(X), 1))


def sigmoid(linear: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-linear)), shape (n,)."""
    with np.errstate(over="ignore"):  # of an infinite number the reciprocal is 0
        return np.asarray(1.0 / (1.0 + np.exp(-linear)))


def held(probability: FloatArray) -> FloatArray:
    """Return probabilities by trees no nearer to 0 and 1 than 1e-6."""
    return np.clip(probability, 1e-6, 1.0 - 1e-6)


def log_softmax(said: FloatArray) -> FloatArray:
    """Return the logarithms of probabilities in proportion to exponentials, shape (n, K)."""
    below = said - said.max(axis=1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=1, keepdims=True)))


def sign_update(probability: FloatArray, confidence_level: float, delta: float) -> FloatArray:
    """Return +1 where p < CL - delta, -1 where p > CL + delta, else 0 (the paper's U*)."""
    too_low = probability < confidence_level - delta
    too_high = probability > confidence_level + delta
    return np.subtract(too_low, too_high, dtype=np.float64)


def log_odds_update(probability: FloatArray, confidence_level: float, delta: float) -> FloatArray:
    """Return the gap ``logit(CL) - logit(p)`` in units of delta, clipped at -1 and 1.

    It is the sign update as delta goes to 0, and in proportion to the gap where delta is large.
    """
    level = np.log(confidence_level) - np.log1p(-confidence_level)
    with np.errstate(divide="ignore", over="ignore"):
        gap = level - (np.log(probability) - np.log1p(-probability))
        gap /= delta
    return np.asarray(np.clip(gap, -1.0, 1.0, out=gap))


UPDATES = {"sign": sign_update, "log-odds": log_odds_update}


def adaptive_scores(said: FloatArray, uniform: FloatArray) -> FloatArray:
    """Return the scores of adaptive sets by log-probabilities, shape (n, K), and numbers in [0, 1).

    See :class:`evencover.core.conformal.label_measures.AdaptiveMeasure`.
    """
    order = np.argsort(-said, axis=1, kind="stable")
    own = np.exp(np.take_along_axis(said, order, axis=1))
    left = np.zeros_like(own)
    left[:, :-1] = np.cumsum(own[:, :0:-1], axis=1)[:, ::-1]
    left += uniform[:, None] * own
    scores = np.empty_like(said)
    with np.errstate(divide="ignore"):
        np.put_along_axis(scores, order, np.log(left), axis=1)
    return scores


def uniform_of(digests: NDArray[np.uint64]) -> FloatArray:
    """Return numbers in [0, 1) as if drawn at random, shape (n,), of digests of rows."""
    return np.asarray((digests >> np.uint64(11)) * 2.0**-53)


def digests(X: FloatArray) -> NDArray[np.uint64]:
    """Return a number of 64 bits for each row by what it holds, as pandas hashes rows."""
    found = np.full(len(X), 0x345678, dtype=np.uint64)
    factor, columns = np.uint64(1_000_003), X.shape[1]
    with np.errstate(over="ignore"):
        for place, column in enumerate(np.ascontiguousarray(X.T)):
            found = (found ^ mixed(column.view(np.uint64))) * factor
            factor += np.uint64(82_520 + 2 * (columns - place))
        return found + np.uint64(97_531)


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers with their bits mixed, as pandas does for its hashes."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def date_parts(moments: NDArray[np.datetime64]) -> FloatArray:
    """Return days since 1970 with their fraction, month, weekday and hour, (n, 4); NaN for NaT."""
    midnights, months = moments.astype("datetime64[D]"), moments.astype("datetime64[M]")
    seconds = (moments - midnights) / np.timedelta64(1, "s")
    days, month = midnights.astype(np.int64), months.astype(np.int64) % _LAST_MONTH + 1
    parts = (days + seconds / _SECONDS_A_DAY, month, (days + _THURSDAY) % 7, seconds / 3600.0)
    made = np.column_stack(parts)
    made[np.isnat(moments)] = np.nan
    return made


def in_units(values: FloatArray, mean: float, scale: float, *, logarithmic: bool) -> FloatArray:
    """Return standardised labels in the label's units; the exponential for a log label."""
    with np.errstate(over="ignore"):
        found = values * scale + mean
        return np.asarray(np.exp(found)) if logarithmic else found
