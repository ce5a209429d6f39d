"""Wilson's interval for a share."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from .prediction_sets import FloatArray

LEVEL = 0.95


def wilson_interval(
    successes: NDArray[np.int_], n: NDArray[np.int_], level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's score interval for shares of successes; NaN where n is 0.

    References
    ----------
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
