"""Positive labels drawn on the log scale and rounded to whole units, as prices are."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evencover.core.arrays import FloatArray


def to_whole(log_label: FloatArray) -> NDArray[np.int64]:
    """Return the labels whose logarithms before rounding are given, shape (n,)."""
    whole: NDArray[np.int64] = np.rint(np.exp(log_label)).astype(np.int64)
    return whole


def probability_between(
    lower: FloatArray, upper: FloatArray, log_cdf: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return P(lower <= rounded label <= upper), shape (n,).

    ``log_cdf`` is the distribution function of the log label before rounding; ends may be
    infinite. A rounded label lies in [lower, upper] exactly when the label before rounding
    lies between ``ceil(lower) - 1/2`` and ``floor(upper) + 1/2``.
    """
    with np.errstate(divide="ignore"):
        smallest = np.log(np.maximum(np.ceil(lower) - 0.5, 0.0))
        largest = np.log(np.maximum(np.floor(upper) + 0.5, 0.0))
    return log_cdf(largest) - log_cdf(smallest)
