"""Month, weekday and hour of dates as columns that segments and rules go by."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.report.audit import check
from evencover.core.tables.columns import value_order
from evencover.core.tables.dates import WEEKDAYS
from evencover.core.tables.table import Table, with_date_parts


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
        {"cohorts": (("night", "y (hour) < 6"),)},
        {"cohorts": (("night", "at (days) < 6"),)},
        {"categorical": ("at (hour)",)},
        {"numeric": ("at (hour)",)},
        {"features": ("at (hour)",)},
        {"audit_only": ("at (hour)",)},
    ],
)
def test_a_part_that_is_none_or_no_feature_is_refused(options):
    with pytest.raises(InputError, match=r"there is no column '.* \((hour|days)\)'"):
        check(dated(), AuditSettings(target="y", **options))
