"""The law of coverage: against scipy's laws, sums over all counts, and draws of calibration rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, binom

from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.conformal.rank import threshold_rank

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def law_of(n, level=0.9):
    rank = threshold_rank(n, level)
    return CoverageLaw.of_calibration(n, level), (n + 1 - rank, rank)


@given(st.integers(1, 400), LEVELS)
def test_the_distance_without_calibration_is_that_of_the_binomial_law(n, level):
    hits = np.arange(n + 1)
    expected = binom(n, level).pmf(hits) @ np.abs(hits / n - level)
    assert CoverageLaw(level).mean_distance(np.array([n]))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("calibration", [19, 200, 1000])
@pytest.mark.parametrize("n", [1, 40, 3000])
def test_the_distance_is_that_of_the_beta_binomial_law(calibration, n):
    law, ends = law_of(calibration)
    hits = np.arange(n + 1)
    expected = betabinom(n, *ends).pmf(hits) @ np.abs(hits / n - 0.9)
    assert law.mean_distance(np.array([n]))[0] == pytest.approx(expected, rel=0.01)


def test_the_distance_is_seen_in_draws_of_both_sets_of_rows():
    rng, law = np.random.default_rng(0), law_of(200)[0]
    scores = np.sort(rng.random((4000, 200)), axis=1)
    coverage = 1.0 - scores[:, threshold_rank(200, 0.9) - 1]
    distance = np.abs(rng.binomial(500, coverage) / 500 - 0.9)
    error = distance.std() / np.sqrt(len(distance))
    assert law.mean_distance(np.array([500]))[0] == pytest.approx(distance.mean(), abs=4 * error)
    assert law.variance == pytest.approx(coverage.var(), rel=0.1)


def test_bands_and_tails_are_scipy_s():
    law, ends = law_of(500)
    low, high = betabinom(300, *ends).interval(0.99)
    assert law.band(300, 0.99) == (low / 300, high / 300)
    found = law.share_at_most(np.array([255, 270]), np.array([300, 300]))
    assert found == pytest.approx(betabinom(300, *ends).cdf([255, 270]), abs=1e-3)
    fixed = CoverageLaw(0.9)
    assert fixed.band(300, 0.99) == tuple(end / 300 for end in binom(300, 0.9).interval(0.99))
    assert fixed.share_at_most(np.array([255]), np.array([300])) == binom(300, 0.9).cdf(255)


def test_too_few_calibration_rows_keep_all():
    law = CoverageLaw.of_calibration(5, 0.9)
    assert law.is_fixed
    assert law.nodes.tolist() == [1.0]
    assert law.mean_distance(np.array([50])) == pytest.approx(0.1)


def test_dependent_calibration_rows_are_fewer():
    half, ends = CoverageLaw.of_calibration(1000, 0.9, design_effect=2.0), law_of(1000)[1]
    assert (half.hits, half.misses) == tuple(end / 2 for end in ends)
    assert half.variance == pytest.approx(2 * CoverageLaw.of_calibration(1000, 0.9).variance, 2e-3)
