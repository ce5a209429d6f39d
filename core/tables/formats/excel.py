"""Tables in the workbooks of Excel, old and new, and of OpenDocument."""

import io
import zipfile
from pathlib import Path

import pandas as pd
from pandas.io.parsers import TextParser  # type: ignore[attr-defined]

from ...errors import InputError
from ..bounds import Bounds
from ..columns import as_levels
from ..number_text import Style, doubt, known, style_of, to_numbers
from . import clean_names
from .workbook import read_sheet

_NUMBERS = ("integer", "floating", "mixed-integer-float")
OLD_MAGIC = b"\xd0\xcf\x11\xe0"
_MEMBERS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")


def is_workbook(content: bytes) -> bool:
    """Say whether the content of a zip archive is a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return any(member in archive.namelist() for member in _MEMBERS)


def parse_excel(content: bytes, file: Path, bounds: Bounds) -> pd.DataFrame:
    """Parse the first sheet of a workbook called ``file``, its first row being the header."""
    rows = read_sheet(content, file, bounds).rows
    parser = TextParser(rows or [[""]], header=None, skip_blank_lines=False)
    sheet: pd.DataFrame = parser.read().dropna(how="all")
    if sheet.empty:
        sentence = "the first sheet of '{file}' is empty; put the table on it"
        raise InputError("file.empty", sentence, file=file)
    header = ["" if pd.isna(name) else str(name) for name in sheet.iloc[0]]
    if header[0] and not any(header[1:]) and len(header) > 1:
        sentence = (
            "the first row of '{file}' names only one of {columns} columns; delete what stands "
            "above the names of the columns"
        )
        raise InputError("file.title_line", sentence, file=file, columns=len(header))
    frame = sheet.iloc[1:].reset_index(drop=True)
    frame.columns = pd.Index(clean_names(header, file))
    return frame.infer_objects().apply(_settled, file=file)


def _settled(column: pd.Series, file: Path) -> pd.Series:
    """Return a column of texts and other values as the others' kind, or else as text."""
    is_text = column.map(lambda value: isinstance(value, str)).astype(bool)
    if not is_text.any() or (is_text | column.isna()).all():
        return column
    texts = known(column[is_text])
    others = column.mask(is_text).infer_objects()
    if texts.empty:
        return others
    style = style_of(texts)
    if style is None or pd.api.types.infer_dtype(others, skipna=True) not in _NUMBERS:
        return as_levels(column)
    if style is Style.IN_DOUBT:
        raise doubt(texts, file)
    return others.astype(float).fillna(to_numbers(texts, style))
