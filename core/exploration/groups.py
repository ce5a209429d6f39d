"""The figures that every closer look at test rows gives."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, IndexArray
from ..segments.audited_rows import TestRows
from ..segments.grouping import Variable
from ..segments.tally import Tally
from ..tables.columns import Column, ColumnKind, check_exists

MOST_LISTED = 200
"""Values of a category, of which the most frequent are told."""

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
    (found,) = _figures_by_code(test_rows, np.zeros(len(test_rows.rows), dtype=np.intp), 1, where)
    return GroupFigures(**found)


def all_or(where: Where, test_rows: TestRows) -> BoolArray:
    """Return which rows to look at, shape (n,), whether or not that was said."""
    return np.ones(len(test_rows.rows), dtype=bool) if where is None else where


def filled(
    test_rows: TestRows, codes: IndexArray, count: int, where: Where = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each of ``count`` groups with rows: its number, and what its figures are by name.

    ``codes`` are the numbers of the rows' groups, from 0 up, shape (n,).
    """
    for code, figures in enumerate(_figures_by_code(test_rows, codes, count, where)):
        if figures["n"]:
            yield code, figures


def _figures_by_code(
    test_rows: TestRows, codes: IndexArray, count: int, where: Where = None
) -> list[dict[str, Any]]:
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


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column among the test rows.

    ``names`` are the most frequent of a category's values; ``low`` and ``high`` the ends of
    numbers, or of dates in days since 1970, None where all are missing; ``missing`` counts missing
    values.
    """

    kind: ColumnKind
    names: list[str]
    low: float | None
    high: float | None
    missing: int


def find_variable(test_rows: TestRows, name: str) -> Variable:
    """Return the variable of this name, or the one that goes by the column of this name.

    Raises :class:`InputError` if there is none.
    """
    named = {variable.name: variable for variable in test_rows.variables}
    known = {**named, **_by_column(test_rows), **named}  # in which order a refusal lists them
    check_exists(list(known), name, "variable")
    return known[name]


def _by_column(test_rows: TestRows) -> dict[str, Variable]:
    single = (v for v in test_rows.variables if len(v.columns) == 1 and not v.rule)
    return {variable.columns[0]: variable for variable in single}


def kind_of(test_rows: TestRows, variable: Variable) -> ColumnKind:
    """Return "number" or "date" if the variable goes by a single column that has an order."""
    if len(variable.columns) != 1 or variable.rule:
        return "category"
    if variable.columns[0] == test_rows.target:
        return "number" if test_rows.task == "regression" else "category"
    return column_of(test_rows, variable).kind


def column_of(test_rows: TestRows, variable: Variable) -> Column:
    """Return the one column that a variable goes by."""
    (column,) = variable.columns
    return test_rows.table[column]


def column_values(test_rows: TestRows, column: str) -> ColumnValues:
    """Return the values of a column that segments go by; :class:`InputError` for any other."""
    by_column = _by_column(test_rows)
    check_exists(list(by_column), column)
    variable = by_column[column]
    kind = kind_of(test_rows, variable)
    values = column_of(test_rows, variable)
    missing = int(values.missing.sum())
    if kind in ("number", "date"):
        numbers = values.places
        seen = numbers[~np.isnan(numbers)]
        low, high = (float(seen.min()), float(seen.max())) if len(seen) else (None, None)
        return ColumnValues(kind, [], low, high, missing)
    counts = values.levels.value_counts()
    # ties in the order of the names, which the order of the rows must not change
    names = sorted(counts.index, key=lambda name: (-counts[name], name))
    return ColumnValues("category", names[:MOST_LISTED], None, None, missing)
