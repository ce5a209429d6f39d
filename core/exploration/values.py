"""Which variable or column of the test rows a name means, and what values a column has."""

from dataclasses import dataclass

import numpy as np

from ..segments.audited_rows import TestRows
from ..segments.grouping import Variable
from ..tables.columns import Column, ColumnKind, check_exists

MOST_VALUES = 200


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
    return ColumnValues("category", names[:MOST_VALUES], None, None, missing)
