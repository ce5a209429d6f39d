"""DCV and its floors: worked by hand, and by simulation of what the floors promise."""

import math

import numpy as np
import pytest

from evencover.core.coverage.dcv import Deviation, adjusted_floor, deviation, noise_floor
from evencover.core.coverage.estimators import LogisticEstimator

ROUNDING = 1e-15
"""A few additions of numbers below 1, each within half a unit of 2.2e-16."""


def test_level_and_spread_by_hand():
    figures = deviation(np.array([0.8, 0.9, 1.0, 0.9]), 0.85)
    assert figures.level == pytest.approx(0.05, abs=ROUNDING)
    assert figures.spread == pytest.approx(math.sqrt(0.005), abs=ROUNDING)  # divisor n, not n-1
    assert figures.value == pytest.approx(math.sqrt(0.0025 + 0.005), abs=ROUNDING)


def test_value_is_the_root_mean_square_of_the_paper():
    probability = np.random.default_rng(0).uniform(size=1000)
    expected = math.sqrt(sum((p - 0.9) ** 2 for p in probability) / 1000)
    # 1000 roundings of a sum of numbers below 1
    assert deviation(probability, 0.9).value == pytest.approx(expected, abs=1000 * ROUNDING)


def test_even_undercoverage_is_level_without_spread():
    figures = deviation(np.full(7, 0.75), 0.9)
    assert figures.level == pytest.approx(-0.15, abs=ROUNDING)
    assert figures.spread == 0.0
    assert figures.value == pytest.approx(0.15, abs=ROUNDING)


def test_sign_of_the_level_is_kept():
    assert Deviation(-0.3, 0.4).value == pytest.approx(0.5, abs=ROUNDING)


@pytest.mark.parametrize(
    ("parameters", "n", "level", "floor"),
    [(18, 6613, 0.9, 0.015652), (15, 20000, 0.9, 0.008216), (15, 20000, 0.99, 0.002725)],
)
def test_noise_floor_of_the_reference_data_sets(parameters, n, level, floor):
    # half a unit of the last digit shown
    assert noise_floor(parameters, n, level) == pytest.approx(floor, abs=5e-7)


@pytest.mark.parametrize(
    ("parameters", "n_train", "n_test", "floor"),
    [(18, 10000, 6613, 0.0202), (15, 20000, 20000, 0.0116), (15, 20000, 40000, 0.0101)],
)
def test_adjusted_floor_of_the_reference_data_sets(parameters, n_train, n_test, floor):
    reached = adjusted_floor(
        parameters=parameters, n_train=n_train, n_test=n_test, confidence_level=0.9
    )
    assert reached == pytest.approx(floor, abs=5e-5)  # half a unit of the last digit shown


def test_adjusted_floor_nears_the_noise_floor_as_the_training_set_grows():
    reached = adjusted_floor(parameters=6, n_train=10**12, n_test=2000, confidence_level=0.9)
    # sqrt(1 + n_test / n_train) - 1 < 0.5 * 2e-9
    assert reached == pytest.approx(noise_floor(6, 2000, 0.9), rel=1e-9)


def test_valid_predictor_shows_the_noise_floor_on_average():
    repetitions, n, features, level = 300, 2000, 5, 0.9
    rng = np.random.default_rng(20)
    squares = np.empty(repetitions)
    for repetition in range(repetitions):
        X = rng.normal(size=(n, features))
        correct = rng.uniform(size=n) < level
        probability = LogisticEstimator().fit(X, correct).predict(X)
        squares[repetition] = deviation(probability, level).value ** 2
    floor = noise_floor(features + 1, n, level)
    error = squares.std() / math.sqrt(repetitions)
    # three Monte Carlo standard errors of the mean square, about 10 % of it: enough to tell
    # k from k - 1 parameters, 17 % less
    assert 3 * error < floor**2 / (features + 1)
    assert squares.mean() == pytest.approx(floor**2, abs=3 * error)
