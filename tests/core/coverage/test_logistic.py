"""The logistic estimator: equal to two libraries, and sound where plain Newton is not."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from statsmodels.discrete.discrete_model import Logit
from statsmodels.tools import add_constant

from evencover.core.coverage.dcv import deviation
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.coverage.estimators.logistic import LogLoss

AGREEMENT = 1e-6
"""What is asked of two libraries: each stops at its own tolerance, ours the tightest."""


def draw(n=400, seed=0):
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
    X, correct = draw(n=4096 * 2 + 5)
    correct[4096:] = np.roll(correct[4096:], 7)
    return X, correct


def kinds_of_enough_rows():
    """One-hot columns with an optimum without a ridge."""
    X, _, correct = with_many_one_hots()
    return X[:, :12], correct


@pytest.mark.parametrize("drawn", [draw, blocks_that_differ, kinds_of_enough_rows])
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
    X, correct = draw()
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
        *(lambda _, n=n: draw(seed=n)[1] for n in (2, 3, 4)),
        lambda X: X[:, 0] > 0.3,
        lambda X: np.ones(len(X), dtype=bool),
    ],
    ids=["2", "3", "4", "separated, parameters of a thousand", "equal"],
)
def test_a_fit_after_another_gives_the_same_answer(first):
    X, correct = draw()
    fit_again = LogisticEstimator().fits(X)
    outcomes = first(X)
    fit_again(outcomes)
    outcomes[:] = correct  # in place: they are new outcomes
    assert_same_fit(fit_again(outcomes), X, correct)


def test_fits_leave_the_estimator_and_each_other_as_they_were():
    X, correct = draw()
    estimator = LogisticEstimator(ridge=1e-3)
    fit_again = estimator.fits(X)
    first, _ = fit_again(correct)
    before = first.coef_.copy()
    second, _ = fit_again(draw(seed=5)[1])
    assert second is not first
    assert second.ridge == first.ridge == 1e-3
    np.testing.assert_array_equal(first.coef_, before)
    assert not hasattr(estimator, "coef_")


@pytest.mark.parametrize("outcome", [True, False])
def test_one_hot_column_that_separates_does_not_blow_up(outcome):
    X, correct = draw()
    X, marked = with_one_hot(X)
    correct[marked] = outcome
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # the optimum has p within about ridge / (marked rows) of the outcome there
    np.testing.assert_allclose(probability[marked], float(outcome), atol=1e-6)
    theirs = by_sklearn(X, correct).predict_proba(X)[:, 1]
    np.testing.assert_allclose(probability, theirs, atol=AGREEMENT)


def test_perfect_separation_has_an_optimum():
    X, _ = draw()
    correct = X[:, 0] > 0.3
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    np.testing.assert_array_equal(probability > 0.5, correct)


def test_quasi_separation_has_an_optimum():
    X = np.repeat([-1.0, 0.0, 1.0], 40)[:, None]
    correct = np.repeat([False, True, True], 40)
    correct[40:60] = False  # both outcomes at the boundary alone
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # where the data leave p free its optimum is the share at the boundary, up to the ridge
    np.testing.assert_allclose(probability, np.repeat([0.0, 0.5, 1.0], 40), atol=1e-6)


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_give_no_coefficients(outcome):
    X, _ = draw()
    estimator = LogisticEstimator().fit(X, np.full(len(X), outcome))
    assert np.isnan(estimator.coef_).tolist() == [True] * 3
    assert np.isnan(estimator.intercept_)
    assert np.isnan(standard_errors(estimator, X)).tolist() == [True] * 3


@pytest.mark.parametrize("rare", [True, False])
def test_a_single_row_of_its_kind_is_fitted(rare):
    X, _ = draw()
    correct = np.full(len(X), not rare)
    correct[17] = rare
    probability = assert_sound(LogisticEstimator().fit(X, correct), X)
    # the intercept's score equation: mean p is the share; decrement 1e-20 leaves 1e-10
    assert probability.mean() == pytest.approx(correct.mean(), abs=1e-10)


def test_too_few_steps_are_admitted():
    X, correct = draw()
    estimator = LogisticEstimator(max_iter=1).fit(X, correct)
    assert not estimator.converged_
    assert estimator.n_iter_ == 1
    assert np.isfinite(estimator.coef_).all()


@pytest.mark.parametrize("kind", ["zeros", "ones", "copy"])
def test_a_column_that_adds_nothing_is_harmless(kind):
    X, correct = draw()
    column = {"zeros": np.zeros(len(X)), "ones": np.ones(len(X)), "copy": X[:, 0]}[kind]
    more = np.column_stack([X, column])
    estimator, single = (LogisticEstimator().fit(of, correct) for of in (more, X))
    close = {} if kind == "zeros" else {"atol": AGREEMENT}
    np.testing.assert_allclose(assert_sound(estimator, more), single.predict(X), **close)
    assert kind != "zeros" or estimator.coef_[3] == 0.0
    shared = estimator.coef_[0] + (estimator.coef_[3] if kind == "copy" else 0.0)
    assert shared == pytest.approx(single.coef_[0], rel=AGREEMENT)


def test_no_columns_give_the_share():
    X, correct = draw()
    probability = assert_sound(LogisticEstimator().fit(X[:, :0], correct), X[:, :0])
    np.testing.assert_allclose(probability, correct.mean(), atol=1e-10)


def test_hundred_thousand_rows_take_a_handful_of_steps():
    X, correct = draw(n=100_000)
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
    X, correct = draw(n=600)
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
