"""Conditions on one variable that a person can read, such as "age >= 65"."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..tables.columns import Column, value_order
from ..tables.rules import (
    Between,
    Bound,
    Condition,
    Missing,
    OneOf,
    day_in_a_rule,
    number_in_a_rule,
)

MOST_PARTS = 20
"""A number with more distinct values is cut into so many parts of about equal size."""

LEAST_ROWS = 20
"""Of the rows searched a rule is to hold for, and each value that it names: fewer would be too few
to judge it by."""

MOST_IN_SET = 3
"""A rule names up to so many values of a category."""

MOST_IN_SETS = 20
"""Sets are made of so many values: those with the largest share of wrong sets by themselves."""

MOST_LEVELS = 1000
"""Of a category, the most frequent, so that all pairs of two such have room in memory."""

_DIGITS = 3
"""A cut point has so many digits of the range in which nine tenths of the values lie."""

_MOST_DIGITS = 300
"""To so many and more no number is rounded: powers of ten end there."""


_Show = Callable[[float], str]
_Entry = tuple[Condition, range, int]
"""A condition, the parts that meet it, and how many bounds or values it names."""


@dataclass(frozen=True)
class Conditions:
    """The conditions on one variable, each met by neighbours among the parts of its values.

    ``codes`` are each row's part, shape (n,): the known values have so many ``parts``, from 0 up;
    then come missing values, and those that no condition is about. A condition is met by the parts
    from ``starts`` to below ``ends``, shape (conditions,); ``bounds`` is how many bounds or values
    it names.
    """

    codes: IndexArray
    parts: int
    starts: IndexArray
    ends: IndexArray
    bounds: IndexArray
    conditions: list[Condition]

    @property
    def words(self) -> list[str]:
        """The conditions in words."""
        return list(map(str, self.conditions))

    def rows(self, condition: int) -> BoolArray:
        """Say which rows meet a condition, shape (n,)."""
        meets: BoolArray = (self.starts[condition] <= self.codes) & (
            self.codes < self.ends[condition]
        )
        return meets

    def totals(self, counts: FloatArray | IndexArray) -> FloatArray | IndexArray:
        """Add up counts by part, shape (parts + 2, ...), over those that meet each condition."""
        none = np.zeros((1, *counts.shape[1:]), dtype=counts.dtype)
        running = np.concatenate([none, counts.cumsum(axis=0)])
        totals: FloatArray | IndexArray = running[self.ends] - running[self.starts]
        return totals


def conditions_on(column: Column, wrong: BoolArray, searched: BoolArray) -> Conditions:
    """Return the conditions on a column of the n test rows.

    Numbers and dates have :func:`fixed_conditions`. A category is one value, or one of a few that
    lie next to each other in the order of their share of wrong sets among the rows searched.
    ``wrong`` says which prediction sets miss their label, ``searched`` which rows may be looked at,
    shape (n,) each.
    """
    fixed = fixed_conditions(column)
    return _on_levels(column.name, column.levels, wrong, searched) if fixed is None else fixed


def fixed_conditions(column: Column) -> Conditions | None:
    """Return the conditions in whose choice no outcome plays a part; None for a category.

    Numbers and dates are compared with cut points of all rows; at every value if there are few.
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
    return None


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
    if len(distinct) <= MOST_PARTS:
        return distinct[1:], distinct
    quantiles = np.quantile(seen, np.arange(1, MOST_PARTS) / MOST_PARTS)
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
    by_level = by_level[by_level["size"] >= LEAST_ROWS]
    by_level = by_level.sort_values("size", ascending=False, kind="stable").head(MOST_LEVELS)
    names = by_level.sort_values("mean", ascending=False, kind="stable").index.tolist()
    codes = pd.Index(names, dtype=object).get_indexer(levels)
    # other values are in no condition: no rule on them could be judged
    codes = np.where(levels.isna(), len(names), np.where(codes < 0, len(names) + 1, codes))
    runs = [range(first, first + 1) for first in range(len(names))]
    runs += [
        range(first, first + length)
        for length in range(2, min(MOST_IN_SET, len(names) - 1) + 1)
        for first in range(min(MOST_IN_SETS, len(names)) - length + 1)
    ]
    # values in their own order: a rule found twice is to read the same
    found: list[_Entry] = [
        (OneOf(name, tuple(sorted((names[i] for i in run), key=value_order))), run, len(run))
        for run in runs
    ]
    return _with_missing(name, codes, found, len(names))


def _with_missing(name: str, codes: IndexArray, found: list[_Entry], parts: int) -> Conditions:
    """Return what was found, with "is missing" if a row is: that is the part after the others."""
    if (codes == parts).any():
        found = [*found, (Missing(name), range(parts, parts + 1), 1)]
    met = [run for _, run, _ in found]
    return Conditions(
        codes.astype(np.intp),
        parts,
        np.array([run.start for run in met], dtype=np.intp),
        np.array([run.stop for run in met], dtype=np.intp),
        np.array([count for *_, count in found], dtype=np.intp),
        [condition for condition, *_ in found],
    )
