"""Files that are no tables, or tables of a format that is not read: told by name."""

import re
from pathlib import Path

from ...errors import InputError

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
    rb"version https://git-lfs": (
        "only points to a file in Git LFS; fetch the file itself (git lfs pull)"
    ),
}


def refuse_foreign(content: bytes, file: Path) -> None:
    """Raise :class:`InputError` if the content of a file is of a known kind that is not read."""
    for start, remedy in _REMEDIES.items():
        if re.match(start, content):
            raise InputError("file.unsupported", f"'{{file}}' {remedy}", file=file)
