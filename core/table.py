"""Reading a table from CSV or Parquet, whatever its delimiter and encoding."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from .errors import InputError

DELIMITERS = ",;\t"
_SNIFFED_RECORDS = 50
_SPACES = re.compile("^ +$", re.MULTILINE)
csv.field_size_limit(2**31 - 1)  # a cell may be a whole document
_PARQUET_MAGIC = b"PAR1"
_CONTROL_BYTES = frozenset(range(0x20)) - frozenset(b"\t\n\r\f\x1a")
_OTHER_FORMATS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
}


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV or Parquet file.

    Raises
    ------
    InputError
        If the file cannot be read or holds no usable table; the message names it.
    """
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder; name a CSV or Parquet file") from None
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'; check the path") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror}") from None
    return parse_table(content, str(path))


def parse_table(content: bytes, name: str) -> pd.DataFrame:
    """Parse the bytes of a CSV or Parquet file called ``name``.

    CSV may be separated by comma, semicolon or tab, and be encoded in UTF-8 (with or without
    byte order mark) or cp1252. What a file is, is decided by its content, not by its name.

    Raises
    ------
    InputError
        If the content is no usable table; the message names the file.
    """
    if not content.strip():
        raise InputError(_empty(name))
    if content.startswith(_PARQUET_MAGIC):
        frame = _parse_parquet(content, name)
    else:
        text = _decode(content, name)
        if not text.strip():
            raise InputError(_empty(name))
        frame = _parse_csv(text, name)
    _check_shape(frame, name)
    return frame


def _empty(name: str) -> str:
    return f"'{name}' is empty; supply a table with a header and rows"


def _parse_parquet(content: bytes, name: str) -> pd.DataFrame:
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        names = _clean_names(file.schema_arrow.names, name)
        table = file.read()
    except (pa.ArrowException, OSError):
        raise InputError(
            f"'{name}' starts like a Parquet file but cannot be read; it may be cut short"
        ) from None
    try:
        table.validate(full=True)
        frame: pd.DataFrame = table.rename_columns(names).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, UnicodeDecodeError, ValueError, OverflowError):
        raise InputError(
            f"'{name}' holds text, dates or other values outside what can be represented; write "
            "the table anew as Parquet or CSV"
        ) from None
    return frame


def _decode(content: bytes, name: str) -> str:
    for magic, what in _OTHER_FORMATS.items():
        if content.startswith(magic):
            raise InputError(f"'{name}' is {what}; save the table as CSV or Parquet")
    if not _CONTROL_BYTES.isdisjoint(content):
        raise InputError(
            f"'{name}' is not a text table (it holds binary data, or is encoded in UTF-16); "
            "save it as CSV in UTF-8"
        )
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
            return _SPACES.sub("", text)
        except UnicodeDecodeError:
            continue
    raise InputError(f"'{name}' is neither UTF-8 nor cp1252 text; save it as CSV in UTF-8")


def _parse_csv(text: str, name: str) -> pd.DataFrame:
    delimiter = _sniff_delimiter(text, name)
    records = _records(text, delimiter, name)
    _, header = next(records)
    names = _clean_names(header, name)
    for line, record in records:
        if len(record) != len(header) and record[len(header) :] != [""]:
            raise InputError(
                f"'{name}' has {len(record)} fields in line {line} but {len(header)} in its "
                "header; mend that line (is a delimiter or a quote missing?)"
            )
    try:
        return pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            skipinitialspace=True,
            index_col=False,
            header=0,
            names=names,
            usecols=range(len(names)),
            low_memory=False,
        )
    except pd.errors.ParserError:
        raise InputError(_unsplittable(name)) from None


def _unsplittable(name: str) -> str:
    return f"'{name}' cannot be split into fields; is a closing quote missing?"


def _records(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of every record that is not blank."""
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error:
        raise InputError(_unsplittable(name)) from None


def _sniff_delimiter(text: str, name: str) -> str:
    """Return the delimiter that splits the first records most evenly, then most finely."""

    def quality(delimiter: str) -> tuple[bool, int]:
        counts = [
            len(record)
            for _, (_, record) in zip(
                range(_SNIFFED_RECORDS), _records(text, delimiter, name), strict=False
            )
        ]
        return len(set(counts)) == 1 and counts[0] > 1, counts[0]

    return max(DELIMITERS, key=quality)


def _clean_names(names: list[str], name: str) -> list[str]:
    """Return the columns' names; one without a name, such as a saved index, is given one."""
    clean = [column.strip() for column in names]
    for position, column in enumerate(clean):
        if not column:
            clean[position] = _free_name(f"column {position + 1}", clean)
    for position, column in enumerate(clean):
        if column in clean[:position]:
            raise InputError(f"'{name}' has two columns called '{column}'; rename one")
    return clean


def _free_name(wanted: str, taken: list[str]) -> str:
    return wanted if wanted not in taken else _free_name(f"{wanted} (unnamed)", taken)


def _check_shape(frame: pd.DataFrame, name: str) -> None:
    if frame.shape[1] <= 1:
        raise InputError(
            f"'{name}' has only one column; supply a label and at least one feature, separated "
            "by comma, semicolon or tab"
        )
    if frame.empty:
        raise InputError(f"'{name}' has a header but no rows; supply rows of data")
