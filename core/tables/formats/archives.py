"""Tables packed with gzip or in a zip archive of a single file."""

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import IO

from ...errors import InputError
from .excel import is_workbook

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
_EMPTY_ZIP_MAGIC = b"PK\x05\x06"
_LITTER = re.compile(r"__MACOSX/|(?s:.*)\.DS_Store\Z")

LARGEST = 4 * 1024**3
"""Unpacked bytes beyond which an archive is refused: a few kilobytes can unpack to terabytes."""


def unpacked(content: bytes, file: Path) -> bytes:
    """Return the content of the one file packed in ``content``, or what is not packed as it is."""
    unpacked = content
    try:
        if content.startswith(GZIP_MAGIC):
            with gzip.open(io.BytesIO(content)) as packed:
                unpacked = _read(packed, file)
        elif _is_zip(content):
            unpacked = _from_zip(content, file)
        if unpacked is not content and (unpacked.startswith(GZIP_MAGIC) or _is_zip(unpacked)):
            sentence = "'{file}' is an archive within an archive; pack the table only once"
            raise InputError("file.nested_archive", sentence, file=file)
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError):
        sentence = "'{file}' is a damaged archive; pack it again"
        raise InputError("file.damaged", sentence, file=file) from None
    return unpacked


def _is_zip(content: bytes) -> bool:
    return content.startswith((ZIP_MAGIC, _EMPTY_ZIP_MAGIC)) and not is_workbook(content)


def _from_zip(content: bytes, file: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = [member for member in files if not _LITTER.match(member.filename)]
        if len(members) != 1:
            sentence = "'{file}' holds {count} files; pack just the one that is the table"
            raise InputError("file.several", sentence, file=file, count=len(members))
        try:
            with archive.open(members[0]) as packed:
                return _read(packed, file)
        except (RuntimeError, NotImplementedError):  # a password, or an unknown method
            sentence = "'{file}' is encrypted or packed in an unknown way; pack it as a plain zip"
            raise InputError("file.encrypted", sentence, file=file) from None


def _read(packed: gzip.GzipFile | IO[bytes], file: Path) -> bytes:
    content = packed.read(LARGEST + 1)
    if len(content) > LARGEST:
        sentence = "'{file}' unpacks to more than {most} GiB; split it"
        raise InputError("file.too_large", sentence, file=file, most=LARGEST // 1024**3)
    return content
