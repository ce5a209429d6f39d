"""Folders of Parquet files, and other tables that stay where they are."""

import os

import narwhals as nw
import pandas as pd
import polars as pl
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
    [
        ({}, "folder.empty"),
        ({"a.parquet": b"no Parquet"}, "folder.unreadable"),
    ],
)
def test_a_folder_of_no_use_is_told(tmp_path, files, code):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        LazyTable.of_folder(tmp_path, Bounds())
    assert refused.value.sentence.code == code


def test_files_that_do_not_go_together_are_told(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    FRAME.rename(columns={"b": "c"}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="cannot be read as one table"):
        LazyTable.of_folder(tmp_path, Bounds()).collect()


def test_a_column_that_only_later_files_have_is_told(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    FRAME.assign(d=1).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"column 'd' is not in 'a\.parquet', but in another"):
        LazyTable.of_folder(tmp_path, Bounds())


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
    assert [str(note) for note in table.head(20).notes] == [
        "Only the first 20 rows are looked at here."
    ]
    assert (len(table.head(20)), table.head(60).notes) == (20, ())
