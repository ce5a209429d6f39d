"""Values and files' names come through reading as they are, or what became of them is told."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evencover.core.tables.formats import Bounds
from evencover.core.tables.lazy import LazyTable
from evencover.core.tables.reading import parse_table
from evencover.core.tables.table import Table, files_of_folder

ODD = 2**53 + 1  # no float holds it


def of_text(*cells, delimiter=","):
    rows = "".join(f"{cell}{delimiter}{row}\n" for row, cell in enumerate(cells))
    return parse_table(f"a{delimiter}b\n{rows}".encode(), "rows.csv")


@pytest.mark.parametrize(
    ("cells", "delimiter", "read"),
    [
        ((f"{ODD}", "", f"{ODD + 2}"), ",", [ODD, None, ODD + 2]),
        ((f"{ODD}.0", "5.0", f"-{ODD}."), ",", [ODD, 5, -ODD]),
        ((f"{ODD}.00", "", f"{ODD + 2}"), ",", [ODD, None, ODD + 2]),
        (("9.007.199.254.740.993,0", "1.000"), ";", [ODD, 1000]),
        ((f"{2**64 + 1}.0", "", "-3"), ",", [2**64 + 1, None, -3]),
        (("0.5", "", "3.0"), ",", [0.5, None, 3.0]),
    ],
)
def test_whole_numbers_keep_their_digits_beside_gaps_and_points(cells, delimiter, read):
    found = of_text(*cells, delimiter=delimiter).frame["a"]
    assert [None if pd.isna(value) else value for value in found.tolist()] == read


@pytest.mark.parametrize("codes", [("030 123", "040 555"), ("0 123", "10 123")])
def test_numbers_in_groups_that_begin_with_zero_are_codes(codes):
    assert of_text(*codes)["a"].levels.tolist() == [*codes]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_values_that_differ_in_their_line_breaks_stay_apart(ends):
    values = ["x\r\ny", "x\ny", "x\ry", "x\n\ry", "x\u2028y"]
    rows = "".join(f'"{value}",{row}{ends}' for row, value in enumerate(values))
    table = parse_table(f"a,b{ends}{rows}".encode(), "rows.csv")
    assert table["a"].levels.tolist() == values


@pytest.mark.parametrize(
    ("moments", "is_told"),
    [
        (pd.Series(["2020-01-01 10:00:00.123456789"]), True),
        (pd.Series(["2020-01-01 10:00:00.123456000"]), False),
        (pd.Series(["10:00:00.1234567", "11:00:00"]), True),
        (pd.to_datetime(pd.Series(["2020-01-01 10:00:00.123456789"])), True),
        (pd.to_datetime(pd.Series(["2020-01-01 10:00:00.123456", None])), False),
    ],
)
def test_times_beyond_microseconds_are_told(moments, is_told):
    table = Table.of(pd.DataFrame({"a": moments}))
    assert table.kinds == {"a": "date"}
    assert ("columns.nanoseconds" in [note.code for note in table.notes]) == is_told


def test_files_in_a_folder_are_names_and_never_patterns(tmp_path):
    names = ["one.parquet", "*.parquet", "[o]ne.parquet", "q?.parquet", "qa.parquet"]
    names += ["BIG.PARQUET", "a=9/own.parquet", "p.parquet/part.parquet", "{one,qa}.parquet"]
    for number, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"a": [number]}), tmp_path / name)
    rows = LazyTable.of_folder(tmp_path, Bounds()).collect()
    in_order = [names.index(str(file.relative_to(tmp_path))) for file in files_of_folder(tmp_path)]
    assert rows["a"].tolist() == in_order
    assert sorted(in_order) == [*range(len(names))]
