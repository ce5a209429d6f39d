"""Tables in Excel workbooks."""

import io
import zipfile

import pandas as pd

from ..errors import InputError
from .names import clean_names

_MEMBER = "xl/workbook.xml"


def is_workbook(content: bytes) -> bool:
    """Say whether the content of a zip archive is a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return _MEMBER in archive.namelist()


def parse_excel(content: bytes, file: str) -> pd.DataFrame:
    """Parse the first sheet of a workbook called ``file``, its first row being the header.

    Raises
    ------
    InputError
        If it is damaged, or two columns have one name.
    """
    try:
        sheet = pd.read_excel(io.BytesIO(content), sheet_name=0, header=None, engine="openpyxl")
    except (ValueError, KeyError, zipfile.BadZipFile, SyntaxError):
        raise InputError(
            f"'{file}' is an Excel workbook that cannot be read; save the table as CSV"
        ) from None
    if sheet.empty:
        raise InputError(f"the first sheet of '{file}' is empty; put the table on it")
    header = ["" if pd.isna(name) else str(name) for name in sheet.iloc[0]]
    frame = sheet.iloc[1:].dropna(how="all").reset_index(drop=True)
    frame.columns = pd.Index(clean_names(header, file))
    return frame.infer_objects()
