"""Tables of the page: bounded, whatever the result holds."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from evencover.core import AuditResult

from ...wording.predictors import predictors
from ...wording.rows import with_titles
from ...wording.tables import Column, TableSpec, is_missing
from .limits import cut, without_cells

LONGEST = 60
"""Signs of a name or value that are shown; the whole is shown where the pointer rests."""


class ShownValue(NamedTuple):
    """A value as shown; ``whole`` is not empty where it was cut."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class Table:
    """A table as shown; ``left_out`` rows are not."""

    name: str
    columns: list[Column]
    rows: list[list[ShownValue]]
    left_out: int

    def explained(self) -> list[Column]:
        """Return the columns that have an explanation, the first of those that have the same."""
        first = {column.help: column for column in reversed(self.columns) if column.help}
        return [column for column in self.columns if first.get(column.help) is column]


def make_table(spec: TableSpec, result: AuditResult) -> Table | None:
    """Return the first rows of a table; None without any."""
    rows, given = spec.rows(result), predictors(result)
    if not rows:
        return None
    columns = spec.shown(rows, given)
    shown = [
        [_value(row[column.key], column.form) for column in columns]
        for row in with_titles(rows[: spec.most], given)
    ]
    short = [column._replace(title=cut(column.title, LONGEST)) for column in columns]
    return Table(spec.name, short, shown, max(0, len(rows) - spec.most))


def _value(value: Any, form: str) -> ShownValue:  # noqa: ANN401 - of any field
    if is_missing(value):
        return ShownValue("")
    if isinstance(value, str):
        whole = without_cells(value)
        short = cut(whole, LONGEST)
        return ShownValue(short, "" if short == whole else whole)
    if isinstance(value, float) and math.isinf(value):
        return ShownValue("infinite" if value > 0 else "-infinite")
    return ShownValue(form % value if form else str(value))
