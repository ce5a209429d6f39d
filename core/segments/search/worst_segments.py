"""Worst segments: rules searched for on one half of the test rows and judged on the other."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...arrays import BoolArray
from ...tables.table import Table
from ..statistics import p_values, q_values, wilson_interval
from .beam import Rule, worst_rules
from .candidates import Conditions, conditions_on

FEWEST_ROWS = 200
"""Fewer test rows have no two halves to search and to judge on."""

_SEED = 0
"""Of the division into halves: the same for the same rows."""

Found = Literal["base", "adjusted", "both"]
When = Literal["base", "adjusted"]


@dataclass(frozen=True, kw_only=True)
class WorstSegmentRow:
    """A rule found on one half of the test rows, with the figures of the other half alone.

    Attributes
    ----------
    rule
        In words, such as "district = Oldtown and age >= 65".
    variables
        The columns that it names.
    found_on
        The predictor that it was found for: before, after, or both.
    n
        Rows of the judging half that the rule holds for; as all the following.
    n_test
        Test rows of both halves that it holds for.
    low_base, high_base, low_adjusted, high_adjusted
        Ends of Wilson's 95 % intervals for the accuracies.
    p_value_base, p_value_adjusted
        Exact, two-sided, of "coverage under the rule is that of the whole half".
    q_value_base, q_value_adjusted
        The same, adjusted by Benjamini and Hochberg for all the rules judged.
    """

    rule: str
    variables: list[str]
    found_on: Found
    n: int
    n_test: int
    accuracy_base: float
    accuracy_adjusted: float
    low_base: float
    high_base: float
    low_adjusted: float
    high_adjusted: float
    p_value_base: float
    p_value_adjusted: float
    q_value_base: float
    q_value_adjusted: float


@dataclass(frozen=True)
class _Found:
    """A rule as it is judged."""

    words: str
    variables: list[str]
    rows: BoolArray


def worst_segments(
    table: Table,
    base: BoolArray,
    adjusted: BoolArray,
    *,
    groups: NDArray[np.intp] | None = None,
) -> list[WorstSegmentRow]:
    """Return the rules under which coverage is lowest, before and after, most certain ones first.

    They are searched for on one half of the rows and judged on the other, which had no part in
    their choice, so that an evenly good predictor does not look bad. Nothing for fewer than 200
    rows, or if all prediction sets are right, or all wrong.

    Parameters
    ----------
    table
        The test rows, with the columns that rules may name.
    base, adjusted
        Which of their prediction sets hold their label before and after, shape (n,).
    groups
        Numbers from 0 up, shape (n,): rows of one number stay in one half. None: each by itself.
    """
    if len(table) < FEWEST_ROWS:
        return []
    searched = _one_half(np.arange(len(table)) if groups is None else groups)
    before = _search(table, ~base, searched)
    unchanged = np.array_equal(base, adjusted)
    after = before if unchanged else _search(table, ~adjusted, searched)
    found_on: dict[str, Found] = dict.fromkeys(before, "base")
    found_on |= {words: "both" if words in before else "adjusted" for words in after}
    return _judged(before | after, found_on, base, adjusted, ~searched)


def _one_half(groups: NDArray[np.intp]) -> BoolArray:
    """Draw about half of the rows, whole groups alone."""
    places = np.random.default_rng(_SEED).permutation(int(groups.max()) + 1)[groups]
    half: BoolArray = places < np.sort(places)[len(places) // 2]
    return half


def _search(table: Table, wrong: BoolArray, searched: BoolArray) -> dict[str, _Found]:
    variables = [conditions_on(table[name], wrong, searched) for name in table.names]
    found = (
        _Found(rule.words(variables), _names(rule, variables), rule.rows(variables))
        for rule in worst_rules(variables, wrong, searched)
    )
    return {rule.words: rule for rule in found}


def _names(rule: Rule, variables: list[Conditions]) -> list[str]:
    return [variables[place].variable for place, _ in rule.conditions]


def _judged(
    rules: dict[str, _Found],
    found_on: dict[str, Found],
    base: BoolArray,
    adjusted: BoolArray,
    judging: BoolArray,
) -> list[WorstSegmentRow]:
    """Return the rules with their figures on the judging half."""
    inside = [rule.rows & judging for rule in rules.values()]
    n = np.array([rows.sum() for rows in inside], dtype=np.intp)
    figures: dict[str, NDArray[np.float64]] = {}
    for name, correct in (("base", base), ("adjusted", adjusted)):
        hits = np.array([(rows & correct).sum() for rows in inside], dtype=np.intp)
        p = p_values(hits, n, int(correct[judging].sum()), int(judging.sum()))
        low, high = wilson_interval(hits, n)
        with np.errstate(invalid="ignore"):
            accuracy = hits / n
        figures |= {
            f"accuracy_{name}": accuracy,
            f"low_{name}": low,
            f"high_{name}": high,
            f"p_value_{name}": p,
            f"q_value_{name}": q_values(p),
        }
    rows = [
        WorstSegmentRow(
            rule=rule.words,
            variables=rule.variables,
            found_on=found_on[rule.words],
            n=int(n[i]),
            n_test=int(rule.rows.sum()),
            **{name: float(values[i]) for name, values in figures.items()},
        )
        for i, rule in enumerate(rules.values())
    ]
    return sorted(rows, key=lambda row: np.nan_to_num(row.p_value_base, nan=1.0))
