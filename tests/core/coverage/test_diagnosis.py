"""Excess risk by hand and on known truth, and the histogram of p(x), counted by hand."""

import math

import numpy as np
import pytest
from rows import held
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from evencover.core.coverage.diagnosis import (
    HISTOGRAM_BINS,
    excess_risk,
    out_of_fold,
    probability_bins,
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


def test_equal_probabilities_are_in_one_bin():
    bins = probability_bins({"base": np.full(7, 0.9), "ifacm": np.full(3, 0.9)})
    assert [b.n for b in bins if b.n] == [7, 3]
    assert all(b.low <= 0.9 <= b.high for b in bins if b.n)


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
