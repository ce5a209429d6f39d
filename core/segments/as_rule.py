"""A segment of the tables as a rule, from which a cohort can start."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import InputError
from ..preparation.target import with_numeric_label
from ..tables.columns import Kind, as_levels, column_kind, value_order
from ..tables.rules.conditions import (
    Between,
    Bound,
    Condition,
    Missing,
    OneOf,
    day_in_a_rule,
    number_in_a_rule,
    ordered,
)
from ..tables.rules.parsing import Rule
from .binning import INSIDE
from .grouping import Variable
from .test_rows import AuditedObjects

_BAND = re.compile(r"< (?P<below>\S+)|>= (?P<from>\S+)|(?P<low>\S+) to (?P<high>\S+)")


def rule_of_segment(objects: AuditedObjects, variable: str, value: str) -> str | None:
    """Return a rule that holds for exactly the test rows of a segment.

    Bands are told by the bounds that the table shows where these say the same rows, else by the
    values that are there. None where no rule says it, as for bands of hours, and for the rows
    outside of a cohort.

    Parameters
    ----------
    objects
        The test rows.
    variable, value
        The segment, as its row in the table of segments has them.
    """
    found = next(each for each in objects.variables if each.name == variable)
    rows: BoolArray = found.partition.codes == found.partition.names.index(value)
    if found.rule:
        return found.rule if value == INSIDE else None
    if len(found.columns) > 1:
        return _of_pair(objects, found, value, rows)
    if found.columns[0] == objects.target:
        frame = with_numeric_label(objects.frame, objects.target, objects.task)
        objects = replace(objects, frame=frame)
    for condition in _candidates(objects, found.columns[0], value, rows):
        if _says(condition, objects, rows):
            return str(condition)
    return None


def _of_pair(objects: AuditedObjects, pair: Variable, value: str, rows: BoolArray) -> str | None:
    one, other = (
        next(each for each in objects.variables if each.columns == (column,) and not each.rule)
        for column in pair.columns
    )
    for first in one.partition.names:
        for second in other.partition.names:
            inside = (one.partition.codes == one.partition.names.index(first)) & (
                other.partition.codes == other.partition.names.index(second)
            )
            if f"{first} × {second}" == value and np.array_equal(inside, rows):
                rules = [
                    rule_of_segment(objects, one.name, first),
                    rule_of_segment(objects, other.name, second),
                ]
                told = [rule for rule in rules if rule is not None]
                return " and ".join(told) if len(told) == len(rules) else None
    return None


def _says(condition: Condition, objects: AuditedObjects, rows: BoolArray) -> bool:
    try:
        holds = Rule((condition,)).holds(objects.frame, objects.categorical)
    except InputError:  # such as a band of hours as a day
        return False
    return bool(np.array_equal(holds, rows))


def _candidates(
    objects: AuditedObjects, name: str, value: str, rows: BoolArray
) -> Iterator[Condition]:
    """Return conditions on a column that may be meant, those that read best first."""
    yield OneOf(name, (value,))
    column = objects.frame[name]
    kind = "category" if name in objects.categorical else column_kind(column)
    if kind in ("number", "date"):
        yield from _bands(name, value, ordered(column, kind), rows, kind)
    else:
        others = as_levels(column)[~rows].dropna().unique()
        yield OneOf(name, tuple(sorted(others, key=value_order)), negated=True)
    if rows.any():
        yield Missing(name)


def _bands(
    name: str, value: str, values: FloatArray, rows: BoolArray, kind: Kind
) -> Iterator[Condition]:
    if shown := _BAND.fullmatch(value):
        yield _between(name, shown["low"] or shown["from"], shown["high"] or shown["below"])
    inside = values[rows & ~np.isnan(values)]
    if len(inside):
        show = number_in_a_rule if kind == "number" else day_in_a_rule
        above = values[values > inside.max()]
        yield OneOf(name, (show(inside.min()),))
        yield _between(name, show(inside.min()), show(above.min()) if len(above) else None)


def _between(name: str, low: str | None, high: str | None) -> Between:
    return Between(
        name,
        None if low is None else Bound(low, included=True),
        None if high is None else Bound(high, included=False),
    )
