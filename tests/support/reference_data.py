"""Small fixed data for reference values: by formulas, so that no generator's stream matters."""

import numpy as np
from scipy.special import expit, ndtri

LEVEL = 0.9
SLAB_ROWS = 240
SLAB_SHARE = 0.1
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)


def spread_evenly(rows, number):
    """Fractions of multiples of a prime's square root: as if uniform, shape (rows,)."""
    return (np.arange(1, rows + 1) * np.sqrt(_PRIMES[number])) % 1.0


def judged_rows(rows=SLAB_ROWS):
    """Objects, shape (rows, 3), and correctness that is less likely for a low first feature."""
    X = np.column_stack([ndtri(spread_evenly(rows, j)) for j in range(3)])
    correct = spread_evenly(rows, 3) < expit(2.2 + 0.9 * X[:, 0] - 0.4 * X[:, 1])
    return X, correct


def tied_rows():
    """The same with features of few values: many rows on one plane."""
    X, correct = judged_rows()
    return np.round(X), correct


def slab_directions(count=12):
    """Directions on the unit sphere, shape (count, 3)."""
    V = np.column_stack([ndtri(spread_evenly(count, j)) for j in range(4, 7)])
    return V / np.linalg.norm(V, axis=1, keepdims=True)


def predictions(rows=SLAB_ROWS):
    """Estimates of coverage, shape (rows,): on both sides of LEVEL, and one at it exactly."""
    p = 0.7 + 0.29 * spread_evenly(rows, 7)
    p[17] = LEVEL
    return p


def groups(rows=SLAB_ROWS):
    """One of five groups of different sizes for each row, shape (rows,)."""
    return np.minimum(4, np.floor(7.0 * spread_evenly(rows, 8)).astype(int))


def label_sets(rows=SLAB_ROWS):
    """Labels of four classes, shape (rows,), and sets of one to four, shape (rows, 4)."""
    y = np.floor(4.0 * spread_evenly(rows, 8)).astype(int)
    sizes = 1 + np.floor(4.0 * spread_evenly(rows, 9)).astype(int)
    first = np.where(spread_evenly(rows, 2) < 0.8 + 0.03 * sizes, y, (y + 1) % 4)
    offset = (np.arange(4)[None, :] - first[:, None]) % 4
    # a wrong set begins behind its label, so that it holds it only if it holds all four
    return y, offset < sizes[:, None]


def intervals(rows=SLAB_ROWS):
    """Labels, shape (rows,), and intervals of different widths, shape (rows, 2)."""
    width = 0.5 + 2.0 * spread_evenly(rows, 5)
    y = (2.6 - 0.4 * width) * (spread_evenly(rows, 6) - 0.5)
    return y, np.column_stack([-width / 2.0, width / 2.0])
