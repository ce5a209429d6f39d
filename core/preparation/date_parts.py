"""Month, weekday and hour of dates as columns of their own, for segments and rules to go by."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd

from ..messages import told_apart
from ..tables.columns import Column
from ..tables.dates import PARTS, WEEKDAYS, date_parts, part_name
from ..tables.table import Table


def with_date_parts(table: Table, columns: Iterable[str]) -> tuple[Table, tuple[str, ...]]:
    """Return a table with the parts of the dates among the columns, and the parts' names.

    A part is there if it has two values. Months are numbers from 1 to 12 and hours, the whole ones,
    from 0 to 23; weekdays go by name. A name that is taken has a number behind it.
    """
    dates = (table[name] for name in columns if table[name].kind == "date")
    parts = [part for column in dates for part in _varying(column)]
    names = told_apart([*table.names, *(str(part.name) for part in parts)])[len(table.names) :]
    for name, part in zip(names, parts, strict=True):
        table = table.with_column(Column.of(part.rename(name)))
    return table, tuple(names)


def names_part(name: str, columns: Sequence[str]) -> bool:
    """Say whether a name is like that of a part of one of the columns, if that holds dates."""
    return name.startswith(tuple(part_name(column, part) for column in columns for part in PARTS))


def _varying(column: Column) -> Iterator[pd.Series]:
    known = dict(zip(PARTS, np.floor(date_parts(column.dates)).T, strict=True))
    for part in ("hour", "weekday", "month"):
        values = pd.Series(
            known[part], index=column.series.index, name=part_name(column.name, part)
        )
        if len(values.dropna().unique()) > 1:
            is_day = part == "weekday"
            yield values.map(dict(enumerate(WEEKDAYS))) if is_day else values
