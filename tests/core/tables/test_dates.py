"""Dates: no month taken for a day, parts worked by hand, and what goes by them."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.encoding import NumberEncoder
from evencover.core.report.audit import check
from evencover.core.segments.binning import partition_column
from evencover.core.tables.columns import Column, value_order
from evencover.core.tables.dates import WEEKDAYS, date_parts, in_doubt, reads_as_dates, to_dates
from evencover.core.tables.table import Table, with_date_parts


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
            (times, ["< 04:56:15", "04:56:15 to 09:52:30", "09:52:30 to 14:48:45", ">= 14:48:45"])
            for times in (
                [f"{i // 4:02}:{i % 4 * 15:02}" for i in range(80)],
                [dt.time(i // 4, i % 4 * 15) for i in range(80)],
                pd.date_range("2020-05-01", periods=80, freq="15min"),
            )
        ),
        (
            pd.date_range("2020-01-01", periods=40).astype(str),
            [
                *("< 2020-01-10", "2020-01-10 to 2020-01-20"),
                *("2020-01-20 to 2020-01-30", ">= 2020-01-30"),
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
