"""Excess risk of the target coverage: by hand, and its meaning on known truth."""

import math

import numpy as np
import pytest
from rows import held
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from evencover.core.coverage.diagnosis import UNKNOWN, excess_risk, out_of_fold
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
    assert excess_risk(np.array([np.nan, 0.9]), held(np.array([True, True])), LEVEL) == UNKNOWN
