"""Outcomes of rows that are alike: by hand, by copies, and by simulation."""

import numpy as np
import pytest
from rows import held
from scipy import stats

T, NORMAL = stats.t.ppf, stats.norm.ppf(0.995)


def test_three_small_clusters_by_hand():
    # of pairs in a cluster: (1, 1) off by 0.4 each, (0, 0) by -0.6 each; the single row has none
    rows = held(np.array([1, 1, 0, 0, 1], dtype=bool), np.array([0, 0, 1, 1, 2]))
    pairs = (2 * 0.4 * 0.4 + 2 * 0.6 * 0.6) / 4
    assert rows.correlation == pytest.approx(min(1.0, pairs / 0.24), rel=1e-12)
    mixed = held(np.array([1, 0, 0, 1, 1, 1, 1, 1], dtype=bool), np.arange(8) // 2)
    pairs = (4 * -0.75 * 0.25 + 4 * 0.25**2) / 8
    assert mixed.correlation == max(0.0, pairs)
    assert mixed.design_effect == 1.0
    # without clusters or with equal outcomes rows are independent
    for plain in (held(np.arange(9) < 5), *(held([of] * 9, np.arange(9) // 3) for of in (0, 1))):
        assert plain.design_effect == 1.0


def test_rows_three_times_are_a_third_as_many():
    rng = np.random.default_rng(0)
    once = rng.random(500) < 0.9
    rows = held(np.repeat(once, 3), np.repeat(np.arange(500), 3))
    assert rows.correlation == pytest.approx(1.0, abs=1e-9)
    assert rows.design_effect == pytest.approx(3.0 * (T(0.995, 499) / NORMAL) ** 2, rel=1e-9)
    assert 1500 / rows.design_effect == pytest.approx(500, rel=0.01)


def test_one_cluster_shows_nothing_of_how_alike_its_rows_are():
    rows = held(np.arange(6) > 0, np.zeros(6, dtype=np.intp))
    assert rows.design_effect == 6.0
    assert rows.design_effects(np.array([0, 0, 0, 0, 2, 2]), 3).tolist() == [4.0, 1.0, 2.0]


def test_segments_that_part_the_copies_hold_independent_rows():
    once = np.random.default_rng(1).random(500) < 0.9
    rows = held(np.repeat(once, 3), np.repeat(np.arange(500), 3))
    assert rows.design_effects(np.arange(1500) % 3, 3) == pytest.approx([1.0] * 3)
    halves = rows.design_effects((np.arange(1500) >= 750).astype(int), 3)
    assert halves[:2] == pytest.approx([3.0, 3.0], rel=0.02)
    assert halves[2] == 1.0


def test_few_large_clusters_are_few_whatever_the_small_ones():
    """One cluster holds half of the rows: what its rows have in common is seen once."""
    clusters = np.concatenate([np.zeros(300, dtype=int), 1 + np.arange(300) // 3])
    rows = held(clusters > 0, clusters)
    equal = held(np.repeat(np.arange(200) % 10 > 0, 3), np.arange(600) // 3)
    assert 600 / equal.design_effect == pytest.approx(200, rel=0.02)
    # no more than a coin or two
    assert 600 / rows.design_effect < 4.0


def test_shares_vary_as_the_design_effect_says():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(100), 8)
    shares, effects = [], []
    for _ in range(400):
        common = rng.normal(size=100)[clusters]
        correct = 0.6 * common + 0.8 * rng.normal(size=800) < 1.28
        shares.append(correct.mean())
        effects.append(held(correct, clusters).design_effect)
    independent = np.mean(shares) * (1.0 - np.mean(shares)) / 800
    widened = (T(0.995, 99) / NORMAL) ** 2
    assert np.mean(effects) / widened == pytest.approx(np.var(shares) / independent, rel=0.2)
