"""The score of conformalized quantile regression, and intervals that may be empty."""

import numpy as np
import pytest

from evencover.core.conformal.scores import QuantileScores
from evencover.core.rows.outcomes import IntervalSets

RNG = np.random.default_rng(0)
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
    np.testing.assert_array_equal(sets.contain(Y), shifted.held(Y, threshold))
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
