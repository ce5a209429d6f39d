"""Which variable or column of the test rows a name means, and what values a column has."""

from dataclasses import dataclass

import numpy as np

from ..segments.grouping import Variable
from ..segments.test_rows import AuditedObjects
from ..tables.columns import Column, Kind, check_exists

MOST_VALUES = 200


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column among the test rows.

    ``names`` are the most frequent of a category's values; ``low`` and ``high`` the ends of
    numbers, or of dates in days since 1970, None where all are missing; ``missing`` counts missing
    values.
    """

    kind: Kind
    names: list[str]
    low: float | None
    high: float | None
    missing: int


def find_variable(objects: AuditedObjects, name: str) -> Variable:
    """Return the variable of this name, or the one that goes by the column of this name.

    Raises :class:`InputError` if there is none.
    """
    named = {variable.name: variable for variable in objects.variables}
    known = {**named, **_by_column(objects), **named}  # in which order a refusal lists them
    check_exists(list(known), name, "variable")
    return known[name]


def _by_column(objects: AuditedObjects) -> dict[str, Variable]:
    single = (v for v in objects.variables if len(v.columns) == 1 and not v.rule)
    return {variable.columns[0]: variable for variable in single}


def kind_of(objects: AuditedObjects, variable: Variable) -> Kind:
    """Return "number" or "date" if the variable goes by a single column that has an order."""
    if len(variable.columns) != 1 or variable.rule:
        return "category"
    if variable.columns[0] == objects.target:
        return "number" if objects.task == "regression" else "category"
    return column_of(objects, variable).kind


def column_of(objects: AuditedObjects, variable: Variable) -> Column:
    """Return the one column that a variable goes by."""
    (column,) = variable.columns
    return objects.table[column]


def column_values(objects: AuditedObjects, column: str) -> ColumnValues:
    """Return the values of a column that segments go by; :class:`InputError` for any other."""
    by_column = _by_column(objects)
    check_exists(list(by_column), column)
    variable = by_column[column]
    kind = kind_of(objects, variable)
    values = column_of(objects, variable)
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
