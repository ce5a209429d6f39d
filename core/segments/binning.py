"""How the rows are divided by a column, or by two at once."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..messages import InputError, told_apart
from ..preparation.settings import DEFAULT_BINS
from ..rows.weights import Weights, weighted_quantiles, weights_of
from ..scoring.columns import MISSING
from ..scoring.groups import A_DAY
from ..tables.columns import MOST_VALUES, Column, coded, value_order
from ..tables.rules import (
    Between,
    Bound,
    Missing,
    OneOf,
    Rule,
    day_in_a_rule,
    moment_in_a_rule,
    number_in_a_rule,
)
from ..tables.table import Table
from .statistics import FEWEST_JUDGED

OTHER = "(other)"
INSIDE, OUTSIDE = "inside", "outside"  # the rows that a rule holds for, and the others

_LARGEST_WHOLE = 1e15
_MOVED = 0.001  # of the rows, the share that may change sides for a bound that is written briefly


@dataclass(frozen=True)
class Partition:
    """Segments of a variable: ``names``, and the segment of each row, ``codes``, shape (n,).

    ``rules`` has for each segment the rule that holds for its rows and no others; None where there
    is none, as for moments that differ by less than a microsecond. The first ``bands`` segments are
    bands of numbers or dates, named by their bounds. Of the values that test rows have, so many are
    ``merged`` in the segment of the others.
    """

    names: list[str]
    codes: IndexArray
    rules: list[Rule | None]
    bands: int = 0
    merged: int = 0

    def rows(self, name: str) -> BoolArray:
        """Say which rows are in a segment, shape (n,)."""
        inside: BoolArray = self.codes == self.names.index(name)
        return inside


def partition_column(
    column: Column, train: IndexArray, *, bins: int = DEFAULT_BINS, weights: Weights = None
) -> Partition:
    """Divide the rows by a column: numbers and dates of many values in bands, all else by value.

    Missing values are a segment of their own, the last. For the bands see :func:`band_edges`.
    """
    edges = band_edges(column, train, bins=bins, weights=weights)
    return by_value(column) if edges is None else in_bands(column, edges)


def band_edges(
    column: Column,
    train: IndexArray | slice = slice(None),
    *,
    bins: int = DEFAULT_BINS,
    cuts: Sequence[float] = (),
    weights: Weights = None,
) -> FloatArray | None:
    """Return the bounds of a column's bands; None if it is to be divided by value.

    ``train`` are positions of the training rows, whose quantiles, by their ``weights``, bound so
    many ``bins``, to as many digits as they are written with; ``cuts`` are ascending bounds to use
    instead, in the column's units. Raises :class:`InputError` if there are cuts for a column
    without numbers.
    """
    if cuts:
        if column.holds != "number":
            sentence = (
                "column '{column}' holds no numbers to cut; leave out its cut points, or have it "
                "read as numbers"
            )
            raise InputError("cuts.no_numbers", sentence, column=column.name)
        return np.array(cuts)
    if not column.is_many_valued:
        return None
    values, _, roundings = _to_divide(column)
    edges = _inner_edges(values[train], bins, weights)
    # training rows may all have one value, or none
    edges = edges if len(edges) else _inner_edges(values, bins)
    return _as_written(edges, values, roundings)


def in_bands(column: Column, edges: FloatArray) -> Partition:
    """Divide numbers or dates at :func:`band_edges`; missing values are the last segment."""
    values, show, _ = _to_divide(column)
    missing = np.isnan(values)
    if len(edges) == 0:  # values that differ by less than floats tell apart
        known = Rule((Missing(column.name, negated=True),))
        names = [show(value) for value in values[~missing][:1].tolist()]
        one = Partition(names, np.zeros(len(values), np.intp), [known])
        return _with_missing(one, column, missing)
    shown = list(map(show, edges.tolist()))
    between = (f"{low} to {high}" for low, high in pairwise(shown))
    names = [f"< {shown[0]}", *between, f">= {shown[-1]}"]
    codes = np.searchsorted(edges, values, side="right")
    bounds = [Bound(each, included=True) for each in shown]
    rules: list[Rule | None] = [
        Rule((Between(column.name, low, None if high is None else replace(high, included=False)),))
        for low, high in pairwise([None, *bounds, None])
    ]
    return _with_missing(Partition(names, codes, rules, bands=len(names)), column, missing)


def meetings(first: Partition, second: Partition) -> tuple[list[tuple[int, int]], IndexArray]:
    """Return the pairs of segments, by their codes, that any row is in, and each row's pair."""
    width = len(second.names)
    # numbered anew: of many times many segments few meet
    keys = first.codes.astype(np.int64) * width + second.codes
    met, codes = np.unique(keys, return_inverse=True)
    return [divmod(code, width) for code in met.tolist()], codes


def crossed(first: Partition, second: Partition) -> Partition:
    """Return the intersections of two partitions' segments that have any of the rows."""
    pairs, codes = meetings(first, second)
    names = told_apart(f"{first.names[one]} × {second.names[other]}" for one, other in pairs)
    both = ((first.rules[one], second.rules[other]) for one, other in pairs)
    rules = [Rule(one.conditions + two.conditions) if one and two else None for one, two in both]
    return Partition(names, codes, rules)


def by_rule(rule: Rule, table: Table) -> Partition:
    """Divide into the rows that a rule holds for, see :meth:`.Rule.holds`, and the others."""
    return Partition([INSIDE, OUTSIDE], (~rule.holds(table)).astype(np.intp), [rule, None])


def by_value(
    column: Column,
    test: IndexArray | slice = slice(None),
    rows: IndexArray | None = None,
    many: int = MOST_VALUES,
) -> Partition:
    """Divide by value; of many, those of at least 20 of the ``test`` rows, and the others as one.

    Of more than ``many`` values those of most rows come first. Each of the test rows stands for so
    many ``rows``, by itself for one.
    """
    codes, found = coded(column.series)
    names: list[str] = found.tolist()
    shown = sorted(range(len(names)), key=lambda i: value_order(names[i]))
    merged = 0
    if len(names) > many:
        counts = np.bincount(codes[test] + 1, rows, minlength=len(names) + 1)[1:].tolist()
        merged = sum(0 < count < FEWEST_JUDGED for count in counts)
        enough = (i for i in shown if counts[i] >= FEWEST_JUDGED)
        shown = sorted(enough, key=lambda i: counts[i], reverse=True)
    written = [names[i] for i in shown]
    place = np.full(len(names) + 1, len(shown))  # its last is for missing values, coded -1
    place[shown] = np.arange(len(shown))
    rules = _rules_of_values(column, codes, names, shown)
    if len(shown) < len(names):
        written = told_apart([*written, OTHER])
    return _with_missing(
        Partition(written, place[codes], rules, merged=merged), column, column.missing
    )


def _with_missing(partition: Partition, column: Column, missing: BoolArray) -> Partition:
    if not missing.any():
        return partition
    codes = np.where(missing, len(partition.names), partition.codes)
    rules = [*partition.rules, Rule((Missing(column.name),))]
    return replace(
        partition, names=told_apart([*partition.names, MISSING]), codes=codes, rules=rules
    )


def _rules_of_values(
    column: Column, codes: IndexArray, names: list[str], shown: list[int]
) -> list[Rule | None]:
    values: list[str | None] = [*names]
    if column.kind in ("number", "date"):
        first = np.zeros(len(names) + 1, dtype=np.intp)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        places, show = column.ordered[first[:-1]], moment_in_a_rule
        if column.kind == "number":
            show = number_in_a_rule
        elif not (places % A_DAY > 0.0).any():
            places, show = places / A_DAY, day_in_a_rule
        values = [None if math.isnan(place) else show(place) for place in places.tolist()]
    # moments of one microsecond have no rule of their own, nor has what is no date
    times = Counter(values)
    alone = [v if (v := values[i]) is None or times[v] == 1 else None for i in shown]
    rules = [None if v is None else Rule((OneOf(column.name, (v,)),)) for v in alone]
    if len(shown) < len(names):
        known = tuple(sorted((v for v in alone if v is not None), key=value_order))
        others = OneOf(column.name, known, negated=True) if known else Missing(column.name, True)
        rules.append(None if None in (*alone, *values) else Rule((others,)))
    return rules


_Show = Callable[[float], str]
_Round = Callable[[float], float]


def _to_divide(column: Column) -> tuple[FloatArray, _Show, list[_Round]]:
    """Return numbers, days or, where all are of one day, moments; how bounds are written, rounded.

    Moments are in microseconds.
    """
    values = column.ordered
    if column.holds == "number":
        return values, number_in_a_rule, [partial(_rounded, digits=n) for n in (6, 10, 17)]
    if are_of_one_day(column):
        return values, moment_in_a_rule, [partial(_up_to, unit=u) for u in (1_000_000, 1_000, 1)]
    return np.floor(values / A_DAY), day_in_a_rule, [math.ceil]


def are_of_one_day(column: Column) -> bool:
    """Say whether all known values of a column of dates are on one day."""
    days = np.floor(column.places)
    return bool(np.nanmin(days) == np.nanmax(days))


def _rounded(value: float, digits: int) -> float:
    """Return a number to so many digits at least; whole numbers as they are."""
    if value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return value
    return float(f"{value:.{digits if abs(value) < 10**digits else max(digits, 15)}g}")


def _up_to(value: float, unit: int) -> float:
    return float(math.ceil(value / unit) * unit)


def _as_written(edges: FloatArray, values: FloatArray, roundings: list[_Round]) -> FloatArray:
    """Return edges as briefly as keeps them apart and moves hardly any row from side to side."""
    for rounding in roundings:
        near = np.array(list(map(rounding, edges.tolist())), dtype=np.float64)
        moved = (
            np.count_nonzero((values >= one) != (values >= other))
            for one, other in zip(edges, near, strict=True)
            if one != other
        )
        kept = np.unique(near)
        if len(kept) == len(edges) and max(moved, default=0) <= _MOVED * len(values):
            break
    return kept


def _inner_edges(values: FloatArray, bins: int, weights: Weights = None) -> FloatArray:
    """Return the distinct quantiles that leave values on both sides."""
    known = ~np.isnan(values)
    seen = values[known]
    if len(seen) == 0:
        return seen
    shares = np.arange(1, bins) / bins
    edges = np.unique(weighted_quantiles(seen, shares, weights_of(weights, known)))
    edges = edges[edges > seen.min()]
    above = seen[seen > seen.min()]
    if len(edges) == 0 and len(above):  # too many share the smallest value
        edges = np.array([above.min()])
    return edges
