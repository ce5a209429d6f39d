"""Conditions hold for what their words say; the rules found are those of a naive search."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from rows import held

from evencover.core.segments.rule_search import (
    MOST_ALIKE,
    MOST_IN_SET,
    MOST_IN_SETS,
    MOST_PARTS,
    RuleSearch,
    fixed_conditions,
    level_conditions,
)
from evencover.core.tables.columns import Column
from evencover.core.tables.rules import in_a_rule, number_in_a_rule

N = 400
EVERY = np.ones(N, dtype=bool)
MOST = MOST_PARTS * (MOST_PARTS + 1) // 2 - 1
"""Ranges of so many parts that are not all of them."""


def conditions_on(column, wrong, searched):
    return fixed_conditions(column) or level_conditions(column, wrong, searched)


def on(values, wrong=None, searched=EVERY, **options):
    wrong = np.zeros(N, dtype=bool) if wrong is None else wrong
    column = replace(Column.of(pd.Series(values, name="v")), **options)
    return conditions_on(column, wrong, searched)


def words_of(conditions):
    return [str(condition) for condition in conditions.conditions]


def rows_under(words, conditions):
    return conditions.rows(words_of(conditions).index(words))


def as_said(words, values):
    """Read a range as a person does: "v < 3", "v >= 1" or "1 <= v < 3"."""
    first, sign, last = words.split()[:3] if words[0] == "v" else (None, None, None)
    if first == "v":
        return values < float(last) if sign == "<" else values >= float(last)
    low, high = words.split(" <= v < ")
    return (values >= float(low)) & (values < float(high))


@pytest.mark.parametrize(
    ("values", "least"),
    [
        *((np.random.default_rng(0).normal(size=N) * by, MOST) for by in (1e-7, 1.0, 1234.5, 1e9)),
        (1e9 + np.random.default_rng(2).random(N) * 1e-3, 1),
        (np.random.default_rng(3).normal(size=N) * 1e-309, MOST_PARTS + 1),
    ],
    ids=["tiny", "usual", "large", "huge", "close to each other", "too small to be rounded"],
)
def test_a_range_holds_for_the_numbers_that_its_words_say(values, least):
    found = on(values)
    assert least <= len(words_of(found)) <= MOST
    for place, words in enumerate(words_of(found)):
        np.testing.assert_array_equal(found.rows(place), as_said(words, values), err_msg=words)


def test_cut_points_are_short():
    found = on(np.random.default_rng(1).normal(50.0, 20.0, N))
    assert max(len(words) for words in words_of(found) if words.startswith("v >=")) <= len(
        "v >= 99.9"
    )


def test_few_numbers_are_named_one_by_one():
    values = np.tile([1.0, 2.0, 5.0, np.nan], N // 4)
    found = on(values)
    assert set(words_of(found)) == {"v = 1", "v = 2", "v = 5", "v < 5", "v >= 2", "v is missing"}
    np.testing.assert_array_equal(rows_under("v is missing", found), np.isnan(values))
    np.testing.assert_array_equal(rows_under("v < 5", found), values < 5.0)
    unseen = on(values, searched=values != 2.0)  # are not taken for others
    np.testing.assert_array_equal(rows_under("v = 1", unseen), values == 1.0)


def test_categories_next_to_each_other_in_failures_make_sets():
    levels = np.tile(["a", "b", "c", "d"], N // 4)
    share = pd.Series(levels).map({"a": 0.1, "b": 0.4, "c": 0.2, "d": 0.3}).to_numpy()
    wrong = np.arange(N) / N % 0.25 < 0.25 * share
    found = on(levels, wrong)
    assert [words for words in words_of(found) if "or" not in words] == [
        f"v = {name}" for name in "bdca"
    ]
    assert "v = b or d" in words_of(found)
    assert "v = b, c or d" in words_of(found)
    assert "v = a or b" not in words_of(found)
    np.testing.assert_array_equal(rows_under("v = b or d", found), np.isin(levels, ["b", "d"]))
    assert max(found.bounds) == MOST_IN_SET


def test_every_value_with_rows_enough_is_named_and_sets_are_of_the_worst():
    n = 3000
    levels = np.concatenate([np.repeat([f"v{i:02d}" for i in range(90)], 30), np.repeat("few", 19)])
    levels = np.concatenate([levels, np.repeat("last", n - len(levels))])
    wrong = np.random.default_rng(0).random(n) < 0.1
    found = on(levels, wrong, np.ones(n, dtype=bool))
    every = {f"v = {name}" for name in set(levels.tolist()) - {"few"}}
    assert {words for words in words_of(found) if " or " not in words} == every
    share = pd.Series(wrong).groupby(levels).mean().drop("few")
    worst = set(share.sort_values(ascending=False, kind="stable").head(MOST_IN_SETS).index)
    named = [
        set(words.removeprefix("v = ").replace(" or ", ", ").split(", "))
        for words in words_of(found)
    ]
    in_sets = set.union(*(names for names in named if len(names) > 1))
    assert share[list(in_sets)].min() == share[list(worst)].min()
    assert len(in_sets) == MOST_IN_SETS
    for place, names in enumerate(named):
        np.testing.assert_array_equal(found.rows(place), np.isin(levels, list(names)))


def test_totals_are_the_counts_of_the_rows_that_meet():
    found = on(np.tile([1.0, 2.0, 5.0, np.nan], N // 4))
    counts = np.bincount(found.codes, minlength=found.parts + 2)
    expected = [found.rows(place).sum() for place in range(len(words_of(found)))]
    assert found.totals(counts).tolist() == expected
    twice = found.totals(np.column_stack([counts, 2 * counts]))
    assert twice.tolist() == [[n, 2 * n] for n in expected]


def test_outcomes_of_the_rows_not_searched_play_no_part():
    searched = np.arange(N) % 2 == 0
    values = np.random.default_rng(2).normal(size=N)
    assert words_of(on(values, values > 0.0, searched)) == words_of(
        on(values, values < 1.0, searched)
    )
    levels, wrong = np.tile(["a", "a", "b", "b"], N // 4), np.arange(N) % 4 == 0
    other = np.where(searched, wrong, ~wrong)
    assert words_of(on(levels, wrong, searched)) == words_of(on(levels, other, searched))


def test_dates_and_codes():
    days = pd.Series(pd.date_range("2020-01-01", periods=N).astype(str), name="v")
    found = on(days)
    words = next(words for words in words_of(found) if words.startswith("v >= 2020"))
    np.testing.assert_array_equal(rows_under(words, found), days >= words.removeprefix("v >= "))
    moments = pd.Series(pd.date_range("2020-01-01 05:00", periods=N, freq="7h"), name="v")
    found = on(moments)
    words = next(words for words in words_of(found) if words.startswith("v >= 2020"))
    np.testing.assert_array_equal(rows_under(words, found), moments >= words.removeprefix("v >= "))
    codes = on(np.tile([10, 20, 30, 40], N // 4), categorical=True)
    assert {"v = 10", "v = 40"} <= set(words_of(codes))
    assert not any(">=" in words for words in words_of(codes))


@pytest.mark.parametrize("values", [np.full(N, 3.0), np.full(N, "x"), np.full(N, np.nan)])
def test_one_value_for_all_divides_nothing(values):
    found = on(values)
    assert all(found.rows(place).all() for place in range(len(words_of(found))))


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.1, 0.2, 0.1 + 0.2, 0.3]),
        np.float32([0.1, 0.2, 0.3, 0.4]).astype(float),
        1e9 + np.arange(1.0, 5.0) * 1e-6,
        np.array([1e-309, 2e-309, 1e300, -1e-320]),
    ],
)
def test_a_number_is_written_so_that_it_reads_back(values):
    column = np.tile(values, N // 4)
    found = on(column)
    assert len(set(words_of(found))) == len(words_of(found))
    for value in values:
        np.testing.assert_array_equal(
            rows_under(f"v = {number_in_a_rule(value)}", found), column == value
        )
        assert float(number_in_a_rule(value)) == value


def test_a_set_reads_the_same_whatever_its_order_of_failures():
    levels = np.tile(["b", "a", "c", "c"], N // 4)
    for more, less in ("ab", "ba"):
        wrong = (levels == more) | (levels == less) & (np.arange(N) < N // 2)
        words = words_of(on(levels, wrong))
        assert "v = a or b" in words
        assert "v = b or a" not in words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a, b", '"a, b"'),
        ("a or b", '"a or b"'),
        ("x and y", '"x and y"'),
        ("oregano", "oregano"),
        ('he said "no"', '"he said \\"no\\""'),
        ("a=b", '"a=b"'),
        ("Zürich", "Zürich"),
    ],
)
def test_what_could_be_read_otherwise_is_quoted(text, shown):
    assert in_a_rule(text) == shown
    levels = np.tile([text, "other"], N // 2)
    np.testing.assert_array_equal(rows_under(f"v = {shown}", on(levels)), levels == text)


def test_numbers_that_floats_do_not_tell_apart_are_divided_by_nothing():
    found = on([2**60 + i % 50 for i in range(N)])
    assert words_of(found) == []
    assert set(found.codes.tolist()) == {0}


def variables_of(frame, wrong, searched):
    return [conditions_on(Column.of(frame[name]), wrong, searched) for name in frame]


def searched_in(frame, wrong):
    """The conditions on the columns, and the rules found if every row may be looked at."""
    every = np.ones(len(frame), dtype=bool)
    variables = variables_of(frame, wrong, every)
    return variables, RuleSearch(variables, held(~wrong), every).worst_rules()


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
        (place, i, str(variable.conditions[i]), (variable.bounds[i], variable.parts + 1))
        for place, variable in enumerate(variables)
        for i in range(len(variable.conditions))
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
    monkeypatch.setattr(RuleSearch, "_grown", lambda _, scored: scored)
    frame, wrong = draw(seed)
    variables, found = searched_in(frame, wrong)
    assert str(found[0].of_table(variables)) == naive_best(variables, wrong)


def test_rules_are_not_the_same_rows_again():
    variables, found = searched_in(*draw(7, 4000))
    rows = [rule.rows(variables) for rule in found]
    assert len(rows) > 4
    for one, other in combinations(rows, 2):
        assert (one & other).sum() <= MOST_ALIKE * (one | other).sum()


def test_three_conditions_where_it_takes_three():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, size=(10_000, 6)), columns=list("abcdef"))
    inside = (frame["a"] == 0) & (frame["c"] == 2) & (frame["e"] == 1)
    wrong = (rng.random(len(frame)) < np.where(inside, 0.35, 0.1)).astype(bool)
    variables, (found, *_) = searched_in(frame, wrong)
    assert set(str(found.of_table(variables)).split(" and ")) == {"a = 0", "c = 2", "e = 1"}
    np.testing.assert_array_equal(found.rows(variables), inside)


def test_outcomes_of_other_rows_play_no_part():
    frame, wrong = draw(3, 2000)
    searched = np.arange(len(frame)) % 2 == 0
    variables = variables_of(frame, wrong, searched)
    right, flipped = held(~wrong), held(np.where(searched, ~wrong, wrong))
    rules = [RuleSearch(variables, of, searched).worst_rules() for of in (right, flipped)]
    assert rules[0] == rules[1]


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_have_no_worst(outcome):
    frame, _ = draw(0)
    assert searched_in(frame, np.full(len(frame), outcome))[1] == []
