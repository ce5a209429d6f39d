"""Tables in Parquet."""

from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from ...messages import Sentence
from ..missing import USUAL, MissingWords
from ..number_text import is_large
from ..text_values import Values
from . import clean_names, same_name, without_copies

MAGIC = b"PAR1"
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}

Choose = Callable[[list[str]], list[str]]
"""Of all the names of a table's columns, those of the columns to read."""


def parse_parquet(
    source: IO[bytes],
    file: Path,
    choose: Choose,
    words: MissingWords | None,
    numeric: Collection[str],
) -> tuple[pd.DataFrame, list[str], list[Sentence]]:
    """Parse a Parquet file called ``file``; return its chosen columns, the others' names, notes.

    Only what is chosen is fetched from ``source``. Missing values are stored as such, so that words
    for them count in categories only where ``words`` are given.
    """
    try:
        parquet = pq.ParquetFile(source)
        stored = parquet.schema_arrow.names
    except (pa.ArrowException, OSError):
        raise _damaged(file) from None
    for name, times in Counter(stored).items():
        if times > 1:
            raise same_name(name, file)
    names, copies = clean_names(stored)
    chosen = set(choose([name for name in names if name not in copies]))
    chosen |= {copy for copy, original in copies.items() if original in chosen}
    read = {old: new for old, new in zip(stored, names, strict=True) if new in chosen}
    try:
        table = parquet.read(columns=list(read)).select(list(read))
    except (pa.ArrowException, OSError):
        raise _damaged(file) from None
    frame, notes = without_copies(
        _frame(table.rename_columns([*read.values()]), file), copies, file
    )
    values = Values(frame, file, words or USUAL, numeric)
    values.settle(values.styles())
    values.finish(in_categories=words is not None)
    unread = [name for name in names if name not in chosen and name not in copies]
    return values.frame, unread, [*notes, *values.notes]


def _frame(table: pa.Table, file: Path) -> pd.DataFrame:
    try:
        table.validate(full=True)
        frame = table.to_pandas(ignore_metadata=True)
        large = {
            name: table[name].to_pandas(types_mapper=_NULLABLE.get)
            for name, column in frame.items()
            if table.schema.field(name).type in _NULLABLE and column.hasnans and is_large(column)
        }
    except (pa.ArrowException, UnicodeDecodeError, ValueError, OverflowError):
        sentence = (
            "'{file}' holds text, dates or other values outside what can be represented; write the "
            "table anew as Parquet or CSV"
        )
        raise InputError("file.unrepresentable", sentence, file=file) from None
    return pd.DataFrame({**frame, **large}) if large else frame


def _damaged(file: Path) -> InputError:
    sentence = "'{file}' starts like a Parquet file but cannot be read; it may be cut short"
    return InputError("file.damaged", sentence, file=file)
