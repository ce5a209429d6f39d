"""The quantile adjustment by trees, in worlds whose conditional coverage is known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator

from evencover.core import NormalizedMeasure, ScoringMeasure, StandardMeasure
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.remedies.quantile import QuantileAdjustment, QuantileTrees
from evencover.core.rows.examples import as_examples
from evencover.core.threads import single_openmp_thread


def bent(n, seed):
    """Return objects, labels of 0 plus noise, and its scale: large where two features agree."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    scale = np.where(X[:, 0] * X[:, 1] > 0.0, 3.0, 1.0)
    return X, scale * rng.normal(size=n), scale


def spread(remedy, level=0.9):
    """Return the standard deviation of true coverage over x."""
    X, y, _ = bent(4_000, 0)
    icp = InductiveConformalPredictor(remedy, confidence_level=level).fit(X, y)
    icp.calibrate(*bent(4_000, 1)[:2])
    objects, _, scale = bent(4_000, 2)
    sets = icp.predict(objects)
    inside = stats.norm.cdf(sets.upper / scale) - stats.norm.cdf(sets.lower / scale)
    return float(inside.std()), float(sets.sizes.mean())


@pytest.mark.parametrize("level", [pytest.param(0.8, marks=pytest.mark.long), 0.9])
def test_it_mends_what_lines_do_not_see(level):
    before, wide = spread(NormalizedMeasure(), level)
    lines, _ = spread(QuantileAdjustment(NormalizedMeasure(), confidence_level=level), level)
    after, narrow = spread(QuantileTrees(NormalizedMeasure(), confidence_level=level), level)
    assert lines > 0.8 * before
    assert after < 0.6 * before
    assert narrow < wide


@pytest.mark.long
def test_it_is_the_quantile_of_scores_by_boosting():
    X, y, _ = bent(800, 4)
    weights = np.random.default_rng(0).exponential(size=800)
    measure = StandardMeasure().fit(X, y)
    remedy = QuantileTrees(FrozenEstimator(measure), confidence_level=0.8)
    examples = replace(as_examples(X, y), weights=weights)
    found = clone(remedy).fit(examples, y)
    trees = HistGradientBoostingRegressor(
        loss="quantile", quantile=0.2, min_samples_leaf=50, early_stopping=False, random_state=0
    ).set_params(max_iter=found.model_.n_iter_, learning_rate=0.2)
    with single_openmp_thread():
        trees.fit(X, measure.score(X, y), weights)
    np.testing.assert_array_equal(found.adjustment(X), -trees.predict(X))
    assert found.fit_.terms is None


def test_little_is_adjusted_where_there_is_nothing_to_see():
    """100 trees always would spread the true coverage by more than 4 points."""
    rng, found = np.random.default_rng(0), []
    for _ in range(8):
        X, y = rng.normal(size=(800, 3)), rng.normal(size=800)
        factor = np.exp(QuantileTrees(StandardMeasure()).fit(X, y).adjustment(X))
        coverage = 2.0 * stats.norm.cdf(1.645 * factor / np.median(factor)) - 1.0
        found.append(coverage.std())
    assert np.mean(found) < 0.02


@pytest.mark.parametrize(("n", "level"), [(8, 0.9), (99, 0.9), (600, 0.99)])
def test_too_few_rows_for_two_leaves_change_nothing(n, level):
    X, y, _ = bent(n, 5)
    remedy = QuantileTrees(StandardMeasure(), confidence_level=level).fit(X, y)
    assert np.ptp(remedy.adjustment(X)) == 0.0
    assert (remedy.fit_.terms, len(remedy.fit_.notes)) == (0, 1)


def test_classes():
    rng = np.random.default_rng(6)
    X = rng.uniform(-1.0, 1.0, (4_000, 2))
    hard = X[:, 0] * X[:, 1] > 0.0
    labels = np.where(rng.random(4_000) < np.where(hard, 0.45, 0.02), rng.integers(0, 3, 4_000), 0)
    known, new = slice(0, 2_000), slice(2_000, None)
    held = {}
    for remedy in (ScoringMeasure(), QuantileTrees(ScoringMeasure())):
        icp = InductiveConformalPredictor(remedy).fit(X[known], labels[known])
        covered = icp.calibrate(X[known], labels[known]).covers(X[new], labels[new])
        held[type(remedy)] = abs(covered[hard[new]].mean() - covered[~hard[new]].mean())
    assert held[QuantileTrees] < 0.7 * held[ScoringMeasure]


def test_an_infinite_score_is_at_the_end_of_the_others():
    X, y, _ = bent(400, 7)
    measure = StandardMeasure().fit(X, y)
    y[3] = measure.score_functions(X).center[3]  # its score is infinite
    remedy = QuantileTrees(FrozenEstimator(measure)).fit(X, y)
    assert np.isfinite(remedy.adjustment(X)).all()
    assert conformal_threshold(remedy.score(X, y), 0.9) < np.inf
