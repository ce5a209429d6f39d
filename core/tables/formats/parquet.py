"""Tables in Parquet."""

from collections.abc import Callable
from pathlib import Path
from typing import IO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...errors import InputError
from ..bounds import Bounds
from . import clean_names

MAGIC = b"PAR1"

Choose = Callable[[list[str]], list[str]]
"""Of all the names of a table's columns, those of the columns to read."""

_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError)
"""What pyarrow raises over damaged files; out of memory, its exception is a MemoryError, too."""

_ROWS = 65_536


def parse_parquet(
    source: IO[bytes], file: Path, choose: Choose, bounds: Bounds
) -> tuple[pd.DataFrame, list[str]]:
    """Parse a Parquet file called ``file``; return its chosen columns, and the others' names.

    Only what is chosen is fetched from ``source``.
    """
    try:
        parquet = pq.ParquetFile(source)
        stored = parquet.schema_arrow.names
    except _DAMAGE:
        raise _damaged(file) from None
    bounds.check_extent(0, len(stored), file)
    names = clean_names(stored, file)
    chosen = set(choose(names))
    read = {old: new for old, new in zip(stored, names, strict=True) if new in chosen}
    bounds.check_extent(parquet.metadata.num_rows, len(read), file)
    try:
        table = _read(source, parquet.schema_arrow, list(read), file, bounds)
    except _DAMAGE:
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


def _read(
    source: IO[bytes], schema: pa.Schema, names: list[str], file: Path, bounds: Bounds
) -> pa.Table:
    """Return the named columns, texts decoded once their whole length is known to be bearable.

    A text that is stored once may be that of every row: the file says little about the room.
    """
    texts = [name for name in names if _is_text(schema.field(name).type)]
    parquet = pq.ParquetFile(source, read_dictionary=texts)
    pieces, size = [], 0
    for batch in parquet.iter_batches(_ROWS, columns=names):
        size += sum(map(_size, batch.columns))
        bounds.check_bytes(size, file)
        pieces.append(pa.Table.from_batches([batch]).select(names).cast(_chosen(schema, names)))
    return pa.concat_tables(pieces) if pieces else _chosen(schema, names).empty_table()


def _chosen(schema: pa.Schema, names: list[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


def _is_text(type_: pa.DataType) -> bool:
    return any(
        is_it(type_)
        for is_it in (
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_binary,
            pa.types.is_large_binary,
        )
    )


def _size(column: pa.Array) -> int:
    """Return the bytes that a column takes, of texts once they are decoded."""
    if not (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return pc.sum(lengths).as_py() or 0


def _damaged(file: Path) -> InputError:
    sentence = "'{file}' starts like a Parquet file but cannot be read; it may be cut short"
    return InputError("file.damaged", sentence, file=file)
