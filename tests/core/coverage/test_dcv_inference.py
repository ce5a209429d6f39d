"""The size of the deviation and the evidence for it."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from evencover.core.coverage.cross_fitting import cross_fitted_dcv, out_of_fold
from evencover.core.coverage.dcv import deviation, noise_floor
from evencover.core.coverage.dcv_inference import NONE, evidence
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.threads import single_blas_thread

LEVEL = 0.9


@pytest.fixture(autouse=True)
def as_in_an_audit():
    """With one BLAS thread: on such small blocks two take many times as long."""
    with single_blas_thread():
        yield


def draw(rng, n, d, effect):
    X = rng.normal(size=(n, d))
    return X, rng.random(n) < expit(logit(LEVEL) + effect * X[:, 0])


def told(X, correct):
    return evidence(X, correct, LogisticEstimator().fit(X, correct).predict(X), LEVEL)


def true_dcv(effect):
    z = np.random.default_rng(99).normal(size=400_000)
    return math.sqrt(np.mean((expit(logit(LEVEL) + effect * z) - LEVEL) ** 2))


@pytest.mark.parametrize("effect", [0.0, 0.15, 0.5])
def test_the_interval_holds_the_population_s_dcv(effect):
    rng, truth, runs = np.random.default_rng(4), true_dcv(effect), 120
    found = [told(*draw(rng, 2000, 10, effect)) for _ in range(runs)]
    held = np.mean([e.low <= truth <= e.high for e in found])
    assert held >= 0.95 - 3.0 * math.sqrt(0.95 * 0.05 / runs)
    squared = np.mean([e.corrected**2 for e in found])
    if effect > 0.0:
        assert math.sqrt(squared) == pytest.approx(truth, rel=0.1)


def test_the_correction_takes_out_the_floor_where_coverage_is_even():
    rng = np.random.default_rng(5)
    X, correct = draw(rng, 20_000, 10, 0.0)
    probability = LogisticEstimator().fit(X, correct).predict(X)
    found = evidence(X, correct, probability, LEVEL)
    taken_out = deviation(probability, LEVEL).value ** 2 - found.corrected**2
    assert taken_out == pytest.approx(noise_floor(11, 20_000, LEVEL) ** 2, rel=0.1)


def test_the_level_alone_is_part_of_the_deviation_but_no_evidence_of_dependence():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20_000, 6))
    found = told(X, rng.random(20_000) < 0.8)
    assert found.low < 0.1 < found.high
    assert found.p_value > 0.01


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_tell_nothing(outcome):
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert told(X, np.full(50, outcome)) == NONE
    assert math.isnan(NONE.p_value)


def test_a_separated_column_is_no_accident():
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=500), np.arange(500) < 12]).astype(float)
    found = told(X, (rng.random(500) < 0.9) | (X[:, 1] == 1.0))
    assert 0.0 <= found.low <= found.corrected <= found.high < 1.0


class TestCrossFitting:
    def test_probabilities_are_those_of_fits_on_other_rows(self):
        X, correct = draw(np.random.default_rng(8), 300, 3, 0.5)
        probability = out_of_fold(X, correct, LogisticEstimator())
        moved = correct.copy()
        moved[17] = ~moved[17]
        assert out_of_fold(X, moved, LogisticEstimator())[17] == probability[17]
        assert (out_of_fold(X, moved, LogisticEstimator()) != probability).sum() >= 200

    def test_it_is_nothing_on_average_where_coverage_is_even(self):
        rng, products = np.random.default_rng(9), []
        for _ in range(150):
            X, correct = draw(rng, 400, 10, 0.0)
            off = out_of_fold(X, correct, LogisticEstimator()) - LEVEL
            products.append(np.mean(off * (correct - LEVEL)))
        error = np.std(products) / math.sqrt(len(products))
        assert abs(np.mean(products)) < 3.5 * error

    def test_it_finds_a_deviation_that_is_there(self):
        X, correct = draw(np.random.default_rng(10), 20_000, 5, 0.5)
        found = cross_fitted_dcv(out_of_fold(X, correct, LogisticEstimator()), correct, LEVEL)
        assert found == pytest.approx(true_dcv(0.5), rel=0.1)

    def test_it_is_never_less_than_nothing(self):
        assert cross_fitted_dcv(np.array([0.95, 0.85]), np.array([False, True]), LEVEL) == 0.0
