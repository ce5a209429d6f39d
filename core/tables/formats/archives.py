"""Tables packed with gzip or in a zip archive of a single file."""

import gzip
import io
import zipfile
import zlib
from typing import IO

from ...errors import InputError
from .excel import is_workbook

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
_EMPTY_ZIP_MAGIC = b"PK\x05\x06"

LARGEST = 4 * 1024**3
"""Unpacked bytes beyond which an archive is refused: a few kilobytes can unpack to terabytes."""


def unpacked(content: bytes, file: str) -> bytes:
    """Return the content of the file packed in ``content``, or what is not packed as it is.

    Raises
    ------
    InputError
        If the archive is damaged, holds other than one file, is encrypted or too large.
    """
    unpacked = content
    try:
        if content.startswith(GZIP_MAGIC):
            with gzip.open(io.BytesIO(content)) as packed:
                unpacked = _read(packed, file)
        elif _is_zip(content):
            unpacked = _from_zip(content, file)
        if unpacked is not content and (unpacked.startswith(GZIP_MAGIC) or _is_zip(unpacked)):
            raise InputError(f"'{file}' is an archive within an archive; pack the table only once")
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError):
        raise InputError(f"'{file}' is a damaged archive; pack it again") from None
    return unpacked


def _is_zip(content: bytes) -> bool:
    return content.startswith((ZIP_MAGIC, _EMPTY_ZIP_MAGIC)) and not is_workbook(content)


def _from_zip(content: bytes, file: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [m for m in archive.infolist() if not m.is_dir() and not _is_litter(m.filename)]
        if len(members) != 1:
            raise InputError(
                f"'{file}' holds {len(members)} files; pack just the one that is the table"
            )
        try:
            with archive.open(members[0]) as packed:
                return _read(packed, file)
        except (RuntimeError, NotImplementedError):  # a password, or an unknown method
            raise InputError(
                f"'{file}' is encrypted or packed in an unknown way; pack it as a plain zip"
            ) from None


def _is_litter(member: str) -> bool:
    return member.startswith("__MACOSX/") or member.endswith(".DS_Store")


def _read(packed: gzip.GzipFile | IO[bytes], file: str) -> bytes:
    content = packed.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise InputError(f"'{file}' unpacks to more than {LARGEST // 1024**3} GiB; split it")
    return content
