"""Columns and dates: what they are is decided by their values; none out of use is fetched."""

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
from evencover.core.preparation.encoding import NumberEncoder
from evencover.core.preparation.roles import columns_in_use
from evencover.core.report.audit import check
from evencover.core.scoring.columns import WEEKDAYS
from evencover.core.segments.binning import partition_column
from evencover.core.tables.columns import Column, as_levels, column_kind, first_cell, value_order
from evencover.core.tables.dates import date_parts, in_doubt, reads_as_dates, to_dates
from evencover.core.tables.reading import read_chosen
from evencover.core.tables.table import Table, with_date_parts


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


@pytest.mark.parametrize(
    ("values", "told"),
    [
        *(
            ([text], ["2014-10-13"])
            for text in (
                *("2014-10-13", "20141013", "20141013T000000"),
                *("13.10.2014", "13/10/2014", "10/13/2014"),
            )
        ),
        (["1.2.2014"], ["2014-02-01"]),
        (["2014-10-13 18:00"], ["2014-10-13 18:00"]),
        (["2014-10-13T23:30:00-01:00"], ["2014-10-13 23:30"]),
        (["2014-10-13 23:30:00 +0530"], ["2014-10-13 23:30"]),
        (["20141013T233000Z"], ["2014-10-13 23:30"]),
        # one value settles day and month for its column, but turns round no date of year first
        (["01/02/2014", "25/12/2014"], ["2014-02-01", "2014-12-25"]),
        (["2014-02-01", "13.12.2014", "20140203"], ["2014-02-01", "2014-12-13", "2014-02-03"]),
        (  # those written unlike the first are read all the same
            ["13.10.2014 18:00", "1.2.14", "3.4.2014 10:11:12.5", "31.13.2014"],
            ["2014-10-13 18:00", "2014-02-01", "2014-04-03 10:11:12.5", None],
        ),
    ],
)
def test_dates_are_read_as_they_are_meant(values, told):
    column = pd.Series([*values, None])
    assert reads_as_dates(column)
    assert in_doubt(column) == (None in told)  # a month 13 contradicts the others
    read = to_dates(column)
    assert read.dropna().tolist() == [pd.Timestamp(date) for date in told if date is not None]
    assert read.isna().tolist() == [date is None for date in [*told, None]]


@pytest.mark.parametrize(
    "values",
    [["01/02/2014", "03/04/2014"], ["13/10/2014", "10/13/2014"], ["10.13.2014", "1.2.2014"]],
)
def test_day_and_month_that_nothing_tells_apart_are_in_doubt(values):
    assert in_doubt(pd.Series(values))


def test_a_time_of_day_is_an_hour_alone_and_a_missing_date_has_one_indicator():
    column = Column.of(pd.Series([dt.time(18, 30), None, dt.time(6, 0)], name="t"))
    encoder = NumberEncoder().fit(column)
    assert encoder.names == ["t (hour)", "t (missing)"]
    assert encoder.describe().split(";")[0] == "hour"
    assert encoder.transform(column).tolist() == [[18.5, 0.0], [12.25, 1.0], [6.0, 0.0]]
    column = pd.Series(["2014-01-01", None, "2014-01-03"], name="d")
    encoder = NumberEncoder().fit(Column.of(column))
    assert encoder.names == ["d (days)", "d (month)", "d (weekday)", "d (hour)", "d (missing)"]
    encoded = encoder.transform(Column.of(column))
    assert encoded[:, 4].tolist() == [0.0, 1.0, 0.0]
    assert encoded[1, 0] == (encoded[0, 0] + encoded[2, 0]) / 2.0


@pytest.mark.parametrize(
    ("values", "names"),
    [
        *(
            (
                times,
                [
                    f"< {day}04:56:15",
                    f"{day}04:56:15 to {day}09:52:30",
                    f"{day}09:52:30 to {day}14:48:45",
                    f">= {day}14:48:45",
                ],
            )
            for day, times in (
                ("", [f"{i // 4:02}:{i % 4 * 15:02}" for i in range(80)]),
                ("", [dt.time(i // 4, i % 4 * 15) for i in range(80)]),
                ("2020-05-01 ", pd.date_range("2020-05-01", periods=80, freq="15min")),
            )
        ),
        (
            pd.date_range("2020-01-01", periods=40).astype(str),
            [
                *("< 2020-01-11", "2020-01-11 to 2020-01-21"),
                *("2020-01-21 to 2020-01-31", ">= 2020-01-31"),
            ],
        ),
    ],
)
def test_segments_of_dates_are_quartiles_of_the_training_days_or_of_the_time(values, names):
    partition = partition_column(Column.of(pd.Series(values, name="d")), np.arange(len(values)))
    assert partition.names == names
    assert np.bincount(partition.codes).tolist() == [len(values) // 4] * 4


def test_dates_may_be_of_any_century():
    column = pd.Series([f"{year:04}-12-31" for year in range(1, 9999, 200)], name="d")
    assert date_parts(to_dates(column))[0, 0] == -718798.0
    assert partition_column(Column.of(column), np.arange(50)).names[0] == "< 2451-12-31"


def test_days_are_parsed_as_dates_of_other_writings_are_and_gaps_stay():
    texts = ["2020-02-29", None, "2021-02-29", "1969-12-31", "2020-02-29"]
    days = pd.Series(texts, index=[7, 3, 1, 9, 8])
    slow = to_dates(days + " 00:00")
    assert to_dates(days).equals(slow)
    assert slow.isna().tolist() == [False, True, True, False, False]
    parts = [[18321.0, 2.0, 5.0, 0.0], [-1.0, 12.0, 2.0, 0.0]]  # a Saturday and a Wednesday
    assert date_parts(slow)[[0, 3]].tolist() == parts
    assert np.isnan(date_parts(slow)[[1, 2]]).all()


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_parts_of_dates_are_those_of_pandas(unit):
    seconds = np.random.default_rng(0).integers(-6_000_000_000, 6_000_000_000, 5000)
    dates = pd.Series(seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]"))
    clock = dates.dt.hour + dates.dt.minute / 60 + dates.dt.second / 3600
    expected = np.column_stack([seconds / 86400, dates.dt.month, dates.dt.day_of_week, clock])
    np.testing.assert_allclose(date_parts(dates), expected, rtol=0, atol=1e-9)


def made(texts, name="at", **others):
    return with_date_parts(Table.of(pd.DataFrame({name: texts, **others})), [name, *others])


def test_parts_are_those_of_the_calendar():
    # 29 February 2024 was a Thursday, 1 March a Friday
    table, parts = made(["2024-02-29 05:59:59", "2024-03-01 23:00", None])
    assert parts == ("at (hour)", "at (weekday)", "at (month)")
    assert table.names == ["at", *parts]
    hour, weekday, month = (table[part] for part in parts)
    assert (hour.kind, weekday.kind, month.kind) == ("number", "category", "number")
    assert hour.numbers[:2].tolist() == [5.0, 23.0]
    assert weekday.levels.tolist()[:2] == ["Thursday", "Friday"]
    assert month.numbers[:2].tolist() == [2.0, 3.0]
    assert all(column.missing.tolist() == [False, False, True] for column in (hour, weekday, month))


@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        (["2024-02-29", "2024-03-01"], ["weekday", "month"]),
        (["2024-03-04", "2024-03-11", "2024-03-18"], []),
        (["2024-03-04", "2024-03-05"], ["weekday"]),
        (["2024-03-04", "2024-04-01", None], ["month"]),
        (["08:30", "17:45"], ["hour"]),
        (["2024-03-04 08:15", "2024-03-04 08:45"], []),
        (["2024-03-04T23:00:00-05:00", "2024-03-04T01:00:00-05:00"], ["hour"]),
    ],
)
def test_a_part_is_there_if_it_varies(texts, parts):
    assert made(texts)[1] == tuple(f"at ({part})" for part in parts)


def test_a_name_that_is_taken_has_a_number_behind_it():
    table, parts = made(["08:30", "17:45"], **{"at (hour)": [1, 2]})
    assert parts == ("at (hour) (2)",)
    assert table["at (hour)"].numbers.tolist() == [1.0, 2.0]
    assert table["at (hour) (2)"].numbers.tolist() == [8.0, 17.0]


def test_dates_read_as_categories_have_no_parts():
    frame = pd.DataFrame({"at": ["2024-02-29", "2024-03-01"]})
    assert with_date_parts(Table.of(frame, ["at"]), ["at"])[1] == ()


def test_weekdays_are_in_their_order():
    days = [*WEEKDAYS, "9", "Feast", "monday"]
    assert sorted(sorted(days), key=value_order) == ["9", *WEEKDAYS, "Feast", "monday"]


def dated(rows=300):
    frame = pd.DataFrame({"at": pd.date_range("2024-01-01", periods=rows, freq="7h")})
    return frame.assign(y=np.random.default_rng(0).normal(size=rows))


@pytest.mark.parametrize(
    "options",
    [
        {"cohorts": (("night", "at (hour) < 6 and at (weekday) = Sunday"),)},
        {"pairs": (("at (hour)", "at (month)"),)},
        {"cuts": (("at (hour)", (6.0, 22.0)),)},
        {"reference": (("at (weekday)", "Monday"),)},
    ],
)
def test_segments_may_be_asked_for_by_a_part(options):
    roles = check(dated(), AuditSettings(target="y", **options)).roles
    assert (roles.features, roles.date_parts[0]) == (("at",), "at (hour)")


@pytest.mark.parametrize(
    "options",
    [
        *({"cohorts": (("night", rule),)} for rule in ("y (hour) < 6", "at (days) < 6")),
        *({o: ("at (hour)",)} for o in ("categorical", "numeric", "features", "audit_only")),
    ],
)
def test_a_part_that_is_none_or_no_feature_is_refused(options):
    with pytest.raises(InputError, match=r"there is no column '.* \((hour|days)\)'"):
        check(dated(), AuditSettings(target="y", **options))
