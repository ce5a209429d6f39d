"""The weighted threshold: by hand, by a naive second implementation, and as rows repeated."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core.conformal.icp import InductiveConformalPredictor
from evencover.core.conformal.measures import NormalizedMeasure
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.rows.examples import Examples, as_examples

SCORED = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 40)), min_size=1, max_size=40)
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def test_by_hand():
    # eps (W + 1) - 1 = 0.2 * 15 - 1 = 2: more than 2 is first reached at 3.0, by 1 + 1 + 4
    scores, w = np.array([5.0, 3.0, 1.0, 2.0]), np.array([8.0, 4.0, 1.0, 1.0])
    assert conformal_threshold(scores, 0.8, w) == 3.0
    # of one row more of the least, it is reached there: 3 of 0.2 * 17 - 1 = 2.4
    assert conformal_threshold(scores, 0.8, np.array([8.0, 4.0, 3.0, 1.0])) == 1.0
    # 0.1 * 9 - 1 is below 0: every label is kept
    assert conformal_threshold(scores, 0.9, np.array([2.0, 2.0, 2.0, 2.0])) == -math.inf


def naive(scores, level, w):
    """The lowest score that a new one of at least as much would be kept with, by exact numbers."""
    w, eps = [Fraction(each) for each in w], 1 - Fraction(str(level))

    def is_kept(score):
        up_to = sum((each for each, s in zip(w, scores, strict=True) if s <= score), Fraction(0))
        return up_to + 1 > eps * (sum(w) + 1)

    if is_kept(-math.inf):
        return -math.inf
    return min(score for score in scores if is_kept(score))


@given(SCORED, LEVELS, st.sampled_from([1.0, 0.5, 0.125]))
def test_as_a_naive_implementation_has_it(rows, level, unit):
    scores, w = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assert conformal_threshold(scores, level, unit * w) == naive(scores, level, unit * w)


@given(SCORED, LEVELS)
def test_whole_weights_repeat_scores(rows, level):
    scores, times = (np.array(column) for column in zip(*rows, strict=True))
    expected = conformal_threshold(np.repeat(scores, times).astype(float), level)
    assert conformal_threshold(scores.astype(float), level, times.astype(float)) == expected


@pytest.mark.parametrize("n", [9, 19, 99])
def test_weights_of_one_lose_no_rank(n):
    scores = np.arange(n, dtype=float)
    assert conformal_threshold(scores, 0.9, np.ones(n)) == conformal_threshold(scores, 0.9)
    equal = np.full(n, 0.3)
    assert conformal_threshold(scores, 0.9, equal / equal.mean()) == conformal_threshold(
        scores, 0.9
    )


def test_predictor_and_p_values_go_by_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    times = rng.integers(1, 5, 200)
    plain = as_examples(X, y)
    weighted = Examples(X, y, plain.frame, plain.rows, weights=times.astype(float))
    repeated = np.repeat(np.arange(200), times)

    def fitted(examples):
        icp = InductiveConformalPredictor(NormalizedMeasure(), confidence_level=0.8)
        return icp.fit(examples.part(slice(0, None, 1))).calibrate(examples)

    one, other = fitted(weighted), fitted(plain.part(repeated))
    assert one.threshold_ == pytest.approx(other.threshold_, rel=1e-10)
    assert one.p_values(X, y) == pytest.approx(other.p_values(X, y), rel=1e-10)
    np.testing.assert_array_equal(one.p_values(X, y) > 0.2 + 1e-12, one.covers(X, y))
