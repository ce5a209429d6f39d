"""Columns: what they are is decided by their values, and nothing is left out without a reason."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core.errors import InputError
from evencover.core.tables.columns import Column, as_levels, column_kind, first_cell, value_order

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

    def test_whole_numbers_beyond_floats_are_told(self):
        with pytest.raises(InputError, match="more than 300 digits"):
            _ = Column.of(named([10**400, 3], dtype=object)).numbers

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

    def test_missing_and_large_but_finite_numbers_pass(self):
        Column.of(named([np.nan, 1e100, -1e100])).check_finite()
