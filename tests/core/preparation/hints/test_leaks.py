"""Skewness, and the sum that a label is, by hand."""

import numpy as np
import pytest

from evencover.core.preparation.hints.leaks import skewness, weighted_sum

N = 600


def test_skewness_by_hand():
    """Of 0, 1, ..., 100 the percentiles are 5, 50 and 95; squared 25, 2500 and 9025."""
    values = np.arange(101.0)
    assert skewness(values) == pytest.approx(0.0)
    assert skewness(values**2) == pytest.approx((9025 + 25 - 5000) / 9000)
    assert skewness(np.ones(9)) == 0.0


def test_the_sum_leaves_out_what_it_does_not_need():
    """z is y and some noise, so that it is taken first; a and b then tell all."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, N))
    X = np.column_stack([a + b + 0.1 * rng.normal(size=N), a, b])
    assert weighted_sum(X, a + b, ["z", "a", "b"]) == (["a", "b"], "a + b")
    assert weighted_sum(X[:, :2], a + b, ["z", "a"]) == ([], "")
    assert weighted_sum(X[:, :0], a + b, []) == ([], "")
    assert weighted_sum(X, np.sign(a) * 5e-324, ["z", "a", "b"]) == ([], "")
