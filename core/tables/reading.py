"""Reading a table, in whatever format it comes."""

import io
from pathlib import Path

import pandas as pd

from ..errors import InputError
from .formats import archives, delimited, excel, parquet
from .formats import unsupported as foreign
from .formats.parquet import Choose


def read_table(path: Path) -> pd.DataFrame:
    """Read a table from a file; see :func:`parse_table` for the formats.

    Raises :class:`InputError` if the file cannot be read or holds no usable table; the message
    names it.
    """
    return read_chosen(path, list)[0]


def read_chosen(path: Path, choose: Choose) -> tuple[pd.DataFrame, list[str]]:
    """Read the columns of a file that ``choose`` picks from all names; return the others' names.

    Only of Parquet; other formats cannot be read in part, and are read whole.

    Raises :class:`InputError` as :func:`read_table` does, and whatever ``choose`` raises.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(parquet.MAGIC)) == parquet.MAGIC:
                frame, unread = parquet.parse_parquet(file, path, choose)
                return _checked(frame, unread, path), unread
            file.seek(0)
            content = file.read()
    except IsADirectoryError:
        raise InputError(
            "file.folder", "'{file}' is a folder; name a file that holds a table", file=path
        ) from None
    except FileNotFoundError:
        raise InputError(
            "file.unknown", "there is no file '{file}'; check the path", file=path
        ) from None
    except OSError as error:
        sentence = "'{file}' cannot be read: {problem}"
        raise InputError("file.unreadable", sentence, file=path, problem=error.strerror) from None
    return _parse(content, path, choose)


def parse_table(content: bytes, name: str) -> pd.DataFrame:
    """Parse the bytes of a file called ``name``.

    CSV and its relatives, Parquet and the first sheet of an Excel or OpenDocument workbook, as
    they are or packed with gzip or alone in a zip archive. What a file is, is decided by its
    content, not by its name.

    Raises :class:`InputError` if the content is no usable table; the message names the file.
    """
    return _parse(content, Path(name), list)[0]


def _parse(content: bytes, file: Path, choose: Choose) -> tuple[pd.DataFrame, list[str]]:
    foreign.refuse_foreign(content, file)
    content = archives.unpacked(content, file)
    foreign.refuse_foreign(content, file)
    if not content.strip():
        raise InputError(
            "file.empty", "'{file}' is empty; supply a table with a header and rows", file=file
        )
    unread: list[str] = []
    if content.startswith(parquet.MAGIC):
        frame, unread = parquet.parse_parquet(io.BytesIO(content), file, choose)
    elif content.startswith((archives.ZIP_MAGIC, excel.OLD_MAGIC)):
        frame = excel.parse_excel(content, file)
    else:
        frame = delimited.parse_delimited(content, file)
    return _checked(frame, unread, file), unread


def _checked(frame: pd.DataFrame, unread: list[str], file: Path) -> pd.DataFrame:
    if frame.shape[1] + len(unread) <= 1:
        sentence = (
            "'{file}' has only one column; supply a label and at least one feature, separated by "
            "comma, semicolon or tab"
        )
        raise InputError("file.one_column", sentence, file=file)
    if frame.empty:
        raise InputError(
            "file.no_rows", "'{file}' has a header but no rows; supply rows of data", file=file
        )
    return frame
