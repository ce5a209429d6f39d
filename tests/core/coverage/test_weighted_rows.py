"""What rows of different weights say: by hand, as rows repeated, and by simulation."""

import numpy as np
import pytest
from rows import held
from scipy.special import expit

from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.conformal.rank import conformal_threshold
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
from evencover.core.coverage.null_model import NullModel, score_test
from evencover.core.rows.examples import as_examples
from evencover.core.rows.weights import scaled, weighted_mean
from evencover.core.segments.statistics import effective, wilson_interval

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
    assert ones.evidence.corrected == pytest.approx(plain.evidence.corrected, rel=1e-8)
    assert ones.evidence.high == pytest.approx(plain.evidence.high, rel=1e-8)
    assert ones.crossfitted == pytest.approx(plain.crossfitted, rel=1e-8)


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
        inside.append(found.low <= true <= found.high)
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
