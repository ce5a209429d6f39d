"""Conditions on one variable that a person can read, such as "age >= 65"."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ...arrays import BoolArray, FloatArray, IndexArray
from ...tables.columns import Column, value_order
from ...tables.rules.conditions import (
    Between,
    Bound,
    Condition,
    Missing,
    OneOf,
    day_in_a_rule,
    number_in_a_rule,
)

PARTS = 20
"""A number with more distinct values is cut into so many parts of about equal size."""

MOST_VALUES = 20
MOST_IN_SET = 3
"""Of a category's values, the most frequent are looked at, and sets of up to so many of them."""

_DIGITS = 3
"""A cut point has so many digits of the range in which nine tenths of the values lie."""

_MOST_DIGITS = 300
"""To so many and more no number is rounded: powers of ten end there."""


_Show = Callable[[float], str]
_Entry = tuple[Condition, range, int]
"""A condition, the parts that meet it, and how many bounds or values it names."""


@dataclass(frozen=True)
class Conditions:
    """The conditions on one variable.

    ``codes`` are each row's part of the variable's values, shape (n,); ``holds`` is 1 where a part
    meets a condition, else 0, shape (conditions, parts); ``bounds`` is how many bounds or values
    each condition names.
    """

    codes: IndexArray
    holds: FloatArray
    bounds: IndexArray
    conditions: list[Condition]

    @property
    def words(self) -> list[str]:
        """The conditions in words."""
        return list(map(str, self.conditions))

    def rows(self, condition: int) -> BoolArray:
        """Say which rows meet a condition, shape (n,)."""
        meets: BoolArray = self.holds[condition, self.codes] > 0.0
        return meets


def conditions_on(column: Column, wrong: BoolArray, searched: BoolArray) -> Conditions:
    """Return the conditions on a column of the n test rows.

    Numbers and dates are compared with cut points of all rows, in whose choice no outcome plays a
    part; at every value if there are few. A category is one of a few values that lie next to each
    other in the order of their share of wrong sets among the rows searched. ``wrong`` says which
    prediction sets miss their label, ``searched`` which rows may be looked at, shape (n,) each.
    """
    name = column.name
    if column.kind == "number":
        values = column.numbers
        return _on_numbers(name, values, *_cuts(values[~np.isnan(values)]), number_in_a_rule)
    if column.kind == "date":
        days = np.floor(column.places)
        cuts, distinct = _cuts(days[~np.isnan(days)])
        # a cut within a day is one at the next: words name whole days
        return _on_numbers(name, days, np.unique(np.ceil(cuts)), distinct, day_in_a_rule)
    return _on_levels(name, column.levels, wrong, searched)


def _on_numbers(
    name: str, values: FloatArray, cuts: FloatArray, distinct: FloatArray | None, show: _Show
) -> Conditions:
    missing = np.isnan(values)
    parts = len(cuts) + 1
    codes = np.where(missing, parts, np.searchsorted(cuts, values, side="right"))
    ranges = [ends for ends in combinations(range(parts + 1), 2) if ends != (0, parts)]
    marks = [Bound(show(cut), included=True) for cut in cuts.tolist()]
    single = [] if distinct is None else [show(value) for value in distinct.tolist()]
    found: list[_Entry] = []
    for low, high in ranges:
        one = single and high - low == 1
        condition = OneOf(name, (single[low],)) if one else _range(name, low, high, marks)
        found.append((condition, range(low, high), (low > 0) + (high < parts)))
    return _with_missing(name, codes, found, parts)


def _cuts(seen: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """Return the cut points of values, and the values themselves if there are few."""
    distinct = np.unique(seen)
    if len(distinct) <= PARTS:
        return distinct[1:], distinct
    quantiles = np.quantile(seen, np.arange(1, PARTS) / PARTS)
    low, high = np.quantile(seen, (0.05, 0.95))
    if high > low:
        digits = _DIGITS - 1 - math.floor(math.log10(high - low))
        quantiles = np.round(quantiles, digits) if digits < _MOST_DIGITS else quantiles
    cuts = np.unique(quantiles)
    return cuts[(cuts > distinct[0]) & (cuts <= distinct[-1])], None


def _range(name: str, low: int, high: int, marks: list[Bound]) -> Between:
    """Return the condition of the parts from ``low`` to below ``high``, between the marks."""
    above = marks[low - 1] if low > 0 else None
    below = Bound(marks[high - 1].value, included=False) if high <= len(marks) else None
    return Between(name, above, below)


def _on_levels(name: str, levels: pd.Series, wrong: BoolArray, searched: BoolArray) -> Conditions:
    looked_at = pd.DataFrame({"level": levels.to_numpy(), "wrong": wrong})[searched]
    by_level = looked_at.groupby("level", sort=True)["wrong"].agg(["size", "mean"])
    by_level = by_level.sort_values("size", ascending=False, kind="stable").head(MOST_VALUES)
    names = by_level.sort_values("mean", ascending=False, kind="stable").index.tolist()
    codes = pd.Index(names, dtype=object).get_indexer(levels)
    # other values are in no condition: nobody could read so long a list of them
    codes = np.where(levels.isna(), len(names), np.where(codes < 0, len(names) + 1, codes))
    runs = [
        range(first, first + length)
        for length in range(1, min(MOST_IN_SET, len(names) - 1) + 1)
        for first in range(len(names) - length + 1)
    ]
    # values in their own order: a rule found twice is to read the same
    found: list[_Entry] = [
        (OneOf(name, tuple(sorted((names[i] for i in run), key=value_order))), run, len(run))
        for run in runs
    ]
    return _with_missing(name, codes, found, len(names))


def _with_missing(name: str, codes: IndexArray, found: list[_Entry], missing: int) -> Conditions:
    """Return what was found, with "is missing" if a row is: that is the part ``missing``."""
    if (codes == missing).any():
        found = [*found, (Missing(name), range(missing, missing + 1), 1)]
    holds = np.zeros((len(found), missing + 2))
    for place, (_, parts, _) in enumerate(found):
        holds[place, parts] = 1.0
    bounds = np.array([count for *_, count in found], dtype=np.intp)
    return Conditions(codes.astype(np.intp), holds, bounds, [condition for condition, *_ in found])
