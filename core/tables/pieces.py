"""A table's rows piece by piece, so that memory does not grow with the table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from ..messages import InputError, Sentence
from .formats import Bounds, Parsed, delimited, parquet
from .reading import is_in_text, parse_file, so_far_as_served, told_of_file
from .table import Table, files_of_folder
from .text_values import Reading

_START = 4096  # bytes, by which a file's format is told


@dataclass(frozen=True)
class Piece:
    """Some rows, which are numbered as in the whole table, and how they are stored in Parquet.

    Of a Parquet file the table has the columns that are to be of a kind alone.
    """

    table: Table
    stored: pa.Table | None
    notes: tuple[Sentence, ...]


def pieces_of(path: Path, reading: Reading, bounds: Bounds) -> Iterator[Piece]:
    """Yield the rows of a file, or of the Parquet files of a folder, in their order.

    ``reading`` says of which kinds columns are to be. A workbook or packed file is one piece.
    Raises :class:`InputError` if it holds no table.
    """
    at = 0
    for parsed, stored in _parts(path, reading, bounds):
        bounds.check_texts(parsed.frame, path)
        table, length = Table.of(parsed.frame), len(parsed.frame if stored is None else stored)
        frame = table.frame.set_axis(range(at, at + length), axis="index")
        if length:
            yield Piece(replace(table, frame=frame), stored, (*parsed.notes, *table.notes))
        at += length
    if at == 0:
        sentence = "'{file}' holds no rows; supply rows of data"
        raise InputError("file.no_rows", sentence, file=path)


def _parts(
    path: Path, reading: Reading, bounds: Bounds
) -> Iterator[tuple[Parsed, pa.Table | None]]:
    if path.is_dir():
        files = files_of_folder(path)
        schema = parquet.schema_of_all([*map(str, files)], path)
        for file in files:
            yield from parquet.parse_in_pieces(file, reading, schema)
        return
    with told_of_file(path):
        with path.open("rb") as source:
            start = source.read(_START)
        if start.startswith(parquet.MAGIC):
            yield from parquet.parse_in_pieces(path, reading)
        elif is_in_text(start, path):
            for parsed in delimited.parse_in_pieces(path, bounds, reading):
                yield parsed, None
        else:
            yield parse_file(path, list, so_far_as_served(reading, path), bounds), None
