"""DCV and its floors: worked by hand, and by simulation of what the floors promise."""

import math

import numpy as np
import pytest

from evencover.core.coverage.dcv import Deviation, adjusted_floor, deviation, noise_floor
from evencover.core.coverage.estimators import LogisticEstimator

ROUNDING = 1e-15
"""A few additions of numbers below 1, each within half a unit of 2.2e-16."""


@pytest.mark.parametrize(
    ("probability", "confidence_level", "level", "spread"),
    [
        ([0.8, 0.9, 1.0, 0.9], 0.85, 0.05, math.sqrt(0.005)),  # divisor n, not n-1
        ([0.75] * 7, 0.9, -0.15, 0.0),  # the sign of the level is kept
    ],
)
def test_level_and_spread_by_hand(probability, confidence_level, level, spread):
    figures = deviation(np.array(probability), confidence_level)
    assert figures.level == pytest.approx(level, abs=ROUNDING)
    assert figures.spread == pytest.approx(spread, abs=ROUNDING if spread else 0.0)
    assert figures.value == pytest.approx(math.hypot(level, spread), abs=ROUNDING)
    assert Deviation(-0.3, 0.4).value == pytest.approx(0.5, abs=ROUNDING)


def test_value_is_the_root_mean_square_of_the_paper():
    probability = np.random.default_rng(0).uniform(size=1000)
    expected = math.sqrt(sum((p - 0.9) ** 2 for p in probability) / 1000)
    # 1000 roundings of a sum of numbers below 1
    assert deviation(probability, 0.9).value == pytest.approx(expected, abs=1000 * ROUNDING)


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
    reached = adjusted_floor(parameters, n_train, n_test, 0.9)
    assert reached == pytest.approx(floor, abs=5e-5)  # half a unit of the last digit shown
    # it nears the noise floor: sqrt(1 + n_test / n_train) - 1 < 0.5 * 4e-11
    nearly = adjusted_floor(parameters, 10**15, n_test, 0.9)
    assert nearly == pytest.approx(noise_floor(parameters, n_test, 0.9), rel=1e-9)


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
