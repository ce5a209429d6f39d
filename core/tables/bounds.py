"""How much of a file is read at most: held to before the memory or the time for it is spent."""

import io
from collections.abc import Sized
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from typing import IO

import pandas as pd

from ..messages import InputError

MIB = 1024**2


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
            longest = max(len(str(name)), _longest(column))
            if longest > self.text:
                sentence = (
                    "column '{column}' of '{file}' holds a text of {count} characters, more than "
                    "the {most} that are read (is a closing quote missing?)"
                )
                raise _too_large(sentence, file, self.text, longest, column=str(name))


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
