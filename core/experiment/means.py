"""Means and spreads over seeds."""

import math
import statistics
from collections.abc import Sequence

import numpy as np


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; NaN for fewer than two, or not finite, values."""
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - two make a spread
        return math.nan
    return statistics.stdev(values)  # exact: of values alike 0, and squares may be beyond floats
