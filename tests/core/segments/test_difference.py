"""Newcombe's interval of a difference: against statsmodels, and its own published example."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from evencover.core.segments.statistics import difference_interval


def interval(hits, n, other, level=0.95):
    counts = (np.array([count]) for count in (hits, n, *other))
    low, high = difference_interval(*counts, level)
    return float(low[0]), float(high[0])


def test_the_example_of_newcombe_s_paper():
    # table II, example (a), method 10: 56/70 - 48/80
    assert interval(56, 70, (48, 80)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts, st.sampled_from([0.9, 0.95, 1 - 0.05 / 7]))
def test_it_is_statsmodels(one, other, level):
    expected = confint_proportions_2indep(
        *one, *other, method="newcomb", compare="diff", alpha=1 - level
    )
    assert interval(*one, other, level) == pytest.approx(expected, abs=1e-9)


@given(counts, counts)
def test_it_holds_the_difference_and_turns_with_it(one, other):
    low, high = interval(*one, other)
    turned_low, turned_high = interval(*other, one)
    assert -1.0 - 1e-12 <= low <= one[0] / one[1] - other[0] / other[1] <= high <= 1.0 + 1e-12
    assert (low, high) == pytest.approx((-turned_high, -turned_low), abs=1e-12)


def test_several_are_each_as_alone():
    counts = (np.array(pair) for pair in ([5, 90], [9, 100], [40, 7], [50, 8]))
    low, high = difference_interval(*counts, 0.99)
    assert [(low[i], high[i]) for i in (0, 1)] == [
        interval(5, 9, (40, 50), 0.99),
        interval(90, 100, (7, 8), 0.99),
    ]
