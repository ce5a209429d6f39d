"""The drift check, and what rows of different weights say: by hand, repeated, by simulation."""

import math
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from rows import held
from scipy.special import expit
from scipy.stats import binom

from evencover.core.conformal.rank import CoverageLaw, conformal_threshold
from evencover.core.coverage.dcv import deviation, floor_by_formula
from evencover.core.coverage.dcv_inference import evidence
from evencover.core.coverage.diagnosis import diagnose
from evencover.core.coverage.estimators import (
    LassoEstimator,
    LogisticEstimator,
    NeighboursEstimator,
    RidgeEstimator,
    TreesEstimator,
)
from evencover.core.coverage.exchangeability import check_drift
from evencover.core.coverage.null_model import NullModel, score_test
from evencover.core.rows.examples import as_examples
from evencover.core.rows.weights import scaled, weighted_mean
from evencover.core.segments.statistics import effective, wilson_interval

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


def test_accuracy_above_the_band_by_tied_scores_alone_is_no_drift():
    rows, null = sample(np.zeros((300, 1))), NullModel(LAW, held(outcomes(300, 0.98)))
    assert check_drift(rows, rows, null, tied=0.1).is_by_ties
    assert not check_drift(rows, rows, null, tied=0.02).is_by_ties
    low = check_drift(rows, rows, NullModel(LAW, held(outcomes(300, 0.8))), tied=0.3)
    assert not low.is_by_ties


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
        drift = check_drift(*sets, null_model)
        is_outside = not drift.accuracy_low <= drift.accuracy <= drift.accuracy_high
        told.append((is_outside, bool(drift.notes())))
    for count in np.sum(told, axis=0):
        assert count <= binom.ppf(0.9999, 60, 0.02)


def test_a_shift_is_told_of_clusters_too_and_hedged():
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(200), 5)
    X = rng.normal(size=(2, 200, 3))[:, clusters]
    correct = np.arange(1000) >= 300
    sets = sample(X[0], clusters), sample(X[1] + [1.0, 0.0, 0.0], clusters)
    law = CoverageLaw.of_calibration(1000, 0.9, 5.0)
    drift = check_drift(*sets, NullModel(law, held(correct, clusters)))
    (features,) = drift.notes()
    assert drift.clusters == 200
    assert "as far as 200 clusters" in features
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


LEVEL = 0.9


def draw(rng, n, slope=0.0):
    X = rng.normal(size=(n, 3))
    return X, rng.random(n) < expit(2.2 + slope * X[:, 0]), rng.lognormal(0.0, 0.8, n)


def test_design_effects_by_hand():
    # (1 + 1 + 2 + 4)^2 = 64, squares 22: 4 * 22 / 64; e = 1 - p or -p of p = 3 / 4
    rows = held(np.array([1, 1, 0, 1], dtype=bool), weights=np.array([1.0, 1.0, 2.0, 4.0]))
    errors = (1 + 1 + 16) * 0.25**2 + 4 * 0.75**2
    assert rows.design_effect == pytest.approx(4 * max(22.0, errors / (0.75 * 0.25)) / 64)
    # where the heavy row is the wrong one, errors say more than Kish's effect, but no more than n
    wrong = held(np.array([1, 1, 1, 0], dtype=bool), weights=rows.weights)
    errors = (1 + 1 + 4) * 0.5**2 + 16 * 0.5**2
    assert wrong.design_effect == pytest.approx(4 * max(22.0, errors / 0.25) / 64)
    assert held(np.arange(60) > 6, weights=np.full(60, 0.3)).design_effect == 1.0


def test_clusters_of_copies_and_weights_say_the_same():
    rng = np.random.default_rng(0)
    correct, times = rng.random(400) < LEVEL, rng.integers(1, 4, 400)
    copies = np.repeat(np.arange(400), times)
    by_weight = held(correct, weights=times.astype(float))
    by_copies = held(correct[copies], copies)
    sizes = 400 / by_weight.design_effect, len(copies) / by_copies.design_effect
    assert sizes[0] == pytest.approx(sizes[1], rel=0.06)


@pytest.mark.parametrize("estimator", [LogisticEstimator(), TreesEstimator()])
def test_estimators_fit_weighted_rows_as_repeated_ones(estimator):
    rng = np.random.default_rng(1)
    X, correct, _ = draw(rng, 600, 1.0)
    times = np.full(600, 2) if isinstance(estimator, TreesEstimator) else rng.integers(1, 5, 600)
    weighted = estimator.fit(X, correct, times.astype(float)).predict(X)
    if isinstance(estimator, LogisticEstimator):
        repeated = np.repeat(np.arange(600), times)
        assert weighted == pytest.approx(
            LogisticEstimator().fit(X[repeated], correct[repeated]).predict(X), abs=1e-10
        )
        _, again = estimator.fits(X, times.astype(float))(correct)
        assert again == pytest.approx(weighted, abs=1e-12)
    assert np.all((weighted > 0.0) & (weighted < 1.0))


@pytest.mark.parametrize("kind", [RidgeEstimator, LassoEstimator])
def test_weights_of_penalised_fits_have_no_unit(kind):
    X, correct, w = draw(np.random.default_rng(2), 400, 1.0)
    one, other = (kind().fit(X, correct, scale * w) for scale in (1.0, 1000.0))
    assert one.predict(X) == pytest.approx(other.predict(X), abs=1e-4)
    assert one.coef_[0] > 0.3


def test_neighbours_refuse_weights():
    with pytest.raises(ValueError, match="takes no weights"):
        NeighboursEstimator().fit(np.zeros((9, 1)), np.arange(9) < 5, np.ones(9))


def test_weights_of_one_change_no_figure():
    X, correct, _ = draw(np.random.default_rng(3), 2000, 0.5)
    plain, ones = (
        diagnose(as_examples(X), held(correct, weights=w), LEVEL, LogisticEstimator())
        for w in (None, np.ones(2000))
    )
    assert ones.deviation.value == pytest.approx(plain.deviation.value, rel=1e-10)
    assert ones.standard_errors == pytest.approx(plain.standard_errors, rel=1e-8)
    figures = attrgetter("crossfitted", "evidence.dcv_corrected", "evidence.dcv_corrected_high")
    assert figures(ones) == pytest.approx(figures(plain), rel=1e-8)


@pytest.mark.long
@pytest.mark.parametrize(
    "coverages", [(0.9, 0.9), (0.75, 0.97), (0.97, 0.75)], ids=["alike", "heavy worse", "better"]
)
def test_intervals_of_a_segment_hold_its_weighted_coverage(coverages):
    """A third of the rows weighs five times; 2,000 draws tell 95 % from 93.5 %."""
    rng, inside = np.random.default_rng(4), 0
    true = np.average(coverages, weights=[5.0 * 0.3, 0.7])
    for _ in range(2000):
        heavy = rng.random(300) < 0.3
        w, correct = np.where(heavy, 5.0, 1.0), rng.random(300) < np.where(heavy, *coverages)
        effects = held(correct, weights=w).design_effects(np.zeros(300, dtype=int), 1)
        counts = effective(np.array([weighted_mean(correct, w)]), np.array([300]), effects)
        (low,), (high,) = wilson_interval(*counts)
        inside += low <= true <= high
    assert inside / 2000 > 0.935


@pytest.mark.long
@pytest.mark.parametrize("n", [400, 20_000])
def test_the_score_test_holds_its_level(n):
    """5 % of 400 draws, give or take three standard errors of 1.1 points."""
    rng = np.random.default_rng(5)
    draws = (draw(rng, n) for _ in range(400 if n < 1000 else 200))
    p = np.array([score_test(X, held(correct, weights=w)) for X, correct, w in draws])
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=0.035)
    X, correct, w = draw(rng, n, 1.0)
    assert score_test(X, held(correct, weights=w)) <= 0.005


@pytest.mark.parametrize(
    ("n", "draws", "most"), [(300, 12, 3), pytest.param(1000, 200, 18, marks=pytest.mark.long)]
)
def test_the_score_test_holds_its_level_where_weights_have_heavy_tails(n, draws, most):
    """Where a feature tells the weight, and where coverage hangs on it; signs reject in 30 %."""
    rng, found = np.random.default_rng(9), {"told": [], "worse": []}
    for _ in range(draws):
        X, w = rng.normal(size=(n, 3)), 1.0 + rng.pareto(1.2, n)
        told = np.column_stack([X, np.log(w)])
        found["told"].append(score_test(told, held(rng.random(n) < LEVEL, weights=w)))
        heavy = rng.random(n) < np.where(w > 3.0, 0.75, 0.95)
        found["worse"].append(score_test(X, held(heavy, weights=w)))
    assert all(np.sum(np.array(p) <= 0.05) <= most for p in found.values())
    assert all(np.sum(np.array(p) <= 0.005) <= 1 + draws // 50 for p in found.values())
    X, correct, w = draw(rng, n, 1.5)
    assert score_test(X, held(correct, weights=w)) <= 0.005


@pytest.mark.long
def test_the_floor_is_what_a_faultless_predictor_shows():
    rng, squares = np.random.default_rng(6), []
    X, _, w = draw(rng, 4000)
    law = CoverageLaw(LEVEL)
    for _ in range(300):
        correct = rng.random(4000) < LEVEL
        p = LogisticEstimator().fit(X, correct, w).predict(X)
        squares.append(np.square(list(vars(deviation(p, LEVEL, w)).values())))
    seen = np.sqrt(np.mean(squares, axis=0))
    floor = NullModel(law, held(correct, weights=w)).widened(floor_by_formula(4, 4000, law), X)
    # 300 draws of 1, and 3, squares: 4, and 2.4 %
    assert (floor.level, floor.spread) == pytest.approx((seen[0], seen[1]), rel=0.12)


@pytest.mark.long
def test_the_interval_of_the_corrected_dcv_holds():
    """The population is half a million rows, whose best logistic fit has weights, too."""
    rng = np.random.default_rng(7)
    X, correct, w = draw(rng, 500_000, 0.6)
    p = LogisticEstimator().fit(X, correct, w).predict(X)
    true = deviation(p, LEVEL, w).value
    inside = []
    for _ in range(200):
        rows = rng.choice(len(X), 3000)
        fitted = LogisticEstimator().fit(X[rows], correct[rows], w[rows])
        found = evidence(X[rows], held(correct[rows], weights=w[rows]), fitted, LEVEL)
        inside.append(found.dcv_corrected_low <= true <= found.dcv_corrected_high)
    assert np.mean(inside) > 0.9


@pytest.mark.long
def test_the_band_of_coverage_is_that_of_draws_of_weighted_calibration_rows():
    """Of 1,000 draws 1 % are outside the band, give or take three standard errors of 0.3 points."""
    rng, shares, outside = np.random.default_rng(8), [], 0
    for _ in range(1000):
        (scores, new), w, w_new = rng.random((2, 400)), *rng.lognormal(0.0, 0.8, (2, 400))
        threshold = conformal_threshold(scores, LEVEL, scaled(w))
        drawn = held(scores >= threshold, weights=w)
        rows = held(new >= threshold, weights=w_new)
        law = CoverageLaw.of_calibration(400, LEVEL, drawn.design_effect)
        low, high = law.band(round(400 / rows.design_effect), 0.99)
        shares.append(weighted_mean(rows.correct, w_new))
        outside += not low <= shares[-1] <= high
    assert outside / 1000 == pytest.approx(0.01, abs=0.01)
    assert np.mean(shares) == pytest.approx(LEVEL, abs=0.004)
