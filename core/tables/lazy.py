"""Tables that stay where they are: an engine counts their rows, and draws a sample of them."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..arrays import IndexArray
from ..messages import InputError, Passage, Sentence, is_unwritable, told_apart
from .dates import local_clock_notes
from .formats import Bounds
from .formats.parquet import frame_of_arrow, schema_of_all
from .table import Table, files_of_folder

MOST_IN_MEMORY = 1_000_000
"""Rows of ready-made outputs: more in one file of Parquet are counted where they are."""

_MIB = 1024  # of memory for DuckDB to read a folder; what does not fit it puts on the disk


def is_large_parquet(path: Path) -> bool:
    """Say whether a file is one of Parquet with more rows than are worth having in memory."""
    if path.suffix.lower() != ".parquet":
        return False
    with suppress(pa.ArrowException, OSError):  # reading it says what is wrong with it
        return bool(pq.read_metadata(path).num_rows > MOST_IN_MEMORY)
    return False


@dataclass(frozen=True, eq=False)
class LazyTable:
    """Rows of a database, a cluster or a folder of files, none of which is in memory."""

    frame: nw.LazyFrame[Any]
    name: str = "table"
    connection: object = None  # which DuckDB closes as soon as nobody holds it
    notes: tuple[Sentence, ...] = ()  # what was done in reading it

    @classmethod
    def of_folder(cls, folder: Path, bounds: Bounds) -> Self:
        """Return all rows of the Parquet files in and below a folder, in their names' order.

        A Parquet file stands for a folder with nothing else.
        """
        files = [*map(str, [folder] if folder.is_file() else files_of_folder(folder))]
        odd = next(filter(is_unwritable, files), None)
        if odd is not None:
            sentence = "folder '{file}' holds '{odd}', whose name is no UTF-8 text; rename it"
            raise InputError("folder.name", sentence, file=folder, odd=ascii(Path(odd).name)[1:-1])
        with engine_told(str(folder)):
            # several threads add in the order in which they happen to end: other last digits
            connection = duckdb.connect(config={"memory_limit": f"{_MIB}MiB", "threads": 1})
            connection.execute("SET enable_progress_bar = false")  # the command has its own
            # brackets make of each sign of a pattern itself; folders' names, too, are names alone
            names = [re.sub(r"([*?[])", r"[\1]", str(Path(name).absolute())) for name in files]
            rows = connection.read_parquet(names, union_by_name=True, hive_partitioning=False)
            stored = schema_of_all(files, folder)
            moments = [field for field in stored if pa.types.is_timestamp(field.type)]
            clocks = {field.name: field.type.tz for field in moments if field.type.tz is not None}
            rows = rows.select(*(_in_clock(name, clocks.get(name)) for name in stored.names))
        notes = local_clock_notes(name for name, clock in clocks.items() if clock != "UTC")
        made = cls(nw.from_native(rows), str(folder), connection, (*notes,))
        bounds.check_extent(0, len(made.names), folder)
        return made

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The types of the columns by their names."""
        return dict(self.frame.collect_schema())

    def __contains__(self, name: str) -> bool:
        return name in self.schema

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.schema)

    def of(self, names: Sequence[str]) -> Self:
        """Return the table with some of its columns alone."""
        return replace(self, frame=self.frame.select(*names))

    def where(self, condition: nw.Expr) -> Self:
        """Return some of the rows."""
        return replace(self, frame=self.frame.filter(condition))

    def number(self, name: str) -> nw.Expr:
        """Return a column of numbers; refused if it holds something else."""
        if not self.schema[name].is_numeric():
            sentence = "column '{column}' of '{file}' does not hold numbers; choose another"
            raise InputError("lazy.no_number", sentence, column=name, file=self.name)
        return nw.col(name).cast(nw.Float64)

    def missing(self, name: str) -> nw.Expr:
        """Say which values of a column are missing; of floats, NaN is."""
        column = nw.col(name)
        if not self.schema[name].is_float():
            return column.is_null()
        # not is_nan: DuckDB takes it for false of Parquet files whose largest value is a number,
        # where writers leave NaN out (its issue 25521)
        return column.is_null() | ~(column.is_finite() | (column.abs() == math.inf))

    def collect(self) -> pd.DataFrame:
        """Return all rows."""
        with engine_told(self.name):
            return _collected(self.frame)

    def head(self, rows: int = 10_000) -> Table:
        """Return the first rows, and a note where there are more."""
        table = Table.of(replace(self, frame=self.frame.head(rows)).collect())
        if len(table) < rows:
            return table
        note = Sentence("lazy.head", "Only the first {rows:,} rows are looked at here.", rows=rows)
        return replace(table, notes=(note, *table.notes))

    def count(self, **counted: nw.Expr) -> dict[str, float]:
        """Return some sums, counts or means over all rows, and their number as ``n``."""
        made = replace(self, frame=self.frame.select(nw.len().alias("n"), **counted))
        return {str(name): value for name, value in made.collect().iloc[0].items()}

    def value(self, name: str) -> nw.Expr:
        """Return a column to group by; categories as the text that they stand for."""
        is_named = isinstance(self.schema[name], nw.Categorical | nw.Enum)
        return nw.col(name).cast(nw.String) if is_named else nw.col(name)

    def by(
        self, keys: Mapping[str, nw.Expr], sums: Mapping[str, nw.Expr], least: Mapping[str, nw.Expr]
    ) -> pd.DataFrame:
        """Return a row for each meeting of keys: its number of rows ``n``, sums and least values.

        All are called as they are here, where no two have one name.
        """
        of_rows = {**keys, **sums, **least}
        rows = self.frame.select(*(each.alias(name) for name, each in of_rows.items()))
        found = rows.group_by(*keys).agg(
            nw.len().alias("n"),
            *(nw.col(name).sum() for name in sums),
            *(nw.col(name).min() for name in least),
        )
        return replace(self, frame=found).collect()

    def sample(self, n: int, size: int, seed: int) -> Table:
        """Return ``size`` of the n rows, drawn at random, in their order; all if they are no more.

        The same seed draws the same rows, whatever the engine, where it keeps the rows in order:
        DuckDB and Dask read files by their names. Spark has no order, and draws by itself.
        """
        if n <= size:
            return Table.of(self.collect())
        rng = np.random.default_rng(seed)
        places = np.sort(rng.choice(n, size, replace=False, shuffle=False))
        engine = self.frame.implementation
        if engine not in _SAMPLERS:
            sentence = (
                "rows cannot be drawn from a frame of {engine} where it is; give one of DuckDB, "
                "polars, Dask or Spark, or write it as Parquet"
            )
            raise InputError("lazy.engine", sentence, engine=str(engine))
        with engine_told(self.name):
            frame = _SAMPLERS[engine](self.frame.to_native(), places, n)
        drawn = Table.of(frame)
        index = places if len(frame) == len(places) else np.arange(len(frame))
        return replace(drawn, frame=drawn.frame.set_axis(index, axis="index"))


@contextmanager
def engine_told(name: str) -> Iterator[None]:
    """Refuse what DuckDB cannot read, in a sentence."""
    try:
        yield
    except duckdb.Error as error:
        sentence = "'{file}' cannot be read as one table: {problem}"
        about = {"file": Path(name), "problem": Passage(str(error).partition("\n")[0])}
        raise InputError("folder.unreadable", sentence, **about) from None


def _in_clock(name: str, clock: str | None) -> duckdb.Expression:
    """Return a column; times by the clock that the file names, as DuckDB goes by the machine's."""
    column = duckdb.ColumnExpression(name)
    if clock is None:
        return column
    local = duckdb.FunctionExpression("timezone", duckdb.ConstantExpression(clock), column)
    return local.alias(name)


def _collected(rows: nw.LazyFrame[Any]) -> pd.DataFrame:
    found = rows.collect("pyarrow")
    # Dask's, which are frames of pandas, bring an index with them
    return frame_of_arrow(found.select(*rows.collect_schema()).to_arrow())


def _of_duckdb(rows: Any, places: IndexArray, n: int) -> pd.DataFrame:  # noqa: ANN401, ARG001
    drawn = pa.table({"place": places})  # noqa: F841 - DuckDB finds it by its name
    number = told_apart(["place"], taken=rows.columns)[0].replace('"', "")
    found = rows.query(
        "rows_there",
        f'SELECT * EXCLUDE "{number}" FROM '  # noqa: S608 - no text of a person's
        f'(SELECT *, row_number() OVER () - 1 AS "{number}" FROM rows_there) '
        f'WHERE "{number}" IN (SELECT place FROM drawn) ORDER BY "{number}"',
    )
    return _collected(nw.from_native(found))


def _of_dask(rows: Any, places: IndexArray, n: int) -> pd.DataFrame:  # noqa: ANN401, ARG001
    from dask.base import compute  # noqa: PLC0415 - it is there where its frames are

    ends = np.cumsum(rows.map_partitions(len).compute())
    starts = np.concatenate([[0], ends[:-1]])
    inside = np.split(places, np.searchsorted(places, ends)[:-1])
    parts = zip(rows.to_delayed(), inside, starts, strict=True)
    found = [part.iloc[own - start] for part, own, start in parts if len(own)]
    drawn: pd.DataFrame = pd.concat(compute(*found), ignore_index=True)
    return drawn


def _of_polars(rows: Any, places: IndexArray, n: int) -> pd.DataFrame:  # noqa: ANN401, ARG001
    number = told_apart(["place"], taken=rows.collect_schema())[0]
    numbered = nw.from_native(rows.with_row_index(number))
    return _collected(numbered.filter(nw.col(number).is_in(places)).drop(number))


def _of_spark(rows: Any, places: IndexArray, n: int) -> pd.DataFrame:  # noqa: ANN401
    drawn = rows.sample(fraction=len(places) / n, seed=int(places[0]))
    return _collected(nw.from_native(drawn))


_SAMPLERS: dict[nw.Implementation, Callable[[Any, IndexArray, int], pd.DataFrame]] = {
    nw.Implementation.DUCKDB: _of_duckdb,
    nw.Implementation.DASK: _of_dask,
    nw.Implementation.POLARS: _of_polars,
    nw.Implementation.PYSPARK: _of_spark,
    nw.Implementation.PYSPARK_CONNECT: _of_spark,
}
"""What takes rows by their places, as no engine does by the same word."""
