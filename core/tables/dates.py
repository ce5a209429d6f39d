"""Dates: read from text without guessing, and made into numbers."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..arrays import BoolArray, FloatArray
from ..messages import Names, Sentence
from ..scoring import arithmetic

_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    r"(?P<iso>\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(19|20)\d{6})([T ].*)?"
    r"|(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})[-/.](\d{4}|(?P<short>\d{2}))([T ].*)?"
    rf"|\d{{1,2}}[- ]{_MONTH}[- ]\d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}}"
    rf"|\d{{1,2}}{_MONTH}((19|20)\d\d|(?P<two>\d\d))(:\d[\d:.]*)?"  # SAS's DATE9 and DATETIME
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[AaPp][Mm])?")
_CLOCK, _AWAY = r"[T ]\d[\d:.,]*", r" ?[+-]\d{2}(?::?\d{2})?$"
_OFFSET = rf"({_CLOCK})(?: ?[Zz]$|{_AWAY})"
_QUARTER = r"\d{4}[- ]?[Qq][1-4]|[1-4][Qq]\d{4}"
_SAS_TIME = re.compile(r"^(\d+[A-Za-z]+\d+):")
_LIKE_QUARTER = r"\d[Qq]|[Qq]\d"  # which pandas guesses about
_FIRST_DAY, _LAST_DAY = 19_000_101, 20_991_231  # 20201009 is a day of 2020
_LONGEST = 100  # characters of a date with its time: pandas is slow over more
_LAST_MONTH = 12
_FIRST_ROWS = 1000
_CLOCKS = {1: " %H:%M", 2: " %H:%M:%S"}  # by a time's colons
_OFFSETS = (
    "Times with an offset from UTC are read as those of the local clock, by which their hour and "
    "weekday go: {columns}."
)
_BEYOND_MICRO = re.compile(r":\d\d[.,]\d{6}\d*[1-9]")
_NANOSECONDS = (
    "Read to the microsecond, without the nanoseconds that they tell: times in {columns}."
)


def reads_as_dates(column: pd.Series) -> bool:
    """Say whether a column of text holds nothing but what is written like a date, or a time."""
    values = column.dropna()
    if len(values) == 0 or not is_date_or_time(values.iloc[0]):  # as in most columns
        return False
    return is_date_or_time(*values.unique().tolist())  # pandas' own text is slow to loop over


def is_date_like(value: object) -> bool:
    """Say whether a value is a text that is written like a date."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    return _DATE.fullmatch(value.strip()) is not None


def is_date_or_time(*values: object) -> bool:
    """Say whether values all are texts written like dates, or all like times of day."""
    return all(map(is_date_like, values)) or _are_times(values)


def to_dates(column: pd.Series) -> pd.Series:
    """Return a column of dates, of whatever type or written as text, as datetimes.

    Day and month of 13/10/2014 are told apart by the column's values. A time of day, such as 18:30,
    is one on 1970-01-01. A time with an offset from UTC is that of the local clock, which hours and
    weekdays go by. What is no date becomes missing.
    """
    if isinstance(column.dtype, pd.PeriodDtype):
        starts: pd.Series = column.dt.to_timestamp()
        return starts
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column.dt.tz_localize(None) if column.dt.tz else column
    rows, distinct = pd.factorize(column)  # each is parsed once, however many rows have it
    dates = _of_different(pd.Series(distinct)).reindex(rows).array
    return pd.Series(dates, index=column.index, name=column.name)


def _of_different(column: pd.Series) -> pd.Series:
    """Return different texts, times and the like, none missing, as datetimes."""
    if all(isinstance(value, str) and _DAY.fullmatch(value) for value in column.tolist()):
        return _parsed(column, "%Y-%m-%d", days_first=False)  # at once, as most are
    texts = column.astype("str").str.strip()
    texts = texts.str.replace(_OFFSET, r"\1", regex=True).str.replace(_SAS_TIME, r"\1 ", regex=True)
    if pd.api.types.infer_dtype(column, skipna=True) == "time" or _are_times(texts.dropna()):
        texts = "1970-01-01 " + texts  # pandas would put a time of day on the day of the run
    if re.fullmatch(_QUARTER, str(next(iter(texts.dropna()), ""))):
        quarters = texts.where(texts.str.fullmatch(_QUARTER, na=False)).str.replace(" ", "-")
        first_days = pd.PeriodIndex(quarters, freq="Q").to_timestamp()
        return pd.Series(first_days, index=texts.index, name=texts.name)
    texts = texts.mask(texts.str.contains(_LIKE_QUARTER, na=False))
    years_first = texts.str.match(r"\d{4}", na=False)
    dates = _parsed(texts.where(years_first), days_first=False)
    others = texts.where(~years_first)
    if others.isna().all():
        return dates
    days_first = _days_first(_matches(texts)) is not False
    # pandas alone works out 13.10.2014 18:00 value by value, many times as slowly as by a format
    first = others.dropna().iloc[0]
    match = _DATE.fullmatch(first)
    mark = (match["mark"] if match is not None else None) or "-"
    day = "%d{0}%m{0}%Y" if days_first else "%m{0}%d{0}%Y"
    format_ = day.format(mark) + _CLOCKS.get(first.count(":"), "")
    dates = dates.fillna(_parsed(others, format_, days_first=days_first))
    return dates.fillna(_parsed(others.where(dates.isna()), days_first=days_first))


def has_offsets(column: pd.Series) -> bool:
    """Say whether the first times of a column of dates carry an offset from UTC."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column.dt.tz is not None and str(column.dt.tz) != "UTC"
    values = column.head(_FIRST_ROWS).unique().tolist()
    return any(re.search(_CLOCK + _AWAY, str(value).strip()) for value in values)


def local_clock_notes(columns: Iterable[str]) -> list[Sentence]:
    """Return a note on columns of times with an offset from UTC, none if there are none."""
    local = Names(columns)
    return [Sentence("columns.offsets", _OFFSETS, columns=local)] if local else []


def nanosecond_notes(columns: Iterable[pd.Series]) -> list[Sentence]:
    """Return a note on those columns of dates whose times go beyond microseconds, if any do."""
    beyond = Names(str(column.name) for column in columns if _has_nanoseconds(column))
    return [Sentence("columns.nanoseconds", _NANOSECONDS, columns=beyond)] if beyond else []


def _has_nanoseconds(column: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return bool((column.dt.nanosecond > 0).any())
    return any(map(_BEYOND_MICRO.search, map(str, column.unique().tolist())))


def days_in(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Return as texts the columns of whole numbers that all are days, as 20201009 is."""
    numbers = frame.select_dtypes("number", exclude="timedelta")
    are_near = (numbers.min() >= _FIRST_DAY) & (numbers.max() <= _LAST_DAY)
    days: dict[str, pd.Series] = {}
    for name in numbers.columns[are_near.to_numpy(dtype=bool)]:
        values = numbers[name].dropna()
        texts = values.astype("int64").astype("str")
        dates = pd.to_datetime(texts, format="%Y%m%d", errors="coerce")
        if (dates.notna() & (values % 1 == 0)).all():
            days[str(name)] = texts.reindex(frame.index)
    return days


def in_doubt(column: pd.Series) -> bool:
    """Say whether it is in doubt which is the day and which the month in a column of dates."""
    return _days_first(_matches(column)) is None


def without_century(column: pd.Series) -> BoolArray:
    """Say which dates of a column have years of two digits, shape (n,): 55 may be 1955 or 2055."""
    short = [match[0] for match in _matches(column) if match["short"] or match["two"]]
    return column.astype("str").str.strip().isin(short).to_numpy() if short else np.zeros(0, bool)


def are_times_of_day(dates: pd.Series) -> bool:
    """Say whether datetimes all are on the day that :func:`to_dates` gives to times of day."""
    days = dates.dropna().to_numpy().astype("datetime64[D]")
    return bool((days == np.datetime64("1970-01-01")).all())


def date_parts(dates: pd.Series) -> FloatArray:
    """Return the DATE_PARTS of datetimes, shape (n, 4); NaN where one is missing."""
    return arithmetic.date_parts(dates.to_numpy())  # pandas' own take several times as long


def part_name(column: str, part: str) -> str:
    """Return what a part of a column of dates is called."""
    return f"{column} ({part})"


def _parsed(texts: pd.Series, format_: str = "mixed", *, days_first: bool) -> pd.Series:
    # pandas applies dayfirst to 2014-10-03 as well
    dates = pd.to_datetime(texts, errors="coerce", format=format_, dayfirst=days_first, utc=True)
    return dates.dt.tz_localize(None).dt.as_unit("us")  # whatever fits: in one unit for fillna


def _are_times(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) and _TIME.fullmatch(value.strip()) for value in values)


def _matches(column: pd.Series) -> list[re.Match[str]]:
    if column.dtype.kind == "M":
        return []
    texts = (value for value in column.unique().tolist() if isinstance(value, str))
    return [match for match in map(_DATE.fullmatch, map(str.strip, texts)) if match]


def _days_first(matches: list[re.Match[str]]) -> bool | None:
    """Say whether days come before months; None where the values leave it open, or disagree."""
    matches = [match for match in matches if match["first"]]
    days_first = any(int(m["first"]) > _LAST_MONTH or m["mark"] == "." for m in matches)
    months_first = any(int(m["second"]) > _LAST_MONTH for m in matches)
    if days_first is months_first:
        return None if matches else True
    return days_first
