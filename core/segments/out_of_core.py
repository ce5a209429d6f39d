"""Segments of rows that an engine counts where they are.

The engine groups rows by what segments hang on, and sums up what became of their sets. A column is
one of few values as it is, a number by the band it is in, and a date by its hour. A row that stands
for each group is then divided as rows in memory are.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import ClassVar

import narwhals as nw
import numpy as np
import pandas as pd

from ..arrays import FloatArray
from ..preparation.set_text import parse_sets
from ..tables.columns import Column, ColumnKind, as_levels
from ..tables.grammar import parse_rule
from ..tables.lazy import LazyTable
from ..tables.rules import Between, OneOf, Rule
from ..tables.table import Table, names_part, with_date_parts
from .binning import (
    INSIDE,
    OUTSIDE,
    Partition,
    are_of_one_day,
    by_rule,
    by_value,
    crossed,
    in_bands,
)
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
            rule = parse_rule(variable.rule) if variable.rule else None
            partition, tally = self._counted(variable.columns, rule)
            yield replace(variable, partition=partition), tally

    def by_rule(self, rule: Rule) -> tuple[Partition, Tally]:
        """Return all rows in those that a rule holds for and the others."""
        if rule.conditions:
            return self._counted(rule.columns, rule)
        # of all rows the groups by any variable will do
        variable, tally = next(iter(self))
        codes = np.zeros_like(variable.partition.codes)
        return Partition([INSIDE, OUTSIDE], codes, [rule, None]), tally

    def _counted(self, columns: Sequence[str], rule: Rule | None) -> tuple[Partition, Tally]:
        """Divide by a rule, or by columns, at numbers between which all are alike."""
        names = list(dict.fromkeys(map(self._stored, columns)))
        keys, least = dict(self.outcomes.keys), {}
        for place, name in enumerate(names):
            ends = None
            if self.sample[name].kind == "number":
                ends = self.divided.edges(name) if rule is None else _numbers_in(rule, name)
            keys[f"key {place}"] = self._key(name, ends, by_hour=":" not in str(rule))
            if ends is not None:
                least[f"least {place}"] = self.rows.number(name)
        groups, values = self.rows.by(keys, self.outcomes.values, least), {}
        for place, name in enumerate(names):
            key, number = groups[f"key {place}"], groups.get(f"least {place}")
            # engines do not agree on the least of missing values
            values[name] = key if number is None else number.where(key >= 0)
        kinds = {name: self.sample.kinds[name] for name in names}
        table = Table(pd.DataFrame(values), kinds, self.sample.categorical)
        table, _ = with_date_parts(table, names)
        if rule is not None:
            return by_rule(rule, table), self.outcomes.tally(groups)
        rows, parts = groups["n"].to_numpy(), []
        for name in columns:
            column, edges = table[name], self.divided.edges(name)
            parts.append(by_value(column, rows=rows) if edges is None else in_bands(column, edges))
        return reduce(crossed, parts), self.outcomes.tally(groups)

    def _stored(self, name: str) -> str:
        """Return the column itself, or the column of dates that it is a part of."""
        if name in self.rows.names:
            return name
        return next(column for column in self.rows.names if names_part(name, [column]))

    def _key(self, name: str, ends: FloatArray | None, *, by_hour: bool) -> nw.Expr:
        if ends is not None:
            number, is_missing = self.rows.number(name), self.rows.missing(name)
            passed = [each for end in ends.tolist() for each in (number >= end, number > end)]
            place = reduce(add, (each.cast(nw.Int64) for each in passed), nw.lit(0))
            return nw.when(is_missing).then(nw.lit(-1)).otherwise(place)
        is_moment = isinstance(self.rows.schema[name], nw.Datetime)
        if is_moment and by_hour and not are_of_one_day(self.sample[name]):
            return nw.col(name).dt.truncate(_HOUR)
        return self.rows.value(name)


def _numbers_in(rule: Rule, name: str) -> FloatArray:
    numbers: set[float] = set()
    for condition in (each for each in rule.conditions if each.column == name):
        texts: Iterable[str] = ()
        if isinstance(condition, OneOf):
            texts = condition.values  # noqa: PD011 - no frame's
        elif isinstance(condition, Between):
            texts = (end.value for end in (condition.low, condition.high) if end is not None)
        with suppress(ValueError):  # the rule says so itself, when it is asked
            numbers.update(map(float, texts))
    return np.array(sorted(numbers))


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
    keys: ClassVar[Mapping[str, nw.Expr]] = {}  # none: all is summed up

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
    values: ClassVar[Mapping[str, nw.Expr]] = {}  # none: the number of rows is enough

    @property
    def keys(self) -> Mapping[str, nw.Expr]:
        """The set, and the label."""
        return {"set": self.rows.value(self.label_set), "label": self.rows.value(self.target)}

    def tally(self, groups: pd.DataFrame) -> Tally:
        """Return what became of the sets of groups."""
        labels, texts = as_levels(groups["label"]), as_levels(groups["set"])
        members, classes = self._known
        sets = [members.get(text, frozenset()) for text in texts]
        held = np.array([name in held for name, held in zip(labels, sets, strict=True)])
        sizes = np.array([len(each) for each in sets], dtype=np.float64)
        n = groups["n"].to_numpy(np.float64)
        full = n * (sizes == classes)
        return Tally(n, n * held, n * sizes, full, n * (sizes == 0.0), are_intervals=False)

    @cached_property
    def _known(self) -> tuple[Mapping[str, frozenset[str]], int]:
        """The classes in each set, by its text, and how many there are, in sets and as labels."""
        met = self.rows.by(self.keys, {}, {})
        labels = as_levels(met["label"]).unique().tolist()
        column = Column(met["set"].rename(self.label_set), self.kinds[self.label_set])
        codes, sets = parse_sets(column, labels)
        texts = column.levels
        members = {
            texts.iloc[row]: frozenset(sets[code]) for row, code in enumerate(codes) if code >= 0
        }
        return members, len(set(labels).union(*members.values()))


LazyOutcomes = LazyIntervals | LazyLabelSets
"""``keys`` are what rows of a group have in common, ``values`` what is summed up over them."""
