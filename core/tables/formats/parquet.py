"""Tables in Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import IO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from . import clean_names

MAGIC = b"PAR1"

Choose = Callable[[list[str]], list[str]]
"""Of all the names of a table's columns, those of the columns to read."""


def parse_parquet(source: IO[bytes], file: Path, choose: Choose) -> tuple[pd.DataFrame, list[str]]:
    """Parse a Parquet file called ``file``; return its chosen columns, and the others' names.

    Only what is chosen is fetched from ``source``.
    """
    try:
        parquet = pq.ParquetFile(source)
        stored = parquet.schema_arrow.names
    except (pa.ArrowException, OSError):
        raise _damaged(file) from None
    names = clean_names(stored, file)
    chosen = set(choose(names))
    read = {old: new for old, new in zip(stored, names, strict=True) if new in chosen}
    try:
        table = parquet.read(columns=list(read)).select(list(read))
    except (pa.ArrowException, OSError):
        raise _damaged(file) from None
    try:
        table.validate(full=True)
        frame = table.rename_columns(list(read.values())).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, UnicodeDecodeError, ValueError, OverflowError):
        sentence = (
            "'{file}' holds text, dates or other values outside what can be represented; write the "
            "table anew as Parquet or CSV"
        )
        raise InputError("file.unrepresentable", sentence, file=file) from None
    return frame, [name for name in names if name not in chosen]


def _damaged(file: Path) -> InputError:
    sentence = "'{file}' starts like a Parquet file but cannot be read; it may be cut short"
    return InputError("file.damaged", sentence, file=file)
