"""IFACM: against a second implementation, the paper's theorems and its own promises."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from evencover.core import NormalizedMeasure, ScoringMeasure, StandardMeasure
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import conformal_threshold, exact_significance
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.events import BaseMeasured, LayerAccepted, LayerTried
from evencover.core.messages import InputError
from evencover.core.remedies.ifacm import ifacm as ifacm_module
from evencover.core.remedies.ifacm.choices import (
    PAPER_SEARCH,
    RESTARTED_SEARCH,
    nelder_mead,
)
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.ifacm.layer_search import TrainingICP
from evencover.core.rows.examples import as_examples
from evencover.core.scoring.arithmetic import sign_update

AGREEMENT = 1e-6
"""Relative; asked of two implementations whose logistic fits stop at different tolerances."""

FITTED = 1e-10
"""A fit stops at a Newton decrement of 1e-20, the square of what p may still be off by."""

ROUNDING = 64 * np.finfo(float).eps
"""A few sums and one logarithm below 32 in size, each rounded by half a unit."""

SIZE = 0.01  # of the goodness-of-fit test: with a fixed seed it passes for good or fails for good


@dataclass(frozen=True)
class Recorded:
    """A fit with all it told while it worked."""

    ifacm: IFACM
    X: np.ndarray
    y: np.ndarray
    events: list

    @property
    def tried(self):
        return [e for e in self.events if isinstance(e, LayerTried)]

    def evaluations(self, iteration):
        return [e for e in self.tried if e.iteration == iteration]

    def algorithm_1(self, functions):
        examples = as_examples(self.X, self.y)
        return TrainingICP(examples, functions, LogisticEstimator(), 0.9)


def fitted(base, examples, **options):
    events = []
    ifacm = IFACM(base, **options).fit(*examples, on_event=events.append)
    return Recorded(ifacm, *examples, events)


@pytest.fixture(scope="module")
def intervals(regression):
    return fitted(NormalizedMeasure(), regression(400, 11), penalty=0.5)


@pytest.fixture(scope="module")
def label_sets(classification):
    return fitted(ScoringMeasure(), classification(600, 6), penalty=0.1)


@pytest.fixture(params=["intervals", "label_sets"])
def recorded(request):
    return request.getfixturevalue(request.param)


class SecondImplementation:
    """Algorithms 1 and 2 with everything fitted and counted from scratch at each point."""

    def __init__(self, X, y, level, penalty):
        self.X, self.y, self.level, self.penalty = X, y, level, penalty
        self.significance = exact_significance(level)

    def kept(self, scores, calibration_scores):
        """Eq. (predinterval1), counted for each score."""
        n = len(calibration_scores)
        counts = np.sum(scores[..., None] >= calibration_scores, axis=-1)
        bound = self.significance * (n + 1)
        return np.array([count + 1 > bound for count in range(n + 1)])[counts]

    def probability(self, correct):
        model = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10, max_iter=1000)
        return model.fit(self.X, correct).predict_proba(self.X)[:, 1]

    def algorithm_1(self, shift):
        """Return p, DCV and W with the training set as its own calibration set."""
        scores = self.true_scores + shift
        p = self.probability(self.kept(scores, scores))
        dcv = math.sqrt(sum((p_j - self.level) ** 2 for p_j in p) / len(p))
        return p, dcv, self.inefficiency(scores, shift)

    def update(self, p, delta):
        u = np.zeros(len(p))
        for j in range(len(p)):
            if p[j] < self.level - delta:
                u[j] = 1.0
            elif p[j] > self.level + delta:
                u[j] = -1.0
        return u

    def objective(self, dcv, width, base_width):
        return dcv + (self.penalty * (width - base_width) if width > base_width else 0.0)


class SecondRegression(SecondImplementation):
    def __init__(self, X, y, level, penalty):
        super().__init__(X, y, level, penalty)
        design = np.column_stack([np.ones(len(X)), X])
        residuals = np.abs(y - design @ np.linalg.lstsq(design, y)[0])
        self.log_sigma = design @ np.linalg.lstsq(design, np.log(residuals))[0]
        self.true_scores = self.log_sigma - np.log(residuals)

    def inefficiency(self, scores, shift):
        kept = self.kept(scores, scores)
        threshold = scores[kept].min()  # the interval reaches to where the count still suffices
        return np.mean(2.0 * np.exp(self.log_sigma + shift) / np.exp(threshold))


class SecondClassification(SecondImplementation):
    def __init__(self, X, y, level, penalty):
        super().__init__(X, y, level, penalty)
        model = LogisticRegression(max_iter=2000).fit(X, y)
        self.all_scores = np.log(model.predict_proba(X))
        self.true_scores = self.all_scores[np.arange(len(y)), y]

    def inefficiency(self, scores, shift):
        return np.mean(self.kept(self.all_scores + shift[:, None], scores).sum(axis=1))


def assert_reproduced(recorded, second):
    shift = np.zeros(len(recorded.y))
    p, dcv, base_width = second.algorithm_1(shift)
    base = recorded.events[0]
    assert (base.dcv, base.inefficiency) == pytest.approx((dcv, base_width), rel=AGREEMENT)
    for accepted in recorded.ifacm.fit_.layers:
        points = recorded.evaluations(accepted.iteration)
        for point in points:
            step = point.gamma * second.update(p, point.delta)
            _, dcv, width = second.algorithm_1(shift + step)
            objective = second.objective(dcv, width, base_width)
            ours = point.dcv, point.inefficiency, point.objective
            assert ours == pytest.approx((dcv, width, objective), rel=AGREEMENT)
        shift = shift + accepted.gamma * second.update(p, accepted.delta)
        p, dcv, width = second.algorithm_1(shift)
        ours = accepted.dcv, accepted.inefficiency
        assert ours == pytest.approx((dcv, width), rel=AGREEMENT)


@pytest.mark.parametrize(
    ("recorded", "second"),
    [("intervals", SecondRegression), ("label_sets", SecondClassification)],
    indirect=["recorded"],
)
def test_second_implementation_agrees_at_every_point(recorded, second):
    assert len(recorded.ifacm.layers_) >= 2
    sizes = [e.inefficiency for e in recorded.tried]
    assert min(sizes) < recorded.events[0].inefficiency < max(sizes)  # with, without penalty
    assert_reproduced(recorded, second(recorded.X, recorded.y, 0.9, recorded.ifacm.penalty))


EIGHTHS = st.integers(-40, 40)  # scores and gammas in eighths add without rounding, and tie


@st.composite
def adjusted_scores(draw):
    """Scores, p, CL, gamma and delta of one layer on a training set."""
    n = draw(st.integers(1, 40))
    scores = np.array(draw(st.lists(EIGHTHS, min_size=n, max_size=n))) / 8
    probability = np.array(draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    level = draw(st.integers(1, 99)) / 100
    gamma = draw(st.integers(1, 80)) / 8
    delta = draw(st.floats(0, 0.5))
    return scores, probability, level, gamma, delta


@given(adjusted_scores())
def test_threshold_moves_by_at_most_gamma(layer):
    scores, probability, level, gamma, delta = layer
    before = conformal_threshold(scores, level)
    after = conformal_threshold(scores + gamma * sign_update(probability, level, delta), level)
    assert before - gamma <= after <= before + gamma


@given(adjusted_scores())
def test_theorem_1_no_outcome_is_switched_away_from_the_level(layer):
    scores, probability, level, gamma, delta = layer
    before = scores >= conformal_threshold(scores, level)
    adjusted = scores + gamma * sign_update(probability, level, delta)
    after = adjusted >= conformal_threshold(adjusted, level)
    assert not after[~before & (probability > level + delta)].any()
    assert after[before & (probability < level - delta)].all()


@given(
    seed=st.integers(0, 10**6),
    gamma=st.floats(0.01, 3.0),
    delta=st.floats(0.0, 0.05),
    separated=st.booleans(),
)
@pytest.mark.long
def test_theorem_2_switched_outcomes_gain_log_odds(seed, gamma, delta, separated):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    scores = rng.normal(size=150) * np.exp(0.4 * X[:, 0])
    if separated:
        X[:, 2] = X[:, 2] > 1.0
        scores[X[:, 2] == 1.0] += 20.0
    before = scores >= conformal_threshold(scores, 0.9)
    first = LogisticEstimator().fit(X, before)
    adjusted = scores + gamma * sign_update(first.predict(X), 0.9, delta)
    after = adjusted >= conformal_threshold(adjusted, 0.9)
    switched = before != after
    assume(switched.any())
    second = LogisticEstimator().fit(X, after)

    def mean_log_odds(estimator):
        log_odds = X @ estimator.coef_ + estimator.intercept_
        return np.where(after, log_odds, -log_odds)[switched].mean()

    # the proof holds with the ridge, which it absorbs; a loss off its minimum by the Newton
    # decrement moves a mean log-odds by at most its square root times that of the curvature,
    # which the ridge bounds
    slack = FITTED * math.sqrt(150 / LogisticEstimator().ridge)
    assert mean_log_odds(second) >= mean_log_odds(first) - slack


@pytest.mark.parametrize(
    ("p", "u"), [(0.85, 1.0), (0.95, -1.0), (0.875, 0.0), (0.925, 0.0), (0.9, 0.0)]
)
def test_update_is_strict_at_its_bounds(p, u):
    # 0.9 - 0.025 and 0.9 + 0.025 round to the very floats 0.875 and 0.925
    assert sign_update(np.array([p]), 0.9, 0.025).tolist() == [u]


def test_training_dcv_falls_by_a_thousandth_with_each_layer(recorded):
    dcvs = [recorded.ifacm.base_figures_.dcv] + [i.dcv for i in recorded.ifacm.fit_.layers]
    assert len(dcvs) >= 3
    assert recorded.ifacm.fit_.terms == recorded.X.shape[1] + 1
    assert all(after <= before * 0.999 for before, after in pairwise(dcvs))
    assert not recorded.ifacm.fit_.stopped
    assert recorded.ifacm.fit_.notes == []
    assert recorded.ifacm.fit_.no_layer_reason == ""
    assert recorded.ifacm.fit_.suggested_penalty is None


def test_layers_are_the_best_points_told_of(recorded):
    iterations = recorded.ifacm.fit_.layers
    assert len(recorded.ifacm.layers_) == len(iterations)
    for layer, accepted in zip(recorded.ifacm.layers_, iterations, strict=True):
        points = recorded.evaluations(accepted.iteration)
        best = min(points, key=lambda point: point.objective)
        assert (layer.gamma, layer.delta) == (best.gamma, best.delta)
        assert (accepted.gamma, accepted.delta) == (best.gamma, best.delta)
        assert (accepted.dcv, accepted.inefficiency) == (best.dcv, best.inefficiency)
        assert accepted.objective == best.objective
        assert accepted.evaluations == len(points)


def test_events_come_in_the_order_of_the_work(recorded):
    iterations = recorded.ifacm.fit_.layers
    expected = [BaseMeasured]
    for accepted in iterations:
        expected += [LayerTried] * accepted.evaluations + [LayerAccepted]
    rest = recorded.evaluations(len(iterations) + 1)  # the search that found no better layer
    assert [type(event) for event in recorded.events] == expected + [LayerTried] * len(rest)
    assert [e for e in recorded.events if isinstance(e, LayerAccepted)] == iterations


def test_search_keeps_to_its_bound_of_evaluations(regression):
    recorded = fitted(StandardMeasure(), regression(500, 0), max_evaluations=7, max_layers=2)
    assert [e.evaluation for e in recorded.evaluations(1)] == list(range(1, 8))


def test_searches_set_out_from_the_papers_start_until_none_finds_a_fall_of_a_thousandth(
    recorded,
):
    for iteration in range(1, len(recorded.ifacm.layers_) + 2):
        first = recorded.evaluations(iteration)[0]
        assert (first.gamma, first.delta) == pytest.approx((math.exp(-5), math.exp(-5)))
    last = recorded.ifacm.fit_.layers[-1]
    points = recorded.evaluations(last.iteration + 1)
    assert min(points, key=lambda point: point.objective).dcv > last.dcv * 0.999


def test_objective_is_that_of_the_paper(recorded):
    base = recorded.events[0].inefficiency
    for event in recorded.tried:
        increase = max(event.inefficiency - base, 0.0)
        assert event.objective == event.dcv + recorded.ifacm.penalty * increase


def test_adjusted_scores_reproduce_the_training_figures(recorded):
    last = recorded.ifacm.fit_.layers[-1]
    functions = recorded.ifacm.score_functions(recorded.X)
    figures = recorded.algorithm_1(functions).run(np.zeros(len(recorded.y)))
    assert figures.inefficiency == last.inefficiency  # to the last digit
    # the fit sets out from elsewhere than it did within the search
    assert figures.dcv == pytest.approx(last.dcv, abs=FITTED)


def test_same_outcomes_have_the_same_dcv_to_the_last_digit(recorded):
    icp = recorded.algorithm_1(recorded.ifacm.base_.score_functions(recorded.X))
    zero = np.zeros(len(recorded.y))
    first = icp.run(zero)
    icp.run(np.random.default_rng(0).normal(size=len(recorded.y)))  # another fit in between
    again = icp.run(zero + 0.5)  # the same order of scores, thus the same outcomes
    assert again.dcv == first.dcv
    assert icp.fits == 2


def test_blocks_of_new_objects_are_adjusted_as_each_alone(recorded, monkeypatch):
    monkeypatch.setattr(ifacm_module, "BLOCK_ROWS", 64)
    X = recorded.X[:150]  # the last block is shorter
    total = np.zeros(len(X))
    for layer in recorded.ifacm.layers_:
        probability = layer.estimator.predict(X)
        total += recorded.ifacm.step(probability, layer.gamma, layer.delta)
    np.testing.assert_array_equal(recorded.ifacm.adjustment(X), total)
    steps = recorded.ifacm.steps(X)
    np.testing.assert_array_equal(np.cumsum(steps, axis=0)[-1], total)
    np.testing.assert_array_equal(recorded.ifacm.steps(X, 1), steps[1:])


def test_new_objects_are_scored_from_coefficients_alone(recorded, regression):
    X = regression(50, 12).X
    expected = []
    for row in X:
        shift = 0.0
        for layer in recorded.ifacm.layers_:
            linear = layer.estimator.intercept_ + sum(row * layer.estimator.coef_)
            p = 1.0 / (1.0 + math.exp(-linear))
            if p < 0.9 - layer.delta:
                shift += layer.gamma
            elif p > 0.9 + layer.delta:
                shift -= layer.gamma
        expected.append(shift)
    assert len(set(expected)) > 2  # the adjustment does differ between objects
    np.testing.assert_array_equal(recorded.ifacm.adjustment(X), expected)
    assert recorded.ifacm.layers_[0].estimator is recorded.ifacm.base_figures_.estimator


def test_layers_multiply_the_interval(intervals, regression):
    X, y = regression(50, 12)
    adjusted = intervals.ifacm.score_functions(X)
    base = intervals.ifacm.base_.score_functions(X)
    ratio = adjusted.sets(0.3).sizes / base.sets(0.3).sizes
    # a width is the difference of two ends, of a size with centre and width
    slack = ROUNDING * np.abs(y).max() / base.sets(0.3).sizes.min()
    np.testing.assert_allclose(ratio, np.exp(intervals.ifacm.adjustment(X)), rtol=slack)


def stopped_after(count, base, examples, **options):
    """Fit, asking to stop once ``count`` evaluations have been told of."""
    events = []

    def should_stop():
        return sum(isinstance(e, LayerTried) for e in events) >= count

    ifacm = IFACM(base, **options)
    ifacm.fit(*examples, on_event=events.append, should_stop=should_stop)
    return Recorded(ifacm, *examples, events)


@pytest.mark.parametrize(("beyond", "layers"), [(-1, 0), (0, 1), (5, 1)])
def test_stop_is_heeded_at_once_and_keeps_the_layers_so_far(intervals, beyond, layers):
    first = intervals.ifacm.fit_.layers[0]
    count = first.evaluations + beyond
    stopped = stopped_after(count, NormalizedMeasure(), (intervals.X, intervals.y), penalty=0.5)
    assert len(stopped.tried) == count
    assert stopped.ifacm.fit_.stopped
    word = "after 1 layer." if layers else "before its first layer: after is as before."
    assert stopped.ifacm.fit_.notes == [f"The adjustment (IFACM) was stopped {word}"]
    assert stopped.ifacm.fit_.no_layer_reason == ("" if layers else "stopped")
    kept = [(layer.gamma, layer.delta) for layer in stopped.ifacm.layers_]
    assert kept == [(first.gamma, first.delta)] * layers
    functions = stopped.ifacm.score_functions(intervals.X)
    step = stopped.ifacm.adjustment(intervals.X)
    np.testing.assert_array_equal(np.unique(np.abs(step)), [0, first.gamma][: layers + 1])
    assert np.isfinite(functions.at(intervals.y)).all()


def test_stop_before_the_first_evaluation_leaves_the_base_measure(intervals):
    stopped = stopped_after(0, NormalizedMeasure(), (intervals.X, intervals.y))
    assert stopped.ifacm.layers_ == []
    assert stopped.ifacm.fit_.terms == 0
    assert [type(event) for event in stopped.events] == [BaseMeasured]


def test_stop_while_it_looks_for_why_there_is_no_layer_is_heeded(regression):
    examples = regression(400, 0)
    vain = fitted(NormalizedMeasure(), examples)
    assert vain.ifacm.fit_.no_layer_reason == "stalled"
    asked = 0

    def should_stop():
        nonlocal asked
        asked += 1
        return asked > len(vain.evaluations(1)) + 1

    stopped = IFACM(NormalizedMeasure()).fit(*examples, should_stop=should_stop)
    assert asked == len(vain.evaluations(1)) + 2
    assert stopped.fit_.stopped
    assert stopped.fit_.no_layer_reason == "stopped"
    assert stopped.fit_.suggested_penalty is None


def test_training_set_without_a_rank_is_left_alone_and_said_so(regression):
    recorded = fitted(StandardMeasure(), regression(8, 0))
    ifacm = recorded.ifacm
    assert ifacm.layers_ == []
    assert ifacm.fit_.no_layer_reason == "holds-all"
    assert len(ifacm.fit_.notes) == 1
    assert ifacm.fit_.notes[0].startswith("With 8 training rows at confidence level 0.9 every ")
    assert ifacm.base_figures_.dcv == pytest.approx(0.1, abs=ROUNDING)
    assert ifacm.base_figures_.inefficiency == math.inf
    np.testing.assert_array_equal(
        ifacm.score(recorded.X, recorded.y), ifacm.base_.score(recorded.X, recorded.y)
    )


def test_training_set_of_rank_one_is_not_told_that_every_label_is_kept(regression):
    # n = 12: r = 1, the least typical row's own interval is finite, and yet no row is wrong
    recorded = fitted(StandardMeasure(), regression(12, 0))
    assert math.isfinite(recorded.ifacm.base_figures_.inefficiency)
    assert recorded.ifacm.layers_ == []
    assert len(recorded.ifacm.fit_.notes) == 1
    assert "every label is kept" not in recorded.ifacm.fit_.notes[0]


def two_labels(seed):
    """Labels nearly sure for four rows of five, and a toss for the others: coverage costs size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    X[:, 1] = X[:, 1] > 0.8
    share = np.where(X[:, 1] == 1.0, 0.6, 1.0 / (1.0 + np.exp(-6.0 * X[:, 0] - 6.0)))
    return X, (rng.random(400) < share).astype(int)


@pytest.mark.parametrize(
    "seed", [0, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in (4, 5))]
)
def test_penalty_that_is_suggested_finds_a_layer(seed):
    options = {"search": RESTARTED_SEARCH, "confidence_level": 0.8}
    vain = fitted(ScoringMeasure(), two_labels(seed), penalty=500.0, **options)
    assert vain.ifacm.layers_ == []
    assert vain.ifacm.fit_.no_layer_reason == "penalty"
    assert {e.iteration for e in vain.events[1:]} == {1}
    suggested = vain.ifacm.fit_.suggested_penalty
    assert suggested == float(f"{suggested:.0e}") < 500.0
    again = fitted(ScoringMeasure(), two_labels(seed), penalty=suggested, **options).ifacm
    first = again.fit_.layers[0]
    rise = max(0.0, first.inefficiency - again.base_figures_.inefficiency)
    assert first.dcv + suggested * rise < again.base_figures_.dcv
    assert vain.ifacm.fit_.notes[0].endswith(f"With C = {suggested:g} it finds one.")


def test_why_there_is_no_layer_is_told(regression):
    examples = regression(400, 0)
    missed = fitted(NormalizedMeasure(), examples, search=PAPER_SEARCH).ifacm
    assert missed.layers_ == []
    assert missed.fit_.no_layer_reason == "stalled"
    assert fitted(NormalizedMeasure(), examples, search=RESTARTED_SEARCH).ifacm.layers_
    y = regression(400, 0).y
    ifacm = fitted(StandardMeasure(), (np.zeros((400, 1)), y), confidence_level=0.87).ifacm
    assert ifacm.layers_ == []
    assert ifacm.fit_.no_layer_reason == "even"
    assert ifacm.fit_.suggested_penalty is None
    ifacm = fitted(NormalizedMeasure(), regression(400, 0), max_layers=0).ifacm
    assert ifacm.fit_.no_layer_reason == ""
    assert ifacm.fit_.notes[0].startswith("The adjustment (IFACM) ended at its bound of 0 layers")


def test_huge_penalty_buys_no_set_size(classification):
    # of this seed: layers are accepted by their DCV alone (Algorithm 2), so that a search which
    # stalls on its flat start may end at a point that is dearer than no layer
    recorded = fitted(ScoringMeasure(), classification(600, 6), penalty=1e9)
    base = recorded.ifacm.base_figures_
    assert recorded.ifacm.base_figures_.dcv > 0.09
    assert all(i.inefficiency <= base.inefficiency for i in recorded.ifacm.fit_.layers)


def test_no_penalty_survives_an_infinite_width(intervals):
    ifacm = clone(intervals.ifacm).set_params(penalty=0.0)
    ifacm.base_figures_ = intervals.ifacm.base_figures_
    figures = replace(ifacm.base_figures_, inefficiency=math.inf)
    assert ifacm.objective(figures) == figures.dcv  # 0 times infinity is NaN


def test_search_that_walks_off_tries_no_infinite_gamma():
    # an infinite gamma times U = 0 is NaN
    tried = []

    def ever_better(gamma, delta):
        tried.append((gamma, delta))
        return -math.log(gamma) - math.log(delta)

    nelder_mead(ever_better, 400)
    assert max(tried)[0] > 1e40
    assert np.isfinite(tried).all()


def test_cap_on_the_layers_is_told(intervals):
    recorded = fitted(NormalizedMeasure(), (intervals.X, intervals.y), penalty=0.5, max_layers=1)
    assert len(recorded.ifacm.layers_) == 1
    assert recorded.ifacm.fit_.layers[0].dcv == intervals.ifacm.fit_.layers[0].dcv
    (note,) = recorded.ifacm.fit_.notes
    assert note.startswith("The adjustment (IFACM) ended at its bound of 1 layer; more might lower")
    assert note.values["lowered"] == "the training DCV"


def test_fits_that_did_not_converge_are_told(regression):
    once = LogisticEstimator(max_iter=1)
    recorded = fitted(StandardMeasure(), regression(500, 0), estimator=once)
    assert len(recorded.ifacm.fit_.notes) == 1
    assert recorded.ifacm.fit_.notes[0].endswith("logistic fits within IFACM did not converge.")


def without_seconds(event):
    return replace(event, seconds=0.0) if isinstance(event, LayerAccepted) else event


def test_same_fit_twice_is_the_same_to_the_last_digit_and_leaves_its_parameters_alone(recorded):
    events = []
    clone(recorded.ifacm).fit(recorded.X, recorded.y, on_event=events.append)
    assert [without_seconds(e) for e in events] == [without_seconds(e) for e in recorded.events]
    assert recorded.ifacm.estimator is None
    assert recorded.ifacm.search is None
    assert not hasattr(recorded.ifacm.base, "model_")
    assert not hasattr(recorded.ifacm.base, "location_")


def test_refit_forgets_the_last_fit(intervals, regression):
    ifacm = clone(intervals.ifacm).fit(intervals.X, intervals.y)
    ifacm.fit(*regression(8, 0))
    assert ifacm.layers_ == []
    assert not ifacm.fit_.layers
    assert len(ifacm.fit_.notes) == 1
    assert ifacm.fit_.terms == 0


def test_frozen_base_is_used_as_it_is(intervals, regression):
    other = NormalizedMeasure().fit(*regression(80, 20))
    recorded = fitted(FrozenEstimator(other), (intervals.X, intervals.y))
    np.testing.assert_array_equal(
        recorded.ifacm.base_.score(intervals.X, intervals.y), other.score(intervals.X, intervals.y)
    )


@pytest.mark.long
def test_adjusted_measure_keeps_the_marginal_guarantee(intervals, regression):
    n, m, redraws = 199, 200, 300
    icp = InductiveConformalPredictor(FrozenEstimator(intervals.ifacm), confidence_level=0.9)
    icp.fit(intervals.X, intervals.y)
    X, y = regression(redraws * (n + m), 99)
    rng = np.random.default_rng(3)
    law = stats.betabinom(m, n + 1 - 20, 20)  # of the correct ones among m: coverage is a Beta
    positions = []
    for redraw in np.split(np.arange(len(y)), redraws):
        icp.calibrate(X[redraw[:n]], y[redraw[:n]])
        correct = icp.covers(X[redraw[n:]], y[redraw[n:]]).sum()
        # the law's distribution function, spread evenly over its jump at a whole number
        positions.append(law.cdf(correct - 1) + rng.uniform() * law.pmf(correct))
    assert icp.rank_ == 20
    assert stats.kstest(positions, "uniform").pvalue > SIZE


@pytest.fixture(scope="module", params=["regression", "classification"])
def nested(request, regression, classification):
    if request.param == "regression":
        return fitted(IFACM(NormalizedMeasure(), max_layers=1), regression(500, 0))
    inner = IFACM(ScoringMeasure(), penalty=0.1, max_layers=1)
    return fitted(inner, classification(600, 6), penalty=0.1)


def test_ifacm_over_ifacm_sets_out_where_the_inner_one_ended_and_adds_to_it(nested):
    inner = nested.ifacm.base_
    base = nested.ifacm.base_figures_
    assert base.inefficiency == inner.fit_.layers[-1].inefficiency
    assert base.dcv == pytest.approx(inner.fit_.layers[-1].dcv, abs=FITTED)
    assert nested.ifacm.layers_
    assert inner.layers_
    plain = inner.base_.score(nested.X, nested.y)
    total = inner.adjustment(nested.X) + nested.ifacm.adjustment(nested.X)
    found, atol = nested.ifacm.score(nested.X, nested.y), ROUNDING * np.abs(plain).max()
    np.testing.assert_allclose(found, plain + total, atol=atol)


def test_ifacm_over_ifacm_counts_the_sets_it_measures(nested):
    # adding the two shifts in another order must not drop a row's own label from its set
    probability = nested.ifacm.base_figures_.estimator.predict(nested.X)
    functions = nested.ifacm.base_.score_functions(nested.X)
    icp = nested.algorithm_1(functions)
    for gamma in np.linspace(0.01, 1.0, 50):
        shift = nested.ifacm.step(probability, gamma, 0.0)
        figures = icp.run(shift)
        again = nested.algorithm_1(functions.shifted(shift)).run(np.zeros(len(nested.y)))
        np.testing.assert_array_equal(again.correct, figures.correct)
        assert figures.inefficiency == pytest.approx(again.inefficiency, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"penalty": -1.0}, "penalty C is -1.0; give a number of 0 or more"),
        ({"penalty": math.nan}, "penalty C is nan; give a number of 0 or more"),
        (
            {"confidence_level": 1.0},
            "confidence level 1.0 is not strictly between 0 and 1; choose for example 0.9",
        ),
        ({"max_layers": -1}, "max_layers is -1; give a whole number of 0 or more"),
        ({"max_evaluations": 0}, "max_evaluations is 0; give a whole number of 1 or more"),
    ],
)
def test_unusable_parameters_are_told(regression, options, sentence):
    with pytest.raises(InputError) as told:
        IFACM(NormalizedMeasure(), **options).fit(*regression(100, 0))
    assert str(told.value) == sentence


@pytest.mark.parametrize("kind", [BaseMeasured, LayerAccepted])
def test_a_refit_that_fails_keeps_no_layers_of_the_fit_before(regression, kind):
    ifacm = IFACM(NormalizedMeasure(), penalty=0.5).fit(*regression(600, 11))
    assert len(ifacm.layers_) > 1
    X, y = regression(600, 11)
    y = -y

    def listener(event):
        if isinstance(event, kind):
            raise KeyError

    with pytest.raises(KeyError):
        ifacm.fit(X, y, on_event=listener)
    base = NormalizedMeasure().fit(X, y)
    assert len(ifacm.layers_) == (1 if kind is LayerAccepted else 0)
    assert ifacm.fit_.terms == (5 if ifacm.layers_ else 0)
    expected = base.score(X, y) + ifacm.adjustment(X)
    assert ifacm.score(X, y).tolist() == expected.tolist()
