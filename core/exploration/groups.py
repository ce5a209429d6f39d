"""The figures that every closer look at test rows gives."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, IndexArray
from ..segments.audited_rows import TestRows
from ..segments.tally import Tally

Where = BoolArray | None
"""Which of the test rows to look at, shape (n,); None for all."""


@dataclass(frozen=True)
class Figures:
    """One predictor's share of sets that hold their label, and their mean size.

    ``low`` and ``high`` are Wilson's 95 % interval for the accuracy; ``size`` is the mean number of
    labels in a set, or mean width in the label's own units.
    """

    accuracy: float
    low: float
    high: float
    size: float


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """The figures of n test rows, by the predictor's name."""

    n: int
    figures: Mapping[str, Figures]


def group_figures(test_rows: TestRows, where: Where = None) -> GroupFigures:
    """Return the figures of all test rows together, or of those that ``where`` says.

    Shares and means are NaN where there is no row.
    """
    (found,) = figures_by_code(test_rows, np.zeros(len(test_rows.rows), dtype=np.intp), 1, where)
    return GroupFigures(**found)


def all_or(where: Where, test_rows: TestRows) -> BoolArray:
    """Return which rows to look at, shape (n,), whether or not that was said."""
    return np.ones(len(test_rows.rows), dtype=bool) if where is None else where


def figures_by_code(
    test_rows: TestRows, codes: IndexArray, count: int, where: Where = None
) -> list[dict[str, Any]]:
    """Return the figures of each of ``count`` groups, by the names of :class:`GroupFigures`.

    ``codes`` are the numbers of the rows' groups, from 0 up, shape (n,).
    """
    looked_at = all_or(where, test_rows)
    codes = codes[looked_at]
    by_predictor = {
        name: _figures(test_rows, name, looked_at, codes, count) for name in test_rows.sets
    }
    return [
        {"n": rows, "figures": {name: found[group] for name, found in by_predictor.items()}}
        for group, rows in enumerate(np.bincount(codes, minlength=count).tolist())
    ]


def _figures(
    test_rows: TestRows, name: str, looked_at: BoolArray, codes: IndexArray, count: int
) -> list[Figures]:
    sizes, outcomes = test_rows.sets[name].sizes, test_rows.outcomes[name].unclustered
    tally = Tally.of(replace(outcomes, sizes=sizes).part(looked_at))
    groups = tally.by(codes, count)
    columns = groups.accuracy, *groups.interval, groups.shares(tally.size)
    return [Figures(*row) for row in zip(*(values.tolist() for values in columns), strict=True)]
