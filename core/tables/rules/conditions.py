"""The conditions that a rule is made of, and the rows that they hold for.

A missing value meets no comparison, not even ``!=``: only "is missing" holds for it.
"""

import json
import math
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...arrays import BoolArray, FloatArray
from ...errors import InputError
from ..columns import Kind, as_levels, as_numbers, column_kind
from ..dates import date_parts, to_dates

_AMBIGUOUS = re.compile(r'[",=<>\x00-\x1f]|(^|\s)(and|or|is)(\s|\Z)|^\s|\s\Z|^\Z')


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DAY = re.compile(r"-?\d{4,6}-\d\d-\d\d", re.ASCII)  # numpy wraps years of 19 digits around


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

    def holds(self, column: pd.Series, *, categorical: bool) -> BoolArray:
        """Say which values meet the condition; see :meth:`.parsing.Rule.holds`."""
        kind = _kind(column, categorical=categorical)
        if kind in ("number", "date"):
            values = ordered(column, kind)
            missing = np.isnan(values)
            inside = np.isin(values, [_placed(text, self.column, kind) for text in self.values])
        else:
            levels = as_levels(column)
            missing, inside = levels.isna().to_numpy(), levels.isin(self.values).to_numpy()
        found: BoolArray = ~inside & ~missing if self.negated else inside
        return found


@dataclass(frozen=True)
class Bound:
    """An end of a range, and whether it is in the range itself."""

    value: str
    included: bool


@dataclass(frozen=True)
class Between:
    """The column's number, or day, is in a range, of which one end may be open."""

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

    def holds(self, column: pd.Series, *, categorical: bool) -> BoolArray:
        """Say which values meet the condition; see :meth:`.parsing.Rule.holds`."""
        kind = _kind(column, categorical=categorical)
        if kind not in ("number", "date"):
            raise InputError(
                f"column '{self.column}' holds categories, which have no order, so that "
                f"'{self}' says nothing; compare it with = or !="
            )
        values = ordered(column, kind)
        inside: BoolArray = ~np.isnan(values)
        if self.low is not None:
            low = _placed(self.low.value, self.column, kind)
            inside &= values >= low if self.low.included else values > low
        if self.high is not None:
            high = _placed(self.high.value, self.column, kind)
            inside &= values <= high if self.high.included else values < high
        return inside


@dataclass(frozen=True)
class Missing:
    """The column's value is missing, or, ``negated``, is there."""

    column: str
    negated: bool = False

    def __str__(self) -> str:
        return f"{in_a_rule(self.column)} is {'not ' if self.negated else ''}missing"

    def holds(self, column: pd.Series, *, categorical: bool) -> BoolArray:
        """Say which values meet the condition; see :meth:`.parsing.Rule.holds`."""
        kind = _kind(column, categorical=categorical)
        missing: BoolArray = (
            np.isnan(ordered(column, kind))
            if kind in ("number", "date")
            else as_levels(column).isna().to_numpy()
        )
        return ~missing if self.negated else missing


Condition = OneOf | Between | Missing


def _below(bound: Bound) -> str:
    return "<=" if bound.included else "<"


def _kind(column: pd.Series, *, categorical: bool) -> Kind:
    return "category" if categorical else column_kind(column)


def ordered(column: pd.Series, kind: Kind) -> FloatArray:
    """Return numbers as they are, and dates as whole days since 1970; missing ones as NaN."""
    if kind == "number":
        return as_numbers(column)
    days: FloatArray = np.floor(date_parts(to_dates(column))[:, 0])
    return days


def _placed(text: str, column: str, kind: Kind) -> float:
    """Return where a value of a rule stands among a column's numbers or days."""
    if kind == "number":
        if not _NUMBER.fullmatch(text):
            raise InputError(
                f"column '{column}' holds numbers, and '{text}' is none; write digits with a "
                "decimal point, without thousands separators"
            )
        number = float(text)
        if not math.isfinite(number):
            raise InputError(
                f"'{text}', with which column '{column}' is compared, is too large to compute "
                "with; write a smaller number"
            )
        return number
    try:
        day = np.datetime64(text, "D") if _DAY.fullmatch(text) else None
    except ValueError:  # such as February 30
        day = None
    if day is None:
        raise InputError(
            f"column '{column}' holds dates, and '{text}' is no day; write it as in 2014-10-13"
        )
    return float(day.astype(np.int64))


def in_a_rule(text: str) -> str:
    """Return a name or value, in quotes where a rule could be read otherwise."""
    return json.dumps(text, ensure_ascii=False) if _AMBIGUOUS.search(text) else text


def number_in_a_rule(value: float) -> str:
    """Return a number that reads back as it is, so that the rule holds as it is written."""
    brief = f"{value:.15g}"
    return brief if float(brief) == value else repr(float(value))


def day_in_a_rule(value: float) -> str:
    """Return days since 1970-01-01 as a date."""
    return str(np.datetime64(int(value), "D"))
