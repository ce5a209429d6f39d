"""Tables packed with gzip or in a zip archive of a single file."""

import gzip
import io
import re
import struct
import zipfile
import zlib
from pathlib import Path

from ...errors import InputError
from ..bounds import Bounds
from .excel import is_workbook

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
_EMPTY_ZIP_MAGIC = b"PK\x05\x06"
_LITTER = re.compile(r"__MACOSX/|(?s:.*)\.DS_Store\Z")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those of all zip programs; others may ask for gigabytes to unpack a byte."""

_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, OSError, EOFError)
"""What the standard library raises over damaged archives."""


def unpacked(content: bytes, file: Path, bounds: Bounds) -> bytes:
    """Return the content of the one file packed in ``content``, or what is not packed as it is."""
    unpacked = content
    try:
        if content.startswith(GZIP_MAGIC):
            with gzip.open(io.BytesIO(content)) as packed:
                unpacked = bounds.read(packed, file)
        elif _is_zip(content):
            unpacked = _from_zip(content, file, bounds)
        is_nested = unpacked.startswith(GZIP_MAGIC) or _is_zip(unpacked)
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
    return content.startswith((ZIP_MAGIC, _EMPTY_ZIP_MAGIC)) and not is_workbook(content)


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
