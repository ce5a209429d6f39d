"""Bounds hold before memory or time are spent; any table ends in what it holds or a sentence."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import fuzzing
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from written import as_csv, as_excel, as_parquet, written, zipped

from evencover.core import InputError, parse_table, read_table
from evencover.core.tables.formats import Bounds
from evencover.core.tables.formats import excel as workbook

SMALL = Bounds(mib=1, columns=5, cells=20, text=10)


def far_workbook(cell):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B1"], book.active[cell] = "a", "b", 1
    return written(book.save)


@pytest.mark.parametrize("content_of", [as_csv, as_parquet, as_excel])
@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (pd.DataFrame({f"x{i}": [1] for i in range(6)}), "has 6 columns, more than the 5"),
        (pd.DataFrame({"a": range(12), "b": range(12)}), "cells, more than the 20"),
        (pd.DataFrame({"a": ["x" * 11], "b": [1]}), "holds a text of 11 characters"),
        (pd.DataFrame({"a" * 11: [1], "b": [1]}), "holds a text of 11 characters"),
    ],
    ids=["columns", "cells", "text", "name"],
)
def test_what_is_beyond_a_bound_is_refused(content_of, frame, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_table(content_of(frame), "t", bounds=SMALL)


@pytest.mark.parametrize(
    ("content_of", "reader", "lack"),
    [
        (as_csv, "pandas.read_csv", pd.errors.ParserError("C error: out of memory")),
        (as_csv, "pandas.read_csv", MemoryError()),
        (as_parquet, "pyarrow.parquet.ParquetFile", pa.ArrowMemoryError("malloc of size 8 failed")),
    ],
)
def test_a_healthy_file_is_not_called_damaged_for_want_of_memory(
    content_of, reader, lack, monkeypatch
):
    def failing(*_given, **_options):
        raise lack

    content = content_of(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))
    monkeypatch.setattr(reader, failing)
    with pytest.raises(InputError, match=r"^'t' takes more memory than there is; leave out"):
        parse_table(content, "t")


def test_names_are_no_longer_than_options_that_name_them():
    with pytest.raises(InputError, match="holds a text of 200001 characters, more than the 200000"):
        parse_table(as_csv(pd.DataFrame({"a" * 200_001: [1], "b": [1]})), "t")


@pytest.mark.parametrize("content_of", [as_csv, as_parquet, as_excel])
def test_what_is_within_the_bounds_is_read(content_of):
    frame = pd.DataFrame({"a": ["x" * 10, "y", "z"], "b": [1, 2, 3]})
    read = parse_table(content_of(frame), "t", bounds=SMALL).frame
    assert read.to_dict("list") == frame.to_dict("list")


def test_a_file_is_not_read_beyond_the_bound(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 500_000)
    with pytest.raises(InputError, match="is larger, perhaps once unpacked, than the 1 MiB"):
        read_table(path, bounds=SMALL)


def test_bytes_at_hand_are_counted_and_a_zip_bomb_is_not_unpacked():
    content = b"a,b\n" + b"1,2\n" * (2**18 - 1)
    assert len(content) == 2**20
    assert len(parse_table(content, "t", bounds=Bounds(mib=1)).frame) == 2**18 - 1
    with pytest.raises(InputError, match="than the 1 MiB that are read"):
        parse_table(content + b"3", "t", bounds=Bounds(mib=1))
    content = b"a,b\n" + b"1,2\n" * 500_000
    for bomb in (zipped({"t.csv": content}), gzip.compress(content)):
        with pytest.raises(InputError, match="than the 1 MiB that are read"):
            parse_table(bomb, "t", bounds=Bounds(mib=1))


def test_a_text_that_parquet_stores_once_for_all_rows_is_weighed_for_each():
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 300), pa.array(["x" * 10_000]))
    table = pa.table({"a": text.cast(pa.string()), "b": range(300)})
    content = as_parquet(table)
    assert len(content) < 100_000
    with pytest.raises(InputError, match="than the 1 MiB"):
        parse_table(content, "t", bounds=Bounds(mib=1))
    assert parse_table(content, "t", bounds=Bounds(mib=4)).frame["a"].str.len().eq(10_000).all()


def test_a_far_cell_of_a_workbook_is_no_reason_to_fill_the_memory():
    with pytest.raises(InputError, match="it takes more than 64 MiB of memory"):
        parse_table(far_workbook("XFD1048576"), "t", bounds=Bounds(mib=64))
    with pytest.raises(InputError, match="has 16384 columns"):
        parse_table(far_workbook("XFD2"), "t")
    assert parse_table(far_workbook("B9000"), "t").frame.to_dict("list")["b"][-1] == 1


ENDLESS = workbook._PROGRAM.read_text(encoding="utf-8").replace(
    "main(sys.stdin", "while True: pass\n        main(sys.stdin"
)


@pytest.mark.parametrize(
    ("text", "waiting"),
    [
        pytest.param(ENDLESS, 60, marks=pytest.mark.long),  # bounded on the processor
        ("import time; time.sleep(60)", 0.01),
    ],
)
def test_a_workbook_that_takes_for_ever_is_given_up(monkeypatch, tmp_path, text, waiting):
    program = tmp_path / "endless.py"
    program.write_text(text, encoding="utf-8")
    for name, value in {"_PROGRAM": program, "_SECONDS": 1, "_WAITING": waiting}.items():
        monkeypatch.setattr(workbook, name, value)
    with pytest.raises(InputError, match=r"it takes more than 1 s"):
        parse_table(far_workbook("B2"), "t")


@pytest.mark.parametrize(
    "value",
    [
        *("1" * 200_000 + "x", "1." * 100_000, "(" + "1,1" * 60_000, "-" * 200_000),
        *(" " * 200_000 + "x", "7" * 5000),
    ],
    ids=["digits", "points", "brackets", "signs", "blanks", "thousands of digits"],
)
def test_texts_that_would_take_for_ever_by_trial_and_error_are_read(value):
    content = f'a;b\n"{value}";1\n2;3\n'.encode()
    table = parse_table(content, "t")
    assert table.kinds["a"] == "category"


@pytest.mark.long
@pytest.mark.parametrize(
    "header",
    [",".join("" for _ in range(4_500)), ",".join(f"column {i}" for i in range(4_500, 2_250, -1))],
    ids=["nameless", "taken"],
)
def test_thousands_of_nameless_columns_are_named(header):
    header += "," * 2_000 if header[0] == "c" else ""
    table = parse_table(f"{header}\n{'1,' * header.count(',')}1\n".encode(), "t")
    assert len(set(table.names)) == header.count(",") + 1


def test_a_hundred_thousand_columns_are_refused():
    header = ",".join(f"x{i}" for i in range(100_000))
    content = "\n".join([header, *[",".join(["1"] * 100_000)] * 5]).encode()
    with pytest.raises(InputError, match="has 100000 columns, more than the 5000 that are read"):
        parse_table(content, "t")


FUZZ = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
FINE = {"read", "refused", "refused, damaged"}


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(i, i + 10), marks=[pytest.mark.long] * (i > 10)) for i in range(0, 40, 10)],
)
def test_a_table_is_read_as_it_was_written_or_refused(seeds):
    outcomes = {seed: fuzzing.look(seed, with_audit=False) for seed in seeds}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome not in FINE} == {}


def test_a_value_that_is_not_the_one_that_was_written_is_seen():
    drawn = next(d for d in map(fuzzing.draw, range(99)) if d.truth and d.name == "t.csv")
    table = parse_table(drawn.content, drawn.name)
    assert fuzzing.altered(table, drawn.truth) == []
    name = table.names[0]
    table.frame[name] = table.frame[name].iloc[::-1].to_numpy()
    assert fuzzing.altered(table, drawn.truth) == [name]


@pytest.mark.long
def test_two_hundred_tables_within_the_limits():
    command = [sys.executable, str(FUZZ), "--tables", "200", "--seed", "1000"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # noqa: S603 - our own
    assert json.loads(ended.stdout)["faults"] == {}
