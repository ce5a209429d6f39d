"""The rank of the threshold, by definition, and the law of coverage over calibration draws."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

import by_weight
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evencover.core import InductiveConformalPredictor, InputError, NormalizedMeasure
from evencover.core.conformal.rank import (
    CoverageLaw,
    WeightedScores,
    capped,
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


def test_a_new_row_counts_with_its_own_weight_by_hand():
    scores, w = np.arange(20.0), np.ones(20)
    w[0] = 2.0
    found = WeightedScores.of(scores, 0.8, w)
    # eps (W + 1) - 1 = 0.2 * 22 - 1 = 3.4: more than that is first reached at 2.0, by 2 + 1 + 1;
    # 0.2 * 24 - 3 = 1.8 at 0.0; what weighs all too much counts as 21 / 4, and needs 0
    assert found.threshold(np.array([1.0, 3.0, 1e9])).tolist() == [2.0, 0.0, 0.0]
    assert conformal_threshold(scores, 0.8, w) == found.threshold(None)[0] == 2.0
    # of fewer rows than the level needs each label is kept, whatever the weights
    few = WeightedScores.of(scores[:8], 0.9, np.full(8, 1000.0))
    assert few.threshold(np.array([0.001, 1000.0])).tolist() == [-math.inf] * 2


def test_no_calibration_row_outweighs_half_of_eps_or_two_average_rows():
    w = np.ones(100)
    w[[3, 50]] = 5.0, 1000.0
    assert capped(w, 0.8).max() == pytest.approx(0.1 * capped(w, 0.8).sum(), rel=1e-12)
    assert WeightedScores.of(np.arange(100.0), 0.8, w).above_cap == 1
    assert capped(w[40:60], 0.9)[10] == pytest.approx(19.0 / 9.0)  # twice the mean of these twenty
    assert capped(w[:50], 0.8).tolist() == w[:50].tolist()
    assert len(capped(w[:0], 0.8)) == 0


def naive(scores, level, w, new):
    """The lowest score that a new one of at least as much would be kept with, by exact numbers."""
    w, eps, new = [Fraction(each) for each in w], 1 - Fraction(str(level)), Fraction(new)
    new = min(new, sum(w) * eps / (1 - eps))

    def is_kept(score):
        up_to = sum((each for each, s in zip(w, scores, strict=True) if s <= score), Fraction(0))
        return up_to + new > eps * (sum(w) + new)

    return min(score for score in scores if is_kept(score))


@given(SCORED, LEVELS, st.sampled_from([1.0, 0.5, 0.125]), st.integers(1, 50))
def test_as_a_naive_implementation_has_it(rows, level, unit, new):
    scores, w = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    (found,) = WeightedScores.of(scores, level, unit * w).threshold(np.array([unit * new]))
    if len(rows) < smallest_calibration_size(level):
        assert found == -math.inf
    else:
        assert found == naive(scores, level, capped(unit * w, level), unit * new)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 2)), min_size=9, max_size=40))
def test_whole_weights_repeat_scores_where_the_new_row_is_a_single_one(rows):
    scores, times = (np.array(column) for column in zip(*rows, strict=True))
    expected = conformal_threshold(np.repeat(scores, times).astype(float), 0.9)
    weighted = WeightedScores.of(scores.astype(float), 0.9, times.astype(float))
    assert weighted.threshold(np.ones(1))[0] == expected


@given(st.integers(1, 250), LEVELS, st.sampled_from([1.0, 0.3, 1e-6, 190_000.0]))
def test_equal_weights_of_any_size_are_none(n, level, unit):
    scores = np.random.default_rng(n).permutation(n).astype(float)
    weighted = WeightedScores.of(scores, level, np.full(n, unit))
    expected = conformal_threshold(scores, level)
    assert weighted.threshold(np.full(2, unit)).tolist() == [expected] * 2
    assert conformal_threshold(scores, level, np.full(n, unit)) == expected


def test_predictor_and_p_values_go_by_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    plain, w = as_examples(X, y), rng.lognormal(0.0, 1.0, 200)
    icp = InductiveConformalPredictor(NormalizedMeasure(), confidence_level=0.8).fit(plain)
    for weights in (w, 1e5 * w):
        weighted = replace(plain, weights=weights)
        p = icp.calibrate(weighted).p_values(weighted)
        np.testing.assert_array_equal(p > 0.2, icp.covers(weighted))
        assert icp.thresholds_.notes(weighted) == []
        (note,) = icp.thresholds_.notes(plain)
        assert note.code == "thresholds.unknown_weights"
        assert icp.thresholds_.at(plain) == icp.threshold_
        np.testing.assert_array_equal(icp.p_values(plain) > 0.2, icp.covers(plain))
    assert np.all(np.diff(icp.thresholds_.at(weighted)[np.argsort(w)]) <= 0.0)


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param(s, marks=() if s[2] == 200 else pytest.mark.long, id="-".join(map(str, s)))
        for s in by_weight.SETTINGS
    ],
)
def test_coverage_by_weight_is_what_is_promised_and_sets_are_finite(setting):
    draws = 40_000 // setting[2]
    found = by_weight.coverage(np.random.default_rng(0), setting, LEVEL, draws)
    error = found[:, 0].std() / draws**0.5
    assert found[:, 0].mean() >= LEVEL - 0.005 - 2.0 * error
    assert found[:, 1].mean() >= 0.95


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
    assert law.band(20, 0.99) == law.interval(0.95) == (1.0, 1.0)


def test_coverage_is_where_the_law_of_the_draw_puts_it():
    # of 1,000 calibration rows Beta(901, 100)
    low, high = CoverageLaw.of_calibration(1000, 0.9).interval(0.95)
    assert (low, high) == pytest.approx(stats.beta(901, 100).ppf([0.025, 0.975]), rel=1e-12)
    assert (round(low, 3), round(high, 3)) == (0.881, 0.918)


def test_dependent_calibration_rows_count_as_fewer():
    law = CoverageLaw.of_calibration(299, LEVEL, 3.0)
    assert law.variance == pytest.approx(CoverageLaw.of_calibration(99, LEVEL).variance, rel=0.02)
