"""How sure one can be of a segment, and of a difference: against peers, by hand, by simulation."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, fisher_exact, hypergeom
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from evencover.core.segments.statistics import (
    detectable,
    difference_interval,
    effective,
    holm,
    log_likelihood_gain,
    p_values,
    paired_interval,
    paired_p_values,
    q_values,
    shortfall_p_values,
    wilson_interval,
)


def p_value(hits, n, all_hits, all_n):
    return float(p_values(np.array([hits]), np.array([n]), all_hits, all_n)[0])


@pytest.mark.parametrize(
    ("hits", "n", "all_hits", "all_n"),
    [(50, 60, 900, 1000), (3, 9, 90, 100), (400, 410, 900, 1000), (0, 1, 3, 4), (1, 2, 3, 4)],
)
def test_it_is_twice_fisher_s_smaller_side(hits, n, all_hits, all_n):
    table = [[hits, n - hits], [all_hits - hits, all_n - n - (all_hits - hits)]]
    sides = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
    assert p_value(hits, n, all_hits, all_n) == pytest.approx(min(1.0, 2 * min(sides)), rel=1e-9)


def test_segments_without_rows_or_with_all_of_them_tell_nothing():
    found = p_values(np.array([0, 90]), np.array([0, 100]), 90, 100)
    assert math.isnan(found[0])
    assert found[1] == 1.0


def test_p_values_keep_their_size_where_coverage_is_even():
    rng = np.random.default_rng(0)
    hits = hypergeom(2000, 1800, 300).rvs(4000, random_state=rng)
    p = p_values(hits, np.full(4000, 300), 1800, 2000)
    for size in (0.01, 0.05, 0.2):
        assert (p <= size).mean() <= size + 3.0 * math.sqrt(size / 4000)


@pytest.mark.parametrize(("adjust", "method"), [(q_values, "fdr_bh"), (holm, "holm")])
def test_adjusted_for_many_looks_like_statsmodels(adjust, method):
    p = np.random.default_rng(1).uniform(size=40) ** 3
    np.testing.assert_allclose(adjust(p), multipletests(p, method=method)[1], rtol=1e-12)


def test_what_has_no_p_value_has_no_q_value():
    p = np.array([0.02, 0.04])
    np.testing.assert_array_equal(q_values(np.insert(p, 1, np.nan)), [0.04, np.nan, 0.04])
    assert np.isnan(q_values(np.full(3, np.nan))).all()


def false_and_true_ones(rng, n, off):
    """The share of good segments among those with q <= 0.05, and that of the bad ones found.

    Ten segments; coverage is 0.9 but for two, which are off to either side, so that the others
    are as all rows are.
    """
    segment = rng.integers(0, 10, n)
    correct = rng.random(n) < 0.9 + off * np.select([segment == 0, segment == 1], [-1.0, 1.0])
    hits = np.bincount(segment[correct], minlength=10)
    sizes = np.bincount(segment, minlength=10)
    flagged = q_values(p_values(hits, sizes, int(correct.sum()), n)) <= 0.05
    good = flagged[2:] if off else flagged
    return good.sum() / max(1, flagged.sum()), flagged[:2].mean()


@pytest.mark.parametrize("off", [0.0, 0.06])
def test_q_values_keep_their_rate_of_false_discoveries(off):
    rng, runs = np.random.default_rng(5), 250
    false = np.array([false_and_true_ones(rng, 2000, off)[0] for _ in range(runs)])
    assert false.mean() <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)


def test_more_rows_find_more_of_the_bad_segments():
    rng = np.random.default_rng(6)
    found = [
        np.mean([false_and_true_ones(rng, n, 0.06)[1] for _ in range(40)])
        for n in (1000, 4000, 16_000)
    ]
    assert found[0] < found[1] < found[2]
    assert found[2] > 0.95


@functools.cache
def p_values_of(n, all_hits, all_n):
    return p_values(np.arange(n + 1), np.full(n + 1, n), all_hits, all_n)


def shown(n, all_hits, all_n, level, size):
    """The counts of hits among n rows that are clearly too low, one by one."""
    counts, p = np.arange(n + 1), p_values_of(n, all_hits, all_n)
    short = np.minimum(1.0, 2.0 * binom(n, level).cdf(counts))
    high = wilson_interval(counts, np.full(n + 1, n))[1]
    is_sure = (p <= size) & (short <= size)
    return counts[is_sure & (high < level) & (counts / n < all_hits / all_n)]


@pytest.mark.parametrize("n", [1, 7, 25, 60, 400, 1500])
@pytest.mark.parametrize(("all_hits", "level"), [(900, 0.9), (960, 0.9), (800, 0.9), (990, 0.99)])
def test_detectable_is_where_four_of_five_would_be_called_too_low(n, all_hits, level):
    of_all = 20 * all_hits, 20_000
    for size in (0.05, 0.0004):
        (shortfall,) = detectable(np.array([n]), *of_all, level, size)
        counts = shown(n, *of_all, level, size)
        if not len(counts):
            assert math.isnan(shortfall)
            continue
        assert counts.tolist() == list(range(len(counts)))
        power = binom(n, level - shortfall).cdf(counts.max())
        assert power == pytest.approx(0.8, abs=1e-9)


def test_many_are_detectable_as_each_by_itself():
    rng = np.random.default_rng(0)
    all_n = rng.integers(1, 400, 300)
    all_hits, n = (rng.integers(0, all_n + 1) for _ in range(2))
    found = detectable(n, all_hits, all_n, 0.9, 0.01)
    for shortfall, *counts in zip(found, n, all_hits, all_n, strict=True):
        seen = shown(*counts, 0.9, 0.01) if counts[0] else []
        assert math.isnan(shortfall) == (not len(seen))
        if len(seen):
            power = binom(counts[0], 0.9 - shortfall).cdf(seen.max())
            assert power == pytest.approx(0.8, abs=1e-9) or shortfall == 0.0


def test_shortfalls_are_judged_by_the_lower_tail():
    hits, n = np.array([0, 1, 17, 20]), np.array([2, 2, 20, 20])
    # 0.1^2 = 0.01 and 1 - 0.81 = 0.19 of two rows, doubled
    expected = [0.02, 0.38, *(min(1.0, 2.0 * binom(20, 0.9).cdf(k)) for k in (17, 20))]
    assert shortfall_p_values(hits, n, 0.9) == pytest.approx(expected)


def test_dependent_rows_are_as_many_independent_ones_as_say_as_much():
    hits, n = np.array([30, 0, 2, 9, 3]), np.array([40, 0, 3, 9, 10])
    right, fewer = effective(hits / np.maximum(n, 1), n, np.array([2.0, 1.0, 10.0, 1.0, 3.0]))
    # 30 of 40 are 15 of 20; 10 / 3 are 3 whole rows, of which 0.9 is nearest to one; never none
    assert fewer.tolist() == [20, 0, 1, 9, 3]
    assert right.tolist() == [15, 0, 1, 9, 1]


class TestPaired:
    def test_intervals_by_hand(self):
        # half a row more in each cell: 10.5 gained and 4.5 lost of 102; 1 discordant row of 52
        low, high = paired_interval(np.array([10, 0]), np.array([4, 0]), np.array([100, 50]))
        half = 1.959964 * np.array([math.sqrt((15 / 102 - (6 / 102) ** 2) / 102), 1 / 52])
        assert low == pytest.approx(np.array([6 / 102, 0.0]) - half, abs=1e-6)
        assert high == pytest.approx(np.array([6 / 102, 0.0]) + half, abs=1e-6)

    @pytest.mark.parametrize("n", [30, 100, 1000])
    @pytest.mark.parametrize(("gained", "lost"), [(0.02, 0.02), (0.1, 0.02), (0.3, 0.05)])
    def test_the_interval_keeps_its_level(self, n, gained, lost):
        rng, draws = np.random.default_rng(n), 20_000
        counts = rng.multinomial(n, [gained, lost, 1.0 - gained - lost], size=draws)
        low, high = paired_interval(counts[:, 0], counts[:, 1], np.full(draws, n))
        held = ((low <= gained - lost) & (gained - lost <= high)).mean()
        assert held > 0.94

    @given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 500))
    def test_the_p_value_and_the_interval_say_the_same(self, gained, lost, others):
        """And about what McNemar's test does, of which it is Wald's form."""
        counts = [np.array([count]) for count in (gained, lost, gained + lost + others)]
        (found,), (low, high) = paired_p_values(*counts), np.ravel(paired_interval(*counts))
        assert (found <= 0.05) == (not low <= 0.0 <= high)
        if gained + lost > 50 and others > gained + lost:
            expected = mcnemar([[7, lost], [gained, 9]], exact=False, correction=False).pvalue
            assert found == pytest.approx(expected, abs=0.06)


@given(st.integers(1, 300), st.data())
def test_evidence_is_the_difference_of_two_log_likelihoods(n, data):
    hits, share = data.draw(st.integers(0, n)), 0.83
    (found,) = log_likelihood_gain(np.array([hits]), np.array([n]), share)
    assert found == pytest.approx(
        binom.logpmf(hits, n, hits / n) - binom.logpmf(hits, n, share), abs=1e-9
    )


def interval(hits, n, other, level=0.95):
    counts = (np.array([count]) for count in (hits, n, *other))
    low, high = difference_interval(*counts, level)
    return float(low[0]), float(high[0])


def test_the_example_of_newcombe_s_paper():
    # table II, example (a), method 10: 56/70 - 48/80
    assert interval(56, 70, (48, 80)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts, st.sampled_from([0.9, 0.95, 1 - 0.05 / 7]))
def test_it_is_statsmodels_holds_the_difference_and_turns_with_it(one, other, level):
    expected = confint_proportions_2indep(
        *one, *other, method="newcomb", compare="diff", alpha=1 - level
    )
    assert interval(*one, other, level) == pytest.approx(expected, abs=1e-9)
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
