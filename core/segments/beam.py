"""The search for rules under which most prediction sets miss their labels."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Counts, totals, weighted_mean
from ..tables.rules import Rule
from .candidates import LEAST_ROWS, Conditions
from .statistics import log_likelihood_gain

MOST_RULES = 10

GROWTH_PRICE = 2.0
"""By which a third condition is dearer: at 1 chance added a needless one in a twentieth of runs."""

MOST_VARIABLES = 30
"""Pairs are made of so many variables: those that show the most by themselves."""

MOST_ALIKE = 0.5
"""Of the rows that one of two rules holds for, the share that both may hold for."""


@dataclass(frozen=True)
class FoundRule:
    """Conditions that are all to hold: for each its variable and its place among those on it."""

    conditions: tuple[tuple[int, int], ...]

    def rows(self, variables: list[Conditions]) -> BoolArray:
        """Say which rows meet the rule, shape (n,)."""
        meets: BoolArray = np.all([variables[v].rows(c) for v, c in self.conditions], axis=0)
        return meets

    def of_table(self, variables: list[Conditions]) -> Rule:
        """Return the rule in terms of the table's columns."""
        return Rule(tuple(variables[v].conditions[c] for v, c in self.conditions))


@dataclass(frozen=True)
class _Scored:
    """The best of some rules: its evidence less the price of its words."""

    score: float
    rule: FoundRule


def worst_rules(
    variables: list[Conditions], outcomes: Outcomes, searched: BoolArray
) -> list[FoundRule]:
    """Return up to MOST_RULES rules under which sets are wrong more often than overall.

    A rule has one condition, two, on any pair of variables, or three: the best pairs grow by a
    third one as a path of a tree does. Rules are ranked by evidence, the gain in log-likelihood by
    a share of wrong sets of their own, less the price of their words: the logarithm of the number
    of ways to choose them, so that one more condition or bound has to show more than the best of so
    many shows by chance. After each rule the search goes on in the rows that no rule so far holds
    for. The same input gives the same rules.

    ``searched`` says which rows may be looked at, shape (n,). Evidence is divided by the design
    effect of rows that are alike, or of different weights, which count in proportion to their mean.
    """
    places = [place for place, variable in enumerate(variables) if variable.conditions]
    asked = [variables[place] for place in places]
    found = _Search(asked, outcomes.part(searched), searched).run()
    return [FoundRule(tuple((places[v], c) for v, c in rule.conditions)) for rule in found]


class _Search:
    """The rows searched, of which those are open that no rule found so far holds for."""

    def __init__(
        self, variables: list[Conditions], outcomes: Outcomes, searched: BoolArray
    ) -> None:
        self._variables = [replace(v, codes=v.codes[searched]) for v in variables]
        self._prices = [_prices(variable, len(variables)) for variable in variables]
        self._wrong, weights = ~outcomes.correct, outcomes.weights
        self._weights = None if weights is None else weights / weights.mean()
        self._share = weighted_mean(self._wrong, self._weights) if len(self._wrong) else 0.0
        self._design_effect = outcomes.design_effect
        self._open = np.ones(len(self._wrong), dtype=bool)

    def run(self) -> list[FoundRule]:
        if not 0.0 < self._share < 1.0:
            return []
        best = self._best_by_variables()
        found: list[FoundRule] = []
        covered: list[BoolArray] = []
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
                rule = self._grown(best[first]).rule
                inside = rule.rows(self._variables)
                if any(_alike(inside, other) > MOST_ALIKE for other in covered):
                    del best[first]
                    continue
                found.append(rule)
                covered.append(inside)
                self._open &= ~inside
                up_to_date = set()
        return found

    def _best_by_variables(self) -> dict[tuple[int, ...], _Scored]:
        best: dict[tuple[int, ...], _Scored] = {
            (v,): self._best_on((v,)) for v in range(len(self._variables))
        }
        by_score = sorted(best, key=lambda place: best[place].score, reverse=True)
        strongest = sorted(v for (v,) in by_score[:MOST_VARIABLES])
        return best | {pair: self._best_on(pair) for pair in combinations(strongest, 2)}

    def _best_on(self, place: tuple[int, ...]) -> _Scored:
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
        return _Scored(float(score[i, j]), FoundRule(((first, int(i)), (second, int(j)))))

    def _grown(self, scored: _Scored) -> _Scored:
        """Return a rule of two conditions with a third, if that is worth its price."""
        conditions = scored.rule.conditions
        if len(conditions) == 1:
            return scored
        inside = self._open & scored.rule.rows(self._variables)
        others = set(range(len(self._variables))) - {v for v, _ in conditions}
        grown = [self._best_next(conditions, v, inside) for v in sorted(others)]
        return max([scored, *grown], key=lambda candidate: candidate.score)

    def _best_next(
        self, conditions: tuple[tuple[int, int], ...], variable: int, inside: BoolArray
    ) -> _Scored:
        """Return the best rule with one more condition than those that the rows inside meet."""
        on = self._variables[variable]
        n, wrong = map(on.totals, self._counts(on.codes, on.parts + 2, inside))
        price = self._prices[variable] * (GROWTH_PRICE if conditions else 1.0)
        score = self._evidence(n, wrong) - price
        i = int(score.argmax())
        spent = sum(self._prices[v][c] for v, c in conditions)
        return _Scored(float(score[i]) - spent, FoundRule((*conditions, (variable, i))))

    def _counts(self, codes: IndexArray, parts: int, rows: BoolArray) -> tuple[Counts, Counts]:
        n = totals(codes, parts, self._weights, rows)
        return n, totals(codes, parts, self._weights, rows & self._wrong)

    def _evidence(self, n: Counts, wrong: Counts) -> FloatArray:
        """Return the gain in log-likelihood by a share of their own; -inf where none is to show."""
        gain = np.full(n.shape, -np.inf)
        shows = (n >= LEAST_ROWS) & (wrong > self._share * n)
        gain[shows] = log_likelihood_gain(wrong[shows], n[shows], self._share) / self._design_effect
        return gain


def _prices(variable: Conditions, variables: int) -> FloatArray:
    """Return the logarithm of the number of ways to choose a variable, and bounds or values."""
    ways = variable.parts + 1
    prices: FloatArray = np.log(variables) + variable.bounds * np.log(ways)
    return prices


def _alike(one: BoolArray, other: BoolArray) -> float:
    """Return Jaccard's index."""
    return float((one & other).sum() / (one | other).sum())
