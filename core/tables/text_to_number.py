"""Text columns read as numbers because a person asked for it."""

from collections.abc import Hashable, Iterable

import pandas as pd

from ..errors import InputError
from ..messages import Cell, Sentence
from .columns import as_levels, check_exists, column_kind, row_number
from .number_text import Style, are_codes, has_comma, is_number, known, style_of, to_numbers


def with_numbers(table: pd.DataFrame, columns: Iterable[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return a table with columns read as numbers, and a note on each in which some are none.

    Values that are no numbers become missing.

    Raises
    ------
    InputError
        If a column does not exist, or holds no numbers or doubtful ones.
    """
    notes: list[str] = []
    for name in columns:
        check_exists(list(table.columns), name)
        numbers = read_as_numbers(table[name])
        unreadable = numbers.isna() & table[name].notna()
        if unreadable.any():
            position = int(unreadable.to_numpy().argmax())
            notes.append(
                Sentence(
                    "column.no_numbers",
                    "Values of '{column}' that are no numbers, taken as missing: {count}, the "
                    "first of them '{value}' in row {row}.",
                    column=name,
                    count=int(unreadable.sum()),
                    value=Cell(table[name].iloc[position]),
                    row=row_number(table[name], position),
                )
            )
        table = table.assign(**{name: numbers})
    return table, notes


def read_as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as numbers; values that are none become missing.

    Raises
    ------
    InputError
        If none is a number, or it is in doubt which number a text means.
    """
    kind = column_kind(column)
    if kind == "number":
        return column
    if kind == "date":
        raise InputError(
            f"column '{column.name}' holds dates, which are read as numeric parts already; do not "
            "name it as numeric"
        )
    texts = as_levels(column)
    readable = pd.Series([v for v in known(texts).unique() if is_number(v)], dtype=str)
    if readable.empty:
        raise InputError(f"column '{column.name}' holds no numbers; do not name it as numeric")
    return to_numbers(texts.where(texts.isin(readable)), _certain_style(readable, column.name))


def _certain_style(numbers: pd.Series, column: Hashable) -> Style:
    style = style_of(numbers)
    if are_codes(numbers) or (style is Style.IN_DOUBT and not has_comma(numbers)):
        return Style.POINT
    if style is None or style is Style.IN_DOUBT:
        value = next(number for number in numbers if not number.isdecimal())
        raise InputError(
            f"column '{column}' holds numbers, such as '{value}', that can be read in two ways; "
            "write them with a decimal point, without other signs and thousands separators"
        )
    return style
