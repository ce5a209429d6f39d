"""Values of many rows without a test row, as a split by group or time leaves some."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..arrays import IndexArray
from ..tables.columns import coded
from ..tables.table import Table

LARGE = 0.05
"""Of all rows, the share that a value has to hold: of many small groups a split leaves most out."""


@dataclass(frozen=True)
class Untested:
    """A value of a column that so many ``rows`` of the table have, but no test row."""

    column: str
    value: str
    rows: int


def untested_values(table: Table, columns: Iterable[str], test: IndexArray) -> list[Untested]:
    """Return those of some columns, most rows first; ``test`` are positions of the test rows."""
    found = []
    for column in columns:
        codes, names = coded(table[column].series)
        counts, tested = (
            np.bincount(rows[rows >= 0], minlength=len(names)) for rows in (codes, codes[test])
        )
        found += [
            Untested(column, str(names[value]), int(counts[value]))
            for value in np.flatnonzero((tested == 0) & (counts >= LARGE * len(table)))
        ]
    return sorted(found, key=lambda value: -value.rows)
