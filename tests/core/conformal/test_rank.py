"""The rank of the threshold: the mistakes made elsewhere, and the definition itself."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core.conformal.rank import (
    conformal_threshold,
    exact_significance,
    smallest_calibration_size,
    threshold_rank,
)
from evencover.core.errors import InputError

TRAPS = [(9, 1), (19, 2), (99, 10), (199, 20), (999, 100)]
MILLION = 10**6

levels = st.integers(1, MILLION - 1)
"""Confidence levels in millionths: every CL of up to six decimals."""


@pytest.mark.parametrize(("n", "rank"), TRAPS)
def test_rank_is_not_lost_to_binary_floating_point(n, rank):
    assert math.floor((1 - 0.9) * (n + 1)) == rank - 1  # the mistake, as Python makes it
    assert threshold_rank(n, 0.9) == rank


@pytest.mark.parametrize(("n", "rank"), TRAPS)
def test_rank_is_not_gained_one_example_earlier(n, rank):
    assert threshold_rank(n - 1, 0.9) == rank - 1


@pytest.mark.parametrize(("n", "rank"), TRAPS)
def test_level_with_the_noise_of_a_grid_means_the_round_one(n, rank):
    assert threshold_rank(n, 0.9000000000000004) == rank


@pytest.mark.parametrize(("n", "rank"), TRAPS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numpy_level_means_what_it_prints(n, rank, kind):
    assert threshold_rank(n, kind(0.9)) == rank


def test_level_with_more_digits_than_noise_is_kept():
    assert exact_significance(0.900000000001) == Fraction(Decimal("0.099999999999"))


def test_the_thirteenth_digit_of_a_level_is_noise():
    assert exact_significance(0.9000000000001) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("n", "level", "rank"),
    [
        (18, 0.95, 0),
        (19, 0.95, 1),
        (39, 0.95, 2),
        (98, 0.99, 0),
        (99, 0.99, 1),
        (999, 0.99, 10),
        (2, 2 / 3, 0),  # the decimal 0.666666666667 leaves less than a third
        (3, 0.5, 2),
    ],
)
def test_rank_by_hand(n, level, rank):
    assert threshold_rank(n, level) == rank


@given(n=st.integers(0, 10**7), level=levels)
def test_rank_is_the_integer_formula(n, level):
    # floor(eps (n + 1)) with eps a whole number of millionths: integers only
    assert threshold_rank(n, level / MILLION) == (MILLION - level) * (n + 1) // MILLION


@given(scores=st.lists(st.integers(-3, 3), min_size=1, max_size=40), level=levels)
def test_threshold_keeps_what_the_paper_keeps(scores, level):
    threshold = conformal_threshold(np.array(scores, dtype=float), level / MILLION)
    for score in range(-4, 5):
        at_most = sum(score >= other for other in scores)
        kept = (at_most + 1) * MILLION > (MILLION - level) * (len(scores) + 1)
        assert (score >= threshold) == kept


def test_without_a_valid_rank_the_threshold_is_minus_infinity_not_the_minimum():
    assert conformal_threshold(np.arange(8.0), 0.9) == -math.inf


def test_without_calibration_examples_everything_is_kept():
    assert conformal_threshold(np.array([]), 0.9) == -math.inf


def test_threshold_is_the_ranked_score_of_unsorted_scores():
    assert conformal_threshold(np.array([3.0, 1.0, 2.0] * 7)[:19], 0.9) == 1.0
    assert conformal_threshold(np.arange(19.0)[::-1], 0.9) == 1.0


def test_threshold_leaves_the_scores_in_their_order():
    scores = np.arange(19.0)[::-1].copy()
    conformal_threshold(scores, 0.9)
    assert scores.tolist() == list(range(18, -1, -1))


MANY = 20_999
"""Scores of which a sample is looked at, each twentieth."""

draw = np.random.default_rng(0).normal
OF_MANY = {
    "random": draw(size=MANY),
    "tied": draw(size=MANY).round(1),
    "sorted": np.sort(draw(size=MANY)),
    "all alike": np.ones(MANY),
    "mostly infinite": np.where(draw(size=MANY) < 1.0, -math.inf, draw(size=MANY)),
    "a sample too low": np.where(np.arange(MANY) % 20 == 0, -1.0, draw(size=MANY) ** 2),
    "a sample too high": np.where(np.arange(MANY) % 20 == 0, 9.0, draw(size=MANY)),
}


@pytest.mark.parametrize("kind", OF_MANY)
@pytest.mark.parametrize("level", [0.0001, 0.5, 0.9, 0.99, 0.9999])
def test_of_many_scores_the_threshold_is_the_one_that_sorting_finds(kind, level):
    scores = OF_MANY[kind]
    rank = threshold_rank(MANY, level)
    assert conformal_threshold(scores, level) == np.sort(scores)[rank - 1]


def test_infinite_scores_are_legal():
    scores = np.array([-math.inf, -math.inf] + [0.0] * 16 + [math.inf])
    assert conformal_threshold(scores, 0.9) == -math.inf
    assert conformal_threshold(scores, 0.85) == 0.0
    assert conformal_threshold(-scores, 0.1) == math.inf


def test_nan_score_is_not_ranked():
    with pytest.raises(ValueError, match="NaN"):
        conformal_threshold(np.array([0.0, math.nan] * 10), 0.9)


def test_nan_score_is_not_ranked_even_where_everything_is_kept():
    with pytest.raises(ValueError, match="NaN"):
        conformal_threshold(np.array([math.nan]), 0.9)


@pytest.mark.parametrize(
    ("level", "size"), [(0.9, 9), (0.95, 19), (0.99, 99), (0.999, 999), (0.5, 1), (0.3, 1)]
)
def test_smallest_calibration_size_by_hand(level, size):
    assert smallest_calibration_size(level) == size


@given(level=levels)
def test_smallest_calibration_size_is_the_first_with_a_rank(level):
    size = smallest_calibration_size(level / MILLION)
    assert threshold_rank(size, level / MILLION) >= 1
    assert threshold_rank(size - 1, level / MILLION) == 0


@pytest.mark.parametrize("function", [exact_significance, smallest_calibration_size])
@pytest.mark.parametrize("level", [0, 1, 1.5, -1, math.nan, math.inf, -math.inf, 1e30])
def test_impossible_level_is_told_in_one_sentence(level, function):
    with pytest.raises(InputError) as caught:
        function(level)
    assert str(caught.value) == (
        f"confidence level {level} is not strictly between 0 and 1; choose for example 0.9"
    )


@pytest.mark.parametrize("level", [0, 1, 1.5, -1, math.nan, math.inf])
def test_impossible_level_gives_no_rank_and_no_threshold(level):
    with pytest.raises(InputError):
        threshold_rank(99, level)
    with pytest.raises(InputError):
        conformal_threshold(np.arange(99.0), level)
