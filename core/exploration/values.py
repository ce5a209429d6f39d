"""What values a column of the test rows has, for a person to choose among."""

from dataclasses import dataclass

import numpy as np

from ..segments.test_rows import AuditedObjects
from ..tables.columns import Kind
from .lookup import column_of, kind_of, variable_of_column

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


def column_names(objects: AuditedObjects) -> list[str]:
    """Return the columns that rules may name."""
    return objects.table.names


def column_values(objects: AuditedObjects, column: str) -> ColumnValues:
    """Return the values of a column that segments go by; :class:`InputError` for any other."""
    variable = variable_of_column(objects, column)
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
