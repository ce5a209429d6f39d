"""Folders of Parquet files, and other tables that stay where they are."""

import math
import os

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evencover.core import InputError
from evencover.core.tables.bounds import Bounds
from evencover.core.tables.fingerprint import folder_fingerprint
from evencover.core.tables.lazy import LazyTable

FRAME = pd.DataFrame({"a": [1.0, 2.0, None, 4.0], "b": ["x", "y", "x", None]})


def test_a_folder_s_files_are_one_table_in_the_order_of_their_names(tmp_path):
    (tmp_path / "below").mkdir()
    FRAME.iloc[2:].to_parquet(tmp_path / "below" / "z.parquet")
    FRAME.iloc[:2].to_parquet(tmp_path / "a.parquet")
    (tmp_path / "notes.txt").write_text("no table")
    table = LazyTable.of_folder(tmp_path, Bounds())
    assert table.names == ["a", "b"]
    assert table.collect()["a"].tolist()[:2] == [1.0, 2.0]
    assert table.count(sum=nw.col("a").sum()) == {"n": 4, "sum": 7.0}
    assert len(table.head(3)) == 3


def test_groups_have_their_number_of_rows_sums_and_least_values():
    table = LazyTable(nw.from_native(pl.from_pandas(FRAME).lazy()))
    number = table.number("a")
    groups = table.by({"key": table.value("b")}, {"sum": number}, {"least": number})
    found = groups.assign(key=groups["key"].fillna("none")).set_index("key").T.to_dict("list")
    assert found == {"x": [2, 1.0, 1.0], "y": [1, 2.0, 2.0], "none": [1, 4.0, 4.0]}


@pytest.mark.parametrize(
    ("files", "code"),
    [({}, "folder.empty"), ({"a.parquet": b"no Parquet"}, "folder.unreadable")],
)
def test_a_folder_of_no_use_is_told(tmp_path, files, code):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        LazyTable.of_folder(tmp_path, Bounds())
    assert refused.value.sentence.code == code


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_a_column_that_not_all_files_have_is_told(tmp_path, order):
    more, fewer = order
    FRAME.assign(d=1).to_parquet(tmp_path / f"{more}.parquet")
    FRAME.to_parquet(tmp_path / f"{fewer}.parquet")
    with pytest.raises(InputError, match=r"'d' is in only one of 'a\.parquet' and 'b\.parquet'"):
        LazyTable.of_folder(tmp_path, Bounds())


def of_files(folder, *columns):
    """Return a folder's table, with one column ``x`` of each file given."""
    for place, column in enumerate(columns):
        pq.write_table(pa.table({"x": column}), folder / f"{place}.parquet")
    return LazyTable.of_folder(folder, Bounds())


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ([pa.array([1, 2]), pa.array([2.5])], [1.0, 2.0, 2.5]),  # not cast to the first file's
        ([pa.array([1], pa.int8()), pa.array([300])], [1, 300]),
        ([pa.nulls(1), pa.array(["b"])], [None, "b"]),  # nothing is of any type
        ([pa.array(["a"]), pa.array(["b"]).dictionary_encode()], ["a", "b"]),
    ],
)
def test_types_of_files_that_are_kin_hold_the_values_of_all(tmp_path, columns, values):
    found = of_files(tmp_path, *columns).collect()["x"]
    assert found.astype(object).where(found.notna(), None).tolist() == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([1.5]), pa.array(["two"])),
        (pa.array(["1"]), pa.array([2])),  # 2 as text would be a code
        (pa.array([True]), pa.array([2])),
        (pa.array([1]).cast(pa.timestamp("s")), pa.array([1])),
    ],
)
def test_types_of_files_that_are_no_kin_are_told(tmp_path, one, other):
    with pytest.raises(InputError, match=r"'1\.parquet' and the files before it differ .*Field x"):
        of_files(tmp_path, one, other)


def test_times_are_by_the_clock_that_the_files_name(tmp_path):
    times = pd.Series(["2024-01-01 23:30", "2024-07-01 23:30"])
    at_berlin = pa.array(times.astype("datetime64[us]").dt.tz_localize("Europe/Berlin"))
    table = of_files(tmp_path, at_berlin)
    assert table.collect()["x"].dt.strftime("%Y-%m-%d %H:%M").tolist() == times.tolist()
    assert [note.code for note in table.notes] == ["columns.offsets"]


@pytest.mark.parametrize("kind", ["folder", "a relation", "polars"])
def test_nan_is_missing_whatever_a_file_says_of_its_largest_value(tmp_path, kind):
    values = np.array([np.nan, 1.0, np.inf, 2.0])
    table = of_files(tmp_path, pa.array(values))
    file = str(tmp_path / "0.parquet")
    if kind == "a relation":
        connection = duckdb.connect()
        table = LazyTable(nw.from_native(connection.read_parquet(file)), connection=connection)
    elif kind == "polars":
        table = LazyTable(nw.from_native(pl.scan_parquet(file)))
    missing = table.missing("x")
    assert table.count(missing=missing.cast(nw.Int64).sum()) == {"n": 4, "missing": 1}
    assert table.where(~missing).collect()["x"].tolist() == [1.0, np.inf, 2.0]


def test_a_folder_s_sums_have_the_same_last_digit_every_time(tmp_path):
    numbers = np.random.default_rng(0).normal(size=(4, 250_000))
    folder = of_files(tmp_path, *numbers)
    sums = {folder.count(x=nw.col("x").sum())["x"] for _ in range(8)}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(math.fsum(numbers.ravel()), rel=1e-12)


def test_a_file_whose_name_is_no_text_is_told(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.parquet").rename(tmp_path / os.fsdecode(b"t\xe9.parquet"))
    with pytest.raises(InputError, match=r"holds 't\\udce9\.parquet', whose name is no UTF-8"):
        LazyTable.of_folder(tmp_path, Bounds())


def test_a_wide_folder_is_beyond_the_bounds(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="has 2 columns, more than the 1 that are read"):
        LazyTable.of_folder(tmp_path, Bounds(columns=1))


def test_a_folder_s_fingerprint_is_of_names_and_bytes(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    before = folder_fingerprint(tmp_path)
    assert before == folder_fingerprint(tmp_path)
    (tmp_path / "a.parquet").rename(tmp_path / "b.parquet")
    assert folder_fingerprint(tmp_path) != before


def test_the_first_rows_are_told_to_be_the_first():
    table = LazyTable(nw.from_native(pl.DataFrame({"x": range(50)}).lazy()))
    (note,) = table.head(20).notes
    assert note == "Only the first 20 rows are looked at here."
    assert (len(table.head(20)), table.head(60).notes) == (20, ())
