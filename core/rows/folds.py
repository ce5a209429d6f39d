"""The folds of cross-fitting, and samples of rows for what is slow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, IndexArray

FOLDS = 5

_MOST_CELLS, _ENOUGH = 500_000, 5_000


def fold_numbers(n: int, clusters: IndexArray | None = None, count: int = FOLDS) -> IndexArray:
    """Return the fold of each of n rows, shape (n,): at random, equally large, always the same.

    ``clusters`` numbers the rows' clusters from 0 up, shape (n,): each is in one fold as a whole,
    so that folds are equally large in clusters alone.
    """
    rng = np.random.default_rng(0)
    if clusters is None:
        return rng.permutation(n) % count
    return np.asarray((rng.permutation(int(clusters.max()) + 1) % count)[clusters])


def folds(labels: NDArray[Any], clusters: IndexArray | None = None) -> list[BoolArray]:
    """Return which rows each fold holds, of those beside which there are two labels at least."""
    numbers = fold_numbers(len(labels), clusters)
    parts = [numbers == number for number in range(FOLDS)]
    return [rows for rows in parts if rows.any() and len(np.unique(labels[~rows])) > 1]


def some_rows(n: int, columns: int, most: int) -> IndexArray:
    """Return at most so many of n rows, in order: drawn at random, always the same.

    So many that they have half a million cells, but 5,000 however many the columns are.
    """
    size = min(most, max(_ENOUGH, _MOST_CELLS // max(columns, 1)))
    return np.sort(np.random.default_rng(0).permutation(n)[:size])
