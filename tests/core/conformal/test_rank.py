"""The rank of the threshold, by definition, and the law of coverage over calibration draws."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evencover.core import Examples, InductiveConformalPredictor, InputError, NormalizedMeasure
from evencover.core.conformal.rank import (
    CoverageLaw,
    conformal_threshold,
    exact_significance,
    smallest_calibration_size,
    threshold_rank,
)
from evencover.core.rows.examples import as_examples

TRAPS = [(9, 1), (19, 2), (99, 10), (199, 20), (999, 100)]
MILLION = 10**6

levels = st.integers(1, MILLION - 1)
"""Confidence levels in millionths: every CL of up to six decimals."""


@pytest.mark.parametrize(("n", "rank"), TRAPS)
def test_rank_is_not_lost_to_binary_floating_point(n, rank):
    assert math.floor((1 - 0.9) * (n + 1)) == rank - 1  # the mistake, as Python makes it
    assert threshold_rank(n, 0.9) == rank
    assert threshold_rank(n - 1, 0.9) == rank - 1  # nor gained one example earlier
    noisy = 0.9000000000000004  # the product of a grid, which means the round one
    for level in (noisy, np.float32(0.9), np.float64(0.9)):
        assert threshold_rank(n, level) == rank


@pytest.mark.parametrize(
    ("level", "eps"),
    [(0.900000000001, Fraction(Decimal("0.099999999999"))), (0.9000000000001, Fraction(1, 10))],
)
def test_the_thirteenth_digit_of_a_level_is_noise(level, eps):
    assert exact_significance(level) == eps
    assert threshold_rank(2, 2 / 3) == 0  # the decimal 0.666666666667 leaves less than a third


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
    assert conformal_threshold(np.array([]), 0.9) == -math.inf


def test_threshold_leaves_the_scores_in_their_order():
    scores = np.arange(19.0)[::-1].copy()
    conformal_threshold(scores, 0.9)
    assert scores.tolist() == list(range(18, -1, -1))


MANY = 20_999  # scores of which a sample is looked at, each twentieth

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


@pytest.mark.parametrize("n", [1, 20])
def test_nan_score_is_not_ranked_even_where_everything_is_kept(n):
    with pytest.raises(ValueError, match="NaN"):
        conformal_threshold(np.append(np.zeros(n - 1), math.nan), 0.9)


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


@pytest.mark.parametrize(
    "function",
    [
        exact_significance,
        smallest_calibration_size,
        partial(threshold_rank, 99),
        partial(conformal_threshold, np.arange(99.0)),
    ],
)
@pytest.mark.parametrize("level", [0, 1, 1.5, -1, math.nan, math.inf, -math.inf, 1e30])
def test_impossible_level_is_told_in_one_sentence(level, function):
    with pytest.raises(InputError) as caught:
        function(level)
    assert str(caught.value) == (
        f"confidence level {level} is not strictly between 0 and 1; choose for example 0.9"
    )


SCORED = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 40)), min_size=1, max_size=40)
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def test_a_weighted_threshold_by_hand():
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


N, RANK, LEVEL = 99, 10, 0.9


@pytest.fixture(scope="module")
def law():
    return CoverageLaw.of_calibration(N, LEVEL)


@pytest.fixture(scope="module")
def coverages():
    """Of thresholds at the 10th smallest of 99 uniform scores, whose coverage is what is above."""
    scores = np.random.default_rng(0).random((20_000, N))
    return 1.0 - np.partition(scores, RANK - 1, axis=1)[:, RANK - 1]


def test_its_parameters_are_vovk_s(law):
    assert (law.hits, law.misses) == (90.0, 10.0)
    assert law.variance == pytest.approx(0.9 * 0.1 / 101, rel=1e-12)


def test_it_is_the_law_of_redrawn_calibration_rows_as_its_nodes_are(law, coverages):
    assert stats.kstest(coverages, stats.beta(law.hits, law.misses).cdf).pvalue > 0.001
    assert law.variance == pytest.approx(coverages.var(), rel=0.05)
    rng = np.random.default_rng(1)
    drawn = [law.draw(rng) for _ in range(2000)]
    assert stats.ks_2samp(drawn, coverages).pvalue > 0.001
    assert law.nodes.mean() == pytest.approx(0.9, abs=1e-4)
    assert law.nodes.std() == pytest.approx(coverages.std(), rel=0.03)


@pytest.mark.parametrize("n", [1, 30, 400])
def test_shares_and_distances_are_those_of_redrawn_tests(law, coverages, n):
    hits = np.random.default_rng(n).binomial(n, coverages)
    distance = law.mean_distance(np.array([n]))
    assert distance[0] == pytest.approx(np.abs(hits / n - LEVEL).mean(), rel=0.03)
    low, high = law.band(n, 0.9)
    assert ((low <= hits / n) & (hits / n <= high)).mean() >= 0.89


def test_a_fixed_law_is_the_binomial_with_mean_distances_by_hand():
    law = CoverageLaw(0.8)
    assert law.is_fixed
    assert law.variance == 0.0
    assert law.draw(np.random.default_rng(0)) == 0.8
    assert law.band(50, 0.95) == tuple(np.array(stats.binom.interval(0.95, 50, 0.8)) / 50)
    by_hand = [0.2 * 0.8 + 0.8 * 0.2, 0.04 * 0.8 + 0.32 * 0.3 + 0.64 * 0.2]
    assert CoverageLaw(0.8).mean_distance(np.array([1, 2])) == pytest.approx(by_hand, rel=1e-12)


def test_too_few_calibration_rows_hold_every_label():
    law = CoverageLaw.of_calibration(8, LEVEL)
    assert law.is_fixed
    assert law.draw(np.random.default_rng(0)) == 1.0
    assert law.band(20, 0.99) == (1.0, 1.0)


def test_dependent_calibration_rows_count_as_fewer():
    law = CoverageLaw.of_calibration(299, LEVEL, 3.0)
    assert law.variance == pytest.approx(CoverageLaw.of_calibration(99, LEVEL).variance, rel=0.02)
