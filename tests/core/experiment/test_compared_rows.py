"""Means and differences over seeds, by hand and by SciPy's t test."""

import math
from types import SimpleNamespace

import pytest
from scipy import stats

from evencover.core.experiment.compared_rows import (
    ComparedRow,
    GroupRow,
    RemedyComparison,
    few_seeds,
    group_means,
    mean_and_spread,
    mean_of,
    paired_difference,
    spread,
    verdict,
)


def group(value, seed, remedy, accuracy, status="fine"):
    return GroupRow(remedy, seed, "county", value, 50, accuracy, status)


def test_a_group_s_means_are_over_the_seeds_that_have_it_and_the_lowest_is_first():
    groups = [
        *(group("Kent", seed, "base", share) for seed, share in ((0, 0.85), (1, 0.87))),
        group("Devon", 0, "base", 0.7, "low"),
        group("Devon", 1, "base", 0.8, "low"),
        group("Devon", 2, "base", 0.9),
        group("Devon", 1, "quantile", 0.88),
    ]
    remedies = ["base", "quantile", "label"]
    found = group_means(RemedyComparison({}, "", [0, 1, 2], remedies, [], groups, [], [], [], 0.0))
    told = [(g.value, g.low, {k: round(v, 9) for k, v in g.accuracies.items()}) for g in found]
    assert told == [
        ("Devon", 2, {"base": 0.8, "quantile": 0.88}),
        ("Kent", 0, {"base": 0.86}),
    ]


def test_a_mean_is_of_all_rows_or_not_known():
    known = [SimpleNamespace(dcv=0.01), SimpleNamespace(dcv=0.03)]
    assert mean_of(known, "dcv") == pytest.approx(0.02)
    assert mean_and_spread(known, "dcv") == pytest.approx((0.02, 0.02 / math.sqrt(2.0)))
    assert mean_and_spread(known[:1], "dcv") == (0.01, 0.0)
    assert mean_of([*known, SimpleNamespace(dcv=None)], "dcv") is None
    assert mean_of([], "dcv") is None


@pytest.mark.parametrize(
    ("values", "deviation"),
    [
        ([1e300, 3e300], 2.0**0.5 * 1e300),  # whose squares no float holds
        ([0.1] * 3, 0.0),  # whose mean by floats is another number
        ([1.0, 2.0, 4.0], (7.0 / 3.0) ** 0.5),
    ],
)
def test_a_spread_is_exact(values, deviation):
    assert spread(values) == pytest.approx(deviation, rel=1e-15, abs=0.0)


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
