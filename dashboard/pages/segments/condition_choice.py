"""The choice of a condition on one column, which becomes part of a rule."""

import datetime as dt
import math

import streamlit as st

from evencover.core.exploration import ColumnValues, column_values
from evencover.core.segments.audited_rows import TestRows
from evencover.core.tables.rules.conditions import Between, Bound, Condition, Missing, OneOf

_EPOCH = dt.date(1970, 1, 1).toordinal()


def choose_condition(test_rows: TestRows) -> Condition | None:
    """Draw the choice; return the condition, None as long as nothing is chosen."""
    left, right = st.columns([1, 2])
    column = left.selectbox("Column", test_rows.table.names, key="condition-column")
    values = column_values(test_rows, column)
    with right:
        return _choose(column, values)


def _choose(column: str, values: ColumnValues) -> Condition | None:
    missing = values.missing > 0 and st.checkbox(
        f"is missing (in {values.missing:,} test rows)", key=f"condition-missing-{column}"
    )
    if missing:
        return Missing(column)
    if values.kind == "number":
        return _choose_numbers(column, values)
    if values.kind == "date":
        return _choose_days(column, values)
    chosen = st.multiselect("Values, any of", values.names, key=f"condition-values-{column}")
    return OneOf(column, tuple(chosen)) if chosen else None


def _choose_numbers(column: str, values: ColumnValues) -> Condition | None:
    found = {"from": values.low, "to below": values.high}
    ends = [
        place.number_input(
            name,
            value=None,
            format="%g",
            placeholder="" if end is None else f"{end:g}",
            key=f"condition-{name}-{column}",
        )
        for place, (name, end) in zip(st.columns(2), found.items(), strict=True)
    ]
    return _between(column, *(None if end is None else _written(end) for end in ends))


def _choose_days(column: str, values: ColumnValues) -> Condition | None:
    places = st.columns(2)
    if values.low is None or values.high is None:
        return None
    ends = [
        place.date_input(
            name,
            value=None,
            min_value=_day(values.low),
            max_value=_day(values.high + 1.0),
            format="YYYY-MM-DD",
            key=f"condition-{name}-{column}",
        )
        for place, name in zip(places, ("from", "to below"), strict=True)
    ]
    return _between(column, *(None if end is None else str(end) for end in ends))


def _day(days: float) -> dt.date:
    """Return days since 1970 as a date; beyond the years 1 to 9999, the nearest of these."""
    ordinal = _EPOCH + math.floor(days)
    return dt.date.fromordinal(min(max(ordinal, 1), dt.date.max.toordinal()))


def _between(column: str, low: str | None, high: str | None) -> Between | None:
    if low is None and high is None:
        return None
    least = None if low is None else Bound(low, included=True)
    return Between(column, least, None if high is None else Bound(high, included=False))


def _written(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))
