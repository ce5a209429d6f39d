"""The folds of cross-fitting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, IndexArray

FOLDS = 5


def fold_numbers(n: int, clusters: IndexArray | None = None) -> IndexArray:
    """Return the fold of each of n rows, shape (n,): at random, equally large, always the same.

    ``clusters`` numbers the rows' clusters from 0 up, shape (n,): each is in one fold as a whole,
    so that folds are equally large in clusters alone.
    """
    rng = np.random.default_rng(0)
    if clusters is None:
        return rng.permutation(n) % FOLDS
    return np.asarray((rng.permutation(int(clusters.max()) + 1) % FOLDS)[clusters])


def folds(labels: NDArray[Any], clusters: IndexArray | None = None) -> list[BoolArray]:
    """Return which rows each fold holds, of those beside which there are two labels at least."""
    numbers = fold_numbers(len(labels), clusters)
    parts = [numbers == number for number in range(FOLDS)]
    return [rows for rows in parts if rows.any() and len(np.unique(labels[~rows])) > 1]
