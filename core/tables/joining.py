"""A second table, whose columns are brought to the rows of the first by a key."""

from pathlib import Path

import numpy as np
import pandas as pd

from ..arrays import IndexArray
from ..errors import InputError
from ..messages import Cell, Passage, Sentence
from .bounds import Bounds
from .table import Table

_NO_ROW = -1
_BOUNDS = Bounds()
_UNMET = "Rows whose '{column}' is not in '{file}', so that its columns are missing: {count}."
_UNUSED = "Values of '{column}' in '{file}' that no row of the table has: {count}."


def joined(table: Table, other: Table, on: str, file: str, bounds: Bounds = _BOUNDS) -> Table:
    """Return the table with the columns of another one, of a file, beside its own.

    Rows meet where the column ``on``, which both have, holds the same value, written as numbers or
    as text; rows that meet none have missing values. What was left out, repeated or not met is in
    the notes. Raises :class:`InputError` if a key is missing in one of the tables, means several
    different rows of the other one or none that the table has, if both have a column of one name,
    or if they are too large together.
    """
    for names, where in ((table.names, "the table"), (other.names, f"'{file}'")):
        if on not in names:
            sentence = "{where} has no column '{column}' to join by; name one that both tables have"
            raise InputError("column.unknown", sentence, where=Passage(where), column=on)
    names = [name for name in other.names if name != on]
    for name in filter(table.__contains__, names):
        sentence = "the table and '{file}' both have a column '{column}'; rename one"
        raise InputError("join.same_name", sentence, column=name, file=file)
    bounds.check_extent(len(table), len(table.names) + len(names), Path(file))
    rows, notes = _rows_by_key(other, on, file)
    meet = table[on].levels.map(rows).fillna(_NO_ROW).to_numpy().astype(np.intp)
    unmet = int((meet == _NO_ROW).sum())
    if unmet == len(table):
        sentence = (
            "no value of '{column}' in the table, such as '{one}', is in '{file}', which has such "
            "as '{other}'; write them alike, or join by another column"
        )
        some = {"one": table[on].levels.dropna(), "other": rows.index}
        about = {name: Cell(next(iter(values), "(missing)")) for name, values in some.items()}
        raise InputError("join.no_key_met", sentence, column=on, file=file, **about)
    missed = {
        _UNMET: unmet,
        _UNUSED: len(rows) - len(np.unique(meet[meet != _NO_ROW])),
    }
    notes += _counted(missed, on, file)
    brought = {name: _taken(other.frame[name], meet) for name in names}
    frame = pd.concat([table.frame, pd.DataFrame(brought, index=table.frame.index)], axis=1)
    kinds = {**table.kinds, **{name: other.kinds[name] for name in names}}
    notes = [*table.notes, *other.notes, *notes]
    return Table(frame, kinds, table.categorical, tuple(notes), table.sheets)


def _rows_by_key(other: Table, on: str, file: str) -> tuple["pd.Series[int]", list[Sentence]]:
    """Return the row of each key, and what was left out."""
    keys = other[on].levels
    has_key = keys.notna()
    repeated = other.frame.assign(**{on: keys}).duplicated() & has_key
    rows = keys[has_key & ~repeated]
    twice = rows.duplicated(keep=False)
    if twice.any():
        sentence = (
            "'{file}' has several different rows for one '{column}', such as '{value}', which "
            "{rows} rows have; keep one row for each (values repeated so: {count})"
        )
        value = rows[twice].iloc[0]
        about = {"value": Cell(value), "rows": int((rows == value).sum())}
        count = rows[twice].nunique()
        raise InputError("join.several", sentence, file=file, column=on, count=count, **about)
    left_out = {
        "Rows of '{file}' without a '{column}', left out: {count}.": int((~has_key).sum()),
        "Rows of '{file}' that repeat another one, left out: {count}.": int(repeated.sum()),
    }
    positions = np.flatnonzero((has_key & ~repeated).to_numpy())
    return pd.Series(positions, index=rows.to_numpy()), _counted(left_out, on, file)


def _counted(counts: dict[str, int], on: str, file: str) -> list[Sentence]:
    return [
        Sentence("join.counted", text, column=on, file=file, count=count)
        for text, count in counts.items()
        if count
    ]


def _taken(column: pd.Series, rows: IndexArray) -> pd.Series:
    """Return the values of some rows, missing where there is none; whole numbers keep digits."""
    unmet = rows == _NO_ROW
    if unmet.any() and column.dtype.kind in "iub":
        column = column.convert_dtypes()
    return column.take(np.clip(rows, 0, None)).reset_index(drop=True).mask(unmet)
