"""Arithmetic of hints: skewness, and the weighted sum of columns that a label nearly is."""

from collections.abc import Sequence

import numpy as np

from ...arrays import FloatArray

_TOLD_TOGETHER = 0.999
"""Of the label's variance."""

_NEARLY = 0.005
_MOST_PARTS = 8


def skewness(values: FloatArray) -> float:
    """Return how much farther the 95th percentile is from the median than the 5th, -1 to 1.

    Zero where they are equally far. A few outliers, which may be in any label, change nothing; see
    Hinkley (1975), "On power transformations to symmetry".
    """
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
    return float((high + low - 2.0 * middle) / (high - low)) if high > low else 0.0


def weighted_sum(X: FloatArray, y: FloatArray, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the columns of X, shape (n, d), of which y is nearly a sum, and that sum in words.

    Columns are taken one by one, each the one that explains most of what is left (orthogonal
    matching pursuit, Pati et al. 1993), from every other row, and judged on those between; those
    that are not needed are let go again. Nothing if eight columns do not do it.
    """
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0.0, deviation, np.inf)
    chosen: list[int] = []
    if np.var(y[1::2]) == 0.0:  # as of the smallest floats, too
        return [], ""
    while _left_over(Z[:, chosen], y)[1] > 1.0 - _TOLD_TOGETHER:
        if len(chosen) == min(_MOST_PARTS, len(names)):
            return [], ""
        along = np.abs(Z.T @ _left_over(Z[:, chosen], y)[0])
        along[chosen] = -1.0
        chosen.append(int(along.argmax()))
    for part in list(chosen):
        fewer = [j for j in chosen if j != part]
        if _left_over(Z[:, fewer], y)[1] <= 1.0 - _TOLD_TOGETHER:
            chosen = fewer
    parts = [names[j] for j in sorted(chosen)]
    return parts, _sum_in_words(X[:, sorted(chosen)], y, parts)


def _left_over(X: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Return what a linear function of X, fitted on every other row, leaves of y.

    That is a value for each row, shape (n,), and of the variance of the rows between the share.
    """
    design = np.column_stack([np.ones(len(X)), X])
    left = y - design @ np.linalg.lstsq(design[::2], y[::2])[0]
    return left, float(np.mean(left[1::2] ** 2) / np.var(y[1::2]))


def _sum_in_words(X: FloatArray, y: FloatArray, names: Sequence[str]) -> str:
    design = np.column_stack([np.ones(len(X)), X])
    constant, *weights = np.linalg.lstsq(design, y)[0]
    terms = [
        f"{weight:+.3g} {name}".replace("+1 ", "+").replace("-1 ", "-")
        for name, weight in zip(names, weights, strict=True)
    ]
    if abs(constant) > _NEARLY * y.std():
        terms.append(f"{constant:+.3g}")
    return " ".join(f"{term[0]} {term[1:]}" for term in terms).removeprefix("+ ")
