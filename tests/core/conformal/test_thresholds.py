"""Threshold rules: one number, one for each object, or one for each label of each object."""

import math

import numpy as np
import pandas as pd
import pytest
from measures import Noise, Odds

from evencover.core.conformal.icp import InductiveConformalPredictor
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.scores import (
    IntervalScores,
    LabelScores,
    QuantileScores,
    ScoredExamples,
)
from evencover.core.conformal.thresholds import ColumnGroups, ThresholdRule
from evencover.core.errors import InputError
from evencover.core.rows.examples import Examples, as_examples
from evencover.core.rows.outcomes import IntervalSets

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
    assert icp.predict(new).members.tolist() == [
        [True, True],
        [False, True],
        [True, False],
        [True, False],
    ]
    for label in (0, 1):
        held = icp.covers(new, np.full(4, label))
        assert held.tolist() == icp.predict(new).members[:, label].tolist()


N = 20_000
"""More rows than are looked at at once."""


def label_scores():
    return LabelScores(RNG.normal(size=(N, 3)), shift=RNG.normal(size=N))


def interval_scores():
    center, log_scale, shift = RNG.normal(size=(3, N))
    return IntervalScores(center, log_scale, shift=shift)


def test_intervals_by_a_threshold_for_each_object_are_those_of_each_alone():
    scores, thresholds, y = interval_scores(), RNG.normal(size=N), RNG.normal(size=N)
    sets = scores.sets(thresholds)
    half = np.exp(scores.log_scale + scores.shift - thresholds)
    assert sets.lower == pytest.approx(scores.center - half)
    assert sets.upper == pytest.approx(scores.center + half)
    assert (held(scores, y, thresholds) == (np.abs(y - scores.center) <= half)).all()
    assert scores.mean_size(thresholds) == pytest.approx(sets.sizes.mean())
    few = scores.sets(np.full(N, 0.3)).upper
    np.testing.assert_array_equal(few, scores.sets(0.3).upper)


@pytest.mark.parametrize("shape", [(N,), (N, 3)])
def test_label_sets_by_arrays_of_thresholds_are_those_of_the_definition(shape):
    scores, thresholds = label_scores(), RNG.normal(size=shape)
    by_label = np.broadcast_to(thresholds.reshape(N, -1), (N, 3))
    expected = scores.matrix + scores.shift[:, None] >= by_label
    sets = scores.sets(thresholds)
    np.testing.assert_array_equal(sets.members, expected)
    y = RNG.integers(0, 3, N)
    np.testing.assert_array_equal(held(scores, y, thresholds), expected[np.arange(N), y])
    np.testing.assert_array_equal(held(scores, y, thresholds), sets.contain(y))
    assert scores.mean_size(thresholds) == pytest.approx(expected.sum() / N, rel=1e-12)


@pytest.mark.parametrize("shape", [(N,), (N, 3)])
def test_arrays_of_one_threshold_are_that_threshold(shape):
    scores, y = label_scores(), RNG.integers(0, 3, N)
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
