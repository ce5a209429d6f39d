import numpy as np
import pytest
from scipy import stats

from evencover.sample_data.whole_labels import probability_between, to_whole


def between(lower, upper):
    return float(probability_between(np.array([lower]), np.array([upper]), stats.norm.cdf)[0])


def test_labels_are_rounded_to_the_nearest_whole_number():
    assert to_whole(np.log([1.4, 1.6, 250_000.2])).tolist() == [1, 2, 250_000]


def test_a_whole_number_has_the_probability_of_what_rounds_to_it():
    expected = stats.norm.cdf(np.log(3.5)) - stats.norm.cdf(np.log(2.5))
    assert between(3.0, 3.0) == pytest.approx(expected, rel=1e-12)
    assert between(2.001, 3.999) == pytest.approx(expected, rel=1e-12)


def test_between_two_whole_numbers_there_is_no_label():
    assert between(3.1, 3.9) == 0.0


@pytest.mark.parametrize("lower", [-np.inf, -5.0, 0.0])
def test_an_interval_without_bounds_holds_every_label(lower):
    assert between(lower, np.inf) == 1.0


def test_negative_labels_do_not_exist():
    assert between(-np.inf, -1.0) == 0.0
