"""The search for rules: against a naive one on small data, and by what it must not do."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from rows import held

from evencover.core.segments import beam as rule_search
from evencover.core.segments.beam import MOST_ALIKE, worst_rules
from evencover.core.segments.candidates import conditions_on
from evencover.core.tables.columns import Column


def variables_of(frame, wrong, searched):
    return [conditions_on(Column.of(frame[name]), wrong, searched) for name in frame]


def draw(seed, n=600):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n),
            "b": rng.choice(["p", "q", "r"], n),
            "c": rng.normal(size=n).round(1),
        }
    )
    return frame, rng.random(n) < 0.1 + 0.2 * (frame["a"] == 3) * (frame["b"] == "q")


def naive_score(rows, wrong, bounds):
    """The gain in log-likelihood, less the logarithm of the ways to choose the words."""
    n, k, share = int(rows.sum()), int(wrong[rows].sum()), wrong.mean()
    if n < 20 or k <= share * n:
        return -math.inf
    gain = k * math.log(k / (share * n))
    if k < n:
        gain += (n - k) * math.log((n - k) / ((1.0 - share) * n))
    return gain - sum(math.log(3) + words * math.log(ways) for words, ways in bounds)


def naive_best(variables, wrong):
    """The best rule of one or two conditions by trying each."""
    best, words = -math.inf, None
    single = [
        (place, i, variable.words[i], (variable.bounds[i], variable.parts + 1))
        for place, variable in enumerate(variables)
        for i in range(len(variable.words))
    ]
    for chosen in [*((one,) for one in single), *combinations(single, 2)]:
        if len({place for place, *_ in chosen}) < len(chosen):
            continue
        rows = np.logical_and.reduce([variables[place].rows(i) for place, i, *_ in chosen])
        score = naive_score(rows, wrong, [price for *_, price in chosen])
        if score > best:
            best, words = score, " and ".join(said for _, _, said, _ in chosen)
    return words


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
def test_the_first_rule_is_that_of_trying_every_one(seed, monkeypatch):
    monkeypatch.setattr(rule_search._Search, "_grown", lambda _, scored: scored)
    frame, wrong = draw(seed)
    every = np.ones(len(frame), dtype=bool)
    variables = variables_of(frame, wrong, every)
    found = worst_rules(variables, held(~wrong), every)
    assert str(found[0].of_table(variables)) == naive_best(variables, wrong)


def test_rules_are_not_the_same_rows_again():
    frame, wrong = draw(7, 4000)
    every = np.ones(len(frame), dtype=bool)
    variables = variables_of(frame, wrong, every)
    rows = [rule.rows(variables) for rule in worst_rules(variables, held(~wrong), every)]
    assert len(rows) > 4
    for one, other in combinations(rows, 2):
        assert (one & other).sum() <= MOST_ALIKE * (one | other).sum()


def test_three_conditions_where_it_takes_three():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, size=(10_000, 6)), columns=list("abcdef"))
    inside = (frame["a"] == 0) & (frame["c"] == 2) & (frame["e"] == 1)
    wrong = (rng.random(len(frame)) < np.where(inside, 0.35, 0.1)).astype(bool)
    every = np.ones(len(frame), dtype=bool)
    variables = variables_of(frame, wrong, every)
    found = worst_rules(variables, held(~wrong), every)[0]
    assert set(str(found.of_table(variables)).split(" and ")) == {"a = 0", "c = 2", "e = 1"}
    np.testing.assert_array_equal(found.rows(variables), inside)


def test_outcomes_of_other_rows_play_no_part():
    frame, wrong = draw(3, 2000)
    searched = np.arange(len(frame)) % 2 == 0
    variables = variables_of(frame, wrong, searched)
    flipped = np.where(searched, wrong, ~wrong)
    assert worst_rules(variables, held(~wrong), searched) == worst_rules(
        variables, held(~flipped), searched
    )


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_have_no_worst(outcome):
    frame, _ = draw(0)
    wrong, every = np.full(len(frame), outcome), np.ones(len(frame), dtype=bool)
    assert worst_rules(variables_of(frame, wrong, every), held(~wrong), every) == []
