"""Predictors of measures and remedies, and rules of thresholds: for all, objects, and labels."""

import math

import numpy as np
import pandas as pd
import pytest
from measures import Noise, Odds

from evencover.core import NormalizedMeasure, ScoringMeasure
from evencover.core.conformal import label_measures
from evencover.core.conformal.measures import MARGINAL, Fit
from evencover.core.conformal.predictor import (
    InductiveConformalPredictor,
    MeasurePredictor,
    ReadyMade,
)
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.scores import (
    IntervalScores,
    LabelScores,
    QuantileScores,
    ScoredExamples,
)
from evencover.core.conformal.thresholds import ColumnGroups, ThresholdRule
from evencover.core.messages import InputError
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.mondrian import Mondrian
from evencover.core.remedies.quantile import QuantileAdjustment
from evencover.core.rows.examples import Examples, ModelOutputs, as_examples
from evencover.core.rows.outcomes import IntervalSets

N = 600


@pytest.fixture(scope="module", params=["regression", "classification"])
def sets(request):
    """A measure fitted on training examples, these, and others to calibrate and to judge on."""
    draw = request.getfixturevalue(request.param)
    measure = NormalizedMeasure() if request.param == "regression" else ScoringMeasure()
    X, y = draw(3 * N, 4)
    frame = pd.DataFrame({"side": np.where(X[:, 1] > 0, "wide", "narrow")})
    rows = np.split(np.arange(3 * N), 3)
    parts = [Examples(X[part], y[part], frame, part) for part in rows]
    return measure.fit(parts[0]), *parts


def test_a_measure_s_predictor_is_its_icp(sets):
    measure, train, calibration, test = sets
    predictor = MeasurePredictor("base", "base", measure, 0.8)
    for known, rows in ((calibration, test), (train, train)):
        icp = InductiveConformalPredictor(measure, confidence_level=0.8).fit(train.X, train.y)
        icp.calibrate(known.X, known.y)
        found = predictor.predict(rows, known)
        for name, expected in vars(icp.predict(rows.X)).items():
            np.testing.assert_array_equal(getattr(found.sets, name), expected)
        np.testing.assert_array_equal(found.outcomes.correct, icp.covers(rows.X, rows.y))
        np.testing.assert_array_equal(found.outcomes.sizes, found.sets.sizes)
        assert found.outcomes.are_intervals == isinstance(measure, NormalizedMeasure)


def test_it_adjusts_nothing_and_promises_the_level_for_all(sets):
    measure, _, _, test = sets
    predictor = MeasurePredictor("base", "a base", measure, 0.8)
    assert (predictor.name, predictor.title) == ("base", "a base")
    assert (predictor.guarantee, predictor.is_calibrated) == (MARGINAL, True)
    assert predictor.fit_ == Fit()
    assert predictor.steps(test).shape == (0, N)


def test_a_fit_short_of_its_optimum_is_noted(classification, monkeypatch):
    monkeypatch.setattr(label_measures, "_MOST_STEPS", 1)
    measure = ScoringMeasure().fit(*classification(200, 0))
    (note,) = MeasurePredictor("base", "base", measure, 0.9).fit_.notes
    assert note.code == "base-model.unconverged"


def test_a_remedy_s_predictor_has_what_the_remedy_has(sets):
    measure, train, calibration, test = sets
    ifacm = IFACM(measure, penalty=0.0, confidence_level=0.8).fit(train)
    predictor = MeasurePredictor("ifacm", "IFACM", ifacm, 0.8)
    assert (predictor.name, predictor.title, predictor.guarantee) == ("ifacm", "IFACM", MARGINAL)
    assert predictor.fit_.terms == ifacm.fit_.terms == 5
    assert ifacm.fit_.layers
    assert list(predictor.fit_.layers) == list(ifacm.fit_.layers)
    steps = predictor.steps(test)
    assert steps.shape == (len(ifacm.fit_.layers), N)
    assert steps.sum(axis=0) == pytest.approx(ifacm.adjustment(test.X))
    found = predictor.predict(test, calibration)
    icp = InductiveConformalPredictor(ifacm, confidence_level=0.8).fit(train).calibrate(calibration)
    np.testing.assert_array_equal(found.outcomes.correct, icp.covers(test))


def test_a_remedy_without_layers_takes_no_steps(sets):
    measure, train, _, test = sets
    predictor = MeasurePredictor("q", "Q", QuantileAdjustment(measure).fit(train), 0.8)
    assert predictor.title == "Q"
    assert 1.0 < predictor.fit_.terms < 5.0  # slopes that a ridge holds back count in part
    assert predictor.steps(test).shape == (0, N)


def test_a_remedy_may_have_its_own_rule_for_thresholds(sets):
    """As two predictors of the same measure, each of its own group, would have it."""
    measure, train, calibration, test = sets
    remedy = Mondrian(measure, "side").fit(train)
    predictor = MeasurePredictor("mondrian:side", "Mondrian", remedy, 0.8)
    assert predictor.guarantee.startswith("For the rows of each group")
    found = predictor.predict(test, calibration)
    alone = MeasurePredictor("base", "base", measure, 0.8)
    for side in ("wide", "narrow"):
        of_side = {
            name: _those(rows, (rows.table["side"] == side).to_numpy())
            for name, rows in (("calibration", calibration), ("test", test))
        }
        inside = (test.table["side"] == side).to_numpy()
        expected = alone.predict(of_side["test"], of_side["calibration"]).outcomes
        np.testing.assert_array_equal(found.outcomes.correct[inside], expected.correct)
        np.testing.assert_array_equal(found.outcomes.sizes[inside], expected.sizes)
        assert abs(expected.correct.mean() - 0.8) < 0.1


def _those(examples, inside):
    return Examples(examples.X[inside], examples.y[inside], examples.frame, examples.rows[inside])


def predicted(y, **said):
    bare = as_examples(np.zeros((3, 1)))
    outputs = ModelOutputs(**said)
    examples = Examples(bare.X, np.array(y), bare.frame, bare.rows, outputs=outputs)
    return ReadyMade("theirs").predict(examples, examples)


def test_ready_made_intervals_and_sets_of_labels_by_hand():
    found = predicted([0.0, 5.0, 1.0], lower=np.array([-1.0, 0.0, 1.0]), upper=np.full(3, 2.0))
    assert found.outcomes.correct.tolist() == [True, False, True]
    assert found.outcomes.sizes.tolist() == [3.0, 2.0, 1.0]
    assert found.outcomes.largest == math.inf
    members = np.array([[True, False], [True, True], [False, False]])
    found = predicted([1, 1, 0], members=members)
    assert found.outcomes.correct.tolist() == [False, True, False]
    assert found.outcomes.sizes.tolist() == [1.0, 2.0, 0.0]
    assert found.outcomes.largest == 2.0


@pytest.mark.parametrize("said", [{}, {"lower": np.zeros(3)}, {"upper": np.zeros(3)}])
def test_sets_that_are_not_there_are_missed(said):
    with pytest.raises(ValueError, match="neither intervals nor sets"):
        predicted([0.0, 0.0, 0.0], **said)


RNG = np.random.default_rng(0)


def held(functions, y, thresholds):
    examples = as_examples(np.zeros((len(y), 1)), y)
    return ScoredExamples.of(examples, functions).held(thresholds)


def of_groups(groups, y):
    frame = pd.DataFrame({"group": list(groups)})
    return Examples(np.zeros((len(frame), 0)), np.asarray(y, float), frame, np.arange(len(frame)))


def test_one_threshold_is_that_of_exact_rank():
    scores = RNG.normal(size=99)
    learned = ThresholdRule().learn(scores, as_examples(np.zeros((99, 1))), 0.9)
    found = learned.at(as_examples(np.zeros((3, 1))))
    assert found == conformal_threshold(scores, 0.9) == np.sort(scores)[9]
    few = ThresholdRule().learn(scores[:8], as_examples(np.zeros((8, 1))), 0.9)
    assert few.at(as_examples(np.zeros((3, 1)))) == -math.inf
    assert few.notes(as_examples(np.zeros((3, 1)))) == []
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        ThresholdRule().learn(scores, as_examples(np.zeros((99, 1))), 1.0)


def test_a_threshold_for_each_group_by_hand():
    """9 labels of group a keep the largest, 19 of b the second largest, 8 of c are too few."""
    groups = ["a"] * 9 + ["b"] * 19 + ["c"] * 8
    y = np.concatenate([np.arange(1, 10), np.arange(101, 120), np.arange(1, 9)])
    order = RNG.permutation(len(y))
    calibration = of_groups(np.array(groups)[order], y[order])
    icp = InductiveConformalPredictor(Noise(ThresholdRule(ColumnGroups("group")))).fit(calibration)
    icp.calibrate(calibration)
    new = of_groups("abcd", [9.0, 119.0, 1e9, 1e9])
    sets = icp.predict(new)
    assert sets.upper == pytest.approx([9.0, 118.0, np.inf, np.inf])
    assert sets.lower == pytest.approx([-9.0, -118.0, -np.inf, -np.inf])
    assert icp.covers(new).tolist() == [True, False, True, True]
    (note,) = icp.thresholds_.notes(new)
    assert "2 (c, d)" in note
    assert icp.thresholds_.notes(new.part(np.arange(2))) == []
    # all together 36 labels keep the third largest
    plain = InductiveConformalPredictor(Noise()).fit(calibration).calibrate(calibration)
    assert plain.predict(new).upper == pytest.approx([117.0] * 4)
    assert icp.threshold_ == plain.threshold_


def test_a_threshold_for_each_class_by_hand():
    """Class 0 keeps its second smallest of 19 scores, class 1 its smallest of 9."""
    labels = np.repeat([0, 1], [19, 9])
    own = np.concatenate([np.arange(19.0), 50.0 + np.arange(9.0)])
    matrix = np.full((28, 2), -99.0)
    matrix[np.arange(28), labels] = own
    icp = InductiveConformalPredictor(Odds(ThresholdRule(classes=2))).fit(matrix, labels)
    icp.calibrate(matrix, labels)
    new = np.array([[1.0, 50.0], [0.9, 50.0], [1.0, 49.9], [60.0, 1.0]])
    assert icp.predict(new).members.astype(int).tolist() == [[1, 1], [0, 1], [1, 0], [1, 0]]
    for label in (0, 1):
        held = icp.covers(new, np.full(4, label))
        assert held.tolist() == icp.predict(new).members[:, label].tolist()


MANY = 20_000  # more rows than are looked at at once


def label_scores():
    return LabelScores(RNG.normal(size=(MANY, 3)), shift=RNG.normal(size=MANY))


def interval_scores():
    center, log_scale, shift = RNG.normal(size=(3, MANY))
    return IntervalScores(center, log_scale, shift=shift)


def test_intervals_by_a_threshold_for_each_object_are_those_of_each_alone():
    scores, thresholds, y = interval_scores(), RNG.normal(size=MANY), RNG.normal(size=MANY)
    sets = scores.sets(thresholds)
    half = np.exp(scores.log_scale + scores.shift - thresholds)
    assert sets.lower == pytest.approx(scores.center - half)
    assert sets.upper == pytest.approx(scores.center + half)
    assert (held(scores, y, thresholds) == (np.abs(y - scores.center) <= half)).all()
    assert scores.mean_size(thresholds) == pytest.approx(sets.sizes.mean())
    few = scores.sets(np.full(MANY, 0.3)).upper
    np.testing.assert_array_equal(few, scores.sets(0.3).upper)


@pytest.mark.parametrize("shape", [(MANY,), (MANY, 3)])
def test_label_sets_by_arrays_of_thresholds_are_those_of_the_definition(shape):
    scores, thresholds = label_scores(), RNG.normal(size=shape)
    by_label = np.broadcast_to(thresholds.reshape(MANY, -1), (MANY, 3))
    expected = scores.matrix + scores.shift[:, None] >= by_label
    sets = scores.sets(thresholds)
    np.testing.assert_array_equal(sets.members, expected)
    y = RNG.integers(0, 3, MANY)
    np.testing.assert_array_equal(held(scores, y, thresholds), expected[np.arange(MANY), y])
    np.testing.assert_array_equal(held(scores, y, thresholds), sets.contain(y))
    assert scores.mean_size(thresholds) == pytest.approx(expected.sum() / MANY, rel=1e-12)


@pytest.mark.parametrize("shape", [(MANY,), (MANY, 3)])
def test_arrays_of_one_threshold_are_that_threshold(shape):
    scores, y = label_scores(), RNG.integers(0, 3, MANY)
    same = np.full(shape, 0.3)
    np.testing.assert_array_equal(scores.sets(same).members, scores.sets(0.3).members)
    np.testing.assert_array_equal(held(scores, y, same), held(scores, y, 0.3))
    assert scores.mean_size(same) == pytest.approx(scores.mean_size(0.3), rel=1e-12)


def test_as_many_objects_as_labels_are_not_mixed_up():
    scores = LabelScores(np.arange(9.0).reshape(3, 3), shift=np.zeros(3))
    thresholds = np.array([1.0, 10.0, 8.0])  # one for each object
    assert scores.sets(thresholds).members.sum(axis=1).tolist() == [2, 0, 1]
    assert held(scores, np.array([2, 2, 2]), thresholds).tolist() == [True, False, True]


LOWER, UPPER = RNG.normal(-1.0, 0.5, 500), RNG.normal(1.0, 0.5, 500)
Y = 2.0 * RNG.normal(size=500)
SCORES = QuantileScores(LOWER, UPPER, shift=np.zeros(500))


def test_a_score_is_the_distance_to_the_nearer_end():
    by_hand = QuantileScores(np.zeros(3), np.full(3, 4.0), shift=np.array([0.0, 0.0, 0.5]))
    assert by_hand.at(np.array([1.0, 7.0, -2.0])).tolist() == [1.0, -3.0, -1.5]


@pytest.mark.parametrize("threshold", [-2.0, 0.0, 0.7, 3.0, -np.inf])
def test_sets_hold_what_scores_enough(threshold):
    shifted = SCORES.shifted(RNG.normal(size=500))
    sets = shifted.sets(threshold)
    np.testing.assert_array_equal(sets.contain(Y), held(shifted, Y, threshold))
    assert shifted.mean_size(threshold) == sets.sizes.mean()
    assert (sets.sizes >= 0.0).all()


def test_each_row_may_have_its_own_threshold():
    thresholds = np.where(np.arange(500) < 250, -1.0, 5.0)
    sizes = SCORES.sets(thresholds).sizes
    np.testing.assert_allclose(sizes[:250], np.maximum(UPPER - LOWER + 2.0, 0.0)[:250])
    assert (sizes[250:] == 0.0).all()


def test_crossed_ends_hold_nothing_and_have_no_width():
    sets = IntervalSets(np.array([1.0, 0.0, -np.inf, 2.0]), np.array([-1.0, 0.0, np.inf, np.inf]))
    assert sets.sizes.tolist() == [0.0, 0.0, np.inf, np.inf]
    assert sets.contain(np.zeros(4)).tolist() == [False, True, True, False]
