"""Columns of a table as saved predictors take them: plain arrays of numbers, moments or texts."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype

from ..arrays import BoolArray
from ..messages import InputError, counted, listed
from ..scoring.columns import as_known, level_name, other_kind, part_named
from ..scoring.groups import Columns, Kind, Values
from ..scoring.predictor import Predicted, SavedPredictor, lacking_part
from .columns import Column, ColumnKind, coded, first_cell
from .dates import in_doubt, is_date_or_time, without_century
from .number_text import EXACT, is_number
from .table import Table, read_as_asked
from .text_values import USUAL, Reading

_MOST_TOLD = 5  # columns in which something is new
_TRUTH = {"true": "True", "false": "False"}
_IN_DOUBT = (
    "which is the day, and which the month, in column '{column}', such as '{value}' in row {row}? "
    "Write dates as in 2014-10-13"
)


def reading_for(
    predictor: SavedPredictor, more: Mapping[str, ColumnKind] = MappingProxyType({})
) -> Reading:
    """Return how a file is to be read that the predictor is used on, and ``more`` columns of it."""
    of = predictor.read
    how = of.encoding, of.sheet, of.header, of.missing, of.numeric
    kinds: dict[str, ColumnKind] = {**more, **predictor.columns}
    for column, part in map(part_named, predictor.columns):
        if part:
            kinds.setdefault(column, "date")
    return Reading(*how, kinds=kinds)


def predicted(predictor: SavedPredictor, table: Table) -> Predicted:
    """Return what a predictor says of a table's rows, each whatever the others hold.

    Raises :class:`InputError`, with column, value and row, if a column is not there or of its kind.
    """
    return predictor.predicted(columns_for(predictor, table, predictor.texts))


def columns_for(predictor: SavedPredictor, table: Table, known: Mapping[str, set[str]]) -> Columns:
    """Return what reads columns of a table as a predictor's are read; see :func:`plain_columns`."""
    missing = [(each.column, each.words) for each in predictor.read.missing_in]
    texts = [n for n in predictor.read.numeric if n in table and table[n].holds == "category"]
    numeric = [name for name in texts if any(map(is_number, coded(table.frame[name])[1]))]
    table, _ = read_as_asked(table, numeric, (), [each for each in missing if each[0] in table])
    return plain_columns(table, known)


def new_in_words(rows: int, with_new: int, new: Mapping[str, int]) -> str:
    """Return how many rows there are, and in how many, and in which columns, something is new."""
    most = sorted(new.items(), key=lambda one: -one[1])
    told = [f"{name} ({n:,})" for name, n in most[:_MOST_TOLD]]
    told += [counted(len(most) - len(told), "more column")] * (len(most) > len(told))
    columns = f": {listed(told)}" if told else ""
    return f"{counted(rows, 'row')}, {with_new:,} with something new to the predictor{columns}"


def plain_columns(table: Table, known: Mapping[str, set[str]] | None = None) -> Columns:
    """Return what reads columns of a table, each once.

    Where all texts ``known`` of a column are numbers, or truth values, in their usual form, others
    are taken as in it, 1.0 and TRUE as 1 and True: in files of these alone they are the same.
    """

    @cache
    def read(name: str, kind: Kind) -> Values:
        if name not in table:
            return lacking_part(name, kind, read)
        found = _values(table[name], kind, (known or {}).get(name, set()))
        if known is not None and kind == "category" and "" not in known.get(name, ()):
            found[found == ""] = None  # as in files
        return found

    return read


def _values(column: Column, kind: Kind, known: set[str]) -> Values:
    if kind == "category":
        codes, names = coded(column.series)
        if known and all(map(_is_usual, known)):
            names = _as_in(known, names)
        if is_bool_dtype(column.series):
            names = np.array([as_known(name, known) for name in names], dtype=object)
        return np.array([*names, None], dtype=object)[codes]
    if column.missing.all():
        return np.full(len(column), np.nan if kind == "number" else np.datetime64("NaT", "us"))
    if column.holds != kind:
        codes, names = coded(column.series)
        is_right = is_number if kind == "number" else is_date_or_time
        odd = np.array([*(not is_right(name) for name in names), False])[codes]
        raise _other_kind(column, kind, odd if odd.any() else ~column.missing)
    if kind == "number":
        column.check_finite()
        return column.numbers
    if in_doubt(column.series):
        about = {"column": column.name, **first_cell(column.series, ~column.missing)}
        raise InputError("saved.date", _IN_DOUBT, **about)
    moments, short = column.dates.to_numpy(), without_century(column.series)
    odd = short if short.any() else np.isnat(moments) & ~column.missing
    if odd.any():
        raise _other_kind(column, kind, odd)
    return moments


def _other_kind(column: Column, kind: Kind, where: BoolArray) -> InputError:
    return other_kind(column.name, kind, **first_cell(column.series, where))


def _as_in(known: set[str], names: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return texts as known ones are written; words for missing values among numbers are none."""
    are_numbers = all(map(is_number, known))
    made = [
        None if are_numbers and USUAL.has(name) else of if (of := _usual(name)) in known else name
        for name in names.tolist()
    ]
    return np.array(made, dtype=object)


def _is_usual(text: str) -> bool:
    return text == _usual(text) and (text in _TRUTH.values() or is_number(text))


def _usual(text: str) -> str:
    """Return a number, or a truth value, in its usual form, and all else as it is."""
    try:
        number = float(text)
    except ValueError:
        return _TRUTH.get(text.lower(), text)
    return level_name(number) if abs(number) < EXACT else text
