"""The folds of cross-fitting."""

import numpy as np

from ..arrays import IndexArray

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
