"""Reading a table, in whatever format it comes."""

import gzip
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..messages import InputError, Sentence, first_of, in_quotes, lack_of_memory
from .dates import has_offsets, local_clock_notes
from .formats import Bounds, Parsed, delimited, excel, parquet, refuse_second_header
from .formats.parquet import Choose, frame_of_arrow
from .lazy import LazyTable
from .table import Table
from .text_values import Reading

_NOT_READ = ", which is not read; save the table as CSV or Parquet"
_REMEDIES = {
    rb"\xd0\xcf\x11\xe0(?s:.*)E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0": (
        "is a workbook with a password; save it without one"
    ),
    rb"PK\x03\x04(?s:.{26})mimetypeapplication/vnd\.oasis\.opendocument\.(?!spreadsheet)": (
        "is an OpenDocument file without a table; save the table as .ods or CSV"
    ),
    rb"BZh|\xfd7zXZ|7z\xbc\xaf|\x28\xb5\x2f\xfd|Rar!": (
        "is packed in a way that is not read; pack it with gzip or zip"
    ),
    rb"(\xef\xbb\xbf)?\s*<(?i:!doctype|html|head|body|table|!--|\?xml)": (
        "is a web page or XML, not a table; save the table itself as CSV"
    ),
    rb"(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*\"": "is JSON, not a table; save it as CSV or Parquet",
    rb"%PDF-": "is a PDF document, not a table; save the table itself as CSV",
    rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\0": f"is a Stata file (.dta){_NOT_READ}",
    rb"\$FL[23]": f"is an SPSS file (.sav){_NOT_READ}",
    rb"\0{12}\xc2\xea\x81\x60|HEADER RECORD\*{7}": f"is a SAS file{_NOT_READ}",
    rb"RD[AX][23]\n|X\n\0\0\0": f"is a file of R's own (.rds or .RData){_NOT_READ}",
    rb"ARROW1|FEA1": f"is an Arrow or Feather file{_NOT_READ}",
    rb"version https://git-lfs": (
        "only points to a file in Git LFS; fetch the file itself (git lfs pull)"
    ),
}
"""By their first bytes, files that are no tables, or of a format that is not read."""

_LAST = "The last row, {row}, holds the sums of the rows above it in {columns}, and is left out."
_TOTAL = re.compile(r"(grand |sub)?totals?|sums?|summe|(ins)?gesamt|somme|totale?", re.IGNORECASE)
_FEWEST_ROWS = 10  # of which one may be the sum of the others by accident
_UNREADABLE: dict[type[OSError], tuple[str, str]] = {
    IsADirectoryError: ("file.folder", "'{file}' is a folder; name a file that holds a table"),
    FileNotFoundError: ("file.unknown", "there is no file '{file}'; check the path"),
    OSError: ("file.unreadable", "'{file}' cannot be read: {problem}"),
}
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"
_EMPTY_ZIP_MAGIC = b"PK\x05\x06"
_LITTER = re.compile(r"__MACOSX/|(?s:.*)\.DS_Store\Z")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those of all zip programs; others may ask for gigabytes to unpack a byte."""

_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, EOFError)
"""What the standard library raises over damaged archives."""

AS_IT_IS = Reading()
BOUNDS = Bounds()


def read_table(path: str | Path, reading: Reading = AS_IT_IS, bounds: Bounds = BOUNDS) -> Table:
    """Read a table from a file; see :func:`parse_table` for the formats."""
    return read_chosen(Path(path), list, reading, bounds)[0]


def read_chosen(
    path: Path, choose: Choose, reading: Reading = AS_IT_IS, bounds: Bounds = BOUNDS
) -> tuple[Table, list[str]]:
    """Read the columns of a file that ``choose`` picks from all names; return the others' names.

    Only of Parquet; other formats cannot be read in part, and are read whole. Raises
    :class:`InputError` if the file holds no usable table, and whatever ``choose`` raises.
    """
    with told_of_file(path):
        parsed = parse_file(path, choose, reading, bounds)
        return _table(parsed, path, reading, bounds), parsed.unread


def parse_file(path: Path, choose: Choose, reading: Reading, bounds: Bounds) -> Parsed:
    """Parse the columns of a file that ``choose`` picks."""
    with path.open("rb") as file:
        if file.read(len(parquet.MAGIC)) == parquet.MAGIC:
            return _parse_parquet(file, path, choose, reading, bounds)
        file.seek(0)
        content = bounds.read(file, path)
    return _parse(content, path, choose, reading, bounds)


def is_in_text(start: bytes, file: Path) -> bool:
    """Say whether the first bytes of a file are a text's; refused if they are no table's."""
    _refuse_unsupported(start, file)
    others = (parquet.MAGIC, _GZIP_MAGIC, _ZIP_MAGIC, _EMPTY_ZIP_MAGIC, excel.OLD_MAGIC)
    return not start.startswith(others)


def parse_table(
    content: bytes, name: str, reading: Reading = AS_IT_IS, bounds: Bounds = BOUNDS
) -> Table:
    """Parse the bytes of a file called ``name``, or raise :class:`InputError`.

    CSV and its relatives, Parquet and a sheet of an Excel or OpenDocument workbook, as they are or
    packed with gzip or alone in a zip archive. The content decides what a file is, not its name.
    The table's notes say what was done on the way, and its sheets what else could be read.
    """
    file = Path(name)
    bounds.check_bytes(len(content), file)
    with told_of_file(file):
        return _table(_parse(content, file, list, reading, bounds), file, reading, bounds)


@contextmanager
def told_of_file(file: Path) -> Iterator[None]:
    """Refuse, in a sentence, a file that cannot be read, or takes too much memory."""
    try:
        yield
    except Exception as error:
        if lack_of_memory(error):  # which may look like damage
            sentence = "'{file}' takes more memory than there is; leave out what is not needed"
            raise InputError("file.too_large", sentence, file=file) from None
        if not isinstance(error, OSError):
            raise
        code, sentence = _UNREADABLE.get(type(error), _UNREADABLE[OSError])
        raise InputError(code, sentence, file=file, problem=error.strerror) from None


def _parse(content: bytes, file: Path, choose: Choose, reading: Reading, bounds: Bounds) -> Parsed:
    _refuse_unsupported(content, file)
    content = _unpacked(content, file, bounds)
    _refuse_unsupported(content, file)
    if content.startswith(parquet.MAGIC):
        return _parse_parquet(io.BytesIO(content), file, choose, reading, bounds)
    if content.startswith((_ZIP_MAGIC, excel.OLD_MAGIC)):
        _refuse_unserved(file, reading, "encoding")
        return excel.parse_excel(content, file, bounds, reading)
    _refuse_unserved(file, reading, "sheet")
    return delimited.parse_delimited(content, file, bounds, reading)


def _unpacked(content: bytes, file: Path, bounds: Bounds) -> bytes:
    """Return the content of the one file packed in ``content``, or what is not packed as it is."""
    unpacked = content
    try:
        if content.startswith(_GZIP_MAGIC):
            with gzip.open(io.BytesIO(content)) as packed:
                unpacked = bounds.read(packed, file)
        elif _is_zip(content):
            unpacked = _from_zip(content, file, bounds)
        is_nested = unpacked.startswith(_GZIP_MAGIC) or _is_zip(unpacked)
    except InputError:
        raise
    except _DAMAGE:
        sentence = "'{file}' is a damaged archive; pack it again"
        raise InputError("file.damaged", sentence, file=file) from None
    if is_nested:
        sentence = "'{file}' is an archive within an archive; pack the table only once"
        raise InputError("file.nested_archive", sentence, file=file)
    return unpacked


def _is_zip(content: bytes) -> bool:
    return content.startswith((_ZIP_MAGIC, _EMPTY_ZIP_MAGIC)) and not excel.is_workbook(content)


def _from_zip(content: bytes, file: Path, bounds: Bounds) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = [member for member in files if not _LITTER.match(member.filename)]
        if len(members) != 1:
            sentence = "'{file}' holds {count} files; pack just the one that is the table"
            raise InputError("file.several", sentence, file=file, count=len(members))
        try:
            if members[0].compress_type not in _METHODS:
                raise NotImplementedError
            with archive.open(members[0]) as packed:
                return bounds.read(packed, file)
        except RuntimeError:  # a password, or an unknown method or version: NotImplementedError
            sentence = (
                "'{file}' is encrypted, or packed in a way that is not read (stored and deflated "
                "files are); pack it as a plain zip"
            )
            raise InputError("file.encrypted", sentence, file=file) from None


def _parse_parquet(
    source: IO[bytes], file: Path, choose: Choose, reading: Reading, bounds: Bounds
) -> Parsed:
    _refuse_unserved(file, reading, "encoding", "sheet", "header")
    return parquet.parse_parquet(source, file, bounds, choose, reading)


def so_far_as_served(reading: Reading, file: Path) -> Reading:
    """Return how a table was read without what a file that is called so has not to choose."""
    ending = file.suffix.lower()
    if ending == ".parquet":
        return replace(reading, encoding=None, sheet=None, header=1)
    is_workbook = ending in (".xlsx", ".xlsm", ".xls", ".ods")
    return replace(reading, encoding=None) if is_workbook else replace(reading, sheet=None)


def _refuse_unserved(file: Path, reading: Reading, *choices: str) -> None:
    for what in choices:
        named = getattr(reading, what)
        if named != getattr(AS_IT_IS, what):
            sentence = "'{file}' has no {what} to choose, but '{named}' is named; leave it out"
            raise InputError("file.unserved", sentence, file=file, what=what, named=named)


def _refuse_unsupported(content: bytes, file: Path) -> None:
    for start, remedy in _REMEDIES.items():
        if re.match(start, content):
            raise InputError("file.unsupported", f"'{{file}}' {remedy}", file=file)


def _table(parsed: Parsed, file: Path, reading: Reading, bounds: Bounds) -> Table:
    """Return what was parsed as a table; refused if it is none, or too large."""
    frame = parsed.frame
    with excel.sheets_told(parsed.sheets):
        if frame.shape[1] + len(parsed.unread) <= 1:
            sentence = (
                "'{file}' has only one column; supply a label and at least one feature, separated "
                "by comma, semicolon or tab"
            )
            raise InputError("file.one_column", sentence, file=file)
        if frame.empty:
            sentence = "'{file}' has a header but no rows; supply rows of data"
            raise InputError("file.no_rows", sentence, file=file)
        bounds.check_texts(frame, file)
        refuse_second_header(frame, file, reading.header + 1)
        frame, total = _without_total(frame)
        table = Table.of(frame)
    dates = [name for name in table.names if table.kinds[name] == "date"]
    told = local_clock_notes(name for name in dates if has_offsets(table.frame[name]))
    return replace(table, notes=(*parsed.notes, *total, *table.notes, *told), sheets=parsed.sheets)


def _without_total(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Sentence]]:
    """Leave out a last row of sums of those above: all its numbers are, or it says so."""
    numbers = frame.select_dtypes("number", exclude="timedelta")
    last, above = numbers.iloc[-1].astype(float), numbers.iloc[:-1]
    are_sums = np.isclose(last, above.sum().astype(float))
    are_sums &= last.abs() > np.maximum(above.max(), -above.min()).astype(float)
    says = any(isinstance(v, str) and _TOTAL.fullmatch(v.strip()) for v in frame.iloc[-1])
    if len(frame) < _FEWEST_ROWS or not (are_sums.any() and (says or are_sums[last.notna()].all())):
        return frame, []
    columns = first_of(in_quotes(numbers.columns[are_sums].map(str)))
    return frame.iloc[:-1], [Sentence("rows.total", _LAST, row=len(frame), columns=columns)]


def as_table(frame: Any, name: str) -> pd.DataFrame | LazyTable:  # noqa: ANN401 - of any library
    """Return a frame, which an error calls ``name``; one that is not in memory stays where it is.

    An array of shape (n, d) has the columns x0, x1, ...; a mapping is of columns by their names.
    """
    if isinstance(frame, pd.DataFrame):
        named = frame.set_axis(frame.columns.map(str), axis="columns")  # also those of two levels
        return named.reset_index(drop=True)
    if isinstance(frame, Mapping):
        return pd.DataFrame(dict(frame)).rename(columns=str)
    if isinstance(frame, np.ndarray) and frame.ndim == 2:  # noqa: PLR2004 - rows and columns
        return pd.DataFrame(frame, columns=[f"x{place}" for place in range(frame.shape[1])])
    try:
        known = nw.from_native(frame)
    except TypeError:
        sentence = (
            "{argument} is of type {type}; give a data frame, such as of pandas, polars, pyarrow "
            "or duckdb, or an array of rows and columns; read_table(path).frame is that of a file"
        )
        about = {"argument": name, "type": type(frame).__name__}
        raise InputError("argument.no_frame", sentence, **about) from None
    return LazyTable(known) if isinstance(known, nw.LazyFrame) else frame_of_arrow(known.to_arrow())


def as_series(values: Any, name: str) -> pd.Series:  # noqa: ANN401 - of whatever library
    """Return n values, which an error calls ``name``, as a series; numbers stay numbers."""
    known = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(known, nw.Series):
        return known.to_pandas().reset_index(drop=True)
    if np.ndim(values) == 1 or (isinstance(values, list | tuple) and len(values)):
        return pd.Series(values if isinstance(values, np.ndarray) else list(values))
    sentence = (
        "{argument} is of type {type}; name a column of the frame, or give a value for each row"
    )
    about = {"argument": name, "type": type(values).__name__}
    raise InputError("argument.no_values", sentence, **about)
