"""Folders of Parquet files, second tables brought to the rows of the first, and fingerprints."""

import errno
import hashlib
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

from evencover.core import AuditSettings, InputError, audit
from evencover.core.tables.formats import Bounds
from evencover.core.tables.lazy import LazyTable
from evencover.core.tables.table import (
    Origin,
    Table,
    bytes_fingerprint,
    file_fingerprint,
    folder_fingerprint,
    joined,
    rows_fingerprint,
)

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
    ("files", "code"), [({}, "folder.empty"), ({"a.parquet": b"no Parquet"}, "folder.unreadable")]
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


def test_a_folder_that_goes_while_it_is_looked_through_is_told(tmp_path, monkeypatch):
    def gone(*_):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(type(tmp_path), "rglob", gone)
    for read in (folder_fingerprint, lambda folder: LazyTable.of_folder(folder, Bounds())):
        with pytest.raises(InputError, match="cannot be read: No such file or directory"):
            read(tmp_path)


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


BIG = 2**53 + 1


def tables(**other):
    main = Table.of(pd.DataFrame({"key": [3, 1, 2, 1, 9], "x": [0.1, 0.2, 0.3, 0.4, 0.5]}))
    return main, Table.of(pd.DataFrame(other))


def test_columns_come_to_their_key_as_in_a_merge_as_text_and_as_numbers():
    main, other = tables(key=[1, 2, 3, 4], sex=["F", "M", "M", "F"], account=[BIG, 2, 3, 4])
    found = joined(main, other, "key", "who.csv")
    expected = main.frame.merge(other.frame.astype({"account": "Int64"}), on="key", how="left")
    pd.testing.assert_frame_equal(found.frame, expected, check_dtype=False)
    assert found.frame["account"][1] == BIG
    assert found.kinds == {"key": "number", "x": "number", "sex": "category", "account": "number"}
    main, other = tables(key=["1", "2 ", "3"], sex=["F", "M", "X"])
    assert joined(main, other, "key", "who.csv").frame["sex"].tolist()[:4] == ["X", "F", "M", "F"]


def test_what_is_unmet_unused_repeated_or_without_a_key_is_counted():
    keys = [1, 2, 2, 3, np.nan, 7, 8]
    main, other = tables(key=keys, sex=["F", "M", "M", "M", "F", "F", "F"])
    notes = joined(main, other, "key", "who.csv").notes
    assert [vars(note)["values"]["count"] for note in notes] == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("other", "code", "told"),
    [
        ({"key": [1, 2, 2], "sex": ["F", "M", "F"]}, "join.several", {"value": "2", "rows": 2}),
        ({"key": [11, 12], "sex": ["F", "M"]}, "join.no_key_met", {"one": "3", "other": "11"}),
        ({"key": [None, None], "sex": ["F", "M"]}, "join.no_key_met", {"other": "(missing)"}),
        ({"key": [1, 2], "x": [1, 2]}, "join.same_name", {"column": "x"}),
        ({"ky": [1, 2], "sex": ["F", "M"]}, "column.unknown", {"column": "key"}),
    ],
)
def test_what_cannot_be_joined_is_refused(other, code, told):
    main, second = tables(**other)
    with pytest.raises(InputError) as caught:
        joined(main, second, "key", "who.csv")
    assert caught.value.sentence.code == code
    assert told.items() <= vars(caught.value.sentence)["values"].items()


MIXED = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"]}).assign(
    c=pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
    d=[0.1, np.nan, np.inf],
    e=pd.Categorical(["p", "q", "p"]),
)


def test_a_file_s_is_that_of_its_bytes(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,2\n")
    expected = "sha256:" + hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert file_fingerprint(path) == bytes_fingerprint(b"a,b\n1,2\n") == expected


def test_the_same_rows_have_the_same():
    mark = rows_fingerprint(MIXED)
    assert mark == rows_fingerprint(MIXED.copy())
    assert mark == rows_fingerprint(MIXED.set_axis([7, 7, 9]))
    assert mark.startswith("rows-sha256:")


@pytest.mark.parametrize(
    "other",
    [
        MIXED.assign(a=[1, 2, 4]),
        MIXED.assign(a=[1.0, 2.0, 3.0]),
        MIXED.assign(b=["x", "", "y"]),
        MIXED.assign(d=[0.1, np.nan, -np.inf]),
        MIXED.rename(columns={"a": "A"}),
        MIXED[["b", "a", "c", "d", "e"]],
        MIXED.iloc[::-1],
        MIXED.head(2),
        MIXED.drop(columns="e"),
        MIXED.assign(e=MIXED["e"].astype(str)),
    ],
)
def test_other_rows_have_another(other):
    assert rows_fingerprint(other) != rows_fingerprint(MIXED)


def test_lists_and_two_columns_of_one_name_have_one_too():
    odd = pd.DataFrame({"a": [[1], [2]], "b": [{}, 3]})
    assert rows_fingerprint(odd) == rows_fingerprint(odd.copy())
    assert rows_fingerprint(odd) != rows_fingerprint(odd.assign(a=[[1], [3]]))
    twice = MIXED.set_axis(["a"] * 5, axis=1)
    assert rows_fingerprint(twice) == rows_fingerprint(twice.copy())


def test_a_result_tells_what_it_was_made_of():
    table = pd.DataFrame({"x": np.arange(90.0) % 7, "y": np.arange(90.0) % 13})
    settings = AuditSettings(target="y", task="regression", remedies=("none",))
    assert audit(table, settings).data.fingerprint == rows_fingerprint(table)
    assert audit(table, settings, origin=Origin("t", "sha256:0")).data.fingerprint == "sha256:0"
