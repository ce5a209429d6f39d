"""How sure one can be of a segment: against peers, by hand, and by simulation."""

import math

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, hypergeom
from statsmodels.stats.multitest import multipletests

from evencover.core.segments.statistics import detectable, holm, p_values, q_values


def p_value(hits, n, all_hits, all_n):
    return float(p_values(np.array([hits]), np.array([n]), all_hits, all_n)[0])


def test_a_small_case_by_hand():
    # 3 of 4 rows are hits; the segment has the one miss alone: C(3,0)/C(4,1) = 1/4, doubled
    assert p_value(0, 1, 3, 4) == pytest.approx(0.5, rel=1e-12)
    assert p_value(1, 1, 3, 4) == 1.0
    # two rows, one of them the miss: C(1,1) C(3,1) / C(4,2) = 1/2, doubled
    assert p_value(1, 2, 3, 4) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("hits", "n", "all_hits", "all_n"),
    [(50, 60, 900, 1000), (3, 9, 90, 100), (400, 410, 900, 1000)],
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
    with_gaps = np.insert(p, [0, 7], np.nan)
    found = adjust(with_gaps)
    assert np.isnan(found[[0, 8]]).all()
    np.testing.assert_allclose(found[~np.isnan(with_gaps)], adjust(p), rtol=1e-15)
    assert np.isnan(adjust(np.full(3, np.nan))).all()


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


def test_detectable_has_the_power_it_says():
    n, all_hits, all_n = 400, 18_000, 20_000
    shortfall = float(detectable(np.array([n]), all_hits, all_n)[0])
    rejected = [h for h in range(n + 1) if p_value(h, n, all_hits, all_n) <= 0.05 and h < 0.9 * n]
    power = binom(n, 0.9 - shortfall).cdf(max(rejected))
    assert power == pytest.approx(0.8, abs=1e-9)
    assert 0.03 < shortfall < 0.06


def test_more_rows_show_less():
    found = detectable(np.array([20, 100, 1000, 10_000]), 90_000, 100_000)
    assert (np.diff(found) < 0.0).all()


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_rows_show_nothing(n):
    # one miss among rows of which a tenth are misses is no surprise
    assert math.isnan(detectable(np.array([n]), 900, 1000)[0])


def test_two_misses_of_two_are_told():
    # by chance C(100,2)/C(1000,2) = 0.0099, doubled below 0.05
    assert detectable(np.array([2]), 900, 1000)[0] == pytest.approx(0.9 - 0.2**0.5 / 2, abs=0.5)
    assert not math.isnan(detectable(np.array([2]), 900, 1000)[0])
