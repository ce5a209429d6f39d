"""The figures that every closer look at test rows gives."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray
from ..segments.statistics import wilson_interval
from ..segments.test_rows import AuditedObjects, ObjectSets

Where = BoolArray | None
"""Which of the test rows to look at, shape (n,); None for all."""


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """Share of prediction sets that hold their label, and their mean size, in a group of rows.

    Attributes
    ----------
    n
        Test rows of the group.
    low_base, high_base, low_adjusted, high_adjusted
        Ends of Wilson's 95 % intervals for the accuracies.
    size_base, size_adjusted
        Mean number of labels in a set, or mean width in the label's own units.
    """

    n: int
    accuracy_base: float
    low_base: float
    high_base: float
    size_base: float
    accuracy_adjusted: float
    low_adjusted: float
    high_adjusted: float
    size_adjusted: float


Codes = NDArray[np.intp]


def group_figures(objects: AuditedObjects, where: Where = None) -> GroupFigures:
    """Return the figures of all test rows together, or of those that ``where`` says.

    Shares and means are NaN where there is no row.

    Parameters
    ----------
    objects
        The n test rows.
    where
        Which of them to look at, shape (n,); None for all.
    """
    (figures,) = figures_by_code(objects, np.zeros(len(objects.rows), dtype=np.intp), 1, where)
    return GroupFigures(**figures)


def figures_by_code(
    objects: AuditedObjects, codes: Codes, count: int, where: Where = None
) -> list[dict[str, Any]]:
    """Return the figures of each of ``count`` groups, by the names of :class:`GroupFigures`.

    Parameters
    ----------
    codes
        The number of each row's group, from 0 up, shape (n,).
    """
    looked_at = np.ones(len(codes), dtype=bool) if where is None else where
    codes = codes[looked_at]
    n = np.bincount(codes, minlength=count)
    columns: dict[str, NDArray[Any]] = {"n": n}
    for name, sets in (("base", objects.base), ("adjusted", objects.adjusted)):
        hits = np.bincount(codes[sets.correct[looked_at]], minlength=count)
        low, high = wilson_interval(hits, n)
        with np.errstate(invalid="ignore"):
            columns |= {
                f"accuracy_{name}": hits / n,
                f"low_{name}": low,
                f"high_{name}": high,
                f"size_{name}": _means(codes, n, shown_sizes(sets), looked_at),
            }
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def shown_sizes(sets: ObjectSets) -> FloatArray:
    """Return widths in the label's own units, or numbers of labels, shape (n,)."""
    if sets.lower is None or sets.upper is None:
        return sets.sizes
    return sets.upper - sets.lower


def _means(codes: Codes, n: Codes, values: FloatArray, looked_at: BoolArray) -> FloatArray:
    means: FloatArray = np.bincount(codes, weights=values[looked_at], minlength=len(n)) / n
    return means
