"""Fingerprints of tables: a digest of a file's bytes, or of a frame's values."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Origin:
    """Where a table came from, its fingerprint, and how long it took to read.

    Without a fingerprint the table's values have one made, see :func:`rows_fingerprint`.
    """

    name: str = "table"
    fingerprint: str = ""
    read_seconds: float = 0.0

    def of(self, frame: pd.DataFrame) -> "Origin":
        """Return that of a table, with a fingerprint."""
        return self if self.fingerprint else replace(self, fingerprint=rows_fingerprint(frame))


UNNAMED = Origin()


def file_fingerprint(path: Path) -> str:
    """Return the SHA-256 of a file, which is read piece by piece."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def folder_fingerprint(folder: Path) -> str:
    """Return the SHA-256 of those of the Parquet files in and below a folder, in their order."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.parquet")):
        digest.update(f"{path.relative_to(folder)} {file_fingerprint(path)}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def bytes_fingerprint(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes, the same as :func:`file_fingerprint` of the file."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def rows_fingerprint(frame: pd.DataFrame) -> str:
    """Return a SHA-256 of a frame's values in their order, with columns' names and types.

    Numbers are taken as they are stored, other values as pandas hashes them; the index not at all.
    """
    digest = hashlib.sha256(f"{frame.shape}".encode())
    for name, column in frame.items():
        digest.update(f"{name!r}: {column.dtype}".encode(errors="backslashreplace"))
        digest.update(_values(column))
    return f"rows-sha256:{digest.hexdigest()}"


def _values(column: pd.Series) -> bytes:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy().tobytes()
    try:
        hashes = pd.util.hash_pandas_object(column, index=False)
    except TypeError:  # lists and the like have no hash
        hashes = pd.util.hash_pandas_object(column.map(repr), index=False)
    return hashes.to_numpy(dtype=np.uint64).tobytes()
