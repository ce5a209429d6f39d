"""Newcombe's interval for a difference between two shares."""

import numpy as np
from numpy.typing import NDArray

from .prediction_sets import FloatArray
from .wilson import wilson_interval


def difference_interval(
    hits: NDArray[np.int_], n: NDArray[np.int_], reference: tuple[int, int], level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of hybrid score intervals for shares less that of another sample.

    Parameters
    ----------
    hits, n
        Successes and rows, shape (m,) each.
    reference
        Successes and rows of the independent sample that is subtracted.
    level
        Of each interval.

    References
    ----------
    Newcombe (1998), "Interval estimation for the difference between independent proportions",
    method 10: from the Wilson intervals of the two shares.
    """
    low, high = wilson_interval(hits, n, level)
    other_hits, other_n = (np.full(len(n), count) for count in reference)
    other_low, other_high = wilson_interval(other_hits, other_n, level)
    with np.errstate(invalid="ignore"):
        share, other = hits / n, other_hits / other_n
    difference = share - other
    return (
        difference - np.hypot(share - low, other_high - other),
        difference + np.hypot(high - share, other - other_low),
    )
