"""What a column of a table is: its kind and its values."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IndexArray
from ..messages import Cell, InputError, Names, nearest, same_but_for_space, with_space_told
from ..scoring.columns import LARGEST, TOO_LARGE, WEEKDAYS, level_name
from ..scoring.groups import Values, ordered
from .dates import date_parts, reads_as_dates, to_dates
from .number_text import is_number

ColumnKind = Literal["number", "category", "date", "unsupported"]

_INFERRED: dict[ColumnKind, tuple[str, ...]] = {
    "category": ("string", "boolean", "empty"),
    "number": ("integer", "floating", "mixed-integer-float", "decimal"),
    "date": ("date", "datetime", "time", "period"),
}
"""What pandas infers of objects, by kind."""
_WEEKDAY_ORDER = {name: float(place) for place, name in enumerate(WEEKDAYS)}
MOST_VALUES = 12
"""A number or date with more distinct values is looked at in bands; of a category with more, the
rare values are one segment."""


def column_kind(column: pd.Series) -> ColumnKind:
    """Return what a column holds, by its type and, for text, by how its values read."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        is_binary = pd.api.types.infer_dtype(column.dtype.categories) == "bytes"
        return "unsupported" if is_binary else "category"
    if pd.api.types.is_bool_dtype(column.dtype):
        return "category"
    if pd.api.types.is_complex_dtype(column.dtype):
        return "unsupported"
    if pd.api.types.is_numeric_dtype(column.dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    found = (kind for kind, types in _INFERRED.items() if inferred in types)
    kind: ColumnKind = next(found, "unsupported")
    return "date" if kind == "category" and reads_as_dates(column) else kind


def as_levels(column: pd.Series) -> pd.Series:
    """Return the values as text without outer spaces, missing ones as NaN; see :func:`coded`."""
    codes, names = coded(column)
    values = np.append(names, np.nan)[codes]
    return pd.Series(values, index=column.index, name=column.name, dtype=object)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table, its kind decided."""

    series: pd.Series
    holds: ColumnKind
    categorical: bool = False  # whether its numbers are codes, so that it is read as a category

    @classmethod
    def of(cls, series: pd.Series) -> Self:
        """Decide what the values are."""
        return cls(series, column_kind(series))

    def __len__(self) -> int:
        return len(self.series)

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.series.name)

    @property
    def kind(self) -> ColumnKind:
        """What it is read as."""
        return "category" if self.categorical else self.holds

    @cached_property
    def missing(self) -> BoolArray:
        """Which values are missing, shape (n,)."""
        return self.series.isna().to_numpy()

    @cached_property
    def numbers(self) -> FloatArray:
        """The values of a column of numbers, missing ones as NaN; refused if beyond floats."""
        try:
            return self.series.to_numpy(dtype=np.float64, na_value=np.nan)
        except OverflowError:
            sentence = (
                "column '{column}' holds a whole number of more than 300 digits; leave the column "
                "out, or store it as text"
            )
            raise InputError("column.too_many_digits", sentence, column=self.name) from None

    @cached_property
    def dates(self) -> pd.Series:
        """The values of a column of dates as datetimes; see :func:`to_dates`."""
        return to_dates(self.series)

    @property
    def ordered(self) -> FloatArray:
        """Numbers as they are, dates as microseconds since 1970; missing ones as NaN, (n,)."""
        return ordered(self.plain("number" if self.holds == "number" else "date"))

    @property
    def places(self) -> FloatArray:
        """Numbers as they are, dates as days since 1970 with their fraction, shape (n,)."""
        return self.numbers if self.holds == "number" else date_parts(self.dates)[:, 0]

    @property
    def levels(self) -> pd.Series:
        """The values as text; see :func:`as_levels`."""
        return as_levels(self.series)

    def plain(self, kind: str) -> Values:
        """Return numbers, moments or texts, None where missing, by a kind that it is of, (n,)."""
        if kind == "category":
            codes, names = coded(self.series)
            return np.array([*names, None], dtype=object)[codes]
        return self.numbers if kind == "number" else self.dates.to_numpy()

    @property
    def is_many_valued(self) -> bool:
        """Whether it is a number or date with so many values that bands of them are looked at."""
        return self.kind in ("number", "date") and self.series.nunique() > MOST_VALUES

    @property
    def pattern(self) -> IndexArray:
        """For each row which value it has, or that it is missing, in order of appearance, (n,)."""
        if self.holds == "category":
            return pd.factorize(coded(self.series)[0])[0]
        # lists and the like are told apart as they print
        values = self.series.map(repr) if self.holds == "unsupported" else self.series
        return pd.factorize(values, use_na_sentinel=False)[0]

    def rows(self, where: IndexArray | BoolArray) -> Self:
        """Return the column of some of the rows."""
        some = type(self)(self.series.iloc[where], self.holds, self.categorical)
        if "dates" in vars(self):  # read as those of the whole column are
            vars(some)["dates"] = self.dates.iloc[where]
        return some

    def refuse(
        self, where: BoolArray, code: str, text: str, value: Callable[[int], object] | None = None
    ) -> None:
        """Raise :class:`InputError` that quotes the first row of ``where``, if there is one."""
        if where.any():
            about = first_cell(self.series, where)
            if value is not None:
                about["value"] = Cell(value(int(where.argmax())))
            raise InputError(code, text, column=self.name, **about)

    def refuse_text(self, code: str, text: str) -> None:
        """Refuse a column of text that was to hold numbers, by the first value that is none.

        It is the first of all if each by itself is one.
        """
        if self.holds != "number":
            codes, texts = coded(self.series)
            odd = np.append([not is_number(text) for text in texts], False).astype(bool)[codes]
            where = odd if odd.any() else ~self.missing
            self.refuse(where, code, text, lambda row: texts[codes[row]])

    def check_finite(self) -> None:
        """Raise :class:`InputError` if it holds numbers of which one is infinite or absurd."""
        if self.holds == "number":
            self.refuse(np.abs(self.numbers) > LARGEST, "column.too_large", TOO_LARGE)


def first_cell(column: pd.Series, where: BoolArray | None = None) -> dict[str, Any]:
    """Return value and number of the first row, of those ``where``, as a sentence quotes them.

    The first row below the header is number 1.
    """
    position = 0 if where is None else int(where.argmax())
    return {"value": Cell(column.iloc[position]), "row": int(column.index[position]) + 1}


def value_order(level: str) -> tuple[bool, float, str]:
    """Return a sort key for levels: numbers by value, then weekdays from Monday, then text."""
    try:
        number = float(level)
    except ValueError:
        number = math.nan
    is_text = math.isnan(number)
    return is_text, _WEEKDAY_ORDER.get(level, math.inf) if is_text else number, level


def coded(column: pd.Series) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Return for each row the position of its value's name, -1 where missing, and the names.

    3.0 reads "3", like 3. Raises :class:`InputError` if the column holds lists or the like.
    """
    if isinstance(column.dtype, pd.StringDtype):  # all at once, in a tenth of the time
        codes, texts = pd.factorize(column.str.strip())
        return codes, texts.to_numpy(dtype=object)
    try:
        codes, values = pd.factorize(column)
    except TypeError:
        sentence = "column '{column}' holds values that are neither numbers nor text; leave it out"
        raise InputError("column.unsupported", sentence, column=column.name) from None
    merged, names = pd.factorize(np.array([level_name(value) for value in values], dtype=object))
    return np.append(merged, -1)[codes], names


def check_exists(names: Sequence[str], column: str, what: str = "column") -> None:
    """Raise :class:`InputError` if a column, or ``what`` it is, is not among the names."""
    if column in names:
        return
    sentence = "there is no {what} '{column}'; did you mean '{meant}'?"
    given: dict[str, object] = {"column": column}
    same = same_but_for_space(column, names)
    if same is not None:
        sentence = sentence.replace("?", ", which differs in white space alone?")
        given = {"column": with_space_told(column), "meant": with_space_told(same)}
    elif close := nearest(column, names):
        given["meant"] = Names(close)
    else:
        sentence = "there is no {what} '{column}'; the {what}s are {known}"
        given["known"] = Names(names)
    raise InputError("column.unknown", sentence, what=what, **given)
