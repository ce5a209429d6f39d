"""The command ``evencover predict``."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow.csv import CSVWriter
from pyarrow.parquet import ParquetWriter
from tqdm import tqdm

from evencover.core.messages import InputError, told_apart
from evencover.core.scoring import SavedPredictor
from evencover.core.tables.columns import as_levels
from evencover.core.tables.pieces import Piece, pieces_of
from evencover.core.tables.plain_columns import new_in_words, predicted, reading_for
from evencover.core.tables.table import ROUNDED

from ..export.writing import written_whole
from ..runs.server_settings import server_settings
from ..terminal import DONE
from ..terminal.console import Parser, say
from ..terminal.outputs import check_are_others, check_file, failed

_WRITERS: dict[str, Any] = {"csv": CSVWriter, "parquet": ParquetWriter}


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.description = (
        "Writes the rows of TABLE, in their order, with what a saved predictor says of each: "
        "prediction, lower and upper end or set, the group whose threshold was used, and how many "
        "values are new to it. TABLE is a CSV, Parquet, Excel or OpenDocument file, or a folder of "
        "Parquet files. Rows of text and Parquet are read piece by piece, in a few hundred MiB."
    )
    parser.set_defaults(run=run_predict)
    parser.add_argument("saved", metavar="SAVED", type=Path, help="what audit --save has written")
    parser.add_argument("table", metavar="TABLE", type=Path, help="a file, or a folder of Parquet")
    output = parser.add_mutually_exclusive_group(required=True)
    for kind in _WRITERS:
        help_ = f"write the rows as {kind.upper() if kind == 'csv' else 'Parquet'}"
        help_ += "; - for standard output"
        output.add_argument(f"--{kind}", type=Path, metavar="FILE", help=help_)
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")


def run_predict(options: argparse.Namespace) -> int:
    """Predict the rows, and write them."""
    kind = "csv" if options.parquet is None else "parquet"
    option, path = f"--{kind}", getattr(options, kind)
    read = {"is the table itself": options.table, "is the saved predictor": options.saved}
    is_printed = path == Path("-")
    if not is_printed:
        check_are_others([(option, path)], read)
        check_file(option, path)
    predictor, started = SavedPredictor.load(options.saved), time.perf_counter()
    bar: tqdm[Any] = tqdm(file=sys.stderr, disable=options.quiet, unit=" rows", delay=1.0)
    try:
        place = nullcontext(sys.stdout.buffer) if is_printed else written_whole(path)
        with bar, place as file:
            count, new, by_column = _write(predictor, options.table, kind, file, bar)
    except OSError as error:
        raise failed(path, error) from None
    if not options.quiet:
        rate = count / (time.perf_counter() - started)
        told = new_in_words(count, new, by_column)
        say(f"wrote {path}, {rate:,.0f} rows a second: {told}")
    return DONE


def _write(
    predictor: SavedPredictor, table: Path, kind: str, file: IO[bytes], bar: "tqdm[Any]"
) -> tuple[int, int, Counter[str]]:
    """Write all rows; return how many there are, and have something new, in all and by column."""
    count, new, by_column = 0, 0, Counter[str]()
    with ExitStack() as stack:
        for piece in pieces_of(table, reading_for(predictor), server_settings().bounds):
            said = predicted(predictor, piece.table)
            found = said.columns
            by_column.update(said.new)
            rows = _stored(piece, predictor.columns)
            names = told_apart([*rows.column_names, *found])[rows.num_columns :]
            for name, values in zip(names, found.values(), strict=True):
                rows = rows.append_column(name, pa.array(values, from_pandas=True))
            if count == 0:
                for note in piece.notes:  # others count the rows of a piece alone
                    if note.code in ("file.encoding_taken", ROUNDED) and not bar.disable:
                        say(note)
                schema = rows.schema.remove_metadata()
                _check_types(schema, kind)
                writer = stack.enter_context(_WRITERS[kind](file, schema))
            writer.write_table(rows.cast(schema))
            count, new = count + len(rows), new + int((found["new"] > 0).sum())
            bar.update(len(rows))
    return count, new, by_column


def _stored(piece: Piece, kinds: Mapping[str, str]) -> pa.Table:
    """Return all columns of rows, of the same types for every piece of a file."""
    if piece.stored is not None:
        return piece.stored
    frame, of = piece.table.frame, piece.table.kinds
    odd = {name: as_levels(frame[name]) for name, kind in of.items() if kind == "unsupported"}
    # which may be whole in some pieces, and missing in others
    numbers = {n: frame[n].astype(float) for n in of if kinds.get(n) == "number"}
    return pa.Table.from_pandas(frame.assign(**odd, **numbers), preserve_index=False)


def _check_types(schema: pa.Schema, kind: str) -> None:
    for field in schema:
        if kind == "csv" and pa.types.is_nested(field.type):
            sentence = "column '{column}' holds lists or the like, which CSV cannot; use --parquet"
            raise InputError("predict.nested", sentence, column=field.name)
