"""Figures of weighted rows are those of the rows repeated, and go over to those without weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.rows import weights

ROWS = st.lists(
    st.tuples(st.floats(-1e3, 1e3).map(lambda v: round(v, 3)), st.integers(1, 6)), min_size=1
)


@given(ROWS, st.floats(0.0, 1.0))
def test_whole_weights_repeat_rows(rows, share):
    values, times = (np.array(column) for column in zip(*rows, strict=True))
    w, repeated = times.astype(float), np.repeat(values, times)
    assert weights.weighted_mean(values, w) == pytest.approx(repeated.mean(), rel=1e-9, abs=1e-9)
    assert weights.weighted_deviation(values, w) == pytest.approx(repeated.std(), abs=1e-6)
    assert weights.weighted_median(values, w) == pytest.approx(np.median(repeated), abs=1e-9)
    expected = np.quantile(repeated, [share, 0.25])
    assert weights.weighted_quantiles(values, np.array([share, 0.25]), w) == pytest.approx(
        expected, abs=1e-6
    )


def test_a_share_of_rows_is_never_above_1():
    rng = np.random.default_rng(0)
    X, right = rng.normal(size=(60, 2)), np.ones(60, dtype=bool)
    for _ in range(50):
        w = rng.exponential(size=60)
        assert weights.weighted_mean(right, w) == 1.0
        _, p = LogisticEstimator().fits(X, w)(right)
        assert (p == 1.0).all()


def test_effective_size_by_hand():
    # (1 + 1 + 2)^2 / (1 + 1 + 4)
    assert weights.effective_size(np.array([1.0, 1.0, 2.0]), 3) == pytest.approx(16 / 6)
    assert weights.effective_size(np.full(7, 0.3), 7) == pytest.approx(7.0)
    assert weights.effective_size(None, 7) == 7.0


def test_sums_by_hand():
    w, codes = np.array([0.5, 2.0, 3.0]), np.array([2, 0, 2])
    assert (weights.total(w, 3), weights.total(None, 3)) == (5.5, 3.0)
    assert weights.totals(codes, 3, w, codes >= 0).tolist() == [2.0, 0.0, 3.5]
    assert weights.totals(codes, 3, w, np.array([False, True, True])).tolist() == [2.0, 0.0, 3.0]
    assert weights.totals(codes, 3, None, codes > 0).tolist() == [0, 0, 2]


def test_only_whole_weights_are_taken_as_numbers_of_rows():
    assert weights.scaled(np.array([2.0, 4.0])).tolist() == [2.0, 4.0]
    assert weights.scaled(np.array([0.5, 1.0])) == pytest.approx([2 / 3, 4 / 3])
