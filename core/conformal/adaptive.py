"""Adaptive conformal inference: a line to compare coverage over time with, and no predictor."""

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray

STEP = 0.005  # by which a miss lowers the share of misses asked for, as Gibbs and Candès take it


def adapted(p_values: FloatArray, order: IndexArray, significance: float) -> BoolArray:
    """Say which labels are held if each row's level goes by the misses before it, shape (n,).

    ``order`` is that of the rows in time. After a miss sets are larger, after a hit a little
    smaller. So the share of misses is ``significance`` but for ``(1 + STEP) / (n STEP)``, whatever
    comes: Gibbs and Candès (2021), "Adaptive conformal inference under distribution shift".
    """
    held, level = np.empty(len(p_values), dtype=bool), significance
    for row in order:
        held[row] = p_values[row] > level
        level += STEP * (significance - (not held[row]))
    return held
