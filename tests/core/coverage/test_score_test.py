"""The score test: its statistic by hand and by a peer, its level where rows or outcomes are few."""

import math

import numpy as np
import pytest
from rows import held
from scipy import stats
from scipy.special import expit, logit, ndtri
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from evencover.core.coverage.null_model import DRAWS, score_test

LEVEL = 0.9


def draw(rng, n, d, effect=0.0):
    X = rng.normal(size=(n, d))
    return X, rng.random(n) < expit(logit(LEVEL) + effect * X[:, 0])


def peer(X, correct):
    """Rao's test by statsmodels, which takes the chi-squared law."""
    null = GLM(correct.astype(float), np.ones((len(X), 1)), family=Binomial())
    return float(np.squeeze(null.fit().model.score_test(null.fit().params, exog_extra=X)[1]))


def p_value(X, correct, clusters=None):
    return score_test(X, held(correct, clusters))


def too_often(p, level):
    """How many of the p-values are at most the level beyond what a level kept could show."""
    return np.sum(np.asarray(p) <= level) > stats.binom.ppf(0.9999, len(p), level)


@pytest.mark.parametrize("effect", [0.0, 0.05, 0.1])
def test_it_is_statsmodels_where_wrong_sets_are_many(effect):
    X, correct = draw(np.random.default_rng(0), 20_000, 5, effect)
    # its law takes outcomes' variances as they are seen: 2 % or so of the statistic
    seen, expected = (stats.chi2.isf(p, 5) for p in (p_value(X, correct), peer(X, correct)))
    assert seen == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("effect", [0.0, 0.15, 0.25])
def test_permutations_agree_with_statsmodels_for_even_features(effect):
    X, correct = draw(np.random.default_rng(1), 1500, 4, effect)
    expected = peer(X, correct)
    error = math.sqrt(expected * (1.0 - expected) / DRAWS)
    assert p_value(X, correct) == pytest.approx(expected, abs=4.0 * error + 2.0 / DRAWS)


def test_one_indicator_by_hand():
    # permuting outcomes of a table of two by two is Fisher's test, ordered by the statistic
    x, correct = np.repeat([0.0, 1.0], [60, 40]), np.ones(100, dtype=bool)
    correct[[0, 1, 2, 60, 61, 62, 63, 64, 65, 66, 67, 68]] = False
    law = stats.hypergeom(100, 40, 12)
    expected = sum(law.pmf(k) for k in range(13) if abs(k - 4.8) >= abs(9 - 4.8) - 1e-9)
    error = math.sqrt(expected / DRAWS)
    assert p_value(x[:, None], correct) == pytest.approx(expected, abs=4 * error + 1 / DRAWS)


def test_signs_of_three_clusters_by_hand():
    x = np.array([1.0, 1.0, 1.0, 1.0, -2.0, -2.0])
    correct = np.array([True, True, True, True, True, False])
    clusters = np.array([0, 0, 1, 1, 2, 2])
    scores = np.array([2 * (1 - 5 / 6), 2 * (1 - 5 / 6), -2 * (2 - 10 / 6 - 1)])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    reach = np.abs(signs @ scores) * math.sqrt(3 / 2) >= abs(scores.sum()) - 1e-9
    error = math.sqrt(0.25 / DRAWS)
    assert p_value(x[:, None], correct, clusters) == pytest.approx(reach.mean(), abs=4 * error)


def test_scale_and_origin_of_the_features_do_not_matter_nor_a_column_twice():
    X, correct = draw(np.random.default_rng(1), 500, 4, 0.3)
    clusters = np.arange(500) // 5
    for given in (None, clusters):
        expected = p_value(X, correct, given)
        assert p_value(1000.0 * X - 7.0, correct, given) == pytest.approx(expected, abs=0.004)
        twice = np.column_stack([X, X[:, 0]])
        assert p_value(twice, correct, given) == pytest.approx(expected, abs=0.004)
        assert p_value(X, ~correct, given) == pytest.approx(expected, abs=0.004)


def test_what_shows_nothing_is_no_evidence():
    rng = np.random.default_rng(2)
    X, correct = draw(rng, 50, 2)
    assert math.isnan(p_value(X, np.ones(50, dtype=bool)))
    assert p_value(X[:, :0], correct) == 1.0
    assert p_value(np.zeros((50, 2)), correct) == 1.0
    assert p_value(X, correct, np.zeros(50, dtype=int)) == 1.0
    assert p_value(np.zeros((20_000, 1)), rng.random(20_000) < LEVEL) == 1.0


def test_it_repeats_itself():
    X, correct = draw(np.random.default_rng(3), 300, 3)
    assert p_value(X, correct) == p_value(X, correct)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["lognormal", "rare"])
def test_skewed_features_and_few_wrong_sets_keep_the_level(kind):
    # the chi-squared law rejects 10 to 12 % at 5 %, 4 to 7 % at 1 %
    rng, p = np.random.default_rng(4), []
    for _ in range(120):
        X = rng.normal(size=(1000, 10))
        X = np.exp(X) if kind == "lognormal" else np.linspace(1.7, 2.6, 10) < X
        p.append(p_value(X.astype(float), rng.random(1000) < 0.99))
    assert not too_often(p, 0.05)
    assert not too_often(p, 0.01)
    assert np.mean(p) == pytest.approx(0.5, abs=4 * math.sqrt(1 / 12 / 120))


@pytest.mark.long
def test_rows_thrice_keep_the_level():
    # taken for independent they reject 72 % at 5 %
    rng, p = np.random.default_rng(5), []
    for _ in range(100):
        X, correct = draw(rng, 200, 4)
        rows = np.repeat(np.arange(200), 3)
        p.append(p_value(X[rows], correct[rows], rows))
    assert not too_often(p, 0.05)
    assert np.mean(p) == pytest.approx(0.5, abs=4 * math.sqrt(1 / 12 / 100))


@pytest.mark.long
@pytest.mark.parametrize("count", [10, 100])
def test_clusters_alike_in_features_and_outcomes_keep_the_level(count):
    # taken for independent they reject more than half at 5 %
    rng, p, n = np.random.default_rng(6), [], 1000
    for _ in range(100):
        sizes = rng.multinomial(n, rng.dirichlet(np.full(count, 2.0)))
        clusters = np.unique(np.repeat(np.arange(count), sizes), return_inverse=True)[1]
        of_cluster = rng.normal(size=(count, 4))[clusters]
        latent = of_cluster[:, 0] * math.sqrt(0.3) + rng.normal(size=n) * math.sqrt(0.7)
        X = of_cluster[:, 1:] + 0.5 * rng.normal(size=(n, 3))
        p.append(p_value(X, latent < ndtri(LEVEL), clusters))
    assert not too_often(p, 0.05)
    assert not too_often(p, 0.01)


def test_a_dependence_within_clusters_is_found():
    rng = np.random.default_rng(7)
    X, correct = draw(rng, 1500, 4, 0.7)
    assert p_value(X, correct, np.arange(1500) // 30) <= 0.005
    assert p_value(X, correct) == 1 / (1 + DRAWS)


@pytest.mark.long
def test_power_rises_with_the_rows():
    rng = np.random.default_rng(3)
    power = [
        np.mean([p_value(*draw(rng, n, 10, 0.25)) <= 0.05 for _ in range(40)])
        for n in (300, 1200, 5000)
    ]
    assert power[0] < power[1] < power[2]
    assert power[2] > 0.9
