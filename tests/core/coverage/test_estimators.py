"""The estimators of p(x) beside the logistic: each against its definition or a known truth."""

import numpy as np
import pytest
from rows import held
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from evencover.core.coverage.diagnosis import out_of_fold
from evencover.core.coverage.estimators import (
    ESTIMATORS,
    LassoEstimator,
    LogisticEstimator,
    NeighboursEstimator,
    RidgeEstimator,
    TreesEstimator,
)
from evencover.core.coverage.estimators.base import FOLDS, fold_numbers
from evencover.core.coverage.estimators.by_scikit_learn import (
    LASSO_SHARES,
    NUMBERS,
    RIDGE_STRENGTHS,
)

NAMES = list(ESTIMATORS)
OTHERS = [name for name in NAMES if name != "logistic"]


def draw(n, seed, effect=0.8, bend=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    truth = expit(logit(0.85) + effect * X[:, 0] + bend * (X[:, 1] ** 2 - 1.0))
    return X, rng.random(n) < truth, truth


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("outcome", [False, True])
def test_equal_outcomes_give_that_constant(name, outcome):
    X, *_ = draw(60, 0)
    estimator = ESTIMATORS[name]().fit(X, np.full(60, outcome))
    assert estimator.constant_ == outcome
    assert estimator.converged_
    np.testing.assert_array_equal(estimator.predict(X[:7]), np.full(7, float(outcome)))
    _, again = ESTIMATORS[name]().fits(X)(np.full(60, outcome))
    np.testing.assert_array_equal(again, np.full(60, float(outcome)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [2, 4, 30, pytest.param(400, marks=pytest.mark.long)])
def test_probabilities_are_inside_the_unit_interval_whatever_the_rows(name, n):
    X, correct, _ = draw(n, n)
    correct[:2] = [True, False]
    for given in (X, X[:, :0], np.zeros_like(X), np.repeat(X[:1], n, axis=0)):
        p = ESTIMATORS[name]().fit(given, correct).predict(given)
        assert p.shape == (n,)
        if name != "logistic":  # a few rows can be separated, which ends at 0 and 1 as it rounds
            assert ((p > 0.0) & (p < 1.0)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_fits_the_same_and_a_second_fit_forgets_the_first(name):
    X, correct, _ = draw(500, 1)
    estimator = ESTIMATORS[name]()
    first = estimator.fit(X, correct).predict(X)
    np.testing.assert_array_equal(clone(estimator).fit(X, correct).predict(X), first)
    estimator.fit(X, ~correct)
    np.testing.assert_array_equal(estimator.fit(X, correct).predict(X), first)


@pytest.mark.parametrize("name", OTHERS)
def test_repeated_fits_give_the_answers_of_single_ones(name):
    X, correct, _ = draw(500, 2)
    fit_again = ESTIMATORS[name]().fits(X)
    for seed in range(2):
        outcome = correct ^ (np.random.default_rng(seed).random(500) < 0.02)
        fitted, p = fit_again(outcome)
        single = ESTIMATORS[name]().fit(X, outcome)
        np.testing.assert_allclose(p, single.predict(X), atol=1e-9)
        np.testing.assert_allclose(fitted.predict(X[:9]), single.predict(X[:9]), atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.long
def test_each_finds_a_dependence_that_is_there(name):
    # those without a formula need more rows
    X, correct, truth = draw(2500 if name in ("knn", "trees") else 1000, 3)
    p = out_of_fold(X, held(correct), ESTIMATORS[name]())
    assert np.mean((p - truth) ** 2) < 0.35 * np.var(truth)


@pytest.mark.parametrize("name", ["knn", "trees"])
@pytest.mark.long
def test_those_without_a_formula_see_a_bend_that_straight_lines_miss(name):
    X, correct, truth = draw(3000, 4, effect=0.0, bend=-0.6)
    error = {
        each: np.mean((out_of_fold(X, held(correct), ESTIMATORS[each]()) - truth) ** 2)
        for each in (name, "logistic")
    }
    assert error[name] < 0.7 * error["logistic"]


@pytest.mark.parametrize("name", ["ridge", "lasso"])
@pytest.mark.long
def test_without_any_dependence_the_slopes_are_held_back(name):
    spreads = []
    for seed in range(5):
        X, correct, _ = draw(400, 10 + seed, effect=0.0)
        shrunk = ESTIMATORS[name]().fit(X, correct).predict(X).std()
        spreads.append(shrunk / LogisticEstimator().fit(X, correct).predict(X).std())
    assert np.mean(spreads) < 0.5


def chosen_by_hand(strengths, fit, X, correct):
    """The strength whose fits predict the held-out folds best, by scikit-learn's fits."""
    fold, losses = fold_numbers(len(X)), []
    for strength in strengths:
        loss = 0.0
        for number in range(FOLDS):
            rows = fold == number
            p = fit(strength, X[~rows], correct[~rows])(X[rows])
            loss -= np.log(np.where(correct[rows], p, 1.0 - p)).sum()
        losses.append(loss)
    return strengths[int(np.argmin(losses))]


def sklearn_ridge(strength, X, correct):
    model = LogisticRegression(C=1.0 / (strength * len(X)), tol=1e-10, max_iter=1000)
    model.fit(X, correct)
    return lambda new: model.predict_proba(new)[:, 1]


@pytest.mark.parametrize("seed", range(3))
def test_ridge_is_scikit_learn_s_at_the_strength_cross_validation_takes(seed):
    X, correct, _ = draw(600, seed, effect=0.3)
    ours = RidgeEstimator().fit(X, correct)
    assert ours.strength_ == chosen_by_hand(RIDGE_STRENGTHS, sklearn_ridge, X, correct)
    np.testing.assert_allclose(
        ours.predict(X), sklearn_ridge(ours.strength_, X, correct)(X), atol=1e-6
    )


@pytest.mark.parametrize("seed", range(3))
def test_lasso_meets_the_conditions_of_its_optimum(seed):
    X, correct, _ = draw(600, seed, effect=0.4)
    ours = LassoEstimator().fit(X, correct)
    assert ours.converged_
    error = ours.predict(X) - correct
    pull = X.T @ error / 600
    assert error.mean() == pytest.approx(0.0, abs=1e-6)
    moved = ours.coef_ != 0.0
    np.testing.assert_allclose(pull[moved], -ours.strength_ * np.sign(ours.coef_[moved]), atol=1e-6)
    assert (np.abs(pull[~moved]) <= ours.strength_ + 1e-6).all()
    largest = np.abs(X.T @ (correct - correct.mean())).max() / 600
    assert np.isclose(ours.strength_ / largest, LASSO_SHARES).any()


def test_lasso_leaves_no_feature_at_the_largest_strength():
    X, correct, _ = draw(600, 5, effect=0.0)
    ours = LassoEstimator().fit(X, correct)
    # seed chosen so that cross-validation finds nothing to keep
    largest = np.abs(X.T @ (correct - correct.mean())).max() / 600
    assert ours.strength_ == pytest.approx(LASSO_SHARES[0] * largest, rel=1e-9)
    np.testing.assert_array_equal(ours.coef_, np.zeros(5))
    np.testing.assert_allclose(ours.predict(X), correct.mean(), atol=1e-6)


@pytest.mark.parametrize("seed", [0, 7])
def test_neighbours_are_those_of_the_definition(seed):
    X, correct, _ = draw(250, seed)
    ours = NeighboursEstimator().fit(X, correct)
    distance = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    others = np.argsort(distance + np.diag(np.full(250, np.inf)), axis=1)
    errors = {}
    for k in [k for k in NUMBERS if k <= 250 // 4]:
        p = (correct[others[:, :k]].sum(axis=1) + correct.mean()) / (k + 1)
        errors[k] = np.mean((p - correct) ** 2)
    assert ours.k_ == min(errors, key=errors.get)
    new = np.random.default_rng(0).normal(size=(40, 5))
    nearest = np.argsort(((new[:, None, :] - X[None]) ** 2).sum(axis=2), axis=1)[:, : ours.k_]
    expected = (correct[nearest].sum(axis=1) + correct.mean()) / (ours.k_ + 1)
    np.testing.assert_allclose(ours.predict(new), expected, rtol=1e-12)


def test_neighbours_are_looked_for_among_so_many_rows_at_most():
    X, correct, _ = draw(1000, 7)
    thinned = NeighboursEstimator(most_rows=300).fit(X, correct)
    plain = NeighboursEstimator().fit(X[::4], correct[::4])
    assert thinned.k_ == plain.k_
    gap = (correct.mean() - correct[::4].mean()) / (plain.k_ + 1)
    np.testing.assert_allclose(thinned.predict(X), plain.predict(X) + gap, atol=1e-12)


@pytest.mark.parametrize("name", ["knn", "trees"])
@pytest.mark.parametrize("threads", [1, 2])
def test_ties_and_threads_do_not_move_a_digit(name, threads):
    X, correct, _ = draw(1200, 8)
    tied = np.round(X[:, :2])
    expected = ESTIMATORS[name]().fit(tied, correct).predict(tied)
    with threadpool_limits(threads):
        np.testing.assert_array_equal(ESTIMATORS[name]().fit(tied, correct).predict(tied), expected)


def test_copies_of_a_row_do_not_count_it_as_its_own_neighbour():
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    correct = np.arange(80) % 4 != 0
    ours = NeighboursEstimator().fit(X, correct)
    assert ours.k_ == 20
    found = NearestNeighbors(n_neighbors=20).fit(X).kneighbors([[1.0]], return_distance=False)
    assert set(found[0]) <= set(range(40, 80))
    assert ours.predict(X[40:41])[0] == pytest.approx(0.75, abs=0.3)


def test_trees_with_too_few_wrong_sets_give_the_share_and_cut_short_say_so():
    X, *_ = draw(300, 9)
    correct = np.arange(300) >= 19
    np.testing.assert_allclose(TreesEstimator().fit(X, correct).predict(X), correct.mean())
    np.testing.assert_allclose(TreesEstimator().fit(X, ~correct).predict(X), 19 / 300)
    X, correct, _ = draw(1500, 11)
    assert TreesEstimator().fit(X, correct).converged_
    assert not TreesEstimator(max_trees=2).fit(X, correct).converged_


def test_only_the_logistic_has_a_floor_by_formula():
    assert [name for name, cls in ESTIMATORS.items() if cls.maximum_likelihood] == ["logistic"]
