"""The file formats a table may come in, one file each; :mod:`..reading` chooses."""

from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pandas as pd

from ...messages import InputError, Names, Sentence, in_quotes, told_apart
from ..number_text import is_number

_COPIES = "Columns that are there twice under one name, with the same values, are one: {columns}."
_HEADER = (
    "The first row was taken for the names of the columns, though it looks like data ({names}); "
    "if it is, put a row of names above it."
)
_NAMED = 5
_HALF = 0.5


@dataclass(frozen=True)
class Parsed:
    """A frame read from a file, and what there is to say of how it was."""

    frame: pd.DataFrame
    notes: list[Sentence]
    unread: list[str] = field(default_factory=list)
    """Names of the columns that were not to be read."""
    sheets: tuple[str, ...] = ()
    """Those of its workbook, of which it is one."""


def clean_names(names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the columns' names, no two of them the same, and which are of copies of which.

    One without a name is given one.
    """
    clean = [name.strip() for name in names]
    nameless = [position for position, name in enumerate(clean) if not name]  # as a saved index
    given = told_apart([f"column {position + 1}" for position in nameless], taken=clean)
    for position, name in zip(nameless, given, strict=True):
        clean[position] = name
    apart = told_apart(clean)
    copies = {new: old for new, old in zip(apart, clean, strict=True) if new != old}
    return apart, copies


def without_copies(
    frame: pd.DataFrame, copies: dict[str, str], file: Path
) -> tuple[pd.DataFrame, list[Sentence]]:
    """Leave out columns that are exact copies of another of their name; others are refused."""
    for copy, original in copies.items():
        if not frame[copy].equals(frame[original]):
            raise same_name(original, file)
    if not copies:
        return frame, []
    columns = Names(dict.fromkeys(copies.values()))
    return frame.drop(columns=list(copies)), [Sentence("columns.copies", _COPIES, columns=columns)]


def same_name(column: str, file: Path) -> InputError:
    """Return the refusal of two columns of one name."""
    sentence = "'{file}' has two columns called '{column}'; rename one"
    return InputError("columns.same_name", sentence, file=file, column=column)


def header_notes(frame: pd.DataFrame) -> list[Sentence]:
    """Say so if the columns' names look like a row of data."""
    names = list(map(str, frame.columns))
    numbers = [name for name in names if is_number(name)]
    whole = [int(name) for name in numbers if name.isascii() and name.isdecimal()]
    steps = {after - before for before, after in pairwise(whole)}
    if not numbers:
        return []
    looks_so = len(numbers) == len(names) and (len(whole) < len(names) or len(steps) > 1)
    looks_so |= len(numbers) >= _HALF * len(names) and len(whole) < len(numbers)
    looks_so |= any((frame[name] == name).any() for name in names if frame[name].dtype == "str")
    named = in_quotes(names[:_NAMED])
    return [Sentence("header.data", _HEADER, names=named)] if looks_so else []
