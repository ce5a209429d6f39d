"""How unequal sets of groups are in size before and after an adjustment, worked out by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from evencover.core.rows.outcomes import IntervalSets, Outcomes
from evencover.core.segments.binning import Partition
from evencover.core.segments.group_sizes import mean_size, size_change, size_ratio
from evencover.core.segments.grouping import Variable


def rows_of(**widths):
    """Test rows of which predictors have intervals so wide."""
    sets = {
        name: IntervalSets(np.zeros(len(w)), np.asarray(w, float)) for name, w in widths.items()
    }
    right = {name: Outcomes(np.ones(len(each.upper), dtype=bool)) for name, each in sets.items()}
    return SimpleNamespace(sets=sets, outcomes=right)


def divided(*counts):
    """A variable whose groups a, b, ... have so many rows, one behind the other."""
    names = list("abcdef"[: len(counts)])
    codes = np.repeat(np.arange(len(counts)), counts)
    return Variable("who", "column", Partition(names, codes, [None] * len(names)), ("who",))


def constant(widths, count=40):
    return np.repeat(np.array(widths, dtype=float), count)


@pytest.mark.parametrize(
    ("before", "after", "pair", "growth", "unevenness"),
    [
        ([1, 1], [2, 1], "ab", 2.0, 2.0),
        ([1, 1], [2, 2], None, None, 1.0),
        ([2, 1], [1.5, 1], "ab", 0.75, 0.75),  # more alike than they were
        ([2, 1], [1, 1.5], "ba", 1.5, 0.75),  # the other one is larger now, by less
        ([2, 1], [1, 4], "ba", 4.0, 2.0),  # and here by more
        ([1, 1, 1], [1, 1.2, 0.8], "bc", 1.2, 1.5),
        ([1, 1], [math.inf, 1], "ab", math.inf, math.inf),
        ([math.inf, 1], [math.inf, 1], None, None, 1.0),
    ],
)
def test_two_groups_are_more_unequal_whichever_was_the_larger(
    before, after, pair, growth, unevenness
):
    rows = rows_of(base=constant(before), fix=constant(after))
    made = size_change(rows, "base", "fix", divided(*[40] * len(before)))
    if pair is not None:
        assert (made.group, made.other) == tuple(pair)
        assert made.growth == pytest.approx([growth] * 3)
    assert made.unevenness == pytest.approx(unevenness)
    assert made.is_uneven == (unevenness > 1.05)
    finite = [max(widths) / min(widths) for widths in (before, after)]
    assert [made.ratio_before[0], made.ratio_after[0]] == pytest.approx(finite)


def test_groups_of_few_rows_have_no_part():
    rows = rows_of(base=constant([1, 1]), fix=constant([2, 1]))
    assert size_change(rows, "base", "fix", divided(61, 19)) is None
    assert size_ratio(rows, "base", divided(61, 19)) is None


def test_errors_are_those_of_the_same_rows_as_pairs():
    rng, n = np.random.default_rng(0), (300, 200)
    before = rng.gamma(4.0, size=sum(n))
    after = before * np.where(np.arange(sum(n)) < n[0], 1.3, 1.0) * rng.uniform(0.9, 1.1, sum(n))
    rows, variable = rows_of(base=before, fix=after), divided(*n)
    made = size_change(rows, "base", "fix", variable)
    parts = [slice(0, n[0]), slice(n[0], None)]
    errors = {}
    for sign in (-1.0, 1.0):
        each = [after[p] / after[p].mean() + sign * before[p] / before[p].mean() for p in parts]
        # Student's law is in place of the normal one, as errors are estimated
        of_groups = [
            stats.sem(values) * stats.t.ppf(0.975, len(values) - 1) / stats.norm.ppf(0.975)
            for values in each
        ]
        errors[sign] = of_groups
    grown = [after[p].mean() / before[p].mean() for p in parts]
    low = grown[0] * np.exp(-stats.norm.ppf(0.975) * errors[-1.0][0])
    assert made.growth[:2] == pytest.approx([grown[0], low])
    moved = {
        -1.0: np.log(grown[0] / grown[1]),
        1.0: np.log(after[parts[0]].mean() / after[parts[1]].mean())
        + np.log(before[parts[0]].mean() / before[parts[1]].mean()),
    }
    least = min(moved[s] - stats.norm.ppf(0.95) * np.hypot(*errors[s]) for s in (-1.0, 1.0))
    assert made.unevenness == pytest.approx(np.exp(least))
    mean, error = mean_size(rows, "base", np.arange(sum(n)) < n[0])
    few = stats.t.ppf(0.975, n[0] - 1) / stats.norm.ppf(0.975)
    assert mean == pytest.approx(before[: n[0]].mean())
    assert error == pytest.approx(few * stats.sem(before[: n[0]]) / mean)


@pytest.mark.long
def test_of_many_harmless_draws_few_are_called_uneven():
    rng, variable, called = np.random.default_rng(1), divided(60, 50, 40), 0
    for _ in range(200):
        before = rng.gamma(3.0, size=150) * constant([1.5], 150)
        # at the margin: one group becomes 5 % larger beside the others
        after = before * rng.gamma(9.0, 1.0 / 9.0, 150) * np.where(np.arange(150) < 60, 1.05, 1.0)
        called += size_change(rows_of(base=before, fix=after), "base", "fix", variable).is_uneven
    assert called <= 200 * 0.05 + 2.0 * math.sqrt(200 * 0.05 * 0.95)
