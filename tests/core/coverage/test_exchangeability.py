"""The drift check: silent where rows are alike, plain where they are not."""

import numpy as np
import pytest
from scipy.stats import binom

from evencover.core.coverage.exchangeability import Drift, check_drift


def test_the_band_is_that_of_redrawn_calibration_and_test_sets():
    # the coverage of a threshold among n uniform scores is 1 minus an order statistic
    rng = np.random.default_rng(0)
    n, m, rank = 199, 300, 20
    draws = 4000
    coverage = 1.0 - np.sort(rng.uniform(size=(draws, n)), axis=1)[:, rank - 1]
    accuracy = rng.binomial(m, coverage) / m
    drift = check_drift(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), 0.9, 0.9)
    outside = np.sum((accuracy < drift.accuracy_low) | (accuracy > drift.accuracy_high))
    # the law is discrete, so the band holds at least 99 of 100
    assert outside <= binom.ppf(0.9999, draws, 0.01)
    narrower = (accuracy <= drift.accuracy_low + 0.01) | (accuracy >= drift.accuracy_high - 0.01)
    assert np.sum(narrower) > binom.ppf(0.9999, draws, 0.01)


@pytest.mark.long
def test_rows_that_are_alike_are_seldom_told_apart():
    rng = np.random.default_rng(1)
    told = [
        len(check_drift(rng.normal(size=(300, 5)), rng.normal(size=(200, 5)), 0.9, 0.9).notes())
        for _ in range(100)
    ]
    assert sum(told) <= 1


def test_a_shift_of_one_feature_is_told():
    rng = np.random.default_rng(2)
    test = rng.normal(size=(500, 5)) + np.array([0.6, 0.0, 0.0, 0.0, 0.0])
    drift = check_drift(rng.normal(size=(500, 5)), test, 0.9, 0.9)
    # two normal laws 0.6 deviations apart are ranked rightly with probability 0.664
    assert drift.auc == pytest.approx(0.664, abs=4 * drift.auc_standard_error)
    assert "can be told apart" in drift.notes()[0]


def test_an_accuracy_out_of_its_band_is_told():
    drift = Drift(0.85, 0.88, 0.92, auc=0.5, auc_standard_error=0.02)
    assert drift.notes()[0].startswith("Test accuracy 0.850 is outside 0.880 to 0.920")


def test_too_few_calibration_rows_promise_every_label():
    drift = check_drift(np.zeros((8, 1)), np.zeros((50, 1)), 1.0, 0.9)
    assert (drift.accuracy_low, drift.accuracy_high) == (1.0, 1.0)
    assert drift.notes() == []


def test_the_check_repeats_itself():
    rng = np.random.default_rng(3)
    sets = rng.normal(size=(100, 3)), rng.normal(size=(80, 3))
    assert check_drift(*sets, 0.9, 0.9) == check_drift(*sets, 0.9, 0.9)


@pytest.mark.parametrize(("m", "level"), [(50, 0.9), (1234, 0.8), (7, 0.99)])
def test_without_calibration_the_band_is_that_of_a_coin_of_the_level(m, level):
    """Of so few calibration rows, too, that one calibrated on them would keep every label."""
    drift = check_drift(np.zeros((3, 1)), np.zeros((m, 1)), 0.5, level, is_calibrated=False)
    law = binom(m, level)
    low, high = round(m * drift.accuracy_low), round(m * drift.accuracy_high)
    assert m * drift.accuracy_low == pytest.approx(law.ppf(0.005))
    assert m * drift.accuracy_high == pytest.approx(law.ppf(0.995))
    assert law.cdf(low - 1) < 0.005 <= law.cdf(low)
    assert law.cdf(high) >= 0.995 > law.cdf(high - 1)


def test_calibration_rows_of_their_own_widen_the_band():
    X = np.zeros((100, 1))
    plain = check_drift(X, X, 0.9, 0.9, is_calibrated=False)
    calibrated = check_drift(X, X, 0.9, 0.9)
    assert calibrated.accuracy_low < plain.accuracy_low
    assert calibrated.accuracy_high >= plain.accuracy_high
