"""Worst segments: rules searched for on one half of the test rows and judged on the other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...arrays import BoolArray, IndexArray
from ...tables.table import Table
from ..statistics import p_values, q_values, shares
from .beam import worst_rules
from .candidates import conditions_on

FEWEST_ROWS = 200
"""Fewer test rows have no two halves to search and to judge on."""

_SEED = 0
"""Of the division into halves: the same for the same rows."""


@dataclass(frozen=True, kw_only=True)
class WorstSegmentRow:
    """A rule found on one half of the test rows, with one predictor's figures on the other half.

    ``variables`` are the columns that the rule names, ``found_on`` the predictors that it was found
    for. ``n`` counts the rows of the judging half that it holds for, on which the other figures are
    too; ``n_test`` those of both halves. ``low`` and ``high`` are Wilson's 95 % interval for the
    accuracy; ``p_value`` is exact, two-sided, of "coverage under the rule is that of the whole
    half", ``q_value`` the same, adjusted by Benjamini and Hochberg for all the rules judged.
    """

    shared: ClassVar = ("rule", "variables", "found_on", "n", "n_test")

    predictor: str
    rule: str
    variables: list[str]
    found_on: tuple[str, ...]
    n: int
    n_test: int
    accuracy: float
    low: float
    high: float
    p_value: float
    q_value: float

    @property
    def group(self) -> str:
        """Which rule it is, whatever the predictor."""
        return self.rule


@dataclass(frozen=True)
class _Found:
    """A rule as it is judged."""

    words: str
    variables: list[str]
    rows: BoolArray


def worst_segments(
    table: Table, correct: Mapping[str, BoolArray], *, groups: IndexArray | None = None
) -> list[WorstSegmentRow]:
    """Return the rules under which a predictor's coverage is lowest, with the figures of each.

    They are searched for on one half of the rows and judged on the other, which had no part in
    their choice, so that an evenly good predictor does not look bad. Nothing for fewer than 200
    rows, or if all prediction sets are right, or all wrong. Those most certain to be low for the
    first predictor come first.

    ``table`` has the columns that rules may name; ``correct`` says by the predictor's name which
    prediction sets hold their label, shape (n,). Rows of one number in ``groups``, from 0 up, shape
    (n,), stay in one half; None: each by itself.
    """
    if len(table) < FEWEST_ROWS:
        return []
    searched = _one_half(np.arange(len(table)) if groups is None else groups)
    # an adjustment that adjusted nothing is not searched again
    each_once = {held.tobytes(): held for held in correct.values()}
    searches = {key: _search(table, ~held, searched) for key, held in each_once.items()}
    found = {name: searches[held.tobytes()] for name, held in correct.items()}
    rules = {words: rule for of_one in found.values() for words, rule in of_one.items()}
    if not rules:
        return []
    found_on = {words: tuple(name for name in found if words in found[name]) for words in rules}
    by_predictor = [
        _judged(name, rules, found_on, held, ~searched) for name, held in correct.items()
    ]
    first = [np.nan_to_num(row.p_value, nan=1.0) for row in by_predictor[0]]
    order = np.argsort(first, kind="stable")
    return [rows[place] for rows in by_predictor for place in order]


def _one_half(groups: IndexArray) -> BoolArray:
    """Draw about half of the rows, whole groups alone."""
    places = np.random.default_rng(_SEED).permutation(int(groups.max()) + 1)[groups]
    half: BoolArray = places < np.sort(places)[len(places) // 2]
    return half


def _search(table: Table, wrong: BoolArray, searched: BoolArray) -> dict[str, _Found]:
    variables = [conditions_on(table[name], wrong, searched) for name in table.names]
    found = {}
    for rule in worst_rules(variables, wrong, searched):
        words = rule.words(variables)
        names = list(rule.of_table(variables).columns)
        found[words] = _Found(words, names, rule.rows(variables))
    return found


def _judged(
    predictor: str,
    rules: Mapping[str, _Found],
    found_on: Mapping[str, tuple[str, ...]],
    correct: BoolArray,
    judging: BoolArray,
) -> list[WorstSegmentRow]:
    inside = [rule.rows & judging for rule in rules.values()]
    n = np.array([rows.sum() for rows in inside], dtype=np.intp)
    hits = np.array([(rows & correct).sum() for rows in inside], dtype=np.intp)
    p = p_values(hits, n, int(correct[judging].sum()), int(judging.sum()))
    figures = {**shares(hits, n), "p_value": p, "q_value": q_values(p)}
    return [
        WorstSegmentRow(
            predictor=predictor,
            rule=rule.words,
            variables=rule.variables,
            found_on=found_on[rule.words],
            n=int(n[i]),
            n_test=int(rule.rows.sum()),
            **{name: float(values[i]) for name, values in figures.items()},
        )
        for i, rule in enumerate(rules.values())
    ]
