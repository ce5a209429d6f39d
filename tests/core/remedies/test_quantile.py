"""The quantile adjustment: against exact solvers, and the equations that it is to solve."""

import numpy as np
import pytest
from measures import Noise
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import QuantileRegressor

from evencover.core import NormalizedMeasure, ScoringMeasure
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.thresholds import ThresholdRule
from evencover.core.coverage.estimators.design_matrix import Design
from evencover.core.messages import InputError
from evencover.core.remedies.quantile import PairsAdjustment, QuantileAdjustment
from evencover.core.remedies.quantile_regression import (
    STRENGTHS,
    WEAKEST,
    WIDTHS,
    CheckLoss,
    Regression,
    check_losses,
)
from evencover.core.rows.examples import as_examples
from evencover.core.scoring.arithmetic import linear_predictor


def adjusted(X, scores, **more):
    return QuantileAdjustment(Noise(), **more).fit(X, np.exp(-scores))


def draw(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.linspace(-0.5, 0.5, d) + np.exp(0.3 * X[:, 0]) * rng.gumbel(size=n)


def test_derivatives_are_those_of_the_value():
    X, scores = draw(200, 3)
    loss = CheckLoss(Design(X), scores, 0.1, ridge=0.3)
    beta, step = np.array([0.1, -0.3, 0.2, 0.5]), 1e-5
    point = loss.at(beta, 0.4)
    hessian = loss.hessian(point)
    for place, unit in enumerate(np.eye(4)):
        up, down = loss.at(beta + step * unit, 0.4), loss.at(beta - step * unit, 0.4)
        assert point.gradient[place] == pytest.approx(
            (up.value - down.value) / (2 * step), abs=1e-8
        )
        assert hessian[place] == pytest.approx((up.gradient - down.gradient) / (2 * step), abs=1e-7)


def test_smoothing_vanishes():
    X, scores = draw(200, 3)
    loss, beta = CheckLoss(Design(X), scores, 0.1, ridge=0.0), np.array([0.1, -0.3, 0.2, 0.5])
    exact = check_losses(scores - X @ beta[1:] - beta[0], 0.1).mean()
    assert loss.at(beta, 1e-6).value == pytest.approx(exact, abs=1e-6)
    assert check_losses(np.array([2.0, -1.0, 0.0]), 0.1).mean() == pytest.approx((0.2 + 0.9) / 3)


@pytest.mark.parametrize("level", [0.8, 0.9])
def test_its_objective_is_that_of_an_exact_solver(level):
    X, scores = draw(2000, 3)
    exact = QuantileRegressor(quantile=1.0 - level, alpha=0.0).fit(X, scores)
    ours = adjusted(X, scores, confidence_level=level)
    assert ours.fit_.notes == []
    assert ours.n_steps_ <= 60
    assert ours.ridge_strength_ == WEAKEST
    residuals = scores + ours.adjustment(X)
    found = check_losses(residuals - np.quantile(residuals, 1.0 - level), 1.0 - level).mean()
    best = check_losses(scores - exact.predict(X), 1.0 - level).mean()
    assert best - 1e-9 <= found <= best + 1e-3
    assert ours.coef_ == pytest.approx(exact.coef_, abs=0.05)


def test_afterwards_misses_do_not_depend_on_any_feature():
    """The score equations, within what interpolated rows and smoothing leave."""
    X, scores = draw(4000, 4)
    before = scores >= conformal_threshold(scores, 0.9)
    shifted = scores + adjusted(X, scores).adjustment(X)
    after = shifted >= conformal_threshold(shifted, 0.9)
    sums = {
        name: np.abs(X.T @ (c - 0.9)).max() for name, c in (("before", before), ("after", after))
    }
    assert sums["before"] > 100.0
    assert sums["after"] < 15.0


def test_a_line_added_to_the_scores_is_taken_away_again():
    X, scores = draw(2000, 3)
    line = np.array([1.0, -2.0, 0.5])
    plain, tilted = adjusted(X, scores), adjusted(X, scores + X @ line)
    assert tilted.coef_ - plain.coef_ == pytest.approx(line, abs=2e-2)


def test_what_is_subtracted_is_linear_in_the_features():
    X, scores = draw(1000, 3)
    found = adjusted(X, scores)
    assert found.adjustment(X).tolist() == linear_predictor(X, -found.coef_, 0.0).tolist()
    assert 2.0 < found.fit_.terms < 4.0  # that the ridge holds back in part


def test_many_features_of_noise_are_held_back():
    rng = np.random.default_rng(0)
    X, scores = rng.normal(size=(300, 20)), rng.gumbel(size=300)
    held = adjusted(X, scores)
    exact = QuantileRegressor(quantile=0.1, alpha=0.0).fit(X, scores)
    assert held.ridge_strength_ in STRENGTHS[:3]
    assert np.abs(held.coef_).sum() < 0.5 * np.abs(exact.coef_).sum()


def test_a_ridge_for_scaled_columns_holds_slopes_back_by_their_scales():
    X, scores = draw(300, 3)
    scale, strength, width = np.array([2.0, 1.0, 0.5]), 0.3, WIDTHS[-1]
    (fit,) = Regression(X, scores, 0.1, unit=1.0).fits((strength,), scale)
    below = expit(np.quantile(scores, 0.1) - scores)
    ridge = strength * np.mean(below * (1.0 - below))

    def objective(beta):
        off = scores - beta[0] - X @ beta[1:]
        lost = 0.1 * off + width * np.logaddexp(0.0, -off / width)
        return lost.mean() + 0.5 * ridge * np.sum((beta[1:] / scale) ** 2)

    best = minimize(objective, np.zeros(4), method="BFGS").x
    assert np.append(fit.intercept, fit.slopes) == pytest.approx(best, abs=1e-3)


def test_what_does_not_matter_is_held_back_more_than_what_does():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 30))
    scores = X[:, 0] + rng.gumbel(size=1000)
    regression = Regression(X, scores, 0.1, unit=1.0)
    scale, (free, *_) = regression.scale(), regression.fits((WEAKEST,))
    assert np.mean(scale**2) == pytest.approx(1.0)
    found = adjusted(X, scores)
    assert found.coef_[0] == pytest.approx(free.slopes[0], rel=0.15)
    assert np.abs(found.coef_[1:]).mean() < 0.3 * np.abs(free.slopes[1:]).mean()


def test_rare_and_copied_columns_converge():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 2))
    rare = (rng.random((2000, 12)) < 0.003).astype(float)
    X = np.column_stack([x, x[:, 0], rare, np.zeros(2000)])
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    scores = np.log(rng.random(2000)) * (1.0 + 5.0 * rare.any(axis=1))
    found = adjusted(X, scores)
    assert found.fit_.notes == []
    assert np.abs(found.coef_).max() < 5.0


def test_infinite_scores_are_taken_for_the_largest():
    X, scores = draw(1000, 2)
    capped = scores.copy()
    scores[:5], capped[:5] = np.inf, scores[5:].max()
    assert adjusted(X, scores).coef_.tolist() == adjusted(X, capped).coef_.tolist()


@pytest.mark.parametrize("scores", [np.arange(8.0), np.zeros(300)])
def test_where_there_is_nothing_to_adjust_it_says_so(scores):
    X = np.random.default_rng(0).normal(size=(len(scores), 2))
    found = adjusted(X, scores)
    assert found.fit_.terms == 0
    assert (found.adjustment(X) == 0.0).all()
    (note,) = found.fit_.notes
    assert note.code == "quantile.nothing"
    (of_pairs,) = PairsAdjustment(Noise()).fit(X, np.exp(-scores)).fit_.notes
    assert "nothing for the quantile adjustment by pairs to adjust" in of_pairs


def test_labels_and_intervals_are_adjusted_alike(regression, classification):
    for measure, drawn in ((NormalizedMeasure(), regression), (ScoringMeasure(), classification)):
        X, y = drawn(2000, 5)
        base = measure.fit(X, y)
        found = QuantileAdjustment(FrozenEstimator(base), confidence_level=0.8).fit(X, y)
        expected = base.score(X, y) + found.adjustment(X)
        assert found.score(X, y).tolist() == expected.tolist()


def test_pairs_mend_an_interaction_that_no_line_sees():
    """Noise grows with the product of two features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    product = X[:, 0] * X[:, 1]
    scores, alike = -np.log(np.abs(rng.normal(size=6000))) - 0.5 * product, product > 0.0
    train, test = slice(3000), slice(3000, 6000)
    gaps = {}
    for make in (QuantileAdjustment, PairsAdjustment):
        fitted = make(Noise()).fit(X[train], np.exp(-scores[train]))
        shifted = scores + fitted.adjustment(X)
        held = shifted[test] >= conformal_threshold(shifted[train], 0.9)
        gaps[make] = held[~alike[test]].mean() - held[alike[test]].mean()
    assert gaps[QuantileAdjustment] > 0.1
    assert abs(gaps[PairsAdjustment]) < 0.03
    with pytest.raises(InputError, match="at most 40 columns"):
        PairsAdjustment(Noise()).fit(np.zeros((50, 41)), np.ones(50))


def test_the_threshold_rule_of_its_base_measure_stays():
    class ByClass(ScoringMeasure):
        @property
        def threshold_rule(self):
            return ThresholdRule(classes=2)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] + rng.normal(size=600) > 1.0).astype(int)
    icp = InductiveConformalPredictor(QuantileAdjustment(ByClass()), confidence_level=0.8)
    icp.fit(X[:300], y[:300]).calibrate(X[300:], y[300:])
    assert icp.thresholds_.at(as_examples(X[:5])).shape == (5, 2)
