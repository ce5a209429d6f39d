"""Worst segments: rules searched for on one half of the test rows and judged on the other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from ..arrays import BoolArray, IndexArray
from ..rows.outcomes import Outcomes
from ..tables.rules import Rule
from ..tables.table import Table
from . import statistics
from .binning import Partition
from .rule_search import Conditions, RuleSearch, fixed_conditions, level_conditions
from .tally import ByGroup, Tally

ALIKE = 0.05  # coverage of rows that differs by less from that of all rows is like it
FEWEST_ROWS = 200  # fewer test rows have no two halves to search and to judge on
_SURELY = 0.9  # of an interval whose lower end is below coverage in 95 % of cases
_SEED = 0  # of the division into halves: the same for the same rows


@dataclass(frozen=True, kw_only=True)
class WorstSegmentRow:
    """A rule found on one half of the test rows, with one predictor's figures on the other half.

    ``variables`` are the columns that the rule names, ``found_on`` the predictors that it was found
    for, and ``rank`` its place, from 1, in the search for the first of these: chosen by it, and not
    by their own size, figures are free of flattery. ``n`` counts the rows of the judging half that
    the rule holds for, on which the other figures are too; ``n_test`` those of both halves. ``low``
    and ``high`` are Wilson's 95 % interval for the accuracy; ``p_value`` is exact, two-sided, of
    "coverage under the rule is that of the whole half", ``q_value`` the same, adjusted by Benjamini
    and Hochberg for all the rules judged. These four take dependent rows for the ``n_effective``
    independent ones that say as much.
    """

    shared: ClassVar = ("rule", "variables", "found_on", "rank", "n", "n_test")

    predictor: str
    rule: str
    variables: list[str]
    found_on: tuple[str, ...]
    rank: int
    n: int
    n_test: int
    accuracy: float
    low: float
    high: float
    n_effective: int
    p_value: float
    q_value: float
    status: statistics.Status | None = None
    judged_q: float = math.nan

    @property
    def group(self) -> tuple[str, str]:
        """Which rule it is, whatever the predictor."""
        return self.rule, ""

    @property
    def counts_as(self) -> str:
        """Which group it is: one of the same rows as a segment has this one's words."""
        return self.rule

    @property
    def family(self) -> str:
        """Which groups it is judged among, those found by search; empty where it is not judged.

        Half of its rows are judged by, so half as many do: the other half was looked at.
        """
        return "search" if 2 * self.n_effective >= statistics.FEWEST_JUDGED else ""


@dataclass(frozen=True, eq=False)
class WorstSegments:
    """The rows of the rules, surest first; by rule which test rows it ``holds`` for, shape (n,).

    ``judging`` says which test rows had no part in the search, shape (n,).
    """

    rows: list[WorstSegmentRow]
    holds: Mapping[str, BoolArray]
    judging: BoolArray


class _Found(NamedTuple):
    """Where a rule holds; ``rank`` is its place in the search of one predictor."""

    rank: int
    rule: Rule
    rows: BoolArray


def worst_segments(
    table: Table, outcomes: Mapping[str, Outcomes], segments: Sequence[Partition] = ()
) -> WorstSegments:
    """Return the rules under which a predictor's coverage is lowest, with the figures of each.

    They are searched for on one half of the rows and judged on the other, which had no part in
    their choice, so that an evenly good predictor does not look bad. Nothing for fewer than 200
    rows, or if all prediction sets are right, or all wrong. Those most certain to be low for the
    first predictor come first.

    ``table`` has the columns that rules may name, of the same rows as ``outcomes``, which are by
    the predictor's name. Each cluster stays in one half. Of rules for the same rows there is one,
    in the words of one of the ``segments``, codes of shape (n,), if they are one's.
    """
    clusters = next(iter(outcomes.values())).clusters
    searched = _one_half(np.arange(len(table)) if clusters is None else clusters)
    found: dict[str, dict[str, _Found]] = {}
    if len(table) >= FEWEST_ROWS:
        # an adjustment that adjusted nothing is not searched again
        each_once = {of_one.correct.tobytes(): of_one for of_one in outcomes.values()}
        fixed = {name: fixed_conditions(table[name]) for name in table.names}
        known = {key: _search(table, fixed, of_one, searched) for key, of_one in each_once.items()}
        found = {name: known[of_one.correct.tobytes()] for name, of_one in outcomes.items()}
    worded: dict[bytes, Rule] = {}
    found = {name: _of_same_rows(of_one, segments, worded) for name, of_one in found.items()}
    rules: dict[str, _Found] = {}
    for of_one in found.values():
        rules = of_one | rules  # the rank is that of the first predictor
    found_on = {words: tuple(name for name in found if words in found[name]) for words in rules}
    by_predictor = [
        _judged(name, rules, found_on, of_one.part(~searched), ~searched)
        for name, of_one in outcomes.items()
    ]
    first = [np.nan_to_num(row.p_value, nan=1.0) for row in by_predictor[0]]
    rows = [rows[place] for rows in by_predictor for place in np.argsort(first, kind="stable")]
    return WorstSegments(rows, {words: rule.rows for words, rule in rules.items()}, ~searched)


def _one_half(groups: IndexArray) -> BoolArray:
    """Draw about half of the rows, whole groups alone."""
    places = np.random.default_rng(_SEED).permutation(int(groups.max()) + 1)[groups]
    half: BoolArray = places < np.sort(places)[len(places) // 2]
    return half


def _search(
    table: Table, fixed: Mapping[str, Conditions | None], outcomes: Outcomes, searched: BoolArray
) -> dict[str, _Found]:
    wrong = ~outcomes.correct
    each = (on or level_conditions(table[name], wrong, searched) for name, on in fixed.items())
    variables = [on for on in each if on.conditions]
    rules = RuleSearch(variables, outcomes, searched).worst_rules()
    found = (
        _Found(rank, rule.of_table(variables), rule.rows(variables))
        for rank, rule in enumerate(rules, 1)
    )
    return {str(one.rule): one for one in found}


def _of_same_rows(
    found: Mapping[str, _Found], segments: Sequence[Partition], worded: dict[bytes, Rule]
) -> dict[str, _Found]:
    """Return the rules by their words, those of the same rows once; ``worded`` grows by them."""
    once: dict[str, _Found] = {}
    for one in found.values():
        key = one.rows.tobytes()
        if key not in worded:
            worded[key] = next(_rules_of(one.rows, segments), one.rule)
        once.setdefault(str(worded[key]), one._replace(rule=worded[key]))
    return once


def _rules_of(rows: BoolArray, segments: Sequence[Partition]) -> Iterator[Rule]:
    """Yield the rules of segments that have exactly these rows."""
    for partition in segments:
        inside = partition.codes[rows]
        code = int(inside[0]) if len(inside) else -1
        rule = partition.rules[code] if code >= 0 and (inside == code).all() else None
        if rule is not None and np.count_nonzero(partition.codes == code) == len(inside):
            yield rule


def _judged(
    predictor: str,
    rules: Mapping[str, _Found],
    found_on: Mapping[str, tuple[str, ...]],
    half: Outcomes,
    judging: BoolArray,
) -> list[WorstSegmentRow]:
    tally, rows = Tally.of(half), []
    for words, (rank, rule, holds) in rules.items():
        groups = ByGroup(tally, holds[judging].astype(np.intp), 2)
        right, n = groups.right, groups.effective
        (p_value,) = statistics.p_values(right[1:], n[1:], int(right.sum()), int(n.sum()))
        row = WorstSegmentRow(
            predictor=predictor,
            rule=words,
            variables=list(rule.columns),
            found_on=found_on[words],
            rank=rank,
            n_test=int(holds.sum()),
            n_effective=int(n[1]),
            p_value=float(p_value),
            q_value=math.nan,
            **groups.lines()[1],
        )
        rows.append(row)
    q = statistics.q_values(np.array([row.p_value for row in rows])).tolist()
    return [replace(row, q_value=q_value) for row, q_value in zip(rows, q, strict=True)]


def explaining_rule(
    segment: BoolArray,
    rules: Mapping[str, BoolArray],
    outcomes: Outcomes,
    judging: BoolArray,
    confidence_level: float,
) -> tuple[str, bool]:
    """Return the first rule that a segment's shortfall may be due to, and whether it is shown to.

    It may be if, of the segment's rows that had no part in the search, those under the rule are
    stronger evidence of low coverage by themselves than all of them are, and the others, at least
    20, have a 95 % interval (Wilson) that reaches CL, or at least the coverage of all rows. That is
    shown only if with 95 % confidence the others' coverage is less than 5 points below CL, or below
    that of all rows. A rule of which it is shown goes first; empty where no rule may be it.

    ``segment``, ``rules``, by their words, and ``judging`` are masks of the rows, shape (n,).
    """
    half, may_be = outcomes.part(judging), ""
    tally, overall = Tally.of(half), half.accuracy
    for words, holds in rules.items():
        groups = ByGroup(tally, np.where(segment, 1 + ~holds, 0)[judging], 3)
        (_, low, rest), (_, *hits), (_, *n) = groups.accuracy, groups.right, groups.effective
        if n[0] == 0 or n[1] < statistics.FEWEST_JUDGED:
            continue
        under, whole = (np.array([of[0], sum(of)]) for of in (hits, n))
        stronger, weaker = statistics.log_likelihood_gain(under, whole, overall)
        is_fine = groups.high[2] >= confidence_level or rest >= overall
        if low < rest and stronger > weaker and is_fine:
            surely = statistics.wilson_interval(groups.right, groups.effective, _SURELY)[0][2]
            if surely > min(confidence_level, overall) - ALIKE:
                return words, True
            may_be = may_be or words
    return may_be, False
