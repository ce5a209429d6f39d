"""The estimators of p(x): each against its definition, libraries or a known truth."""

import numpy as np
import pytest
from rows import held
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from statsmodels.discrete.discrete_model import Logit
from statsmodels.tools import add_constant
from threadpoolctl import threadpool_limits

from evencover.core.coverage.dcv import deviation
from evencover.core.coverage.diagnosis import out_of_fold
from evencover.core.coverage.estimators import (
    ESTIMATORS,
    LassoEstimator,
    LogisticEstimator,
    NeighboursEstimator,
    RidgeEstimator,
    TreesEstimator,
)
from evencover.core.coverage.estimators import design_matrix as design_module
from evencover.core.coverage.estimators.by_scikit_learn import (
    LASSO_SHARES,
    NUMBERS,
    RIDGE_STRENGTHS,
)
from evencover.core.coverage.estimators.design_matrix import Design
from evencover.core.coverage.estimators.logistic import LogLoss
from evencover.core.rows.folds import FOLDS, fold_numbers

NAMES = list(ESTIMATORS)
OTHERS = [name for name in NAMES if name != "logistic"]
LASSO_LATER = [pytest.param(of, marks=[pytest.mark.long] * (of == "lasso")) for of in NAMES]
"""The slowest of them in the second step."""


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


@pytest.mark.parametrize("name", LASSO_LATER)
@pytest.mark.parametrize("n", [2, 4, 30, pytest.param(400, marks=pytest.mark.long)])
def test_probabilities_are_inside_the_unit_interval_whatever_the_rows(name, n):
    X, correct, _ = draw(n, n)
    correct[:2] = [True, False]
    for given in (X, X[:, :0], np.zeros_like(X), np.repeat(X[:1], n, axis=0)):
        p = ESTIMATORS[name]().fit(given, correct).predict(given)
        assert p.shape == (n,)
        if name != "logistic":  # a few rows can be separated, which ends at 0 and 1 as it rounds
            assert ((p > 0.0) & (p < 1.0)).all()


@pytest.mark.parametrize("name", LASSO_LATER)
def test_a_clone_fits_the_same_and_a_second_fit_forgets_the_first(name):
    X, correct, _ = draw(500, 1)
    estimator = ESTIMATORS[name]()
    first = estimator.fit(X, correct).predict(X)
    np.testing.assert_array_equal(clone(estimator).fit(X, correct).predict(X), first)
    estimator.fit(X, ~correct)
    np.testing.assert_array_equal(estimator.fit(X, correct).predict(X), first)


@pytest.mark.parametrize(
    "name", [pytest.param(of, marks=[pytest.mark.long] * (of == "lasso")) for of in OTHERS]
)
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


N = 1000


def draw_marks(indicators):
    """Three numbers, then indicators standardised by some mean and deviation or other."""
    rng = np.random.default_rng(indicators)
    marks = rng.uniform(size=(N, indicators)) < np.linspace(0.01, 0.15, indicators)
    scaled = (marks - rng.uniform(size=indicators)) / rng.uniform(0.05, 2.0, size=indicators)
    return rng.permutation(np.column_stack([rng.normal(size=(N, 3)), scaled]), axis=1)


@pytest.fixture(params=[0, 2, 20], ids=["numbers", "few indicators", "many indicators"])
def X(request, monkeypatch):  # noqa: N802 - the field's name for a design matrix
    monkeypatch.setattr(design_module, "BLOCK_ROWS", 300)  # the last block is shorter
    return draw_marks(request.param)


@pytest.fixture
def beta(X):
    return np.random.default_rng(1).normal(size=1 + X.shape[1])


def plain(design):
    """The matrix that the design stands for, column by column of its own form."""
    units = np.eye(design.size)
    return np.column_stack(
        [np.concatenate([block.linear(unit) for block in design.blocks]) for unit in units]
    )


def test_linear_predictors(X, beta):
    design = Design(X)
    intercept, slopes = design.coefficients(beta)
    linear = np.concatenate([block.linear(beta) for block in design.blocks])
    np.testing.assert_allclose(linear, X @ slopes + intercept, atol=1e-11)
    rows = np.array([0, 299, 300, 999])
    np.testing.assert_allclose(design.linear(beta, rows), linear[rows], atol=1e-11)


def test_sums_and_products(X):
    design = Design(X)
    matrix, weights = plain(design), np.random.default_rng(2).uniform(size=N)
    sums, products = np.zeros(design.size), np.zeros((design.size, design.size))
    for block in design.blocks:
        block.add_sums(weights[block.rows], sums)
        products += block.products(weights[block.rows])
    np.testing.assert_allclose(sums, weights @ matrix, atol=1e-9)
    rows = np.array([0, 299, 300, 999])
    some = design.sums(rows, weights[rows])
    np.testing.assert_allclose(some, weights[rows] @ matrix[rows], atol=1e-9)
    np.testing.assert_allclose(products, matrix.T @ (weights[:, None] * matrix), atol=1e-7)


def test_only_many_indicators_are_stored_sparsely(X):
    stored = [block.sparse is not None for block in Design(X).blocks]
    assert stored == [X.shape[1] == 23] * 4


def test_rare_columns_are_those_of_the_rows(X):
    design = Design(X)
    matrix = plain(design)
    for column in design.rare_columns(np.arange(N)):
        np.testing.assert_array_equal(np.flatnonzero(matrix[:, column.position]), column.rows)
        np.testing.assert_allclose(matrix[column.rows, column.position], column.values)
    touched = [column.position for column in design.rare_columns(np.array([5, 17]))]
    expected = [j for j in range(1 + 3, design.size) if matrix[[5, 17], j].any()]
    assert touched == (expected if X.shape[1] == 23 else [])


def test_numbers_are_not_copied():
    X = draw_marks(0)
    assert all(np.shares_memory(block.dense, X) for block in Design(X).blocks)


AGREEMENT = 1e-6
"""What is asked of two libraries: each stops at its own tolerance, ours the tightest."""


def draw_three(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, rng.uniform(size=n) < expit(1.5 + X @ [1.0, -0.5, 0.0])


def with_one_hot(X, share=0.1, seed=1):
    """X with a standardised indicator beside it, and the rows it marks."""
    marked = np.random.default_rng(seed).uniform(size=len(X)) < share
    column = (marked - marked.mean()) / marked.std()
    return np.column_stack([X, column]), marked


def by_sklearn(X, correct, C=1e6):
    model = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    return model.fit(X, correct)


def standard_errors(estimator, X):
    X = X.astype(float)
    return estimator.fits(X).standard_errors(estimator, estimator.predict(X))


def assert_sound(estimator, X):
    probability = estimator.predict(X)
    assert estimator.converged_
    assert np.all((probability >= 0.0) & (probability <= 1.0))  # false for a NaN too
    return probability


def with_many_one_hots(n=6000, seed=0):
    """Two numbers, and thirty standardised indicators, some of a handful of rows."""
    rng = np.random.default_rng(seed)
    shares = np.geomspace(1.0, 1e-3, 30)
    kind = rng.choice(30, n, p=shares / shares.sum())
    kind[:30] = np.arange(30)
    indicators = np.eye(30)[kind]
    indicators = (indicators - indicators.mean(axis=0)) / indicators.std(axis=0)
    X = np.column_stack([rng.normal(size=(n, 2)), indicators[:, :-1]])
    effect = np.linspace(-1.0, 1.0, 30)[kind]
    return X, kind, rng.uniform(size=n) < expit(1.5 + 0.5 * X[:, 0] + effect)


def blocks_that_differ():
    """More rows than a block has, of other coefficients from there on."""
    X, correct = draw_three(n=4096 * 2 + 5)
    correct[4096:] = np.roll(correct[4096:], 7)
    return X, correct


def kinds_of_enough_rows():
    """One-hot columns with an optimum without a ridge."""
    X, _, correct = with_many_one_hots()
    return X[:, :12], correct


@pytest.mark.parametrize("drawn", [draw_three, blocks_that_differ, kinds_of_enough_rows])
def test_a_fit_is_that_of_statsmodels(drawn):
    X, correct = drawn()
    ours = LogisticEstimator().fit(X, correct)
    theirs = Logit(correct.astype(float), add_constant(X)).fit(disp=0, tol=1e-12)
    found = np.append(ours.intercept_, ours.coef_)
    np.testing.assert_allclose(found, theirs.params, rtol=AGREEMENT)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(), atol=AGREEMENT)
    np.testing.assert_allclose(standard_errors(ours, X), theirs.bse[1:], rtol=AGREEMENT)


@pytest.mark.parametrize("ridge", [1e-6, 100.0])  # which falls on the slopes alone
def test_coefficients_equal_sklearn_at_the_same_ridge(ridge):
    X, correct = draw_three()
    ours, theirs = LogisticEstimator(ridge=ridge).fit(X, correct), by_sklearn(X, correct, 1 / ridge)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], rtol=AGREEMENT)
    assert ours.intercept_ == pytest.approx(theirs.intercept_[0], rel=AGREEMENT)


def assert_same_fit(found, X, correct):
    estimator, probability = found
    cold = LogisticEstimator().fit(X, correct)
    assert estimator.converged_
    assert cold.converged_
    np.testing.assert_allclose(probability, cold.predict(X), atol=1e-9)
    np.testing.assert_allclose(estimator.predict(X), cold.predict(X), atol=1e-9)
    # a decrement of at most 1e-20 leaves p within 1e-10
    difference = deviation(probability, 0.9).value - deviation(cold.predict(X), 0.9).value
    assert difference == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.long) for n in (2, 3))])
def test_fits_in_a_row_give_the_same_answers_as_alone(seed):
    X, kind, correct = with_many_one_hots(seed=seed)
    rng = np.random.default_rng(seed)
    fit_again = LogisticEstimator().fits(X)
    assert_same_fit(fit_again(correct), X, correct)
    for flipped in (1, 10, 300, 3000):
        correct = correct ^ np.isin(np.arange(len(X)), rng.choice(len(X), flipped))
        assert_same_fit(fit_again(correct), X, correct)
    for outcome in (True, False):  # rare kinds become separated, change sides, and come back
        changed = np.where(kind >= 25, outcome, correct)
        assert_same_fit(fit_again(changed), X, changed)
        assert_same_fit(fit_again(correct), X, correct)


def odd_design(rng):
    """Numbers of any scale, groups of indicators, constant and repeated columns, by chance."""
    n, columns = int(rng.choice([10, 40, 200, 1500])), int(rng.integers(1, 4))
    parts = [rng.normal(size=(n, columns)) * rng.choice([1.0, 5.0])]
    for _ in range(int(rng.integers(0, 4))):
        shares = rng.dirichlet(np.full(int(rng.integers(2, 14)), 0.5))
        indicators = np.eye(len(shares))[rng.choice(len(shares), n, p=shares)][:, 1:]
        deviation_ = indicators.std(axis=0)
        parts.append((indicators - indicators.mean(axis=0)) / np.where(deviation_, deviation_, 1))
    parts += [np.zeros((n, 1))] * (rng.random() < 0.2) + [parts[0][:, :1]] * (rng.random() < 0.2)
    return np.ascontiguousarray(np.column_stack(parts))


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(n, marks=pytest.mark.long) for n in range(20, 40))]
)
def test_odd_designs_and_outcomes_are_fitted_from_anywhere(seed):
    rng = np.random.default_rng(seed)
    X = odd_design(rng)
    strength = rng.choice([0.1, 0.5, 3.0])  # at 3 outcomes are often separated
    chance = expit(1.5 + X @ rng.normal(size=X.shape[1]) * strength)
    fit_again = LogisticEstimator().fits(X)
    correct = rng.random(len(X)) < chance
    for change in (0.0, 0.02, 1.0 / len(X), 1.0):
        correct = np.where(rng.random(len(X)) < change, rng.random(len(X)) < chance, correct)
        estimator, probability = fit_again(correct)
        assert estimator.converged_
        if correct.any() and not correct.all():
            theirs = by_sklearn(X, correct).predict_proba(X)[:, 1]
            np.testing.assert_allclose(probability, theirs, atol=1e-5)
        alone = LogisticEstimator().fit(X, correct).predict(X)
        np.testing.assert_allclose(probability, alone, atol=1e-8)


def test_many_one_hots_equal_sklearn():
    X, kind, correct = with_many_one_hots()
    correct[kind == 28] = True
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    theirs = by_sklearn(X, correct).predict_proba(X)[:, 1]
    np.testing.assert_allclose(probability, theirs, atol=AGREEMENT)


@pytest.mark.parametrize(
    "first",
    [
        *(lambda _, n=n: draw_three(seed=n)[1] for n in (2, 3, 4)),
        lambda X: X[:, 0] > 0.3,
        lambda X: np.ones(len(X), dtype=bool),
    ],
    ids=["2", "3", "4", "separated, parameters of a thousand", "equal"],
)
def test_a_fit_after_another_gives_the_same_answer(first):
    X, correct = draw_three()
    fit_again = LogisticEstimator().fits(X)
    outcomes = first(X)
    fit_again(outcomes)
    outcomes[:] = correct  # in place: they are new outcomes
    assert_same_fit(fit_again(outcomes), X, correct)


def test_fits_leave_the_estimator_and_each_other_as_they_were():
    X, correct = draw_three()
    estimator = LogisticEstimator(ridge=1e-3)
    fit_again = estimator.fits(X)
    first, _ = fit_again(correct)
    before = first.coef_.copy()
    second, _ = fit_again(draw_three(seed=5)[1])
    assert second is not first
    assert second.ridge == first.ridge == 1e-3
    np.testing.assert_array_equal(first.coef_, before)
    assert not hasattr(estimator, "coef_")


@pytest.mark.parametrize("outcome", [True, False])
def test_one_hot_column_that_separates_does_not_blow_up(outcome):
    X, correct = draw_three()
    X, marked = with_one_hot(X)
    correct[marked] = outcome
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # the optimum has p within about ridge / (marked rows) of the outcome there
    np.testing.assert_allclose(probability[marked], float(outcome), atol=1e-6)
    theirs = by_sklearn(X, correct).predict_proba(X)[:, 1]
    np.testing.assert_allclose(probability, theirs, atol=AGREEMENT)


def test_perfect_and_quasi_separation_have_an_optimum():
    X, _ = draw_three()
    correct = X[:, 0] > 0.3
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    np.testing.assert_array_equal(probability > 0.5, correct)
    X = np.repeat([-1.0, 0.0, 1.0], 40)[:, None]
    correct = np.repeat([False, True, True], 40)
    correct[40:60] = False  # both outcomes at the boundary alone
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # where the data leave p free its optimum is the share at the boundary, up to the ridge
    np.testing.assert_allclose(probability, np.repeat([0.0, 0.5, 1.0], 40), atol=1e-6)


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_give_no_coefficients(outcome):
    X, _ = draw_three()
    estimator = LogisticEstimator().fit(X, np.full(len(X), outcome))
    assert np.isnan(estimator.coef_).tolist() == [True] * 3
    assert np.isnan(estimator.intercept_)
    assert np.isnan(standard_errors(estimator, X)).tolist() == [True] * 3


@pytest.mark.parametrize("rare", [True, False])
def test_a_single_row_of_its_kind_is_fitted(rare):
    X, _ = draw_three()
    correct = np.full(len(X), not rare)
    correct[17] = rare
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # the intercept's score equation: mean p is the share; decrement 1e-20 leaves 1e-10
    assert probability.mean() == pytest.approx(correct.mean(), abs=1e-10)


def test_too_few_steps_are_admitted():
    X, correct = draw_three()
    estimator = LogisticEstimator(max_iter=1).fit(X, correct)
    assert not estimator.converged_
    assert estimator.n_iter_ == 1
    assert np.isfinite(estimator.coef_).all()


@pytest.mark.parametrize("kind", ["zeros", "ones", "copy"])
def test_a_column_that_adds_nothing_is_harmless(kind):
    X, correct = draw_three()
    column = {"zeros": np.zeros(len(X)), "ones": np.ones(len(X)), "copy": X[:, 0]}[kind]
    more = np.column_stack([X, column])
    estimator, single = (LogisticEstimator().fit(of, correct) for of in (more, X))
    close = {} if kind == "zeros" else {"atol": AGREEMENT}
    np.testing.assert_allclose(assert_sound(estimator, more), single.predict(X), **close)
    assert kind != "zeros" or estimator.coef_[3] == 0.0
    shared = estimator.coef_[0] + (estimator.coef_[3] if kind == "copy" else 0.0)
    assert shared == pytest.approx(single.coef_[0], rel=AGREEMENT)


def test_no_columns_give_the_share():
    X, correct = draw_three()
    probability = assert_sound(LogisticEstimator().fit(X[:, :0], correct), X[:, :0])
    np.testing.assert_allclose(probability, correct.mean(), atol=1e-10)


def test_hundred_thousand_rows_take_a_handful_of_steps():
    X, correct = draw_three(n=100_000)
    estimator = LogisticEstimator().fit(X, correct)
    # quadratic convergence from decrement 1 to 1e-20 takes 6 steps or so, old Hessians a few more
    assert estimator.n_iter_ <= 15


def test_columns_are_settled_where_their_rows_share_an_outcome_alone(monkeypatch):
    # settling all columns that a changed row touches took 18 times as long as all else
    settled = []
    change = LogLoss._best_change

    def spy(self, beta, column, outcome):
        settled.append(column.position)
        return change(self, beta, column, outcome)

    monkeypatch.setattr(LogLoss, "_best_change", spy)
    rng = np.random.default_rng(0)
    marks = rng.random((4000, 40)) < 0.1  # a few changed rows touch nearly all columns
    X = (marks - marks.mean(axis=0)) / marks.std(axis=0)
    correct = rng.random(4000) < expit(2.0 + 0.3 * X[:, 0])
    rows = X[:, 7] > X[:, 7].min()
    fit_again = LogisticEstimator().fits(X)
    fit_again(correct)
    assert settled == []
    for outcomes in (correct | rows, correct):  # separated, and back
        assert_same_fit(fit_again(outcomes), X, outcomes)
    assert set(settled) == {8}


def test_a_best_value_that_is_not_found_is_left_to_newton():
    # values so far apart that the search for the root ends at its bound of steps
    crashed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = np.zeros((2000, 9))
        for j in range(9):
            X[rng.choice(2000, 60, replace=False), j] = rng.choice([1e-12, 1e6], 60)
        correct = rng.random(2000) < 0.9
        estimator = LogisticEstimator().fit(X, correct)
        crashed += not np.isfinite(estimator.predict(X)).all()
    assert crashed == 0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_, np.float32])
def test_objects_of_other_types_are_taken_as_numbers(dtype):
    rng = np.random.default_rng(0)
    X = (rng.random((500, 12)) < 0.15).astype(dtype)
    if dtype is np.int8:
        X = np.where(X, 127, -128).astype(np.int8)
    correct = rng.random(500) < 0.8
    ours = LogisticEstimator().fit(X, correct)
    plain = LogisticEstimator().fit(X.astype(float), correct)
    assert ours.predict(X).tolist() == plain.predict(X.astype(float)).tolist()
    assert standard_errors(ours, X).tolist() == standard_errors(plain, X.astype(float)).tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_a_fit_without_some_rows_is_that_of_the_others_alone(weighted):
    X, correct = draw_three(n=600)
    rng = np.random.default_rng(4)
    marks = rng.uniform(size=(600, 10)) < 0.03  # stored sparsely
    X, left_out = np.column_stack([X, marks]), np.arange(600) < 120
    correct[marks[:, 0]] = True
    correct[np.flatnonzero(marks[:, 0] & left_out)[0]] = False  # all others of the mark are right
    weights = rng.uniform(0.5, 3.0, size=600) if weighted else None
    fits = LogisticEstimator().fits(X, weights)
    fits(correct)
    alone = LogisticEstimator().fit(
        X[~left_out], correct[~left_out], None if weights is None else weights[~left_out]
    )
    found = fits.without(left_out, correct)
    np.testing.assert_allclose(found, alone.predict(X[left_out]), atol=1e-8)
    assert alone.predict(X[left_out & marks[:, 0]]).min() > 0.999
    fits(~left_out)  # without the only rows that differ the outcome is sure
    assert fits.without(left_out, ~left_out).tolist() == [1.0] * 120
