"""Days to choose among are those that a calendar has, whatever a column holds."""

import datetime as dt

import pytest
from streamlit.testing.v1 import AppTest


def choose_days(low, high):
    import streamlit as st  # noqa: PLC0415 - a script of its own

    from evencover.core.exploration import ColumnValues  # noqa: PLC0415
    from evencover.dashboard.pages.cohorts import _choose  # noqa: PLC0415

    st.text(str(_choose("day", ColumnValues("date", [], low, high, 0))))


def days(date):
    return float(date.toordinal() - dt.date(1970, 1, 1).toordinal())


FIRST, LAST = days(dt.date.min), days(dt.date.max)


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (0.5, 40.25, dt.date(1970, 1, 1), dt.date(1970, 2, 11)),
        (-1.5, -0.5, dt.date(1969, 12, 30), dt.date(1970, 1, 1)),
        (0.0, LAST, dt.date(1970, 1, 1), dt.date.max),
        (FIRST, LAST, dt.date.min, dt.date.max),
        (FIRST - 1e6, LAST + 1e9, dt.date.min, dt.date.max),
        (FIRST - 2.0, FIRST - 2.0, dt.date.min, dt.date.min),
        (LAST + 2.0, LAST + 3.0, dt.date.max, dt.date.max),
    ],
)
def test_days_are_those_of_the_column_that_a_calendar_has(low, high, first, last):
    app = AppTest.from_function(choose_days, args=(low, high)).run()
    assert not app.exception
    assert [(day.min, day.max) for day in app.date_input] == [(first, last)] * 2
    app.date_input[0].set_value(first).run()
    assert not app.exception
    assert app.text[0].value == f"day >= {first}"
