"""Columns read as a person asks for: text as numbers, and numbers as codes."""

from collections.abc import Hashable, Iterable

import pandas as pd

from ..errors import InputError
from ..messages import Cell, Sentence
from .columns import Column, check_exists, quoted
from .number_text import Style, are_codes, is_number, known, style_of, to_numbers
from .table import Table

_NO_NUMBERS = (
    "Values of '{column}' that are no numbers, taken as missing: {count}, the first of them "
    "'{value}' in row {row}."
)


def read_as_asked(
    frame: pd.DataFrame | Table, numeric: Iterable[str], categorical: Iterable[str]
) -> tuple[Table, list[Sentence]]:
    """Return a table with columns read as numbers, and a note on each in which some are none.

    Raises :class:`InputError` if a column does not exist, or holds no numbers or doubtful ones.
    """
    table = Table.of(frame, frozenset(categorical))
    notes: list[Sentence] = []
    for name in numeric:
        check_exists(table.names, name)
        column = table[name]
        numbers = read_as_numbers(column)
        unreadable = numbers.missing & ~column.missing
        if unreadable.any():
            about = {"column": name, "count": int(unreadable.sum())}
            about |= quoted(column.series, int(unreadable.argmax()))
            notes.append(Sentence("column.no_numbers", _NO_NUMBERS, **about))
        table = table.with_column(numbers)
    return table, notes


def read_as_numbers(column: Column) -> Column:
    """Return a column as numbers, the rest missing; refused if none is one, or one is in doubt."""
    if column.holds == "number":
        return column
    if column.holds == "date":
        sentence = (
            "column '{column}' holds dates, which are read as numeric parts already; do not name "
            "it as numeric"
        )
        raise InputError("numeric.dates", sentence, column=column.name)
    texts = column.levels
    readable = pd.Series([v for v in known(texts).unique() if is_number(v)], dtype=str)
    if readable.empty:
        sentence = "column '{column}' holds no numbers; do not name it as numeric"
        raise InputError("numeric.none", sentence, column=column.name)
    style = _certain_style(readable, column.name)
    return Column.of(to_numbers(texts.where(texts.isin(readable)), style))


def _certain_style(numbers: pd.Series, column: Hashable) -> Style:
    style = style_of(numbers)
    if are_codes(numbers) or (style is Style.IN_DOUBT and not numbers.str.contains(",").any()):
        return Style.POINT
    if style is None or style is Style.IN_DOUBT:
        value = next(number for number in numbers if not number.isdecimal())
        sentence = (
            "column '{column}' holds numbers, such as '{value}', that can be read in two ways; "
            "write them with a decimal point, without other signs and thousands separators"
        )
        raise InputError("numeric.in_doubt", sentence, column=column, value=Cell(value))
    return style
