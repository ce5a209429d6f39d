"""The histogram of p(x), counted by hand."""

import numpy as np

from evencover.core.probability_bins import BINS, probability_bins


def test_both_predictors_are_counted_in_the_same_bins():
    base, ifacm = np.array([0.5, 0.51, 0.9]), np.array([0.7, 0.9])
    bins = probability_bins({"base": base, "ifacm": ifacm})
    assert len(bins) == 2 * BINS
    first, second = bins[:BINS], bins[BINS:]
    assert [(b.low, b.high) for b in first] == [(b.low, b.high) for b in second]
    assert (first[0].low, first[-1].high) == (0.5, 0.9)
    # 40 bins of width 0.01: 0.5 opens the first, 0.51 the second, 0.9 closes the last
    assert [place for place, b in enumerate(first) if b.n] == [0, 1, 39]
    assert [(place, b.n) for place, b in enumerate(second) if b.n] == [(20, 1), (39, 1)]


def test_equal_probabilities_are_in_one_bin():
    bins = probability_bins({"base": np.full(7, 0.9), "ifacm": np.full(3, 0.9)})
    assert [b.n for b in bins if b.n] == [7, 3]
    assert all(b.low <= 0.9 <= b.high for b in bins if b.n)
