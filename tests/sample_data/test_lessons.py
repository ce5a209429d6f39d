"""The lessons' worlds: closed forms against simulation, and against core's own predictors."""

import numpy as np
import pytest
from scipy import stats
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from evencover.core import IFACM, InductiveConformalPredictor, QuantileAdjustment, StandardMeasure
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.remedies.ifacm.choices import RESTARTED_SEARCH
from evencover.sample_data.lessons import example_two, noise, one_feature, two_kinds

EPS = [0.02, 0.1, 0.3, 0.48]
MANY = 200_000


@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("made", [example_two.even, example_two.narrowest])
def test_example_two_is_as_simulated(eps, made):
    rng = np.random.default_rng(0)
    chosen = made(eps)
    x = rng.integers(1, 3, MANY)
    y = rng.uniform(0.0, x)
    held = y <= np.where(x == 1, chosen.a, chosen.b)
    error = 4.0 * np.sqrt(0.25 / MANY)
    assert held.mean() == pytest.approx(1.0 - eps, abs=error)
    assert held[x == 1].mean() == pytest.approx(chosen.coverage_one, abs=2.0 * error)
    assert held[x == 2].mean() == pytest.approx(chosen.coverage_two, abs=2.0 * error)
    assert np.where(x == 1, chosen.a, chosen.b).mean() == pytest.approx(
        chosen.mean_width, abs=4.0 / np.sqrt(MANY)
    )


@pytest.mark.parametrize("eps", EPS)
def test_no_valid_intervals_of_example_two_are_narrower(eps):
    found = example_two.all_valid(eps)
    assert [one.coverage for one in found] == pytest.approx([1.0 - eps] * len(found))
    assert min(one.b for one in found) >= 0.0
    assert max(one.b for one in found) <= 2.0 + 1e-12
    narrow, even = example_two.narrowest(eps), example_two.even(eps)
    assert min(one.mean_width for one in found) == pytest.approx(narrow.mean_width)
    assert narrow.mean_width == pytest.approx(1.5 - 2.0 * eps)
    assert even.mean_width - narrow.mean_width == pytest.approx(eps / 2.0)


@pytest.mark.parametrize(("eps", "same"), [(0.3, True), (0.37, True), (0.38, False), (0.45, False)])
def test_squared_widths_lead_to_the_same_up_to_three_eighths(eps, same):
    found = example_two.all_valid(eps, 20_001)
    best = min(found, key=lambda one: one.a**2 + one.b**2)
    assert (best.a == 1.0) == same


def test_coverage_of_two_kinds_is_as_simulated_and_the_promise_is_kept_for_36_of_40():
    rng = np.random.default_rng(1)
    half = two_kinds.exact_half_width(0.9)
    found = two_kinds.coverage(np.array(half))
    shares = {
        kind: float(np.mean(np.abs(rng.normal(0.0, spread, MANY)) <= half))
        for kind, spread in (("town", 10.0), ("country", 17.5))
    }
    assert found["all"] == pytest.approx(0.9)
    for kind, share in shares.items():
        assert found[kind] == pytest.approx(share, abs=0.004)
    assert shares["town"] > 0.97
    assert shares["country"] < 0.83
    houses = two_kinds.typical(0.9)
    held = {k: [h.held for h in houses if h.kind == k] for k in ("town", "country")}
    assert [(sum(one), len(one)) for one in held.values()] == [(20, 20), (16, 20)]
    assert [house.high - house.low for house in houses] == pytest.approx([2.0 * half] * 40)


@pytest.mark.parametrize("n", [19, 99, 499])
def test_redrawn_calibration_follows_the_beta_law(n):
    drawn = two_kinds.coverage(two_kinds.calibrated(n, 0.9, 500, 1))["all"]
    rank = (n + 1) // 10  # by hand: eps is a tenth
    law = stats.beta(n + 1 - rank, rank)
    assert stats.kstest(drawn, law.cdf).pvalue > 0.01
    assert two_kinds.share_below(0.88, n, 0.9) == pytest.approx(law.cdf(0.88))
    at = np.linspace(0.8, 0.99, 20)
    np.testing.assert_allclose(two_kinds.coverage_density(at, n, 0.9), law.pdf(at))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(one_feature._SEEDS[0])
    return [one_feature.draw_rows(rng) for _ in range(3)]


def predictor_of(remedy, rows):
    """Core's own inductive conformal predictor, fitted and calibrated on the lesson's rows."""
    icp = InductiveConformalPredictor(remedy, confidence_level=0.9).fit(*rows[0])
    return icp.calibrate(*rows[1])


def assert_same(stage, icp, rows):
    sets = icp.predict(one_feature.GRID[:, None])
    np.testing.assert_allclose(stage.lower, sets.lower, rtol=1e-9)
    np.testing.assert_allclose(stage.upper, sets.upper, rtol=1e-9)
    np.testing.assert_array_equal(stage.held, icp.covers(*rows[2]))
    assert stage.mean_width == pytest.approx(float(icp.predict(rows[2][0]).sizes.mean()))


@pytest.mark.parametrize(
    ("estimator", "layers"), [("logistic", 1), pytest.param("knn", 3, marks=pytest.mark.long)]
)
def test_stages_are_those_of_the_predictor(rows, estimator, layers):
    path = one_feature.ifacm_path(estimator, 1)
    assert len(path.gammas) == len(path.stages) - 1 == layers
    for count, stage in enumerate(path.stages):
        base = FrozenEstimator(StandardMeasure().fit(*rows[0]))
        p = ESTIMATORS[estimator]()
        search = RESTARTED_SEARCH
        remedy = IFACM(base, penalty=0.5, estimator=p, search=search, max_layers=count)
        assert_same(stage, predictor_of(remedy, rows), rows)


def test_quantile_path_is_that_of_the_predictor(rows):
    base, adjusted = one_feature.quantile_path(1).stages
    assert_same(base, predictor_of(StandardMeasure(), rows), rows)
    frozen = FrozenEstimator(StandardMeasure().fit(*rows[0]))
    assert_same(adjusted, predictor_of(QuantileAdjustment(frozen), rows), rows)


def test_true_coverage_along_the_feature_is_as_simulated():
    rng = np.random.default_rng(2)
    for stage in one_feature.quantile_path(1).stages:
        for place in (0, 133, 260, 400):
            x = one_feature.GRID[place]
            y = x + 0.4 * np.exp(0.8 * x) * rng.standard_normal(MANY)
            share = np.mean((stage.lower[place] <= y) & (y <= stage.upper[place]))
            assert stage.coverage[place] == pytest.approx(share, abs=0.005)


def test_dcv_of_redrawn_test_sets_is_that_of_another_logistic_regression():
    rng = np.random.default_rng(7)
    X = rng.standard_normal((500, 3))
    X[:, 0] = np.sign(X[:, 0])
    correct = rng.random(500) < 0.9 + 0.03 * X[:, 0]
    other = LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cholesky").fit(X, correct)
    p = other.predict_proba(X)[:, 1]
    found = noise.redrawn(500, 3, 0.03, 7, 1)
    np.testing.assert_allclose(found.p, p, atol=1e-6)
    assert found.dcv[0] == pytest.approx(np.sqrt(np.mean((p - 0.9) ** 2)), abs=1e-6)


@pytest.mark.parametrize("unevenness", [0.0, 0.03])
def test_redrawn_dcv_is_about_as_large_as_the_formula_says(unevenness):
    squares = noise.redrawn(2000, 5, unevenness, 0, 100).dcv ** 2
    expected = noise.expected_dcv(2000, 5, unevenness) ** 2
    by_hand = unevenness**2 + 6 * 0.9 * 0.1 / 2000
    assert expected == pytest.approx(by_hand)
    error = squares.std() / np.sqrt(len(squares))
    assert squares.mean() == pytest.approx(expected, abs=4.0 * error)
