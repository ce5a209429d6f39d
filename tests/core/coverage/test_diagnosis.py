"""Excess risk by hand and on known truth, the histogram of p(x), and the worst slab."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from rows import held
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from evencover.core.coverage.diagnosis import (
    HISTOGRAM_BINS,
    SLAB_SHARE,
    excess_risk,
    out_of_fold,
    probability_bins,
    worst_slab,
    worst_slab_coverage,
)
from evencover.core.coverage.estimators import LogisticEstimator

LEVEL = 0.9


def test_three_rows_by_hand():
    p, c = np.array([0.95, 0.8, 0.9]), np.array([True, False, True])
    found = excess_risk(p, held(c), LEVEL)
    assert found.over == pytest.approx(0.1 / 3, rel=1e-12)
    assert found.under == pytest.approx(0.9 / 3, rel=1e-12)
    assert found.l1 == pytest.approx(1.0 / 3, rel=1e-12)
    squares = (0.01 - 0.0025) + (0.81 - 0.64) + 0.0
    assert found.l2 == pytest.approx(squares / 3, rel=1e-12)
    logs = math.log(0.95 / 0.9) + math.log(0.2 / 0.1)
    assert found.log == pytest.approx(logs / 3, rel=1e-12)


def test_the_sign_is_that_of_a_gain():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.6, 0.99, 500)
    c = rng.random(500) < p
    found = excess_risk(p, held(c), LEVEL)
    assert found.log == pytest.approx(log_loss(c, np.full(500, LEVEL)) - log_loss(c, p), rel=1e-9)
    assert found.log > 0.0
    assert excess_risk(1.0 - p, held(c), LEVEL).log < 0.0


def test_they_estimate_the_true_deviation():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40_000, 3))
    truth = expit(logit(LEVEL) + 0.6 * X[:, 0])
    c = rng.random(40_000) < truth
    found = excess_risk(out_of_fold(X, held(c), LogisticEstimator()), held(c), LEVEL)
    off = truth - LEVEL
    assert found.l1 == pytest.approx(np.abs(off).mean(), rel=0.08)
    assert found.over == pytest.approx(np.maximum(off, 0.0).mean(), rel=0.12)
    assert found.under == pytest.approx(np.maximum(-off, 0.0).mean(), rel=0.12)
    assert found.l2 == pytest.approx(np.mean(off**2), rel=0.12)


def test_they_are_nothing_or_less_on_average_where_coverage_is_even():
    rng, found = np.random.default_rng(2), []
    for _ in range(40):
        X = rng.normal(size=(400, 8))
        c = rng.random(400) < LEVEL
        risk = excess_risk(out_of_fold(X, held(c), LogisticEstimator()), held(c), LEVEL)
        found.append((risk.l1, risk.l2, risk.log))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(40)
    assert (means < 3.5 * errors).all()


def test_what_cannot_be_known_is_not():
    found = excess_risk(np.array([np.nan, 0.9]), held(np.array([True, True])), LEVEL)
    assert all(map(math.isnan, vars(found).values()))


def test_both_predictors_are_counted_in_the_same_bins():
    base, ifacm = np.array([0.5, 0.51, 0.9]), np.array([0.7, 0.9])
    bins = probability_bins({"base": base, "ifacm": ifacm})
    assert len(bins) == 2 * HISTOGRAM_BINS
    first, second = bins[:HISTOGRAM_BINS], bins[HISTOGRAM_BINS:]
    assert [(b.low, b.high) for b in first] == [(b.low, b.high) for b in second]
    assert (first[0].low, first[-1].high) == (0.5, 0.9)
    # 40 bins of width 0.01: 0.5 opens the first, 0.51 the second, 0.9 closes the last
    assert [place for place, b in enumerate(first) if b.n] == [0, 1, 39]
    assert [(place, b.n) for place, b in enumerate(second) if b.n] == [(20, 1), (39, 1)]
    equal = probability_bins({"base": np.full(7, 0.9), "ifacm": np.full(3, 0.9)})
    assert [b.n for b in equal if b.low <= 0.9 <= b.high and b.n] == [7, 3]


@pytest.mark.parametrize(
    ("probability", "low", "high"),
    [
        ([0.927, 0.927], 0.9265, 0.9275),
        ([0.9, np.nextafter(0.9, 1.0)], 0.8995, 0.9005),
        ([0.9, 0.9004], 0.8997, 0.9007),
        ([1.0, 1.0], 0.999, 1.0),
        ([np.nextafter(1.0, 0.0), 1.0], 0.999, 1.0),
        ([0.0, 1e-12], 0.0, 0.001),
        ([0.9, 0.902], 0.9, 0.902),
        ([0.0, 1.0], 0.0, 1.0),
    ],
)
def test_bins_of_nearly_equal_probabilities_are_narrow_and_no_probability_is_beyond_one(
    probability, low, high
):
    bins = probability_bins({"base": np.array(probability)})
    assert (bins[0].low, bins[-1].high) == pytest.approx((low, high), abs=1e-9)
    assert bins[0].low >= 0.0
    assert bins[-1].high <= 1.0
    assert sum(b.n for b in bins) == len(probability)
    assert all(b.low < b.high for b in bins)


# The worst slab: found as by brute force, and judged without flattery


def by_brute_force(X, correct, directions):
    """The lowest coverage of all slabs with at least a tenth of the rows."""
    least, best = math.ceil(0.1 * len(X)), math.inf
    for direction in directions:
        along = np.array([sum(a * b for a, b in zip(x, direction, strict=True)) for x in X])
        for low in along:
            for high in along:
                inside = (low <= along) & (along <= high)
                if inside.sum() >= least:
                    best = min(best, correct[inside].mean())
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("digits", [8, 0])
def test_it_is_the_one_of_brute_force(seed, digits):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(40, 2)), digits)
    correct = rng.random(40) < 0.8
    directions = np.round(rng.normal(size=(3, 2)), 1)
    inside = worst_slab(X, correct, directions).holds(X)
    assert inside.sum() >= 4
    lowest = by_brute_force(X, correct, directions)
    assert correct[inside].mean() == pytest.approx(lowest, abs=1e-12)


@given(data=st.data(), rows=st.integers(2, 14))
def test_it_is_the_one_of_brute_force_whatever_ties_there_are(data, rows):
    few = st.integers(-2, 2)
    X = data.draw(arrays.arrays(float, (rows, 2), elements=few))
    directions = data.draw(arrays.arrays(float, (3, 2), elements=few))
    correct = data.draw(arrays.arrays(bool, rows))
    inside = worst_slab(X, correct, directions).holds(X)
    assert inside.sum() >= math.ceil(0.1 * rows)
    lowest = by_brute_force(X, correct, directions)
    assert correct[inside].mean() == pytest.approx(lowest, abs=1e-12)


def test_more_directions_never_find_a_better_one():
    rng = np.random.default_rng(4)
    X, correct = rng.normal(size=(300, 3)), rng.random(300) < 0.9
    directions = rng.normal(size=(40, 3))
    found = [correct[worst_slab(X, correct, directions[:m]).holds(X)].mean() for m in range(1, 41)]
    assert found == sorted(found, reverse=True)
    alone = [correct[worst_slab(X, correct, along[None]).holds(X)].mean() for along in directions]
    assert found == np.minimum.accumulate(alone).tolist()


def test_a_planted_slab_is_found_and_judged_on_other_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3))
    inside = np.abs(X[:, 0] - 1.0) < 0.4
    correct = rng.random(20_000) < np.where(inside, 0.6, 0.9)
    assert worst_slab_coverage(X, correct) == pytest.approx(0.6, abs=0.08)


def test_even_coverage_is_not_made_to_look_bad():
    rng = np.random.default_rng(2)
    found = [
        worst_slab_coverage(rng.normal(size=(2000, 4)), rng.random(2000) < 0.9) for _ in range(40)
    ]
    assert np.mean(found) == pytest.approx(0.9, abs=3.5 * np.std(found) / math.sqrt(40))


def test_the_same_rows_give_the_same_and_too_few_say_nothing():
    rng = np.random.default_rng(3)
    X, correct = rng.normal(size=(500, 2)), rng.random(500) < 0.9
    assert worst_slab_coverage(X, correct) == worst_slab_coverage(X, correct)
    assert math.isnan(worst_slab_coverage(np.zeros((99, 1)), np.ones(99, dtype=bool)))


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_and_equal_objects(outcome):
    correct = np.full(200, outcome)
    assert worst_slab_coverage(np.zeros((200, 2)), correct) == float(outcome)
    assert SLAB_SHARE == 0.1
