"""The division of rows into folds, for estimates judged on rows they were not fitted on."""

import numpy as np
from numpy.typing import NDArray

FOLDS = 5
_SEED = 0
"""Of the division: the same for the same number of rows."""


def fold_numbers(n: int) -> NDArray[np.intp]:
    """Return the fold of each of n rows, shape (n,): at random, equally large, always the same."""
    return np.random.default_rng(_SEED).permutation(n) % FOLDS
