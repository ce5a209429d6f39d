"""How often each row of a table counts, and which rows belong together, saying less than many."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray
from ..errors import InputError
from ..messages import Sentence
from ..rows.weights import Weights, scaled
from ..tables.columns import Column, check_exists
from ..tables.table import Table
from .settings import AuditSettings
from .split import Split, group_codes

_NOT_COUNTED = "Rows {what} in column '{column}', left out: {rows}."
_ADVICE = "give every row a number of 0 or more, or choose another column"
_TEXT = (
    f"weight column '{{column}}' holds '{{value}}' in row {{row}}, which is no number; {_ADVICE}"
)
_NEGATIVE = f"weight column '{{column}}' is {{value}} in row {{row}}, which is below 0; {_ADVICE}"
_NONE = "weight column '{column}' is {what} in every row; choose another, or leave the weights out"
_TOO_FEW = (
    "only {rows} rows have a weight above 0 in column '{column}'; an audit needs at least {least}"
)

ClusterKind = Literal["group", "time", "repeats"]

BLOCKS = 20
"""Of rows that follow each other in time, so that what rows nearer than a block's length have in
common is seen. Schmeiser (1982), "Batch size effects in the analysis of simulation output", advises
10 to 30; 20 keep the score test's level up to a correlation of 0.9 from row to row in 600 rows, of
0.95 in 2,000 almost (7 % at 5 %)."""

_TELLING = 0.5
"""Of the different rows, the share that one column alone tells apart where none repeats by chance:
in a table of a few categories many rows are equal, and independent all the same."""

_DIFFERENT = 0.2
"""Of all rows, the share that are different where rows are copied a few times each."""

_FEW = 0.01
"""Fewer copies than this share of the rows change no test: rows are as good as independent."""

_REPEATS_NOTE = (
    "{rows} rows repeat another row exactly, in all columns. If they are not separate "
    "observations, remove them: copies of training rows in the test rows flatter the predictor. "
    "{counted}"
)
_COUNTED = "Intervals and tests do not take them for independent."
_AS_INDEPENDENT = "They are too few to matter for intervals and tests."


@dataclass(frozen=True)
class Weighed:
    """The rows of a table that count, and how often, shape (n,); None where each does once."""

    table: Table
    weights: Weights
    notes: tuple[Sentence, ...] = ()


def weighed(table: Table, column: str | None, least: int) -> Weighed:
    """Return the rows of a weight above 0; refused if a weight is unusable, or they are too few."""
    if column is None:
        return Weighed(table, None)
    check_exists(table.names, column)
    weights = _numbers(table, column)
    zero, missing = weights == 0.0, np.isnan(weights)
    for what, such in (("0", zero), ("missing", missing)):
        if such.all():
            raise InputError("weight.none", _NONE, column=column, what=what)
    counting = np.flatnonzero(weights > 0.0)
    if len(counting) < least:
        about = {"rows": len(counting), "column": column, "least": least}
        raise InputError("weight.too_few_rows", _TOO_FEW, **about)
    notes = tuple(
        Sentence(
            "rows.without_weight", _NOT_COUNTED, what=what, column=column, rows=int(such.sum())
        )
        for what, such in (("of weight 0", zero), ("without a weight", missing))
        if such.any()
    )
    return Weighed(table.rows(counting), scaled(weights[counting]), notes)


def _numbers(table: Table, name: str) -> FloatArray:
    column = table[name]
    column.refuse_text("weight.no_number", _TEXT)
    if column.holds != "number":
        return np.full(len(column), np.nan)
    column.check_finite()
    column.refuse(column.numbers < 0.0, "weight.negative", _NEGATIVE)
    return column.numbers


@dataclass(frozen=True, eq=False)
class Clusters:
    """Numbers of the rows' clusters from 0 up, shape (n,), in each of the split's sets.

    None: its rows can be taken for independent. ``kind`` says what makes a cluster: a value of the
    group column, a stretch of time, or one row with its copies; None where nothing does.
    """

    kind: ClusterKind | None = None
    by_set: tuple[IndexArray | None, ...] = (None, None, None)
    copies: int = 0
    """Rows that repeat another row exactly."""

    def notes(self) -> list[Sentence]:
        """Return what a user should know of the rows."""
        counted = _AS_INDEPENDENT if self.kind is None else _COUNTED
        note = Sentence("rows.repeated", _REPEATS_NOTE, rows=self.copies, counted=counted)
        return [note] if self.copies else []


def clusters_of(table: Table, settings: AuditSettings, split: Split) -> Clusters:
    """Return the clusters of a table's rows in each set."""
    repeats = repeated_rows(table)
    copies = 0 if repeats is None else len(table) - int(repeats.max()) - 1
    kind: ClusterKind
    if settings.group is not None:
        kind, groups = "group", group_codes(table[settings.group])
        by_set = [groups[rows] for rows in split]
    elif settings.time is not None:
        kind, times = "time", table[settings.time].ordered
        by_set = [_blocks(times[rows]) for rows in split]
    elif repeats is not None and copies >= _FEW * len(table):
        kind, by_set = "repeats", [repeats[rows] for rows in split]
    else:
        return Clusters(copies=copies)
    return Clusters(kind, tuple(map(_clusters, by_set)), copies)


def repeated_rows(table: Table) -> IndexArray | None:
    """Return a number for each different row, shape (n,), if rows repeat others not by chance."""
    alike = np.arange(len(table))  # those equal to another in the columns so far
    codes = np.zeros(len(table), dtype=np.intp)
    for name in table.names:
        values, count = _numbered(table[name].rows(alike))
        codes, _ = _factorized(codes * count + values)
        again = np.bincount(codes)[codes] > 1
        alike, codes = alike[again], codes[again]
        if len(alike) == 0:
            return None
    _, start, place = np.unique(codes, return_index=True, return_inverse=True)
    first = np.arange(len(table))
    first[alike] = alike[start[place]]
    rows, different = _factorized(first)
    told_apart = max(_numbered(table[name])[1] for name in table.names)
    copied = different >= _DIFFERENT * len(table) and told_apart >= _TELLING * different
    return rows if copied else None


def _numbered(column: Column) -> tuple[IndexArray, int]:
    """Return a number for each value, shape (n,), a missing one too, and how many there are."""
    unhashable = column.holds == "unsupported"  # lists and the like are told apart as they print
    return _factorized(column.series.map(repr) if unhashable else column.series)


def _factorized(values: pd.Series | IndexArray) -> tuple[IndexArray, int]:
    codes, different = pd.factorize(values, use_na_sentinel=False)
    return codes, len(different)


def _blocks(times: NDArray[Any]) -> IndexArray:
    """Return about so many blocks of rows that follow each other, whole moments alone."""
    earlier = np.searchsorted(np.sort(times), times)
    return earlier * BLOCKS // len(times)


def _clusters(codes: IndexArray) -> IndexArray | None:
    """Return the codes numbered from 0 up; None if every row has its own."""
    values, numbers = np.unique(codes, return_inverse=True)
    return numbers if len(values) < len(codes) else None
