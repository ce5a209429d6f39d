"""Dates: read from text without guessing, and made into numbers."""

import re

import numpy as np
import pandas as pd

from .prediction_sets import FloatArray

_DATE_PATTERN = (
    r"((?P<iso>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(19|20)\d{6})([T ].*)?"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})[-/.]\d{2,4}([T ].*)?)"
)
_DATE = re.compile(_DATE_PATTERN)
_YEAR_FIRST = r"\d{4}"
_LAST_MONTH = 12
_CLOCKS = {1: " %H:%M", 2: " %H:%M:%S"}
"""How the time of day is written, by its colons."""
_SECONDS_A_DAY = 86_400.0
PARTS = ("days", "month", "weekday", "hour")
"""Days since 1970-01-01 with their fraction, month 1 .. 12, weekday 0 (Monday) .. 6, hour."""


def reads_as_dates(column: pd.Series) -> bool:
    """Say whether every value of a column of text is written like a date."""
    values = column.dropna()
    if len(values) == 0 or not pd.api.types.is_string_dtype(values.head(1)):
        return False
    if not _DATE.fullmatch(values.iloc[0].strip()):  # as in most columns: no need for the others
        return False
    unique = pd.Series(values.unique())
    is_text = pd.api.types.is_string_dtype(unique)
    return is_text and bool(unique.str.strip().str.fullmatch(_DATE_PATTERN).all())


def to_dates(column: pd.Series) -> pd.Series:
    """Return a column of dates, of whatever type or written as text, as datetimes.

    2014-10-13, 20141013 and 13.10.2014 are read as they are meant; day and month of
    13/10/2014 are told apart by the column's values. What is no date becomes missing.
    """
    if isinstance(column.dtype, pd.PeriodDtype):
        starts: pd.Series = column.dt.to_timestamp()
        return starts
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz else column
    texts = column.astype("str").where(column.notna()).str.strip()
    if pd.api.types.infer_dtype(column, skipna=True) == "time":
        texts = "1970-01-01 " + texts  # pandas would put a time of day on the day of the run
    years_first = texts.str.match(_YEAR_FIRST, na=False)
    days_first = _days_first(texts) is not False
    dates = _parsed(texts.where(years_first), days_first=False)
    others = texts.where(~years_first)
    if others.isna().all():
        return dates
    return dates.fillna(_parsed_at_once(others, days_first=days_first))


def in_doubt(column: pd.Series) -> bool:
    """Say whether it is in doubt which is the day and which the month in a column of dates."""
    return reads_as_dates(column) and _days_first(column.astype("str").str.strip()) is None


def date_parts(dates: pd.Series) -> FloatArray:
    """Return the PARTS of datetimes, shape (n, 4); NaN where one is missing."""
    midnight = dates.dt.normalize()
    seconds = (dates - midnight).dt.total_seconds()
    days = (midnight - pd.Timestamp(0)).dt.total_seconds() / _SECONDS_A_DAY
    return np.column_stack(
        [
            days + seconds / _SECONDS_A_DAY,
            dates.dt.month,
            dates.dt.day_of_week,
            seconds / 3600.0,
        ]
    ).astype(np.float64)


def _parsed(texts: pd.Series, format_: str = "mixed", *, days_first: bool) -> pd.Series:
    # pandas applies dayfirst to 2014-10-03 as well
    dates = pd.to_datetime(texts, errors="coerce", format=format_, dayfirst=days_first, utc=True)
    return dates.dt.tz_localize(None).dt.as_unit("us")  # whatever fits: in one unit for fillna


def _parsed_at_once(texts: pd.Series, *, days_first: bool) -> pd.Series:
    """Parse what is written like the first text, and the rest one by one.

    Pandas works out 13.10.2014 18:00 value by value, thirty times as slowly.
    """
    first = texts.dropna().iloc[0]
    match = _DATE.fullmatch(first)
    mark = match["mark"] if match is not None else "-"
    day = "%d{0}%m{0}%Y" if days_first else "%m{0}%d{0}%Y"
    format_ = day.format(mark) + _CLOCKS.get(first.count(":"), "")
    dates = _parsed(texts, format_, days_first=days_first)
    return dates.fillna(_parsed(texts.where(dates.isna()), days_first=days_first))


def _days_first(texts: pd.Series) -> bool | None:
    """Say whether days come before months; None where the values leave it open."""
    values = texts[~texts.str.match(_YEAR_FIRST, na=True)].drop_duplicates()
    seconds = []
    for match in map(_DATE.fullmatch, values.to_numpy(dtype=object)):
        if match is None or match["first"] is None:
            continue
        if match["mark"] == "." or int(match["first"]) > _LAST_MONTH:
            return True
        seconds.append(int(match["second"]))
    if not seconds:
        return True
    return False if max(seconds) > _LAST_MONTH else None
