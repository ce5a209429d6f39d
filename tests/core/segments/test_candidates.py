"""Conditions: what they say in words is what they hold for."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.segments.candidates import MOST_IN_SET, MOST_IN_SETS, MOST_PARTS, conditions_on
from evencover.core.tables.columns import Column
from evencover.core.tables.rules import in_a_rule, number_in_a_rule

N = 400
EVERY = np.ones(N, dtype=bool)


def on(values, wrong=None, searched=EVERY, **options):
    wrong = np.zeros(N, dtype=bool) if wrong is None else wrong
    return conditions_on(Column.of(pd.Series(values, name="v"), **options), wrong, searched)


def held(conditions, words):
    return conditions.rows(conditions.words.index(words))


def as_said(words, values):
    """Read a range as a person does: "v < 3", "v >= 1" or "1 <= v < 3"."""
    first, sign, last = words.split()[:3] if words[0] == "v" else (None, None, None)
    if first == "v":
        return values < float(last) if sign == "<" else values >= float(last)
    low, high = words.split(" <= v < ")
    return (values >= float(low)) & (values < float(high))


@pytest.mark.parametrize(
    "values",
    [
        *(np.random.default_rng(0).normal(size=N) * scale for scale in (1e-7, 1.0, 1234.5, 1e9)),
        1e9 + np.random.default_rng(2).random(N) * 1e-3,
        np.random.default_rng(3).normal(size=N) * 1e-309,
    ],
    ids=["tiny", "usual", "large", "huge", "close to each other", "too small to be rounded"],
)
def test_a_range_holds_for_the_numbers_that_its_words_say(values):
    found = on(values)
    assert MOST_PARTS < len(found.words) <= MOST_PARTS * (MOST_PARTS + 1) // 2 - 1
    for place, words in enumerate(found.words):
        np.testing.assert_array_equal(found.rows(place), as_said(words, values), err_msg=words)


def test_many_numbers_have_as_many_parts_as_there_may_be():
    found = on(np.random.default_rng(0).normal(size=N))
    assert len(found.words) == MOST_PARTS * (MOST_PARTS + 1) // 2 - 1


def test_cut_points_are_short():
    found = on(np.random.default_rng(1).normal(50.0, 20.0, N))
    assert max(len(words) for words in found.words if words.startswith("v >=")) <= len("v >= 99.9")


def test_few_numbers_are_named_one_by_one():
    values = np.tile([1.0, 2.0, 5.0, np.nan], N // 4)
    found = on(values)
    assert set(found.words) == {"v = 1", "v = 2", "v = 5", "v < 5", "v >= 2", "v is missing"}
    np.testing.assert_array_equal(held(found, "v is missing"), np.isnan(values))
    np.testing.assert_array_equal(held(found, "v < 5"), values < 5.0)


def test_categories_next_to_each_other_in_failures_make_sets():
    levels = np.tile(["a", "b", "c", "d"], N // 4)
    share = pd.Series(levels).map({"a": 0.1, "b": 0.4, "c": 0.2, "d": 0.3}).to_numpy()
    wrong = np.arange(N) / N % 0.25 < 0.25 * share
    found = on(levels, wrong)
    assert [words for words in found.words if "or" not in words] == [
        f"v = {name}" for name in "bdca"
    ]
    assert "v = b or d" in found.words
    assert "v = b, c or d" in found.words
    assert "v = a or b" not in found.words
    np.testing.assert_array_equal(held(found, "v = b or d"), np.isin(levels, ["b", "d"]))
    assert max(found.bounds) == MOST_IN_SET


def test_every_value_with_rows_enough_is_named_and_sets_are_of_the_worst():
    n = 3000
    levels = np.concatenate([np.repeat([f"v{i:02d}" for i in range(90)], 30), np.repeat("few", 19)])
    levels = np.concatenate([levels, np.repeat("last", n - len(levels))])
    wrong = np.random.default_rng(0).random(n) < 0.1
    found = on(levels, wrong, np.ones(n, dtype=bool))
    every = {f"v = {name}" for name in set(levels.tolist()) - {"few"}}
    assert {words for words in found.words if " or " not in words} == every
    share = pd.Series(wrong).groupby(levels).mean().drop("few")
    worst = set(share.sort_values(ascending=False, kind="stable").head(MOST_IN_SETS).index)
    named = [
        set(words.removeprefix("v = ").replace(" or ", ", ").split(", ")) for words in found.words
    ]
    in_sets = set.union(*(names for names in named if len(names) > 1))
    assert share[list(in_sets)].min() == share[list(worst)].min()
    assert len(in_sets) == MOST_IN_SETS
    for place, names in enumerate(named):
        np.testing.assert_array_equal(found.rows(place), np.isin(levels, list(names)))


def test_totals_are_the_counts_of_the_rows_that_meet():
    found = on(np.tile([1.0, 2.0, 5.0, np.nan], N // 4))
    counts = np.bincount(found.codes, minlength=found.parts + 2)
    expected = [found.rows(place).sum() for place in range(len(found.words))]
    assert found.totals(counts).tolist() == expected
    twice = found.totals(np.column_stack([counts, 2 * counts]))
    assert twice.tolist() == [[n, 2 * n] for n in expected]


def test_outcomes_of_the_rows_not_searched_play_no_part():
    searched = np.arange(N) % 2 == 0
    values = np.random.default_rng(2).normal(size=N)
    assert on(values, values > 0.0, searched).words == on(values, values < 1.0, searched).words
    levels, wrong = np.tile(["a", "a", "b", "b"], N // 4), np.arange(N) % 4 == 0
    other = np.where(searched, wrong, ~wrong)
    assert on(levels, wrong, searched).words == on(levels, other, searched).words


def test_dates_and_codes():
    days = pd.Series(pd.date_range("2020-01-01", periods=N).astype(str), name="v")
    found = conditions_on(Column.of(days), np.zeros(N, dtype=bool), EVERY)
    words = next(words for words in found.words if words.startswith("v >= 2020"))
    np.testing.assert_array_equal(held(found, words), days >= words.removeprefix("v >= "))
    moments = pd.Series(pd.date_range("2020-01-01 05:00", periods=N, freq="7h"), name="v")
    found = conditions_on(Column.of(moments), np.zeros(N, dtype=bool), EVERY)
    words = next(words for words in found.words if words.startswith("v >= 2020"))
    np.testing.assert_array_equal(held(found, words), moments >= words.removeprefix("v >= "))
    codes = on(np.tile([10, 20, 30, 40], N // 4), categorical=True)
    assert {"v = 10", "v = 40"} <= set(codes.words)
    assert not any(">=" in words for words in codes.words)


@pytest.mark.parametrize("values", [np.full(N, 3.0), np.full(N, "x"), np.full(N, np.nan)])
def test_one_value_for_all_divides_nothing(values):
    found = on(values)
    assert all(found.rows(place).all() for place in range(len(found.words)))


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
    assert len(set(found.words)) == len(found.words)
    for value in values:
        np.testing.assert_array_equal(
            held(found, f"v = {number_in_a_rule(value)}"), column == value
        )
        assert float(number_in_a_rule(value)) == value


def test_values_unseen_among_the_rows_searched_are_not_taken_for_others():
    values = np.tile([1.0, 2.0, 3.0, 4.0], N // 4)
    found = on(values, searched=values != 2.0)
    np.testing.assert_array_equal(held(found, "v = 1"), values == 1.0)


def test_a_set_reads_the_same_whatever_its_order_of_failures():
    levels = np.tile(["b", "a", "c", "c"], N // 4)
    for more, less in ("ab", "ba"):
        wrong = (levels == more) | (levels == less) & (np.arange(N) < N // 2)
        words = on(levels, wrong).words
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
    np.testing.assert_array_equal(held(on(levels), f"v = {shown}"), levels == text)


def test_numbers_that_floats_do_not_tell_apart_are_divided_by_nothing():
    found = on([2**60 + i % 50 for i in range(N)])
    assert found.words == []
    assert set(found.codes.tolist()) == {0}
