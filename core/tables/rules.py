"""Rules that select rows of a table: the conditions they are made of, and the rows they hold for.

A missing value meets no comparison, not even ``!=``: only "is missing" holds for it.
"""

import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray
from ..messages import InputError
from ..scoring import groups
from ..scoring.groups import A_DAY
from .columns import Column
from .table import Table

_AMBIGUOUS = re.compile(r'[",=<>\x00-\x1f]|(^|\s)(and|or|is)(\s|\Z)|^\s|\s\Z|^\Z')
_ORDERED = ("number", "date")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MOMENT = re.compile(
    r"(?P<day>-?\d{4,6}-\d\d-\d\d(?=\Z|[ T]))?[ T]?(?P<time>\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?",
    re.ASCII,
)  # numpy wraps years of 19 digits around
_OF_TIMES = "1970-01-01"  # the day of a time without one


@dataclass(frozen=True)
class OneOf:
    """The column's value is one of some, or, ``negated``, another one."""

    column: str
    values: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        *first, last = map(in_a_rule, self.values)
        either = f"{', '.join(first)} or {last}" if first else last
        return f"{in_a_rule(self.column)} {'!=' if self.negated else '='} {either}"

    def written(self, column: Column) -> groups.Condition:
        """Return the condition as plain values, for a column of the same kind."""
        if column.kind not in _ORDERED:
            return groups.OneOfTexts(self.column, "category", self.values, self.negated)
        places = [_placed(text, column) for text in self.values]
        moments = np.array([first for first, last in places if first == last], dtype=np.float64)
        days = np.array([first for first, last in places if first != last], dtype=np.float64)
        return groups.OneOfPlaces(self.column, column.kind, moments, days, self.negated)


@dataclass(frozen=True)
class Bound:
    """An end of a range, and whether it is in the range itself."""

    value: str
    included: bool


@dataclass(frozen=True)
class Between:
    """The column's number, day or moment is in a range, of which one end may be open."""

    column: str
    low: Bound | None
    high: Bound | None

    def __str__(self) -> str:
        name = in_a_rule(self.column)
        if self.high is None and self.low is not None:
            return f"{name} {'>=' if self.low.included else '>'} {in_a_rule(self.low.value)}"
        low = "" if self.low is None else f"{in_a_rule(self.low.value)} {_below(self.low)} "
        high = "" if self.high is None else f" {_below(self.high)} {in_a_rule(self.high.value)}"
        return f"{low}{name}{high}"

    def written(self, column: Column) -> groups.Condition:
        """Return the condition as plain values, for a column of the same kind."""
        if column.holds not in _ORDERED:
            sentence = (
                "column '{column}' holds categories, which have no order, so that '{rule}' says "
                "nothing; compare it with = or !="
            )
            raise InputError("rule.no_order", sentence, column=self.column, rule=str(self))
        low = high = None
        low_open = high_open = False
        if self.low is not None:
            low_open = not self.low.included
            low = _placed(self.low.value, column)[low_open]
        if self.high is not None:
            high_open = not self.high.included
            high = _placed(self.high.value, column)[not high_open]
        ends = {"low_open": low_open, "high_open": high_open}
        return groups.Within(self.column, column.holds, low, high, **ends)


@dataclass(frozen=True)
class Missing:
    """The column's value is missing, or, ``negated``, is there."""

    column: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{in_a_rule(self.column)} is {'not ' if self.negated else ''}missing"

    def written(self, column: Column) -> groups.Condition:
        """Return the condition as plain values, for a column of the same kind."""
        return groups.IsMissing(self.column, column.kind, self.negated)


Condition = OneOf | Between | Missing


def held(condition: Condition, column: Column) -> BoolArray:
    """Say for which rows of a column a condition holds, shape (n,); see :meth:`Rule.holds`."""
    written = condition.written(column)
    return written.holds(column.plain(written.of))


@dataclass(frozen=True)
class Rule:
    """Conditions that all have to hold; its text is the rule as a person reads it."""

    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, each once."""
        return tuple(dict.fromkeys(condition.column for condition in self.conditions))

    @property
    def is_of_choice(self) -> bool:
        """Whether there was something to choose: bounds, several values or several conditions."""
        first, *more = self.conditions or (None,)
        several = isinstance(first, OneOf) and len(first.values) > 1
        return bool(more) or several or isinstance(first, Between)

    def holds(self, table: Table) -> BoolArray:
        """Say which rows the rule holds for, shape (n,); a value that no row has is no mistake.

        Raises :class:`InputError` if a column is not there, if categories are compared by size, or
        if numbers or dates are compared with what is none.
        """
        meets = np.ones(len(table), dtype=bool)
        for condition in self.conditions:
            name = condition.column
            if name not in table:
                sentence = (
                    "there is no column '{column}', which the rule '{rule}' names; name one of the "
                    "columns that segments go by"
                )
                raise InputError("rule.column", sentence, column=name, rule=str(self))
            meets &= held(condition, table[name])
        return meets

    def written(self, table: Table) -> tuple[groups.Condition, ...]:
        """Return the conditions as plain values, for columns of the same kinds."""
        return tuple(each.written(table[each.column]) for each in self.conditions)


def _below(bound: Bound) -> str:
    return "<=" if bound.included else "<"


def _placed(text: str, column: Column) -> tuple[float, float]:
    """Return where a value of a rule stands among a column's: a day's first and last moment."""
    about = {"column": column.name, "value": text}
    if column.holds == "date":
        with suppress(ValueError):  # such as February 30
            if text and (said := _MOMENT.fullmatch(text)):
                moment = f"{said['day'] or _OF_TIMES} {said['time'] or ''}".rstrip()
                first = float(np.datetime64(moment, "us").astype(np.int64))
                return first, first if said["time"] else float(np.nextafter(first + A_DAY, first))
        sentence = (
            "column '{column}' holds dates, and '{value}' is no day; write it as in 2014-10-13, or "
            "with a time, 2014-10-13 18:30"
        )
        raise InputError("rule.no_day", sentence, **about)
    if not _NUMBER.fullmatch(text):
        sentence = (
            "column '{column}' holds numbers, and '{value}' is none; write digits with a decimal "
            "point, without thousands separators"
        )
        raise InputError("rule.no_number", sentence, **about)
    if not math.isfinite(float(text)):
        sentence = (
            "'{value}', with which column '{column}' is compared, is too large to compute with; "
            "write a smaller number"
        )
        raise InputError("rule.too_large", sentence, **about)
    return float(text), float(text)


def in_a_rule(text: str) -> str:
    """Return a name or value, in quotes where a rule could be read otherwise."""
    return json.dumps(text, ensure_ascii=False) if _AMBIGUOUS.search(text) else text


def number_in_a_rule(value: float) -> str:
    """Return a number that reads back as it is, so that the rule holds as it is written."""
    brief = f"{value:.15g}"
    return brief if float(brief) == value else repr(float(value))


def day_in_a_rule(value: float) -> str:
    """Return the date of a moment, in days since 1970-01-01."""
    return str(np.datetime64(math.floor(value), "D"))


def moment_in_a_rule(value: float) -> str:
    """Return a moment, in microseconds since 1970-01-01, to the second if it is a whole one."""
    written = str(np.datetime64(int(value), "us")).replace("T", " ")
    return written.removeprefix(f"{_OF_TIMES} ").removesuffix(".000000")
