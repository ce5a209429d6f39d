"""The law of coverage over calibration draws: by simulation, and closed cases by hand."""

import numpy as np
import pytest
from scipy import stats

from evencover.core.conformal.coverage_law import CoverageLaw

N, RANK, LEVEL = 99, 10, 0.9


@pytest.fixture(scope="module")
def law():
    return CoverageLaw.of_calibration(N, LEVEL)


@pytest.fixture(scope="module")
def coverages():
    """Of thresholds at the 10th smallest of 99 uniform scores, whose coverage is what is above."""
    scores = np.random.default_rng(0).random((20_000, N))
    return 1.0 - np.partition(scores, RANK - 1, axis=1)[:, RANK - 1]


def test_its_parameters_are_vovk_s(law):
    assert (law.hits, law.misses) == (90.0, 10.0)
    assert law.variance == pytest.approx(0.9 * 0.1 / 101, rel=1e-12)


def test_it_is_the_law_of_redrawn_calibration_rows(law, coverages):
    assert stats.kstest(coverages, stats.beta(law.hits, law.misses).cdf).pvalue > 0.001
    assert law.variance == pytest.approx(coverages.var(), rel=0.05)
    rng = np.random.default_rng(1)
    drawn = [law.draw(rng) for _ in range(2000)]
    assert stats.ks_2samp(drawn, coverages).pvalue > 0.001


def test_nodes_stand_for_the_law(law, coverages):
    assert law.nodes.mean() == pytest.approx(0.9, abs=1e-4)
    assert law.nodes.std() == pytest.approx(coverages.std(), rel=0.03)


@pytest.mark.parametrize("n", [1, 30, 400])
def test_shares_and_distances_are_those_of_redrawn_tests(law, coverages, n):
    hits = np.random.default_rng(n).binomial(n, coverages)
    distance = law.mean_distance(np.array([n]))
    assert distance[0] == pytest.approx(np.abs(hits / n - LEVEL).mean(), rel=0.03)
    low, high = law.band(n, 0.9)
    assert ((low <= hits / n) & (hits / n <= high)).mean() >= 0.89


def test_a_fixed_law_is_the_binomial():
    law = CoverageLaw(0.8)
    assert law.is_fixed
    assert law.variance == 0.0
    assert law.draw(np.random.default_rng(0)) == 0.8
    assert law.band(50, 0.95) == tuple(np.array(stats.binom.interval(0.95, 50, 0.8)) / 50)


def test_mean_distances_by_hand():
    # of one row 0.8 with probability 0.2, 0.2 with 0.8; of two 0.8, 0.3 and 0.2
    by_hand = [0.2 * 0.8 + 0.8 * 0.2, 0.04 * 0.8 + 0.32 * 0.3 + 0.64 * 0.2]
    assert CoverageLaw(0.8).mean_distance(np.array([1, 2])) == pytest.approx(by_hand, rel=1e-12)


def test_too_few_calibration_rows_hold_every_label():
    law = CoverageLaw.of_calibration(8, LEVEL)
    assert law.is_fixed
    assert law.draw(np.random.default_rng(0)) == 1.0
    assert law.band(20, 0.99) == (1.0, 1.0)


def test_dependent_calibration_rows_count_as_fewer():
    law = CoverageLaw.of_calibration(299, LEVEL, 3.0)
    assert law.variance == pytest.approx(CoverageLaw.of_calibration(99, LEVEL).variance, rel=0.02)
