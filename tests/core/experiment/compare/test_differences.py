"""Differences over seeds, by hand and by SciPy's t test."""

import math

import pytest
from scipy import stats

from evencover.core.experiment.compare.differences import few_seeds, paired_difference, verdict
from evencover.core.experiment.compare.result import ComparedRow


def rows_of(remedy, values, **more):
    about = {"title": remedy.title(), "segment": "test", "guarantee": "It promises."}
    return [
        ComparedRow(remedy=remedy, seed=seed, dcv=dcv, inefficiency=2.0, **about | more)
        for seed, dcv in enumerate(values)
    ]


BASE, AFTER = [0.05, 0.06, 0.04], [0.03, 0.05, 0.01]
"""Differences -0.02, -0.01 and -0.03: mean -0.02, deviation 0.01."""


def difference(after, share=0.0):
    rows = rows_of("base", BASE) + rows_of("quantile", after)
    return paired_difference(rows, "quantile", "base", "dcv", share)


def test_without_shared_rows_it_is_the_paired_t_test():
    found = difference(AFTER)
    theirs = stats.ttest_rel(AFTER, BASE)
    interval = theirs.confidence_interval(0.95)
    assert (found.mean, found.standard_deviation) == pytest.approx((-0.02, 0.01))
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_shared_rows_widen_the_interval():
    # 0.01 sqrt(1/3 + 3/7) = 0.0087287; t at 97.5 % with 2 degrees is 4.302653
    found = difference(AFTER, 3.0 / 7.0)
    assert found.high - found.mean == pytest.approx(4.302653 * 0.0087287, rel=1e-4)


def test_few_seeds_are_told_with_how_much_wider_intervals_are():
    # 12.7062 sqrt(1/2 + 3/7) = 12.244 over 2 seeds, 2.2622 sqrt(1/10 + 3/7) = 1.6447 over 10
    (note,) = few_seeds(2, 3.0 / 7.0)
    assert "over 2 seeds are some 7.4 times as wide" in note
    assert [*few_seeds(1, 3.0 / 7.0), *few_seeds(10, 3.0 / 7.0)] == []


def test_seeds_count_that_have_both():
    found = difference([0.03, None, math.nan])
    assert (found.seeds, found.mean, found.p_value) == (1, pytest.approx(-0.02), None)
    assert difference([None, None, None]) is None


@pytest.mark.parametrize(
    ("quantile", "named"), [([0.011, 0.022, 0.031], True), ([0.029, 0.035, 0.06], False)]
)
def test_another_remedy_is_named_where_it_is_clearly_better_than_the_default(quantile, named):
    rows = rows_of("base", [0.05, 0.06, 0.07]) + rows_of("ifacm", [0.03, 0.04, 0.05])
    rows += rows_of("quantile", quantile)
    said = list(verdict(rows, ["base", "ifacm", "quantile"], 3.0 / 7.0, "mean width"))
    assert [sentence.values["title"] for sentence in said] == ["Quantile"] * named
    assert all("100.0 % of that of Ifacm" in sentence for sentence in said)
    assert not [*verdict(rows, ["base", "quantile"], 3.0 / 7.0, "mean width")]
