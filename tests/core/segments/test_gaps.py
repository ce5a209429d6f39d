"""Gaps between segments: by hand, against statsmodels, and how often intervals hold them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from rows import long, segment_pair, segment_row
from statsmodels.stats.proportion import confint_proportions_2indep

from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.segments.by_segment import gap_rows

LAW = CoverageLaw.of_calibration(200, 0.9)


def segment(variable, value, n, base, after=0.5, **others):
    return segment_pair(variable, value, n, [base], [after], **others)


ROWS = [
    segment("race", "white", 200, 0.95, 0.92),
    segment("race", "black", 100, 0.80, 0.90),
    segment("race", "other", 50, 0.96, 0.84),
    segment("race", "rare", 19, 0.0, 0.0),
    segment("race", "none", 0, math.nan, math.nan),
    segment("sex", "f", 100, 0.91, 0.90),
    segment("sex", "m", 100, 0.89, 0.90),
]


def gaps(rows=ROWS, when="base", **reference):
    found = gap_rows(long(*rows), LAW, reference)
    return {row.variable: row for row in found if row.predictor == when}


def test_the_largest_gap_to_the_largest_group_by_hand():
    before, after = gaps()["race"], gaps(when="ifacm")["race"]
    for race in (before, after):
        assert (race.reference, race.reference_n) == ("white", 200)
        assert (race.groups, race.left_out) == (3, 1)
    assert (before.gap_segment, after.gap_segment) == ("black", "other")
    assert before.gap == pytest.approx(0.80 - 0.95, abs=1e-12)
    assert after.gap == pytest.approx(0.84 - 0.92, abs=1e-12)


def test_the_interval_is_newcombe_s_at_bonferroni_s_level():
    for when, counts in (("base", (80, 100, 190, 200)), ("ifacm", (42, 50, 184, 200))):
        race = gaps(when=when)["race"]  # two races are compared, and one sex
        expected = confint_proportions_2indep(*counts, method="newcomb", alpha=0.05 / 3)
        assert (race.gap_low, race.gap_high) == pytest.approx(expected, abs=1e-9)


def ends(row):
    return row.gap_low, row.gap_high


def test_only_variables_of_one_family_are_corrected_for_together():
    alone = gaps(ROWS[:5])["race"]
    for kind in ("label", "look"):
        with_it = gaps([*ROWS[:5], *(replace_kind(pair, kind) for pair in ROWS[5:])])
        assert ends(with_it["race"]) == ends(alone)
    assert np.isnan(ends(with_it["sex"])).all()  # found by looking
    assert with_it["sex"].gap == pytest.approx(-0.02)
    for kind in ("pair", "group", "cohort"):
        with_it = gaps([*ROWS[:5], *(replace_kind(pair, kind) for pair in ROWS[5:])])
        assert ends(with_it["race"]) == ends(gaps()["race"]) != ends(alone)


def replace_kind(pair, kind):
    return [replace(row, kind=kind) for row in pair]


def test_dependent_rows_make_a_wider_interval_and_a_larger_distance_by_chance():
    rows = [
        segment("race", "white", 200, 0.95, n_effective=100),
        segment("race", "black", 100, 0.80, n_effective=50),
    ]
    race = gaps(rows)["race"]
    expected = confint_proportions_2indep(40, 50, 95, 100, method="newcomb")
    assert ends(race) == pytest.approx(expected, abs=1e-9)
    floor = LAW.mean_distance(np.array([100, 50]))
    assert race.coverage_gap_floor == pytest.approx((2 * floor[0] + floor[1]) / 3)
    assert race.coverage_gap == pytest.approx((2 * 0.05 + 0.10) / 3)


def test_another_reference_turns_the_sign_and_may_be_small():
    race = gaps(race="black")["race"]
    assert (race.reference, race.gap_segment) == ("black", "other")
    assert race.gap == pytest.approx(0.16, abs=1e-12)
    race = gaps(race="rare")["race"]
    assert (race.reference_n, race.groups, race.left_out) == (19, 4, 0)
    assert race.gap == pytest.approx(0.96, abs=1e-12)


def test_a_reference_without_test_rows_has_no_gap():
    for when, lowest in (("base", 0.80), ("ifacm", 0.84)):
        race = gaps(when=when, race="none")["race"]
        assert np.isnan([race.gap, race.gap_low, race.gap_high]).all()
        assert (race.gap_segment, race.lowest) == (None, lowest)


def test_coverage_gaps_and_the_lowest_by_hand():
    before, after = gaps()["race"], gaps(when="ifacm")["race"]
    assert before.coverage_gap_unweighted == pytest.approx((0.05 + 0.10 + 0.06) / 3)
    assert before.coverage_gap == pytest.approx((200 * 0.05 + 100 * 0.10 + 50 * 0.06) / 350)
    assert after.coverage_gap == pytest.approx((200 * 0.02 + 0 + 50 * 0.06) / 350)
    assert (before.lowest, before.lowest_segment) == (0.80, "black")
    assert (after.lowest, after.lowest_segment) == (0.84, "other")
    n = np.array([200, 100, 50])
    floor = LAW.mean_distance(n)
    for race in (before, after):
        assert race.coverage_gap_floor == pytest.approx(n @ floor / 350)
        assert race.coverage_gap_unweighted_floor == pytest.approx(floor.mean())


def test_each_variable_has_a_row_in_order():
    found = [(row.predictor, row.variable) for row in gap_rows(long(*ROWS), LAW, {})]
    assert found == [(name, v) for name in ("base", "ifacm") for v in ("race", "sex")]
    assert gap_rows([], LAW, {}) == []


def test_groups_of_twenty_rows_are_compared_and_every_smaller_one_is_counted():
    rows = [segment("v", str(n), n, 0.9) for n in (100, 20, 19, 1, 0)]
    found = gaps(rows)["v"]
    assert (found.groups, found.gap_segment, found.left_out) == (2, "20", 2)


@pytest.mark.parametrize(
    ("sizes", "groups", "left_out"), [((40,), 1, 0), ((40, 19), 1, 1), ((19, 9), 1, 1)]
)
def test_one_group_or_small_ones_alone_have_no_gap(sizes, groups, left_out):
    found = gaps([segment("v", str(n), n, 0.9) for n in sizes])["v"]
    assert math.isnan(found.gap)
    assert (found.groups, found.left_out) == (groups, left_out)
    if sizes[0] < 20:
        assert np.isnan([found.coverage_gap, found.lowest]).all()
        assert found.lowest_segment is None
    else:
        assert found.lowest == 0.9


def test_the_interval_of_the_largest_gap_keeps_its_level_although_it_was_selected():
    rng = np.random.default_rng(0)
    n, coverage, repetitions = [400, 150, 100, 80, 60, 50], 0.9, 400
    missed = missed_without = 0
    for _ in range(repetitions):
        hits = rng.binomial(n, coverage)
        rows = [
            segment_row("base", "v", str(i), m, h / m)
            for i, (m, h) in enumerate(zip(n, hits, strict=True))
        ]
        (row,) = gap_rows(rows, LAW, {})
        missed += not row.gap_low <= 0.0 <= row.gap_high
        i = int(row.gap_segment)
        low, high = confint_proportions_2indep(hits[i], n[i], hits[0], n[0], method="newcomb")
        missed_without += not low <= 0.0 <= high
    # at most 0.05, give or take three standard errors; without Bonferroni far more
    assert missed / repetitions <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / repetitions)
    assert missed_without / repetitions > 0.1
