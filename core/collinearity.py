"""Which columns of a design matrix are exact linear combinations of earlier ones."""

import numpy as np

from .prediction_sets import FloatArray

TOLERANCE = 1e-9
"""A column is dependent when this share of its length, or less, is new to it."""


def dependent_columns(X: FloatArray) -> dict[int, list[int]]:
    """Return each dependent column of X, shape (n, d), with the columns that make it up.

    Columns are taken from left to right, so that of a dependent group the earlier columns
    stay. The intercept counts as the first column: a constant column depends on it alone, and
    is returned with no others.
    """
    centred = np.where(np.ptp(X, axis=0) == 0.0, 0.0, X - X.mean(axis=0))
    triangle = np.asarray(np.linalg.qr(centred, mode="r"))  # its columns have the geometry of X's
    basis = np.zeros((len(triangle), 0))
    kept: list[int] = []
    dependent: dict[int, list[int]] = {}
    for j in range(X.shape[1]):
        column = triangle[:, j]
        length = float(np.linalg.norm(column))
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # once more: the first pass leaves rounding
        new = float(np.linalg.norm(rest))
        if new <= TOLERANCE * length:
            dependent[j] = _makers(triangle[:, kept], column, kept)
        else:
            kept.append(j)
            basis = np.column_stack([basis, rest / new])
    return dependent


def independent_columns(X: FloatArray) -> list[int]:
    """Return the columns of X, shape (n, d), that :func:`dependent_columns` leaves."""
    dependent = dependent_columns(X)
    return [j for j in range(X.shape[1]) if j not in dependent]


def _makers(earlier: FloatArray, column: FloatArray, kept: list[int]) -> list[int]:
    if not kept:
        return []
    weights = np.linalg.lstsq(earlier, column, rcond=None)[0]
    shares = np.abs(weights) * np.linalg.norm(earlier, axis=0)
    return [kept[i] for i in np.flatnonzero(shares > np.sqrt(TOLERANCE) * np.linalg.norm(column))]
