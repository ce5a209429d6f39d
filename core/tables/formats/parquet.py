"""Tables in Parquet."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...messages import InputError
from ..number_text import is_large
from ..text_values import Reading, Values
from . import Bounds, Parsed, clean_names, same_name, without_copies

MAGIC = b"PAR1"
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}

Choose = Callable[[list[str]], list[str]]
"""Of all the names of a table's columns, those of the columns to read."""

_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError)
"""What pyarrow raises over damaged files; out of memory, its exception is a MemoryError, too."""

_UNREPRESENTABLE = (pa.ArrowException, UnicodeDecodeError, ValueError, OverflowError)
"""What is raised over values that pandas, or Python, has no room for."""

_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
_ROWS = 65_536
_CELLS = 2**22  # of a piece, at most


def parse_parquet(
    source: IO[bytes], file: Path, bounds: Bounds, choose: Choose, reading: Reading
) -> Parsed:
    """Parse the chosen columns of a Parquet file called ``file``.

    Only what is chosen is fetched from ``source``. Missing values are stored as such, so that words
    for them count in categories only where a person names them.
    """
    try:
        parquet = pq.ParquetFile(source)
        stored = parquet.schema_arrow.names
    except _DAMAGE:
        raise _damaged(file) from None
    bounds.check_extent(0, len(stored), file)
    for name, times in Counter(stored).items():
        if times > 1:
            raise same_name(name, file)
    names, copies = clean_names(stored)
    chosen = set(choose([name for name in names if name not in copies]))
    chosen |= {copy for copy, original in copies.items() if original in chosen}
    read = {old: new for old, new in zip(stored, names, strict=True) if new in chosen}
    bounds.check_extent(parquet.metadata.num_rows, len(read), file)
    try:
        table = _read(source, parquet.schema_arrow, list(read), file, bounds)
    except _DAMAGE:
        raise _damaged(file) from None
    frame = _frame(table.rename_columns([*read.values()]), file)
    frame, notes = without_copies(frame, copies, file)
    values = _settled(frame, file, reading)
    unread = [name for name in names if name not in chosen and name not in copies]
    return Parsed(values.frame, [*notes, *values.notes], unread)


def _settled(frame: pd.DataFrame, file: Path, reading: Reading) -> Values:
    values = Values(frame, file, reading)
    values.settle(values.styles())
    values.finish(in_categories=reading.missing is not None)
    return values


def parse_in_pieces(
    file: Path, reading: Reading, schema: pa.Schema | None = None
) -> Iterator[tuple[Parsed, pa.Table]]:
    """Yield rows of a file: the columns that are to be of a kind, and all as they are stored.

    A schema is for what they are stored as in a file of several.
    """
    try:
        parquet = pq.ParquetFile(file)
        stored = parquet.schema_arrow if schema is None else schema
        names, copies = clean_names(stored.names)
        for name in copies.values():
            raise same_name(name, file)
        for batch in parquet.iter_batches(min(_ROWS, 1 + _CELLS // len(names))):
            rows = pa.Table.from_batches([batch]).select(stored.names).cast(stored)
            rows = rows.rename_columns(names)
            some = rows.select([name for name in names if name in (reading.kinds or names)])
            values = _settled(_frame(some, file), file, reading)
            yield Parsed(values.frame, values.notes), rows
    except _DAMAGE:
        raise _damaged(file) from None


def schema_of_all(files: Sequence[str], folder: Path) -> pa.Schema:
    """Return the columns of files in a folder, each of a type that holds what it is in all of them.

    Raises :class:`InputError` if one lacks a column, or has one of a type that is no kin.
    """
    about: dict[str, Any] = {"file": folder}
    first, *others = files
    schema = _stored(first)
    for file in others:
        own = _stored(file)
        lacking = {*schema.names} ^ {*own.names}
        if lacking:
            sentence = (
                "'{file}' cannot be read as one table: column '{column}' is in only one of '{one}' "
                "and '{other}'; give all files the same columns"
            )
            about |= {"column": min(lacking), "one": Path(first).name, "other": Path(file).name}
            raise InputError("folder.columns", sentence, **about)
        try:
            schema = pa.unify_schemas([schema, own], promote_options="permissive")
        except pa.ArrowTypeError as error:
            sentence = (
                "'{file}' cannot be read as one table: '{other}' and the files before it differ "
                "({problem}); give each column one type in all files"
            )
            about |= {"other": Path(file).name, "problem": error}
            raise InputError("folder.types", sentence, **about) from None
    return schema


def _stored(file: str) -> pa.Schema:
    """Return the columns of a file, categories as what they are of."""
    try:
        schema = pq.read_schema(file)
    except _DAMAGE:
        raise _damaged(Path(file)) from None
    plain = {
        field.name: field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        for field in schema
    }
    return pa.schema(plain.items())


def _frame(table: pa.Table, file: Path) -> pd.DataFrame:
    try:
        return frame_of_arrow(table)
    except MemoryError:  # which pyarrow's own is as well
        raise
    except _UNREPRESENTABLE:
        wrong = next(name for name in table.column_names if _fails(table.select([name])))
    sentence = (
        "column '{column}' of '{file}' holds text, dates or other values outside what can be "
        "represented; leave it out, or write the table anew as Parquet or CSV"
    )
    raise InputError("file.unrepresentable", sentence, file=file, column=wrong)


def frame_of_arrow(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table's values; whole numbers too large for floats stay whole."""
    table.validate(full=True)
    frame = table.to_pandas(ignore_metadata=True)
    large = {
        name: table[name].to_pandas(types_mapper=_NULLABLE.get)
        for name, column in frame.items()
        if table.schema.field(name).type in _NULLABLE and column.hasnans and is_large(column)
    }
    return pd.DataFrame({**frame, **large}) if large else frame


def _fails(table: pa.Table) -> bool:
    try:
        frame_of_arrow(table)
    except _UNREPRESENTABLE:
        return True
    return False


def _read(
    source: IO[bytes], schema: pa.Schema, names: list[str], file: Path, bounds: Bounds
) -> pa.Table:
    """Return the named columns, texts decoded once their whole length is known to be bearable.

    A text that is stored once may be that of every row: the file says little about the room.
    """
    chosen = pa.schema([schema.field(name) for name in names])
    texts = [field.name for field in chosen if field.type in _TEXTS]
    parquet = pq.ParquetFile(source, read_dictionary=texts)
    pieces, size = [], 0
    for batch in parquet.iter_batches(_ROWS, columns=names):
        size += sum(map(_size, batch.columns))
        bounds.check_bytes(size, file)
        pieces.append(pa.Table.from_batches([batch]).select(names).cast(chosen))
    return pa.concat_tables(pieces) if pieces else chosen.empty_table()


def _size(column: pa.Array) -> int:
    """Return the bytes that a column takes, of texts once they are decoded."""
    if not (pa.types.is_dictionary(column.type) and column.type.value_type in _TEXTS):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return pc.sum(lengths).as_py() or 0


def _damaged(file: Path) -> InputError:
    sentence = "'{file}' starts like a Parquet file but cannot be read; it may be cut short"
    return InputError("file.damaged", sentence, file=file)
