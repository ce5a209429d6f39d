"""Which variable of an audit's test rows is meant by a name, and what order its rows have."""

import pandas as pd

from ..arrays import FloatArray
from ..preparation.target import as_numeric
from ..segments.grouping import Variable
from ..segments.test_rows import AuditedObjects
from ..tables.columns import Kind, as_numbers, check_exists, column_kind
from ..tables.dates import date_parts, to_dates


def find_variable(objects: AuditedObjects, name: str) -> Variable:
    """Return the variable of this name, or the one that goes by the column of this name.

    Raises
    ------
    InputError
        If there is none.
    """
    known = {variable.name: variable for variable in objects.variables}
    for column, variable in _by_column(objects).items():
        known.setdefault(column, variable)
    check_exists(list(known), name, "variable")
    return known[name]


def variable_of_column(objects: AuditedObjects, column: str) -> Variable:
    """Return the variable that goes by a column, whatever others are called.

    Raises
    ------
    InputError
        If there is none.
    """
    known = _by_column(objects)
    check_exists(list(known), column)
    return known[column]


def _by_column(objects: AuditedObjects) -> dict[str, Variable]:
    return {
        variable.columns[0]: variable
        for variable in objects.variables
        if len(variable.columns) == 1 and not variable.rule
    }


def kind_of(objects: AuditedObjects, variable: Variable) -> Kind:
    """Return "number" or "date" if the variable goes by a single column that has an order."""
    if len(variable.columns) != 1 or variable.rule:
        return "category"
    (column,) = variable.columns
    if column == objects.target:
        return "number" if objects.task == "regression" else "category"
    return "category" if column in objects.categorical else column_kind(objects.frame[column])


def column_of(objects: AuditedObjects, variable: Variable) -> pd.Series:
    """Return the column that a variable goes by; a numeric label as numbers."""
    (column,) = variable.columns
    values = objects.frame[column]
    is_number = column == objects.target and objects.task == "regression"
    return as_numeric(values) if is_number else values


def places(column: pd.Series, kind: Kind) -> FloatArray:
    """Return numbers as they are, dates as days since 1970 with their fraction, shape (n,)."""
    if kind == "number":
        return as_numbers(column)
    moments: FloatArray = date_parts(to_dates(column))[:, 0]
    return moments
