"""Columns of a design matrix that depend on earlier ones as exact linear combinations."""

from bisect import bisect
from typing import Any

import numpy as np
from scipy.linalg import qr_delete, solve_triangular

from ..arrays import FloatArray

TOLERANCE = 1e-9  # a column is dependent when this share of its length, or less, is new

_BLOCK_ROWS = 20
"""For each column: the triangles of such blocks, and then theirs, are made in half the time."""


def dependent_columns(X: FloatArray) -> dict[int, list[int]]:
    """Return each dependent column of X, shape (n, d), with the columns that make it up.

    Columns are taken from left to right, so that the earlier ones of a dependent group stay. The
    intercept counts as the first: a constant column depends on it alone, and on no others.
    """
    triangle = _triangle(X)
    kept, dependent, basis, earlier = _parted(triangle)
    along = basis.T @ triangle
    lengths = np.linalg.norm(triangle, axis=0)
    makers: dict[int, list[int]] = {}
    for j in dependent:
        before = bisect(kept, j)
        weights = solve_triangular(earlier[:before, :before], along[:before, j])
        shares = np.abs(weights) * lengths[kept[:before]]
        large = shares > np.sqrt(TOLERANCE) * lengths[j]
        makers[j] = np.compress(large, kept[:before]).tolist()
    return makers


def independent_columns(X: FloatArray) -> list[int]:
    """Return the columns of X, shape (n, d), that :func:`dependent_columns` leaves."""
    return _parted(_triangle(X))[0]


def _triangle(X: FloatArray) -> FloatArray:
    """Return an upper triangle whose columns have the lengths and angles of X's, centred."""
    constant, mean, rows = np.ptp(X, axis=0) == 0.0, X.mean(axis=0), _BLOCK_ROWS * (X.shape[1] + 1)
    blocks = (np.where(constant, 0.0, X[at : at + rows] - mean) for at in range(0, len(X), rows))
    triangles = [np.linalg.qr(block, mode="r") for block in blocks]
    return np.asarray(np.linalg.qr(np.vstack(triangles), mode="r"))


def _parted(triangle: FloatArray) -> tuple[list[int], list[int], FloatArray, FloatArray]:
    """Return columns kept, dependent ones, and an orthonormal basis with the coordinates in it.

    The coordinates are of the columns kept, as an upper triangle: the last one of a column is what
    it has beside those before it.
    """
    kept: list[int] = []
    dependent: list[int] = []
    basis: Any = np.eye(len(triangle))
    rest: Any = triangle
    for j, length in enumerate(np.linalg.norm(triangle, axis=0)):
        place = len(kept)
        if place < len(rest) and abs(rest[place, place]) > TOLERANCE * length:
            kept.append(j)
        else:
            dependent.append(j)
            basis, rest = qr_delete(basis, rest, place, which="col", check_finite=False)
    return kept, dependent, basis, rest
