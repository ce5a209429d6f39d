"""The search for rules under which most prediction sets miss their labels.

A rule is made of conditions on one variable each that a person can read, such as "age >= 65".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from ..arrays import BoolArray, FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Counts, weighted_mean, weights_of
from ..scoring.groups import A_DAY
from ..tables import rules
from ..tables.columns import Column, value_order
from .statistics import log_likelihood_gain

MOST_RULES = 10
GROWTH_PRICE = 2.0  # of a third condition: at 1 chance added a needless one in one run of twenty
MOST_VARIABLES = 30  # pairs are made of so many variables: those that show the most by themselves
MOST_ALIKE = 0.5  # of the rows that one of two rules holds for, the share that both may hold for
MOST_PARTS = 20  # a number with more distinct values is cut into so many parts of about equal size
LEAST_ROWS = 20  # of those searched that a rule, and each value that it names, is to hold for
MOST_IN_SET = 3  # a rule names up to so many values of a category
MOST_IN_SETS = 20  # values that sets are made of: those with the largest share of wrong sets
MOST_LEVELS = 1000  # of a category, so that all pairs of two such have room in memory

_DIGITS = 3  # a cut point has so many digits of the range in which nine tenths of the values lie
_MOST_DIGITS = 300  # to so many and more no number is rounded: powers of ten end there

_Show = Callable[[float], str]
_Entry = tuple[rules.Condition, range, int]
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
    conditions: list[rules.Condition]

    def rows(self, condition: int) -> BoolArray:
        """Say which rows meet a condition, shape (n,)."""
        start, end = self.starts[condition], self.ends[condition]
        meets: BoolArray = (start <= self.codes) & (self.codes < end)
        return meets

    def totals(self, counts: FloatArray | IndexArray) -> FloatArray | IndexArray:
        """Add up counts by part, shape (parts + 2, ...), over those that meet each condition."""
        none = np.zeros((1, *counts.shape[1:]), dtype=counts.dtype)
        running = np.concatenate([none, counts.cumsum(axis=0)])
        totals: FloatArray | IndexArray = running[self.ends] - running[self.starts]
        return totals


def fixed_conditions(column: Column) -> Conditions | None:
    """Return the conditions in whose choice no outcome plays a part; None for a category.

    Numbers and dates are compared with cut points of all rows; at every value if there are few.
    """
    name = column.name
    if column.kind == "number":
        values = column.numbers
        return _on_numbers(name, values, *_cuts(values[~np.isnan(values)]), rules.number_in_a_rule)
    if column.kind == "date":
        days = np.floor(column.ordered / A_DAY)
        cuts, distinct = _cuts(days[~np.isnan(days)])
        # a cut within a day is one at the next: words name whole days
        return _on_numbers(name, days, np.unique(np.ceil(cuts)), distinct, rules.day_in_a_rule)
    return None


def _on_numbers(
    name: str, values: FloatArray, cuts: FloatArray, distinct: FloatArray | None, show: _Show
) -> Conditions:
    missing = np.isnan(values)
    parts = len(cuts) + 1
    codes = np.where(missing, parts, np.searchsorted(cuts, values, side="right"))
    ranges = [ends for ends in combinations(range(parts + 1), 2) if ends != (0, parts)]
    shown = [show(cut) for cut in cuts.tolist()]
    above = [None, *(rules.Bound(cut, included=True) for cut in shown)]
    below = [*(rules.Bound(cut, included=False) for cut in shown), None]
    single = [] if distinct is None else [show(value) for value in distinct.tolist()]
    found: list[_Entry] = []
    for low, high in ranges:
        one = single and high - low == 1
        between = rules.Between(name, above[low], below[high - 1])
        condition = rules.OneOf(name, (single[low],)) if one else between
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


def level_conditions(column: Column, wrong: BoolArray, searched: BoolArray) -> Conditions:
    """Return the conditions on a category, of the n test rows.

    One is of one value, or of a few that lie next to each other in the order of their share of
    wrong sets among the rows searched. ``wrong`` says which prediction sets miss their label,
    ``searched`` which rows may be looked at, shape (n,) each.
    """
    name, levels = column.name, column.levels
    looked_at = pd.DataFrame({"level": levels.to_numpy(), "wrong": wrong})[searched]
    by_level = looked_at.groupby("level", sort=True)["wrong"].agg(["size", "mean"])
    by_level = by_level[by_level["size"] >= LEAST_ROWS]
    by_level = by_level.sort_values("size", ascending=False, kind="stable").head(MOST_LEVELS)
    names = by_level.sort_values("mean", ascending=False, kind="stable").index.tolist()
    codes = pd.Index(names, dtype=object).get_indexer(levels)
    # other values are in no condition: no rule on them could be judged
    codes = np.where(levels.isna(), len(names), np.where(codes < 0, len(names) + 1, codes))
    runs = [range(first, first + 1) for first in range(len(names))] + [
        range(first, first + length)
        for length in range(2, min(MOST_IN_SET, len(names) - 1) + 1)
        for first in range(min(MOST_IN_SETS, len(names)) - length + 1)
    ]
    # values in their own order: a rule found twice is to read the same
    found: list[_Entry] = [
        (rules.OneOf(name, tuple(sorted((names[i] for i in run), key=value_order))), run, len(run))
        for run in runs
    ]
    return _with_missing(name, codes, found, len(names))


def _with_missing(name: str, codes: IndexArray, found: list[_Entry], parts: int) -> Conditions:
    """Return what was found, with "is missing" if a row is: that is the part after the others."""
    if (codes == parts).any():
        found = [*found, (rules.Missing(name), range(parts, parts + 1), 1)]
    numbers = [(run.start, run.stop, bounds) for _, run, bounds in found]
    starts, ends, bounds = np.array(numbers, dtype=np.intp).reshape(-1, 3).T
    conditions = [condition for condition, *_ in found]
    return Conditions(codes.astype(np.intp), parts, starts, ends, bounds, conditions)


@dataclass(frozen=True)
class FoundRule:
    """Conditions that are all to hold: for each its variable and its place among those on it.

    ``score`` is its evidence less the price of its words.
    """

    score: float
    conditions: tuple[tuple[int, int], ...]

    def rows(self, variables: list[Conditions]) -> BoolArray:
        """Say which rows meet the rule, shape (n,)."""
        meets: BoolArray = np.all([variables[v].rows(c) for v, c in self.conditions], axis=0)
        return meets

    def of_table(self, variables: list[Conditions]) -> rules.Rule:
        """Return the rule in terms of the table's columns."""
        return rules.Rule(tuple(variables[v].conditions[c] for v, c in self.conditions))


class RuleSearch:
    """The search among rows for rules under which sets are wrong more often than overall.

    A rule has one condition, two, on any pair of variables, or three: the best pairs grow by a
    third one as a path of a tree does. Rules are ranked by evidence, the gain in log-likelihood by
    a share of wrong sets of their own, less the price of their words: the logarithm of the number
    of ways to choose them, so that one more condition or bound has to show more than the best of so
    many shows by chance. After each rule the search goes on in the rows that no rule so far holds
    for. The same input gives the same rules.

    Each of the ``variables`` has a condition; ``searched`` says which rows may be looked at, shape
    (n,). Evidence is divided by the design effect of rows that are alike, or of different weights,
    which count in proportion to their mean.
    """

    def __init__(
        self, variables: list[Conditions], outcomes: Outcomes, searched: BoolArray
    ) -> None:
        outcomes = outcomes.part(searched)
        self._variables = [replace(v, codes=v.codes[searched]) for v in variables]
        # the logarithm of the number of ways to choose a variable, and bounds or values
        self._prices = [np.log(len(variables)) + v.bounds * np.log(v.parts + 1) for v in variables]
        self._wrong, weights = ~outcomes.correct, outcomes.weights
        self._weights = None if weights is None else weights / weights.mean()
        self._share = weighted_mean(self._wrong, self._weights) if len(self._wrong) else 0.0
        self._design_effect = outcomes.design_effect
        self._open = np.ones(len(self._wrong), dtype=bool)

    def worst_rules(self) -> list[FoundRule]:
        """Return up to MOST_RULES of them."""
        if not 0.0 < self._share < 1.0:
            return []
        singles = [(v,) for v in range(len(self._variables))]
        best: dict[tuple[int, ...], FoundRule] = {of: self._best_on(of) for of in singles}
        by_score = sorted(best, key=lambda place: best[place].score, reverse=True)
        strongest = sorted(v for (v,) in by_score[:MOST_VARIABLES])
        best |= {pair: self._best_on(pair) for pair in combinations(strongest, 2)}
        found: dict[FoundRule, BoolArray] = {}
        up_to_date = set(best)
        while best and len(found) < MOST_RULES:
            # scores of before the last rule only say where to look first
            first = max(best, key=lambda place: best[place].score)
            if first not in up_to_date:
                best[first] = self._best_on(first)
                up_to_date.add(first)
            elif best[first].score == -np.inf:
                break
            else:
                rule = self._grown(best[first])
                inside = rule.rows(self._variables)
                if any(
                    (inside & other).sum() > MOST_ALIKE * (inside | other).sum()
                    for other in found.values()
                ):
                    del best[first]
                    continue
                found[rule] = inside
                self._open &= ~inside
                up_to_date = set()
        return [*found]

    def _best_on(self, place: tuple[int, ...]) -> FoundRule:
        """Return the best rule with a condition on each of one or two variables."""
        if len(place) == 1:
            return self._best_next((), place[0], self._open)
        first, second = place
        one, other = self._variables[first], self._variables[second]
        shape = one.parts + 2, other.parts + 2
        codes = one.codes * shape[1] + other.codes
        n, wrong = (
            other.totals(one.totals(counts.reshape(shape)).T).T
            for counts in self._counts(codes, shape[0] * shape[1], self._open)
        )
        score = self._evidence(n, wrong) - self._prices[first][:, None] - self._prices[second]
        i, j = np.unravel_index(int(score.argmax()), score.shape)
        return FoundRule(float(score[i, j]), ((first, int(i)), (second, int(j))))

    def _grown(self, scored: FoundRule) -> FoundRule:
        """Return a rule of two conditions with a third, if that is worth its price."""
        conditions = scored.conditions
        if len(conditions) == 1:
            return scored
        inside = self._open & scored.rows(self._variables)
        others = set(range(len(self._variables))) - {v for v, _ in conditions}
        grown = [self._best_next(conditions, v, inside) for v in sorted(others)]
        return max([scored, *grown], key=lambda candidate: candidate.score)

    def _best_next(
        self, conditions: tuple[tuple[int, int], ...], variable: int, inside: BoolArray
    ) -> FoundRule:
        """Return the best rule with one more condition than those that the rows inside meet."""
        on = self._variables[variable]
        n, wrong = map(on.totals, self._counts(on.codes, on.parts + 2, inside))
        price = self._prices[variable] * (GROWTH_PRICE if conditions else 1.0)
        score = self._evidence(n, wrong) - price
        i = int(score.argmax())
        spent = sum(self._prices[v][c] for v, c in conditions)
        return FoundRule(float(score[i]) - spent, (*conditions, (variable, i)))

    def _counts(self, codes: IndexArray, parts: int, rows: BoolArray) -> tuple[Counts, Counts]:
        n, wrong = (
            np.bincount(codes[of], weights_of(self._weights, of), parts)
            for of in (rows, rows & self._wrong)
        )
        return n, wrong

    def _evidence(self, n: Counts, wrong: Counts) -> FloatArray:
        """Return the gain in log-likelihood by a share of their own; -inf where none is to show."""
        gain = np.full(n.shape, -np.inf)
        shows = (n >= LEAST_ROWS) & (wrong > self._share * n)
        gain[shows] = log_likelihood_gain(wrong[shows], n[shows], self._share) / self._design_effect
        return gain
