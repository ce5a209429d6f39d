"""Size-stratified coverage: by hand, and against MAPIE."""

import math

import numpy as np
import pytest
from mapie.metrics.classification import classification_ssc
from mapie.metrics.regression import regression_ssc
from statsmodels.stats.proportion import proportion_confint

from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.by_segment import size_strata, size_stratified_coverage


def strata(correct, sizes, largest=math.inf):
    outcomes = Outcomes(np.asarray(correct, dtype=bool), np.asarray(sizes, dtype=float), largest)
    return size_strata("base", outcomes)


def test_label_sets_by_number_of_labels_by_hand():
    rows = strata([0, 1, 1, 0, 1], [0, 1, 1, 1, 3], largest=3.0)
    assert [(row.size, row.n) for row in rows] == [("0", 1), ("1", 3), ("3", 1)]
    assert [row.accuracy for row in rows] == pytest.approx([0.0, 2 / 3, 1.0])
    expected = proportion_confint(2, 3, method="wilson")
    assert (rows[1].low, rows[1].high) == pytest.approx(expected, abs=1e-12)
    assert {row.predictor for row in rows} == {"base"}


def test_label_sets_are_mapie_s():
    rng = np.random.default_rng(0)
    members = rng.random((800, 4)) < [0.9, 0.6, 0.4, 0.2]
    y = rng.integers(0, 4, 800)
    correct = members[np.arange(800), y]
    rows = strata(correct, members.sum(axis=1), largest=4.0)
    expected = classification_ssc(y, members)[0]
    assert [row.accuracy for row in rows] == pytest.approx(expected[[int(r.size) for r in rows]])
    counted = [row.accuracy for row in rows if row.n >= 20]
    assert size_stratified_coverage(rows) == min(counted)


def test_intervals_in_quartiles_of_width_are_mapie_s():
    rng = np.random.default_rng(1)
    centre, half, y = rng.normal(size=(3, 400))
    half = np.exp(half)
    correct = np.abs(y - centre) <= half
    rows = strata(correct, 2.0 * half)
    ends = np.column_stack([centre - half, centre + half])
    expected = regression_ssc(y, ends, num_bins=4)[0]
    assert [row.n for row in rows] == [100] * 4
    assert [row.accuracy for row in rows] == pytest.approx(expected)
    assert size_stratified_coverage(rows) == pytest.approx(expected.min())


@pytest.mark.parametrize(("n", "lowest"), [(20, 0.5), (18, 1.0)])
def test_a_stratum_of_twenty_rows_counts_and_no_smaller_one(n, lowest):
    rows = strata([*([0, 1] * (n // 2)), *[1] * 30], [*[1] * n, *[2] * 30], largest=2.0)
    assert [(row.n, row.accuracy) for row in rows] == [(n, 0.5), (30, 1.0)]
    assert size_stratified_coverage(rows) == lowest
    assert math.isnan(size_stratified_coverage(rows[:1])) == (n < 20)


def test_rounding_errors_make_no_strata():
    widths = 1.0 + 1e-15 * np.arange(100)
    (row,) = strata(np.arange(100) < 90, widths)
    assert (row.size, row.n, row.accuracy) == ("1", 100, 0.9)


def test_infinite_intervals_are_a_stratum_of_their_own():
    widths = np.where(np.arange(100) < 40, np.inf, 2.0)
    rows = strata(np.arange(100) < 70, widths)
    assert [(row.size, row.n, row.accuracy) for row in rows] == [
        ("2", 60, 0.5),
        ("infinite", 40, 1.0),
    ]
    (row,) = strata(np.ones(5), np.full(5, np.inf))
    assert (row.size, row.n) == ("infinite", 5)


def test_strata_hold_every_row_once():
    rng = np.random.default_rng(2)
    widths = rng.choice([0.5, 1.0, np.inf, *rng.random(30)], 500)
    correct = rng.random(500) < 0.9
    rows = strata(correct, widths)
    assert sum(row.n for row in rows) == 500
    assert sum(row.n * row.accuracy for row in rows) == pytest.approx(correct.sum())
