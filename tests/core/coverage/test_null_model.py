"""What chance alone makes of a deviation, and the score test: against formulas, laws and a peer."""

import itertools
import math

import numpy as np
import pytest
from rows import held
from scipy import stats
from scipy.signal import lfilter
from scipy.special import expit, logit, ndtri
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from evencover.core import LassoEstimator, LogisticEstimator, ProbabilityEstimator
from evencover.core.conformal.rank import CoverageLaw
from evencover.core.coverage import null_model as null
from evencover.core.coverage.dcv import Deviation, deviation, floor_by_formula, noise_floor
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.events import StepDone

LEVEL = 0.9


class ShareByValue(ProbabilityEstimator):
    """The share of correct sets among the rows of one value: small enough to enumerate."""

    title = "shares"

    def _fit(self, X, correct, weights):  # noqa: ARG002
        self.shares_ = {value: correct[X[:, 0] == value].mean() for value in np.unique(X)}

    def _probabilities(self, X):
        return np.array([self.shares_[value] for value in X[:, 0]])


def draw(rng, n, d, effect=0.0):
    X = rng.normal(size=(n, d))
    return X, rng.random(n) < expit(logit(LEVEL) + effect * X[:, 0])


def independent(correct, law=None, clusters=None):
    return null.NullModel(CoverageLaw(LEVEL) if law is None else law, held(correct, clusters))


def chance(X, correct, draws, estimator=None, *, null_model=None, **told):
    return null.simulate_chance(
        X,
        {"base": held(correct)},
        LogisticEstimator() if estimator is None else estimator,
        independent(correct) if null_model is None else null_model,
        floor_draws=draws,
        permutations=draws,
        **told,
    )


@pytest.mark.parametrize(("n", "d"), [(2000, 8), (1000, 3)])
def test_the_logistic_s_floor_is_that_of_the_formula(n, d):
    X, correct = draw(np.random.default_rng(n), n, d)
    draws, k = 150, d + 1
    found = chance(X, correct, draws)
    # DCV squared is w / n times a chi-squared variable with k degrees of freedom
    error = math.sqrt(2.0 / (k * draws))
    expected = noise_floor(k, n, LEVEL) ** 2
    assert found.floor.value**2 == pytest.approx(expected, rel=3.0 * error + 0.03)


def test_the_parts_of_the_floor_are_root_mean_squares_over_drawn_outcomes():
    X, correct = draw(np.random.default_rng(0), 400, 3)
    rng = np.random.default_rng(0)
    drawn = (rng.random(400) < LEVEL for _ in range(7))
    parts = [deviation(LogisticEstimator().fit(X, c).predict(X), LEVEL) for c in drawn]
    found = chance(X, correct, 7).floor
    assert isinstance(found, Deviation)
    for part in ("value", "spread"):
        squares = [getattr(each, part) ** 2 for each in parts]
        assert getattr(found, part) ** 2 == pytest.approx(np.mean(squares), rel=1e-8)


def test_the_draw_of_the_calibration_rows_is_part_of_the_floor():
    n, d, draws = 3000, 3, 300
    X, correct = draw(np.random.default_rng(12), n, d)
    law = CoverageLaw.of_calibration(199, LEVEL)
    expected = floor_by_formula(d + 1, n, law)
    assert expected.level**2 == pytest.approx(0.09 / n + 0.09 / 199, rel=0.02)
    assert expected.spread**2 == pytest.approx(d * 0.09 / n, rel=1e-12)
    null_model = independent(correct, law)
    found = null.simulate_chance(X, {}, LogisticEstimator(), null_model, floor_draws=draws).floor
    for part, freedom in (("level", 1), ("spread", d)):
        error = 4.0 * math.sqrt(2.0 / (freedom * draws)) + 0.03
        seen, by_formula = getattr(found, part), getattr(expected, part)
        assert seen**2 == pytest.approx(by_formula**2, rel=error)


def test_copies_of_rows_have_the_floor_of_the_rows_and_are_not_permuted():
    X, correct = draw(np.random.default_rng(13), 1500, 3)
    rows = np.repeat(np.arange(1500), 3)
    alike = independent(correct[rows], clusters=rows)
    found = chance(X[rows], correct[rows], 100, null_model=alike)
    assert found.floor.value == pytest.approx(noise_floor(4, 1500, LEVEL), rel=0.15)
    assert found.p_values == {"base": None}
    assert (found.done, found.asked) == (100, 100)
    assert [note.code for note in found.notes()] == ["permutations.clusters"]


@pytest.mark.parametrize("in_time", [False, True])
@pytest.mark.long
def test_the_floor_of_rows_alike_is_what_they_show(in_time):
    rng, n, shown, told = np.random.default_rng(14), 1000, [], []
    clusters = np.arange(n) * (20 if in_time else 100) // n
    for _ in range(150):
        common = rng.normal(size=(n, 4)) if in_time else rng.normal(size=(100, 4))[clusters]
        latent = lfilter([0.6], [1.0, -0.8], common, axis=0) if in_time else common
        X = latent[:, 1:] if in_time else 0.8 * latent[:, 1:] + 0.6 * rng.normal(size=(n, 3))
        own = 0.0 if in_time else rng.normal(size=n)
        correct = (latent[:, 0] + own) / latent[:, 0].std() < (1.28 if in_time else 1.8)
        found = deviation(LogisticEstimator().fit(X, correct).predict(X), correct.mean())
        null_model = independent(correct, CoverageLaw(float(correct.mean())), clusters)
        floor = null_model.widened(floor_by_formula(4, n, null_model.law), X)
        shown.append(found.spread**2)
        told.append(floor.spread**2)
    assert np.mean(shown) == pytest.approx(np.mean(told), rel=0.25)
    assert np.mean(told) > 1.5 * 3 * LEVEL * (1.0 - LEVEL) / n


@pytest.mark.parametrize(("parameters", "draws"), [(1, 100), (10, 100), (25, 40), (500, 20)])
def test_a_floor_nobody_asked_for_takes_as_many_draws_as_it_needs(parameters, draws):
    assert null.draws_at_once(parameters) == draws


@pytest.mark.long
def test_the_p_value_is_that_of_all_permutations():
    X = np.repeat([[0.0], [1.0]], 6, axis=0)
    correct = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0], dtype=bool)
    seen = abs(correct[:6].mean() - correct[6:].mean())
    as_large = [
        abs(sum(row < 6 for row in wrong) - sum(row >= 6 for row in wrong)) / 6 >= seen - 1e-12
        for wrong in itertools.combinations(range(12), 3)
    ]
    exact, draws = np.mean(as_large), 2000
    found = chance(X, correct, draws, ShareByValue()).p_values["base"]
    assert found == pytest.approx(exact, abs=4.0 * math.sqrt(exact * (1.0 - exact) / draws))


@pytest.mark.parametrize("effect", [pytest.param(0.0, marks=pytest.mark.long), 0.15, 0.3])
def test_the_logistic_s_p_value_agrees_with_the_score_test(effect):
    X, correct = draw(np.random.default_rng(1), 800, 4, effect)
    p, draws = p_value(X, correct), 150
    found = chance(X, correct, draws).p_values["base"]
    assert abs(found - p) < 4.0 * math.sqrt(p * (1.0 - p) / draws) + 0.03


@pytest.mark.long
def test_p_values_are_uniform_where_coverage_is_even():
    rng = np.random.default_rng(2)
    p = [chance(*draw(rng, 150, 2), 9).p_values["base"] for _ in range(120)]
    counts = np.bincount(np.round(10.0 * np.array(p)).astype(int), minlength=11)[1:]
    assert counts.sum() == 120  # 1/10, 2/10, ... 10/10 are all there can be
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.long
def test_trees_see_a_bend_that_the_score_test_misses():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2500, 3))
    correct = rng.random(2500) < np.where(np.abs(X[:, 0]) > 1.2, 0.75, 0.95)
    assert p_value(X, correct) > 0.05
    found = chance(X, correct, 19, ESTIMATORS["trees"]())
    assert found.p_values["base"] == 1 / 20


@pytest.mark.long
def test_the_trees_floor_is_told_by_simulation_alone():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(800, 3))
    floor = chance(X, rng.random(800) < LEVEL, 20, ESTIMATORS["trees"]()).floor
    plain = [
        deviation(ESTIMATORS["trees"]().fit(X, c).predict(X), LEVEL).value ** 2
        for c in (rng.random(800) < LEVEL for _ in range(20))
    ]
    error = np.std(plain) / math.sqrt(20) * math.sqrt(2.0)
    assert floor.value**2 == pytest.approx(np.mean(plain), abs=4.0 * error)


@pytest.mark.long
def test_spreads_of_nothing_are_equal_and_no_evidence():
    X, correct = draw(np.random.default_rng(5), 300, 3)
    assert LassoEstimator().fit(X, correct).predict(X).std() < 1e-9
    assert chance(X, correct, 2, LassoEstimator()).p_values["base"] == 1.0
    assert chance(X[:, :0], correct, 2).p_values["base"] == 1.0


@pytest.mark.parametrize("outcome", [False, True])
def test_equal_outcomes_have_a_floor_and_no_p_value(outcome):
    X, _ = draw(np.random.default_rng(6), 200, 2)
    found = chance(X, np.full(200, outcome), 4)
    assert math.isnan(found.p_values["base"])
    assert found.floor.value > 0.0
    assert (found.done, found.asked, found.notes()) == (4, 4, [])


def test_without_draws_there_is_nothing():
    X, correct = draw(np.random.default_rng(7), 200, 2)
    found = chance(X, correct, 0)
    assert (found.floor, found.p_values, found.notes()) == (None, {"base": None}, [])


def test_a_repetition_is_the_same_to_the_last_digit():
    X, correct = draw(np.random.default_rng(8), 300, 2, 0.3)
    assert chance(X, correct, 10) == chance(X, correct, 10)
    assert p_value(X, correct) == p_value(X, correct)


def test_each_draw_is_told_of():
    X, correct = draw(np.random.default_rng(9), 200, 2)
    events = []
    chance(X, correct, 3, on_event=events.append)
    assert events == [StepDone(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize("after", [0, 3, 12])
def test_a_stop_keeps_what_is_there_and_says_so(after):
    X, correct = draw(np.random.default_rng(10), 200, 2, 0.5)
    events = []
    found = chance(X, correct, 10, on_event=events.append, should_stop=lambda: len(events) >= after)
    assert found.done == len(events) == after
    assert found.asked == 20
    assert (found.floor is None) == (after == 0)
    assert (found.p_values["base"] is None) == (after <= 10)
    if after == 3:
        assert found.floor == chance(X, correct, 3).floor
    if after == 12:
        assert found.p_values["base"] == chance(X, correct, 2).p_values["base"]
    assert found.notes()[0] == (
        f"The permutations were stopped: of 20 draws, {after} are there; the simulated floor and "
        "the permuted p-values are by these."
    )
    assert len(found.notes()) == 1


def test_the_spread_s_effect_by_hand():
    # four scores of a half, so that sums are 1; twice, for what the fitted share takes of two
    x = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    rows = held(np.array([1, 1, 0, 0], dtype=bool), np.array([0, 0, 1, 1]))
    assert null.spread_effect(x, rows) == pytest.approx(2 * (1 + 1) / (4 * 0.25), rel=1e-12)
    apart = held(rows.correct, np.array([0, 1, 0, 1]))
    assert null.spread_effect(x, apart) == pytest.approx(4.0, rel=1e-12)
    assert null.spread_effect(x, held(rows.correct)) == 1.0
    alike = held(rows.correct, weights=np.full(4, 3.0))
    assert null.spread_effect(x, alike) == pytest.approx(1.0, rel=1e-12)


def test_the_spread_of_copies_is_that_of_so_many_fewer_rows():
    rng = np.random.default_rng(3)
    rows, X = np.repeat(np.arange(500), 3), rng.normal(size=(500, 4))
    found = null.spread_effect(X[rows], held((rng.random(500) < 0.9)[rows], rows))
    assert found == pytest.approx(3.0 * 500 / 499, rel=1e-9)
    # what changes within clusters is not seen in them
    outcomes = held((rng.random(500) < 0.9)[rows], rows)
    found = null.spread_effect(rng.normal(size=(1500, 4)), outcomes)
    assert found == pytest.approx(1.0, abs=0.35)


def peer(X, correct):
    """Rao's test by statsmodels, which takes the chi-squared law."""
    null = GLM(correct.astype(float), np.ones((len(X), 1)), family=Binomial())
    return float(np.squeeze(null.fit().model.score_test(null.fit().params, exog_extra=X)[1]))


def p_value(X, correct, clusters=None):
    return null.score_test(X, held(correct, clusters))


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
    error = math.sqrt(expected * (1.0 - expected) / null.DRAWS)
    assert p_value(X, correct) == pytest.approx(expected, abs=4.0 * error + 2.0 / null.DRAWS)


def test_one_indicator_by_hand():
    # permuting outcomes of a table of two by two is Fisher's test, ordered by the statistic
    x, correct = np.repeat([0.0, 1.0], [60, 40]), np.ones(100, dtype=bool)
    correct[[0, 1, 2, 60, 61, 62, 63, 64, 65, 66, 67, 68]] = False
    law = stats.hypergeom(100, 40, 12)
    expected = sum(law.pmf(k) for k in range(13) if abs(k - 4.8) >= abs(9 - 4.8) - 1e-9)
    error = math.sqrt(expected / null.DRAWS)
    assert p_value(x[:, None], correct) == pytest.approx(expected, abs=4 * error + 1 / null.DRAWS)


def test_signs_of_three_clusters_by_hand():
    x = np.array([1.0, 1.0, 1.0, 1.0, -2.0, -2.0])
    correct = np.array([True, True, True, True, True, False])
    clusters = np.array([0, 0, 1, 1, 2, 2])
    scores = np.array([2 * (1 - 5 / 6), 2 * (1 - 5 / 6), -2 * (2 - 10 / 6 - 1)])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    reach = np.abs(signs @ scores) * math.sqrt(3 / 2) >= abs(scores.sum()) - 1e-9
    error = math.sqrt(0.25 / null.DRAWS)
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
    rng, rows = np.random.default_rng(5), np.repeat(np.arange(200), 3)
    drawn = (draw(rng, 200, 4) for _ in range(100))
    p = [p_value(X[rows], correct[rows], rows) for X, correct in drawn]
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
    assert p_value(X, correct) == 1 / (1 + null.DRAWS)


@pytest.mark.long
def test_power_rises_with_the_rows():
    rng = np.random.default_rng(3)
    p = [[p_value(*draw(rng, n, 10, 0.25)) for _ in range(40)] for n in (300, 1200, 5000)]
    power = np.mean(np.array(p) <= 0.05, axis=1)
    assert power[0] < power[1] < power[2]
    assert power[2] > 0.9
