"""Tables of the page: bounded, whatever the result holds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...wording.tables import Column
from .limits import cut

LONGEST = 60
"""Signs of a name or value that are shown; the whole is told where the pointer rests."""


@dataclass(frozen=True)
class Cell:
    """A value as shown; ``whole`` is not empty where it was cut."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class Table:
    """A table as shown; ``left_out`` rows are not."""

    name: str
    columns: list[Column]
    rows: list[list[Cell]]
    left_out: int

    def explained(self) -> list[Column]:
        """Return the columns that have an explanation."""
        return [column for column in self.columns if column.help]


def make_table(
    name: str, columns: Mapping[str, Column], rows: Sequence[Mapping[str, Any]], most: int
) -> Table:
    """Return the first rows as a table.

    Parameters
    ----------
    name
        Its id in the page.
    columns
        The columns by the key that their values have in a row.
    rows, most
        The rows, and how many are shown.
    """
    shown = [
        [_cell(row[key], column.form) for key, column in columns.items()] for row in rows[:most]
    ]
    return Table(name, list(columns.values()), shown, max(0, len(rows) - most))


def named(value: str) -> Cell:
    """Return a name or value of the table, cut where it is long."""
    short = cut(value, LONGEST)
    return Cell(short, "" if short == value else value)


def _cell(value: Any, form: str) -> Cell:  # noqa: ANN401 - of any field
    match value:
        case Cell():
            return value
        case None:
            return Cell("")
        case str():
            return named(value)
        case float() if math.isnan(value):
            return Cell("")
        case float() if math.isinf(value):
            return Cell("infinite" if value > 0 else "-infinite")
        case _:
            return Cell(form % value if form else str(value))
