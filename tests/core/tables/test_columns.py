"""Columns: what they are is decided by their values; those that play no part are not fetched."""

import datetime as dt
import functools
import gzip
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import zipped

from evencover.core import AuditSettings, InputError, audit, read_table, to_json
from evencover.core.preparation.roles import columns_in_use
from evencover.core.tables.columns import Column, as_levels, column_kind, first_cell, value_order
from evencover.core.tables.reading import read_chosen

N = 60


def named(values, name="x", **kwargs):
    return pd.Series(values, name=name, **kwargs)


NUMERIC = ("int8", "int64", "uint64", "float32", "float64", "Int64", "UInt8", "Float64", "Int32")


@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        *(([1, 2, 3], dtype, "number") for dtype in NUMERIC),
        # few values do not make a category of a number, nor do gaps or a day's digits
        *((values, None, "number") for values in ([0, 1] * 30, [1.0, 2.0] * 30, [7] * 60)),
        *(([1, None, 3], dtype, "number") for dtype in ("object", "Int64")),
        ([Decimal("1.50"), None, Decimal(3)], object, "number"),
        ([20141013, 20150225], None, "number"),
        *((["a", "b", None], dtype, "category") for dtype in ("str", "string", object, "category")),
        *(([True, False], dtype, "category") for dtype in ("bool", "boolean", object)),
        *(([True, None, False], dtype, "category") for dtype in ("boolean", object)),
        ([1, 2, 1], "category", "category"),
        ([None, None], object, "category"),
        # text that reads as dates, and that does not
        (["20141013T000000", "20150225T000000"], object, "date"),
        (["2014-10-13", "2015-02-25"], object, "date"),
        (["2014-10-13 08:15:00", "2015-02-25T09:00Z"], object, "date"),
        (["2014/1/3", None], object, "date"),
        (["13.10.2014", "1.2.15"], object, "date"),
        (["10/13/2014", "02/25/2015"], object, "date"),
        ([" 2014-10-13 ", "2015-02-25"], object, "date"),
        (["20141013", "20150225"], object, "date"),
        (["2014-10-13", "soon"], object, "category"),
        (["1.5", "2.5"], object, "category"),
        (["98178", "98125"], object, "category"),
        *(([text], object, "category") for text in ("30000101", "12-3", "v1.2.3")),
        (pd.date_range("2020", periods=3), None, "date"),
        (pd.date_range("2020", periods=3, tz="UTC"), None, "date"),
        (pd.period_range("2020", periods=3), None, "date"),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2), None], None, "date"),
        ([dt.time(1), dt.time(2), dt.time(3)], None, "date"),
        *(([[1], [2]], None, "unsupported"), ([{"a": 1}, {}], None, "unsupported")),
        *(([b"x", b"y"], None, "unsupported"), ([1, "1"], None, "unsupported")),
        ([1j, 2j], None, "unsupported"),
    ],
)
def test_the_kind_of_a_column(values, dtype, kind):
    assert column_kind(named(values, dtype=dtype)) == kind


class TestValues:
    @pytest.mark.parametrize(
        ("values", "dtype"),
        [
            *(([1, None, 3], dtype) for dtype in ("float64", "Int64", "Float64", object)),
            ([Decimal(1), Decimal("NaN"), Decimal(3)], object),
        ],
    )
    def test_missing_numbers_are_nan(self, values, dtype):
        numbers = Column.of(named(values, dtype=dtype)).numbers
        assert np.isnan(numbers).tolist() == [False, True, False]
        assert np.nansum(numbers) == 4.0

    def test_whole_numbers_beyond_64_bits_are_numbers(self):
        assert Column.of(named([10**20, 3], dtype=object)).numbers.tolist() == [1e20, 3.0]

    @pytest.mark.parametrize(
        ("values", "levels"),
        [
            ([3.0, 3.5], ["3", "3.5"]),
            ([3, 4], ["3", "4"]),
            ([np.float32(2.0), np.float32(0.5)], ["2", "0.5"]),
            ([True, False], ["True", "False"]),
            (["3.0", "x"], ["3.0", "x"]),
            ([-0.0, 1e20], ["0", "100000000000000000000"]),
            ([np.inf, 1.0], ["inf", "1"]),
        ],
    )
    def test_levels_read_as_a_person_writes_them(self, values, levels):
        assert as_levels(named(values)).tolist() == levels

    @pytest.mark.parametrize("dtype", ["float64", "Int64", "object", "category", "string"])
    def test_missing_levels_stay_missing(self, dtype):
        values = ["1", None] if dtype == "string" else [1, None]
        levels = as_levels(named(values, dtype=dtype))
        assert levels.iloc[0] == "1"
        assert levels.isna().tolist() == [False, True]

    def test_levels_keep_rows_and_name(self):
        levels = as_levels(pd.Series([2.0, 1.0], index=[5, 3], name="k"))
        assert (levels.to_dict(), levels.name) == ({5: "2", 3: "1"}, "k")

    def test_numbers_come_by_value_and_before_text(self):
        levels = ["b", "10", "9", "-1", "a", "1e1", "2.5"]
        assert sorted(levels, key=value_order) == ["-1", "2.5", "9", "10", "1e1", "a", "b"]

    @given(
        st.lists(st.one_of(st.integers(), st.floats(allow_nan=False), st.text(max_size=4)).map(str))
    )
    def test_the_order_of_levels_does_not_depend_on_how_they_come(self, levels):
        one, other = sorted(levels, key=value_order), levels[::-1]
        assert sorted(other, key=value_order) == one

    def test_rows_are_counted_from_one_below_the_header(self):
        column = pd.Series([1, 2, 3], index=[0, 4, 7])
        assert [first_cell(column, column == v)["row"] for v in column] == [1, 5, 8]

    @pytest.mark.parametrize("value", [np.inf, -np.inf, 1e101, -1e200])
    def test_a_number_too_large_is_named_with_its_row(self, value):
        column = pd.Series([1.0, value], index=[0, 7], name="area")
        with pytest.raises(InputError, match=r"'area' holds .* in row 8, which is too large"):
            Column.of(column).check_finite()
        Column.of(named([np.nan, 1e100, -1e100])).check_finite()


NAMES = ["a", "b", "place", "unused", "y"]
NOT_UNUSED = ["a", "b", "place", "y"]


def draw(n=400):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["a", "b", "unused", "y"]).round(4)
    frame.insert(2, "place", rng.choice(["Ayr", "Bude"], n))
    return frame


def spoiled(path, column):
    """Overwrite a column's values where they are stored."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = group.column(pq.read_schema(path).names.index(column))
    first = chunk.dictionary_page_offset or chunk.data_page_offset
    content = bytearray(path.read_bytes())
    content[first : first + chunk.total_compressed_size] = b"\xee" * chunk.total_compressed_size
    path.write_bytes(content)


def audited(path, settings):
    frame, unread = read_chosen(path, functools.partial(columns_in_use, settings=settings))
    plain = to_json(audit(frame, settings, unread=unread))
    return {k: v for k, v in plain.items() if k not in ("seconds", "iterations")}, unread


@pytest.fixture
def path(tmp_path):
    draw().to_parquet(tmp_path / "t.parquet", index=False)
    return tmp_path / "t.parquet"


@pytest.mark.parametrize(
    ("options", "in_use"),
    [
        ({}, NAMES),
        ({"drop": ("unused",)}, NOT_UNUSED),
        ({"features": ("b", "a")}, ["a", "b", "y"]),
        ({"features": ("a",), "audit_only": ("place",)}, ["a", "place", "y"]),
        ({"features": ("a",), "group": "place"}, ["a", "place", "y"]),
        ({"features": ("a",), "time": "b"}, ["a", "b", "y"]),
        ({"features": ("a",), "split_column": "place", "drop": ("b",)}, ["a", "place", "y"]),
        ({"features": ("a",), "categorical": ("b",)}, ["a", "y"]),
    ],
)
def test_the_columns_in_use(options, in_use):
    assert columns_in_use(NAMES, AuditSettings(target="y", **options)) == in_use


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"drop": ("unusd",)}, "there is no column 'unusd'; did you mean 'unused'"),
        ({"features": ("place", "q")}, "there is no column 'q'; the columns are a, b, place"),
        ({"target": "z"}, "there is no column 'z'"),
        ({"drop": ("y",)}, "column 'y' is given as the label and as left out"),
    ],
)
def test_names_are_checked_before_anything_is_read(options, sentence, path):
    spoiled(path, "y")
    with pytest.raises(InputError, match=sentence):
        audited(path, AuditSettings(**{"target": "y"} | options))


@pytest.mark.parametrize("options", [{"drop": ("unused",)}, {"features": ("a", "b", "place")}])
@pytest.mark.long
def test_a_column_out_of_use_is_not_fetched(options, path):
    settings = AuditSettings(target="y", **options)
    whole = to_json(audit(read_table(path).frame, settings))
    spoiled(path, "unused")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(path)
    result, unread = audited(path, settings)
    assert unread == ["unused"]
    marks = [plain["data"].pop("fingerprint") for plain in (result, whole)]
    assert marks[0] != marks[1]  # of the columns that were read
    assert result == {name: whole[name] for name in result}
    dropped = [(row["column"], row["reason"]) for row in result["data"]["dropped"]]
    assert dropped == [(name, "left out as asked") for name in settings.drop]


@pytest.mark.parametrize("packed", [gzip.compress, lambda content: zipped({"t": content})])
def test_a_packed_file_is_parsed_in_part_as_well(packed, path):
    spoiled(path, "unused")
    path.write_bytes(packed(path.read_bytes()))
    table, unread = read_chosen(path, lambda names: [name for name in names if name != "unused"])
    pd.testing.assert_frame_equal(table.frame, draw()[NOT_UNUSED])
    assert unread == ["unused"]


def test_other_formats_are_read_whole(tmp_path):
    draw().to_csv(tmp_path / "t.csv", index=False)
    table, unread = read_chosen(tmp_path / "t.csv", lambda _: ["y"])
    assert table.names == NAMES
    assert unread == []


@pytest.mark.long
def test_repeats_know_of_unread_columns_too(path):
    settings = AuditSettings(target="y", drop=("unused",), repeats=2)
    frame, unread = read_chosen(path, functools.partial(columns_in_use, settings=settings))
    one, other = audit(read_table(path).frame, settings), audit(frame, settings, unread=unread)
    assert repr(one.repeats) == repr(other.repeats)
