"""Reading a table, in whatever format it comes."""

from pathlib import Path

import pandas as pd

from .errors import InputError
from .formats import archives, delimited, excel, foreign, parquet


def read_table(path: Path) -> pd.DataFrame:
    """Read a table from a file; see :func:`parse_table` for the formats.

    Raises
    ------
    InputError
        If the file cannot be read or holds no usable table; the message names it.
    """
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder; name a file that holds a table") from None
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'; check the path") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror}") from None
    return parse_table(content, str(path))


def parse_table(content: bytes, name: str) -> pd.DataFrame:
    """Parse the bytes of a file called ``name``.

    CSV and its relatives, Parquet and the first sheet of an Excel workbook, as they are or
    packed with gzip or alone in a zip archive. What a file is, is decided by its content, not
    by its name.

    Raises
    ------
    InputError
        If the content is no usable table; the message names the file.
    """
    foreign.refuse_foreign(content, name)
    content = archives.unpacked(content, name)
    foreign.refuse_foreign(content, name)
    if not content.strip():
        raise InputError(f"'{name}' is empty; supply a table with a header and rows")
    frame = _parse(content, name)
    if frame.shape[1] <= 1:
        raise InputError(
            f"'{name}' has only one column; supply a label and at least one feature, separated "
            "by comma, semicolon or tab"
        )
    if frame.empty:
        raise InputError(f"'{name}' has a header but no rows; supply rows of data")
    return frame


def _parse(content: bytes, name: str) -> pd.DataFrame:
    if content.startswith(parquet.MAGIC):
        return parquet.parse_parquet(content, name)
    if content.startswith(archives.ZIP_MAGIC):
        return excel.parse_excel(content, name)
    return delimited.parse_delimited(content, name)
