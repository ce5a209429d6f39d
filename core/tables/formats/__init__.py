"""The file formats a table may come in, one file each, and how much of a file is read at most.

:mod:`..reading` chooses the format. Bounds are held to before memory or time is spent.
"""

import io
from collections.abc import Sized
from dataclasses import dataclass, field
from gzip import GzipFile
from itertools import pairwise
from pathlib import Path
from typing import IO

import pandas as pd

from ...messages import MOST_TEXT, InputError, Names, Sentence, in_quotes, told_apart
from ..number_text import Style, is_number

MIB = 1024**2

_COPIES = "Columns that are there twice under one name, with the same values, are one: {columns}."
_HEADER = (
    "The first row was taken for the names of the columns, though it looks like data ({names}); "
    "if it is, put a row of names above it."
)
_SECOND_HEADER = (
    "'{file}' holds {names} in row {row} where the rows below hold numbers; if these are the names "
    "of the columns, choose that row (--{choice} {row}), or else delete it"
)
_NAMED = 5
_FIRST_ROWS = 100
_HALF = 0.5
_TWO = 2


@dataclass(frozen=True)
class Parsed:
    """A frame read from a file, and what there is to say of how it was."""

    frame: pd.DataFrame
    notes: list[Sentence]
    unread: list[str] = field(default_factory=list)  # names of the columns that were not to be read
    sheets: tuple[str, ...] = ()  # those of its workbook, of which it is one
    commas: Style | None = None  # what those in doubt were taken for


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


def refuse_second_header(frame: pd.DataFrame, file: Path, row: int) -> None:
    """Raise :class:`InputError` if the first row, number ``row`` of a file, looks like names.

    It holds texts alone, all of them different, two of them above numbers.
    """
    first, below = frame.iloc[:1].to_numpy().ravel().tolist(), frame.iloc[1:_FIRST_ROWS]
    named = {value for value in first if isinstance(value, str) and not is_number(value)}
    if len(named) < len(frame.columns):
        return
    texts = [below[name].dropna().astype(str) for name in frame.columns]
    if sum(len(column) > 0 and all(map(is_number, column)) for column in texts) >= _TWO:
        about = {"names": in_quotes(first[:_NAMED]), "row": row, "choice": "header"}
        raise InputError("file.second_header", _SECOND_HEADER, file=file, **about)


@dataclass(frozen=True)
class Bounds:
    """What a table may take at most; whatever takes more is refused."""

    mib: int = 1024  # of a file, of what it unpacks to, and of memory while a workbook is read
    columns: int = 5_000
    cells: int = 100_000_000
    text: int = 10_000_000  # characters in one cell or name

    def read(self, source: IO[bytes] | GzipFile, file: Path) -> bytes:
        """Return all that ``source`` yields, read piece by piece, as its size may be a lie."""
        content = io.BytesIO()
        while piece := source.read(MIB):
            self.check_bytes(content.tell() + len(piece), file)
            content.write(piece)
        return content.getvalue()

    def check_bytes(self, count: int, file: Path) -> None:
        """Raise :class:`InputError` if ``file`` holds more bytes, packed or not, than may be."""
        if count > self.mib * MIB:
            sentence = (
                "'{file}' is larger, perhaps once unpacked, than the {most} MiB that are read"
            )
            raise _too_large(sentence, file, self.mib)

    def check_extent(self, rows: int, columns: int, file: Path) -> None:
        """Raise :class:`InputError` if a table is wider, or has more cells, than may be."""
        if columns > self.columns:
            sentence = "'{file}' has {count} columns, more than the {most} that are read"
            raise _too_large(sentence, file, self.columns, columns)
        if rows * columns > self.cells:
            sentence = "'{file}' has {count} cells, more than the {most} that are read"
            raise _too_large(sentence, file, self.cells, rows * columns)

    def check_texts(self, frame: pd.DataFrame, file: Path) -> None:
        """Raise :class:`InputError` if a name or a cell is longer than may be."""
        for name, column in frame.items():
            longest, most = _longest(column), self.text
            if len(str(name)) > (of_name := min(most, MOST_TEXT)):  # no option could name it
                longest, most = len(str(name)), of_name
            if longest > most:
                sentence = (
                    "column '{column}' of '{file}' holds a text of {count} characters, more than "
                    "the {most} that are read (is a closing quote missing?)"
                )
                raise _too_large(sentence, file, most, longest, column=str(name))


def _too_large(
    sentence: str, file: Path, most: int, count: int | None = None, **about: object
) -> InputError:
    advice = "; leave out what is not needed, or have the bound raised"
    return InputError(
        "file.too_large", sentence + advice, file=file, most=most, count=count, **about
    )


def _longest(column: pd.Series) -> int:
    if isinstance(column.dtype, pd.StringDtype):
        longest = column.str.len().max()
        return 0 if pd.isna(longest) else int(longest)
    if column.dtype == object:
        return max((len(value) for value in column if isinstance(value, Sized)), default=0)
    return 0
