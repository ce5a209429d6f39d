"""The histogram of p(x), counted by hand."""

import numpy as np
import pytest

from evencover.core.coverage.diagnosis import HISTOGRAM_BINS, probability_bins


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
