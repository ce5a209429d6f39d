"""Columns of a table as plain arrays, and how they become those of a design matrix."""

import re
from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..messages import Cell, InputError
from .arithmetic import FloatArray, date_parts, standardised
from .groups import Columns, Kind, Values
from .plain import Array, DamagedError, Plain, Whole

DATE_PARTS = ("days", "month", "weekday", "hour")
"""Days since 1970-01-01 with their fraction, month 1 .. 12, weekday 0 (Monday) .. 6, hour.

Times of day are hours of that day, so that the others are constant, or say the same.
"""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def part_named(name: str) -> tuple[str, str]:
    """Return the column of dates and the part that a name such as day (month) is of, or nothing."""
    column, _, part = name.removesuffix(")").rpartition(" (")
    return (column, part) if part in DATE_PARTS[1:] else ("", "")


def date_part(moments: Values, part: str, kind: str) -> Values:
    """Return months, weekdays or hours, as numbers or by their names, shape (n,)."""
    numbers = np.floor(date_parts(moments)[:, DATE_PARTS.index(part)])
    if kind == "number":
        return numbers
    names = WEEKDAYS if part == "weekday" else [*map(str, range(24))]
    texts = np.array([*names, None], dtype=object)
    return texts[np.where(np.isnan(numbers), -1, numbers).astype(np.intp)]


def level_name(value: Any) -> str:  # noqa: ANN401 - a cell may hold anything
    """Return a value as text without outer spaces; 2019.0 is 2019."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


LARGEST = 1e100  # squares and products of values up to it stay finite
TOO_LARGE = (
    "column '{column}' holds {value} in row {row}, which is too large to compute with; replace it, "
    "or leave the column out"
)
_CLOCK = re.compile(r"\d\d:\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?", re.ASCII)
TRUTHS = {
    "True": ("TRUE", "true", "Yes", "YES", "yes", "T", "t"),
    "False": ("FALSE", "false", "No", "NO", "no", "F", "f"),
}
"""Words of which readers of CSV files may make truth values."""


def as_known(name: str, known: Collection[Any]) -> str:
    """Return a text; in place of a truth value that is none of the known ones its word there."""
    words = () if name in known else TRUTHS.get(name, ())
    return next((word for word in words if word in known), name)


_WRITTEN = {"number": "digits with a decimal point", "date": "dates as in 2014-10-13"}
_OTHER_KIND = (
    "column '{column}' holds '{value}' in row {row}, where the predictor wants a {kind}; write "
    "{how}"
)


def as_kind(values: Any, name: str, kind: str) -> Values:  # noqa: ANN401 - whatever numpy can read
    """Return a column's values as of a kind; InputError, with value and row, if one is of none."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # None where masked
    # a list of different things would all be made text
    found = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if found.ndim != 1:
        sentence = "column '{column}' has no value for each row; give an array of one dimension"
        raise InputError("saved.shape", sentence, column=name)
    if found.dtype.kind == "M":  # which numpy has in nanoseconds as whole numbers
        found = found.astype("datetime64[us]")
    if kind == "category":
        return _texts(found)
    of, known = ("float64", "iuf") if kind == "number" else ("datetime64[us]", "M")
    if found.dtype.kind in known:
        made = found.astype(of)
    else:
        read, made = _as_number if kind == "number" else _as_moment, np.empty(len(found), of)
        for row, value in enumerate(found.tolist()):
            try:
                made[row] = read(None if _is_none(value) else value)
            except (TypeError, ValueError, OverflowError):
                raise other_kind(name, kind, value=Cell(value), row=row + 1) from None
    if kind == "number" and (too_large := np.abs(made) > LARGEST).any():
        row = int(too_large.argmax())
        about = {"column": name, "value": Cell(made[row]), "row": row + 1}
        raise InputError("column.too_large", TOO_LARGE, **about)
    return made


def other_kind(name: str, kind: str, **cell: object) -> InputError:
    """Return the refusal of a column by a cell, its value and row, that is not of its kind."""
    how = _WRITTEN[kind]
    return InputError("saved.kind", _OTHER_KIND, column=name, kind=kind, how=how, **cell)


def _as_number(value: Any) -> float:  # noqa: ANN401 - a cell may hold anything
    if isinstance(value, str | bytes | bool):
        raise TypeError
    return float("nan") if value is None else float(value)


def _as_moment(value: Any) -> np.datetime64:  # noqa: ANN401 - a cell may hold anything
    if isinstance(value, datetime):  # by its local clock, as a run goes
        value = value.replace(tzinfo=None)
    value = value.isoformat() if isinstance(value, time) else value
    if isinstance(value, str) and _CLOCK.match(value):
        value = f"1970-01-01T{value}"
    # of texts numpy takes "now" and "2014" as well, and those with an offset as of UTC
    if not isinstance(value, date | np.datetime64 | None) and not _MOMENT.fullmatch(value):
        raise TypeError
    return np.datetime64("NaT" if value is None else value, "us")


def _texts(values: NDArray[Any]) -> Values:
    found = np.empty(len(values), dtype=object)
    known = (v.decode(errors="replace") if isinstance(v, bytes) else v for v in values.tolist())
    found[:] = [None if _is_none(value) else level_name(value) for value in known]
    return found


def _is_none(value: Any) -> bool:  # noqa: ANN401 - a cell may hold anything
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - as NaN and NaT alone do
    except TypeError:  # as of pandas' NA
        return True


@dataclass(frozen=True)
class WordsFor(Plain):
    """What means a missing value in a column, beside what does in all."""

    column: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class AsRead(Plain):
    """How a table was read, as others are to be; without words for missing values by the usual.

    ``numeric`` are columns of text whose values are numbers, or else missing.
    """

    encoding: str | None = None
    sheet: str | None = None
    header: int = 1
    missing: tuple[str, ...] | None = None
    missing_in: tuple[WordsFor, ...] = ()
    numeric: tuple[str, ...] = ()

    def check(self) -> None:
        try:
            "".encode(self.encoding or "utf-8")
        except (LookupError, ValueError):
            raise DamagedError("its table is of an unknown encoding") from None
        if self.header < 1:
            raise DamagedError("its table has no line of names")


@dataclass(frozen=True)
class Encoded(Plain):
    """How a column becomes design columns."""

    column: str

    @property
    @abstractmethod
    def wants(self) -> Kind:
        """The kind that the column is read as."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of design columns."""

    @abstractmethod
    def encoded(self, values: Values) -> FloatArray:
        """Return the design columns, shape (n, width)."""

    @abstractmethod
    def is_new(self, values: Values) -> NDArray[np.bool_]:
        """Say which values training rows had none like, or hardly any, shape (n,)."""


@dataclass(frozen=True)
class EncodedNumber(Encoded):
    """The number itself, or the last ``parts`` of DATE_PARTS of a date, if there are any.

    Where it is missing these are the ``means``, and, perhaps, whether it is. ``low`` and ``high``
    are the ends of the first in training rows.
    """

    kind: ClassVar[str] = "number"
    parts: int = 0
    means: Array = field(default_factory=lambda: np.zeros(1))
    has_missing: bool = False
    low: float = 0.0
    high: float = 0.0

    @property
    def wants(self) -> Kind:
        return "date" if self.parts else "number"

    @property
    def width(self) -> int:
        return len(self.means) + self.has_missing

    def numbers(self, values: Values) -> FloatArray:
        """Return what stands for the values, shape (n, number of means)."""
        return date_parts(values)[:, -self.parts :] if self.parts else values[:, None]

    def encoded(self, values: Values) -> FloatArray:
        numbers = self.numbers(values)
        filled = np.where(np.isnan(numbers), self.means, numbers)
        return np.column_stack([filled, np.isnan(numbers[:, 0])]) if self.has_missing else filled

    def is_new(self, values: Values) -> NDArray[np.bool_]:
        first = self.numbers(values)[:, 0]
        is_out = (first < self.low) | (first > self.high)
        return is_out if self.has_missing else is_out | np.isnan(first)

    def check(self) -> None:
        fits = 0 <= self.parts <= len(DATE_PARTS) and self.means.shape == (self.parts or 1,)
        if not fits or not np.isfinite(self.means).all():
            raise DamagedError("means do not fit the column")


@dataclass(frozen=True)
class EncodedCategory(Encoded):
    """An indicator for each level but the first, by which of these a text is.

    What is none of the ``texts`` is of the level ``default``; a missing value is as MISSING.
    """

    kind: ClassVar[str] = "category"
    levels: tuple[str, ...]
    texts: tuple[str, ...]
    places: Whole
    default: int

    @property
    def wants(self) -> Kind:
        return "category"

    @property
    def width(self) -> int:
        return len(self.levels) - 1

    def encoded(self, values: Values) -> FloatArray:
        place = dict(zip(self.texts, self.places.tolist(), strict=True))
        codes = [place.get(_level(value), self.default) for value in values.tolist()]
        return np.eye(len(self.levels))[np.array(codes, dtype=np.intp), 1:]

    def is_new(self, values: Values) -> NDArray[np.bool_]:
        known = {*self.texts}
        return np.array([_level(value) not in known for value in values.tolist()], dtype=bool)

    def check(self) -> None:
        count, places = len(self.levels), [*self.places.ravel().tolist(), self.default]
        if self.places.shape != (len(self.texts),) or not all(0 <= at < count for at in places):
            raise DamagedError("values do not fit the levels of their column")


MISSING = "(missing)"


def _level(value: str | None) -> str:
    return MISSING if value is None else value


@dataclass(frozen=True)
class Design(Plain):
    """How rows become X: columns encoded, some of these kept, less means, in units of scales."""

    columns: tuple[Encoded, ...]
    kept: Whole
    mean: Array
    scale: Array

    @classmethod
    def without_columns(cls) -> Self:
        """Return that of no columns."""
        return cls((), np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(0))

    def matrix(self, read: Columns, n: int) -> FloatArray:
        """Return n rows as X, shape (n, d)."""
        raw = [each.encoded(read(each.column, each.wants)) for each in self.columns]
        whole = np.column_stack([np.empty((n, 0)), *raw])
        return standardised(whole, self.kept.astype(np.intp), self.mean, self.scale)

    def check(self) -> None:
        width = sum(each.width for each in self.columns)
        fits = self.kept.ndim == 1 and self.kept.shape == self.mean.shape == self.scale.shape
        fits = fits and bool(((self.kept >= 0) & (self.kept < width)).all())
        if not (fits and np.isfinite(self.mean).all() and (self.scale > 0.0).all()):
            raise DamagedError("the design matrix does not fit its columns")
