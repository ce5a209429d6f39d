"""The drift check: silent where rows are alike, plain where they are not."""

import math
from dataclasses import replace

import numpy as np
import pytest
from rows import held
from scipy.stats import binom

from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.coverage.exchangeability import Drift, check_drift
from evencover.core.coverage.null_model import NullModel
from evencover.core.rows.examples import as_examples

LAW = CoverageLaw.of_calibration(300, 0.9)


def outcomes(m, share):
    return np.arange(m) < round(share * m)


def sample(X, clusters=None):
    return replace(as_examples(X), clusters=clusters)


def drift_of(calibration, test, share=0.9, law=LAW):
    rows = held(outcomes(len(test), share))
    return check_drift(sample(calibration), sample(test), NullModel(law, rows))


def test_the_band_is_that_of_redrawn_calibration_and_test_sets():
    # the coverage of a threshold among n uniform scores is 1 minus an order statistic
    rng = np.random.default_rng(0)
    n, m, rank = 199, 300, 20
    draws = 4000
    coverage = 1.0 - np.sort(rng.uniform(size=(draws, n)), axis=1)[:, rank - 1]
    accuracy = rng.binomial(m, coverage) / m
    law = CoverageLaw.of_calibration(n, 0.9)
    drift = drift_of(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), law=law)
    outside = np.sum((accuracy < drift.accuracy_low) | (accuracy > drift.accuracy_high))
    # the law is discrete, so the band holds at least 99 of 100
    assert outside <= binom.ppf(0.9999, draws, 0.01)
    narrower = (accuracy <= drift.accuracy_low + 0.01) | (accuracy >= drift.accuracy_high - 0.01)
    assert np.sum(narrower) > binom.ppf(0.9999, draws, 0.01)


@pytest.mark.long
def test_rows_that_are_alike_are_seldom_told_apart():
    rng = np.random.default_rng(1)
    told = [
        len(drift_of(rng.normal(size=(300, 5)), rng.normal(size=(200, 5))).notes())
        for _ in range(100)
    ]
    assert sum(told) <= 1


def test_a_shift_of_one_feature_is_told():
    rng = np.random.default_rng(2)
    test = rng.normal(size=(500, 5)) + np.array([0.6, 0.0, 0.0, 0.0, 0.0])
    drift = drift_of(rng.normal(size=(500, 5)), test)
    # two normal laws 0.6 deviations apart are ranked rightly with probability 0.664
    assert drift.auc == pytest.approx(0.664, abs=4 * drift.auc_standard_error)
    assert "can be told apart" in drift.notes()[0]


def test_an_accuracy_out_of_its_band_is_told():
    drift = Drift(0.85, 0.88, 0.92, auc=0.5, auc_standard_error=0.02, rows_effective=900)
    assert drift.notes()[0].startswith("Test accuracy 0.850 is outside 0.880 to 0.920")


def test_too_few_calibration_rows_promise_every_label():
    law = CoverageLaw.of_calibration(8, 0.9)
    drift = drift_of(np.zeros((8, 1)), np.zeros((50, 1)), 1.0, law)
    assert (drift.accuracy_low, drift.accuracy_high) == (1.0, 1.0)
    assert drift.notes() == []


@pytest.mark.parametrize(("m", "level"), [(50, 0.9), (1234, 0.8), (7, 0.99)])
def test_without_calibration_the_band_is_that_of_a_coin_of_the_level(m, level):
    """Of so few calibration rows, too, that one calibrated on them would keep every label."""
    drift = drift_of(np.zeros((3, 1)), np.zeros((m, 1)), 0.5, CoverageLaw(level))
    law = binom(m, level)
    low, high = round(m * drift.accuracy_low), round(m * drift.accuracy_high)
    assert m * drift.accuracy_low == pytest.approx(law.ppf(0.005))
    assert m * drift.accuracy_high == pytest.approx(law.ppf(0.995))
    assert law.cdf(low - 1) < 0.005 <= law.cdf(low)
    assert law.cdf(high) >= 0.995 > law.cdf(high - 1)


def test_calibration_rows_of_their_own_widen_the_band():
    X = np.zeros((100, 1))
    drawn = CoverageLaw.of_calibration(100, 0.9)
    plain, calibrated = (drift_of(X, X, law=law) for law in (CoverageLaw(0.9), drawn))
    assert calibrated.accuracy_low < plain.accuracy_low
    assert calibrated.accuracy_high >= plain.accuracy_high


def test_the_auc_is_that_of_ranks_and_its_error_delong_s():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(60, 1)), rng.normal(size=(50, 1)) + 5.0
    drift = drift_of(first, second)
    assert drift == drift_of(first, second)
    # so far apart every fold finds the direction: scores are ranked as the feature is
    below, above = (first < second.T).mean(axis=1), (first < second.T).mean(axis=0)
    variance = np.var(below, ddof=1) / 60 + np.var(above, ddof=1) / 50
    assert drift.auc == pytest.approx(above.mean(), abs=0.002)
    assert drift.auc_standard_error == pytest.approx(math.sqrt(variance), abs=0.002)


def autoregressive(rng, n, d, phi=0.9):
    noise = rng.normal(size=(n + 300, d))
    rows = np.zeros_like(noise)
    for i in range(1, len(noise)):
        rows[i] = phi * rows[i - 1] + math.sqrt(1.0 - phi**2) * noise[i]
    return rows[300:]


@pytest.mark.long
def test_rows_alike_in_time_are_seldom_told_apart():
    """Taken for independent, test rows differ in 90 % and the promise is not kept in 40 %."""
    rng, n, told = np.random.default_rng(5), 1000, []
    blocks = np.arange(n) * 20 // n
    for _ in range(60):
        rows = autoregressive(rng, 2 * n, 6)
        threshold = np.sort(rows[:n, 0])[(n + 1) // 10 - 1]
        sets = sample(rows[:n, 1:], blocks), sample(rows[n:, 1:], blocks)
        right = rows[:, 0] >= threshold
        first, second = held(right[:n], blocks), held(right[n:], blocks)
        law = CoverageLaw.of_calibration(n, 0.9, replace(first, beside=second).design_effect)
        null_model = NullModel(law, replace(second, beside=first))
        told += [note.code for note in check_drift(*sets, null_model).notes()]
    for code in ("drift.accuracy", "drift.features"):
        assert told.count(code) <= binom.ppf(0.9999, 60, 0.02)


def test_a_shift_is_told_of_clusters_too_and_hedged():
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(200), 5)
    X = rng.normal(size=(2, 200, 3))[:, clusters]
    correct = np.arange(1000) >= 300
    sets = sample(X[0], clusters), sample(X[1] + [1.0, 0.0, 0.0], clusters)
    law = CoverageLaw.of_calibration(1000, 0.9, 5.0)
    drift = check_drift(*sets, NullModel(law, held(correct, clusters)))
    accuracy, features = drift.notes()
    assert drift.clusters == 200
    assert all("as far as 200 clusters" in note for note in (accuracy, features))
    # each cluster has outcomes in common: as many say as there are clusters, a little fewer
    assert drift.accuracy_low == pytest.approx(0.9 - 2.58 * math.sqrt(0.09 * (2 / 200)), abs=0.02)


def test_rows_thrice_have_the_band_of_the_rows():
    rng = np.random.default_rng(7)
    rows = np.repeat(np.arange(400), 3)
    X, correct = rng.normal(size=(400, 2))[rows], (rng.random(400) < 0.9)[rows]
    alike, alone = held(correct, rows), held(correct[::3])
    thrice = check_drift(sample(X, rows), sample(X, rows), NullModel(LAW, alike))
    once = check_drift(sample(X[::3]), sample(X[::3]), NullModel(LAW, alone))
    assert thrice.accuracy == once.accuracy
    assert thrice.accuracy_low == pytest.approx(once.accuracy_low, abs=0.004)
    assert thrice.accuracy_high == pytest.approx(once.accuracy_high, abs=0.004)


def test_too_few_clusters_cannot_tell_rows_apart():
    X = np.random.default_rng(8).normal(size=(100, 2))
    two = np.arange(100) // 50
    rows = held(outcomes(100, 0.9), two)
    drift = check_drift(sample(X, two), sample(X + 5.0, two), NullModel(LAW, rows))
    assert (drift.auc, drift.auc_standard_error) == (None, None)


def test_an_owner_among_the_calibration_rows_widens_the_band_of_test_rows_without_one():
    """All test sets are right: one owner's rows, all wrong, are among the calibration rows."""
    owners = np.arange(400) // 4
    owners[300:] = owners[300]
    law = CoverageLaw.of_calibration(400, 0.9, 20.0)
    alone = held(np.ones(400, dtype=bool), owners)
    both = replace(alone, beside=held(owners != owners[300], owners))
    X = np.zeros((400, 1))
    sets = sample(X, owners), sample(X, owners)
    assert check_drift(*sets, NullModel(law, alone)).accuracy_high < 1.0
    assert check_drift(*sets, NullModel(law, both)).accuracy_high == 1.0
