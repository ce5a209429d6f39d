"""Segments of rows that an engine counts where they are.

The engine groups rows by what segments hang on, and sums up what became of their sets. A column is
one of few values as it is, a number by the band it is in, and a date by its hour. A row that stands
for each group is then divided as rows in memory are.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add

import narwhals as nw
import numpy as np
import pandas as pd

from ..arrays import FloatArray, IndexArray
from ..preparation.output_classes import parse_sets
from ..tables.columns import Column, ColumnKind, as_levels, value_order
from ..tables.grammar import parse_rule
from ..tables.lazy import LazyTable
from ..tables.rules import Between, OneOf, Rule
from ..tables.table import Table, names_part, with_date_parts
from .binning import Partition, are_of_one_day, by_rule, by_value, crossed, in_bands
from .grouping import SegmentVariables, Variable
from .tally import Tally

_HOUR = "1h"


@dataclass(frozen=True, eq=False)
class LazySegments:
    """The variables of a sample, of all rows that it is of, each with the tally of its groups.

    ``sample`` has the columns, with what they hold; ``divided`` are the sample's variables, which
    say where bands end.
    """

    rows: LazyTable
    outcomes: "LazyOutcomes"
    sample: Table
    divided: SegmentVariables

    def __iter__(self) -> Iterator[tuple[Variable, Tally]]:
        for variable in self.divided:
            yield self._counted(variable)

    def by_rule(self, rule: Rule | None) -> tuple[Partition, Tally]:
        """Return all rows in those that a rule holds for and the others; all without a rule."""
        if rule is None:
            tally = next(iter(self))[1]
            return by_rule(None, np.ones(len(tally.n), dtype=bool)), tally
        unknown = by_rule(rule, np.zeros(0, dtype=bool))
        variable, tally = self._counted(Variable("", "look", unknown, rule.columns, str(rule)))
        return variable.partition, tally

    def _counted(self, variable: Variable) -> tuple[Variable, Tally]:
        rule = parse_rule(variable.rule) if variable.rule else None
        stored = {name: self._stored(name) for name in variable.columns}
        names = list(dict.fromkeys(stored.values()))
        edges = {name: self._ends(name, rule) for name in names}
        groups, values = self._groups(edges)
        kinds = {name: self.sample.kinds[name] for name in names}
        table = Table(values, kinds, self.sample.categorical)
        table, _ = with_date_parts(table, names)
        if rule is None:
            n = groups["n"].to_numpy()
            parts = (self._partition(table[name], n) for name in variable.columns)
            partition = reduce(crossed, parts)
        else:
            partition = by_rule(rule, rule.holds(table))
        return replace(variable, partition=partition), self.outcomes.tally(groups)

    def _partition(self, column: Column, rows: IndexArray) -> Partition:
        edges = self.divided.edges(column.name)
        return by_value(column, rows=rows) if edges is None else in_bands(column, edges)

    def _stored(self, name: str) -> str:
        """Return the column itself, or the column of dates that it is a part of."""
        if name in self.rows.names:
            return name
        return next(column for column in self.rows.names if names_part(name, [column]))

    def _ends(self, name: str, rule: Rule | None) -> FloatArray | None:
        """Return numbers between which all numbers are alike; None where each value counts."""
        if self.sample[name].kind != "number":
            return None
        return self.divided.edges(name) if rule is None else _numbers_in(rule, name)

    def _groups(self, ends: Mapping[str, FloatArray | None]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the groups by some columns, and for each a row of these columns' values."""
        keys, least = {}, {}
        for place, (name, between) in enumerate(ends.items()):
            keys[f"key {place}"] = self._key(name, between)
            if between is not None:
                least[f"least {place}"] = self.rows.number(name)
        groups = self.rows.by({**keys, **self.outcomes.keys}, self.outcomes.values, least)
        values = {}
        for place, name in enumerate(ends):
            key, number = groups[f"key {place}"], groups.get(f"least {place}")
            # engines do not agree on the least of missing values
            values[name] = key if number is None else number.where(key >= 0)
        return groups, pd.DataFrame(values)

    def _key(self, name: str, ends: FloatArray | None) -> nw.Expr:
        type_, missing = self.rows.schema[name], self.rows.missing(name)
        if ends is not None:
            number = self.rows.number(name)
            places = [
                is_there.cast(nw.Int64)
                for end in ends.tolist()
                for is_there in (number >= end, number > end)
            ]
            return nw.when(missing).then(nw.lit(-1)).otherwise(reduce(add, places) if places else 0)
        if isinstance(type_, nw.Datetime) and not are_of_one_day(self.sample[name]):
            return nw.col(name).dt.truncate(_HOUR)
        return self.rows.value(name)


def _numbers_in(rule: Rule, name: str) -> FloatArray:
    """Return the numbers that a rule compares a column with."""
    texts: list[str] = []
    for condition in (each for each in rule.conditions if each.column == name):
        if isinstance(condition, OneOf):
            texts += condition.values  # noqa: PD011 - no frame's
        elif isinstance(condition, Between):
            texts += [end.value for end in (condition.low, condition.high) if end is not None]
    numbers: list[float] = []
    for text in texts:
        with suppress(ValueError):  # the rule says so itself, when it is asked
            numbers.append(float(text))
    return np.unique(np.array(numbers, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class LazyIntervals:
    """Intervals in the columns ``lower`` and ``upper``, and the label in ``target``.

    Widths are in units of ``scale``, the label's deviation.
    """

    rows: LazyTable
    target: str
    lower: str
    upper: str
    scale: float = 1.0

    @property
    def keys(self) -> Mapping[str, nw.Expr]:
        """None: all is summed up."""
        return {}

    @property
    def values(self) -> Mapping[str, nw.Expr]:
        """Which hold their label, widths, and which are infinite; see :class:`IntervalSets`."""
        label, lower, upper = (self.rows.number(c) for c in (self.target, self.lower, self.upper))
        width = nw.when(upper > lower).then(upper - lower).otherwise(0.0)
        size = nw.when(upper.is_finite()).then(width).otherwise(math.inf)
        return {
            "hits": ((lower <= label) & (label <= upper)).cast(nw.Int64),
            "size": size / self.scale,
            "largest": (~(lower.is_finite() & upper.is_finite())).cast(nw.Int64),
        }

    @property
    def odd(self) -> Mapping[str, nw.Expr]:
        """What is counted of odd intervals, by the names of the notes on them."""
        lower, upper = (self.rows.number(column) for column in (self.lower, self.upper))
        is_odd = {
            "infinite": ~(lower.is_finite() & upper.is_finite()),
            "crossed": lower > upper,
            "zero_width": lower == upper,
        }
        return {name: where.cast(nw.Int64).sum() for name, where in is_odd.items()}

    def tally(self, groups: pd.DataFrame) -> Tally:
        """Return what became of the sets of groups."""
        n, hits, size, largest = groups[["n", *self.values]].to_numpy(np.float64).T
        return Tally(n, hits, size, largest, np.zeros(len(groups)), are_intervals=True)


@dataclass(frozen=True, eq=False)
class LazyLabelSets:
    """Sets of classes as text in the column ``label_set``, and the label in ``target``.

    Rows with the same label and set are counted, and each of the few different sets is read.
    """

    rows: LazyTable
    target: str
    label_set: str
    kinds: Mapping[str, ColumnKind]  # what these columns hold

    @property
    def keys(self) -> Mapping[str, nw.Expr]:
        """The set, and the label."""
        return {"set": self.rows.value(self.label_set), "label": self.rows.value(self.target)}

    @property
    def values(self) -> Mapping[str, nw.Expr]:
        """None: the number of rows is enough."""
        return {}

    def tally(self, groups: pd.DataFrame) -> Tally:
        """Return what became of the sets of groups."""
        labels, texts = as_levels(groups["label"]), as_levels(groups["set"])
        sets = [self._members.get(text, frozenset()) for text in texts]
        held = np.array([name in held for name, held in zip(labels, sets, strict=True)])
        sizes = np.array([len(each) for each in sets], dtype=np.float64)
        n = groups["n"].to_numpy(np.float64)
        full = n * (sizes == len(self.classes))
        return Tally(n, n * held, n * sizes, full, n * (sizes == 0.0), are_intervals=False)

    @cached_property
    def classes(self) -> list[str]:
        """Those that rows have as their label, and those in sets, too."""
        named = {name for members in self._members.values() for name in members}
        return sorted(named | {*as_levels(self._met["label"])}, key=value_order)

    @cached_property
    def _met(self) -> pd.DataFrame:
        return self.rows.by(self.keys, {}, {})

    @cached_property
    def _members(self) -> Mapping[str, frozenset[str]]:
        """The classes in each set, by its text."""
        column = Column(self._met["set"].rename(self.label_set), self.kinds[self.label_set])
        codes, sets = parse_sets(column, as_levels(self._met["label"]).unique().tolist())
        texts = column.levels
        return {
            texts.iloc[row]: frozenset(sets[code]) for row, code in enumerate(codes) if code >= 0
        }


LazyOutcomes = LazyIntervals | LazyLabelSets
"""What became of the sets of rows that an engine has.

``keys`` are what the rows of a group are to have in common, ``values`` what is summed up over them.
"""
