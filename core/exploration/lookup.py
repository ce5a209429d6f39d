"""Which variable of an audit's test rows is meant by a name, and what order its rows have."""

from ..segments.grouping import Variable
from ..segments.test_rows import AuditedObjects
from ..tables.columns import Column, Kind, check_exists


def find_variable(objects: AuditedObjects, name: str) -> Variable:
    """Return the variable of this name, or the one that goes by the column of this name.

    Raises :class:`InputError` if there is none.
    """
    named = {variable.name: variable for variable in objects.variables}
    known = {**named, **_by_column(objects), **named}  # in which order a refusal lists them
    check_exists(list(known), name, "variable")
    return known[name]


def variable_of_column(objects: AuditedObjects, column: str) -> Variable:
    """Return the variable that goes by a column, whatever others are called.

    Raises :class:`InputError` if there is none.
    """
    known = _by_column(objects)
    check_exists(list(known), column)
    return known[column]


def _by_column(objects: AuditedObjects) -> dict[str, Variable]:
    single = (v for v in objects.variables if len(v.columns) == 1 and not v.rule)
    return {variable.columns[0]: variable for variable in single}


def kind_of(objects: AuditedObjects, variable: Variable) -> Kind:
    """Return "number" or "date" if the variable goes by a single column that has an order."""
    if len(variable.columns) != 1 or variable.rule:
        return "category"
    (column,) = variable.columns
    if column == objects.target:
        return "number" if objects.task == "regression" else "category"
    return objects.table[column].kind


def column_of(objects: AuditedObjects, variable: Variable) -> Column:
    """Return the column that a variable goes by."""
    (column,) = variable.columns
    return objects.table[column]
