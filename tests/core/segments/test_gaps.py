"""Gaps between groups, who is clearly too low, and what became of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
import rows as hand
from scipy.stats import binom
from statsmodels.stats.proportion import confint_proportions_2indep

from evencover.core.conformal.rank import CoverageLaw
from evencover.core.segments import under_coverage
from evencover.core.segments.binning import Partition
from evencover.core.segments.by_segment import gap_rows
from evencover.core.segments.grouping import Variable

LAW = CoverageLaw.of_calibration(200, 0.9)


def segment(variable, value, n, base, after=0.5, **others):
    return hand.segment_pair(variable, value, n, [base], [after], **others)


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
    found = gap_rows(hand.long(*rows), LAW, reference)
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
        race = gaps(when=when)["race"]  # two races are compared with a third
        expected = confint_proportions_2indep(*counts, method="newcomb", alpha=0.05 / 2)
        assert (race.gap_low, race.gap_high) == pytest.approx(expected, abs=1e-9)


def ends(row):
    return row.gap_low, row.gap_high


def test_each_variable_s_differences_hold_together_whatever_else_is_looked_at():
    alone = gaps(ROWS[:5])["race"]
    for kind in ("column", "pair", "group", "cohort", "label", "look"):
        with_it = gaps([*ROWS[:5], *(replace_kind(pair, kind) for pair in ROWS[5:])])
        assert ends(with_it["race"]) == ends(alone)
        # found by looking, or single clusters
        assert np.isnan(ends(with_it["sex"])).all() == (kind in ("look", "group"))
    assert with_it["sex"].gap == pytest.approx(-0.02)


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
    found = [(row.predictor, row.variable) for row in gap_rows(hand.long(*ROWS), LAW, {})]
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
            hand.segment_row("base", "v", str(i), m, h / m)
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


FINE, LOW = (0.9, 0.86, 0.93), (0.81, 0.77, 0.85)
RAISED, STILL_LOW = (0.89, 0.86, 0.92), (0.85, 0.82, 0.88)
MANY, FEW, WORSE = (60, 20), (7, 4), (3, 30)
"""Rows gained and lost: by McNemar's test p is 8e-6, 0.55 and 1e-6."""

EVEN = {name: hand.coverage(0.9) for name in hand.NAMES}
LOW_BEFORE = {"base": hand.coverage(0.7), "ifacm": hand.coverage(0.9)}
LOW_AFTER = {"base": hand.coverage(0.9), "ifacm": hand.coverage(0.7)}
AS_ALL = (0.7, 0.66, 0.74)


def statuses(pair, made=FEW, of_all=EVEN, others=()):
    """The statuses of a group before and after, by what the adjustment made of its rows."""
    changes = [hand.change(row.group, row.n, *made) for row in (pair[0], *(p[0] for p in others))]
    found = under_coverage.with_statuses(hand.long(pair, *others), of_all, changes)
    return tuple(row.status for row in found if row.group == pair[0].group)


def county(before, after, q=(0.002, 0.7), n=412, **others):
    return hand.pair_with_q("county", "Devon", n, before, after, q, **others)


@pytest.mark.parametrize(
    ("before", "after", "q", "made", "expected"),
    [
        (FINE, FINE, (0.5, 0.5), FEW, ("fine", "fine")),
        (LOW, RAISED, (0.02, 0.7), MANY, ("low", "mended")),
        (LOW, STILL_LOW, (0.02, 0.021), MANY, ("low", "unclear")),
        (LOW, STILL_LOW, (0.02, 1e-9), MANY, ("low", "better")),
        (LOW, RAISED, (0.02, 0.7), FEW, ("low", "unclear")),  # chance may have done as much
        (LOW, STILL_LOW, (0.02, 1e-9), FEW, ("low", "unchanged")),
        (LOW, STILL_LOW, (0.02, 1e-9), WORSE, ("low", "unchanged")),
        (LOW, LOW, (0.02, 0.02), (0, 0), ("low", "unchanged")),
        (LOW, RAISED, (0.02, 1e-9), FEW, ("low", "unclear")),  # its interval holds CL
        (LOW, STILL_LOW, (0.02, 0.5), WORSE, ("low", "unchanged")),  # was low, and is lower
        (FINE, LOW, (0.5, 0.02), WORSE, ("fine", "new")),
        (FINE, LOW, (0.5, 0.021), WORSE, ("fine", "fine")),
        (LOW, RAISED, (0.021, 0.7), MANY, ("fine", "fine")),  # may be chance: not clearly low
        (LOW, LOW, (0.021, 0.02), FEW, ("fine", "new")),
        ((0.87, 0.83, 0.9), FINE, (0.002, 0.5), MANY, ("fine", "fine")),  # ends at CL: holds it
    ],
)
def test_every_status(before, after, q, made, expected):
    assert statuses(county(before, after, q), made) == expected


def test_rules_are_judged_in_the_same_way_at_their_own_level():
    for q, expected in ((0.01, ("low", "mended")), (0.011, ("fine", "fine"))):
        rule = hand.rule_pair("age >= 65", 100, LOW, RAISED, q=(q, 0.5))
        assert statuses(rule, MANY) == expected


@pytest.mark.parametrize(
    "others", [{"kind": "label"}, {"kind": "look"}, {"n": 19}, {"kind": "cohort", "of": "outside"}]
)
def test_who_is_not_judged_has_no_status(others):
    given = {name: value for name, value in others.items() if name != "of"}
    pair = hand.changed(county(LOW, LOW, (1e-9, 1e-9), **given), value=others.get("of", "Devon"))
    for of_all in (EVEN, {name: hand.coverage(0.7) for name in hand.NAMES}):
        assert statuses(pair, of_all=of_all) == (None, None)


class TestOverallLow:
    """Coverage of all rows is 0.7, where chance puts it between 0.88 and 0.92."""

    def test_what_is_as_low_as_all_rows_is_too_low_and_new_where_so_after_alone(self):
        pair = county(AS_ALL, FINE, (0.9, 0.5))
        assert statuses(pair, MANY, LOW_BEFORE) == ("low", "mended")
        assert statuses(pair, MANY, EVEN) == ("fine", "fine")
        pair = county(FINE, AS_ALL, (0.9, 0.9))
        assert statuses(pair, WORSE, LOW_AFTER) == ("fine", "new")

    def test_of_many_looks_one_that_chance_explains_is_not(self):
        # 0.85 of 200 rows: P(at most 170 of 200) = 0.0163 at 0.9, doubled 0.033
        pair = county((0.85, 0.794, 0.893), FINE, (0.9, 0.9), n=200)
        assert statuses(pair, MANY, LOW_BEFORE) == ("fine", "fine")
        # one row of 200 less, 0.0186 alone: enough among two looks of which one is surer, but not
        # among two of which the other is none
        pair = county((0.845, 0.788, 0.889), FINE, (0.9, 0.9), n=200)
        alone = hand.pair_with_q("county", "Kent", 500, AS_ALL, FINE)
        calm = hand.pair_with_q("county", "Kent", 500, FINE, FINE)
        assert statuses(pair, MANY, LOW_BEFORE) == ("low", "mended")
        assert statuses(pair, MANY, LOW_BEFORE, others=[alone]) == ("low", "mended")
        assert statuses(pair, MANY, LOW_BEFORE, others=[calm]) == ("fine", "fine")

    def test_dependent_rows_say_less(self):
        pair = county(AS_ALL, FINE, (0.9, 0.5))
        few = [replace(row, n_effective=10) for row in pair]
        assert statuses(few, MANY, LOW_BEFORE) == (None, None)


def test_where_all_rows_are_too_low_the_q_shown_is_that_of_the_status():
    figures = {"p_value": 0.2, "q_value": 0.2}
    row = hand.segment_row("base", "county", "Devon", 412, 0.84, 0.801, 0.872, **figures)
    for of_all in (hand.coverage(0.85), hand.coverage(0.9)):
        (found,) = under_coverage.with_statuses([row], {"base": of_all}, [])
        shortfall = 2.0 * binom.cdf(round(0.84 * 412), 412, 0.9)
        expected = ("low", shortfall) if of_all.is_low else ("fine", 0.2)
        assert (found.status, found.judged_q) == (expected[0], pytest.approx(expected[1]))


def test_fewer_than_promised_is_as_sure_as_the_shortfall_from_the_level():
    # 84 of 100 where all others are right: surely below these, and P(at most 84) at 0.9 is 0.0399
    figures = {"p_value": 1e-12, "q_value": 2e-12}
    few = hand.segment_row("base", "g", "b", 100, 0.84, 0.756, 0.899, **figures)
    rest = hand.segment_row("base", "g", "a", 500, 1.0, 0.992, 1.0, **figures)
    of_all = {"base": hand.coverage(0.973)}
    found, other = under_coverage.with_statuses([few, rest], of_all, [])
    assert (found.status, other.status) == ("fine", "fine")
    alone = 2.0 * binom.cdf(84, 100, 0.9)
    assert (found.judged_q, other.judged_q) == (pytest.approx(2.0 * alone), 1.0)
    assert alone == pytest.approx(2.0 * 0.0399, abs=1e-3)


class TestCoverage:
    def test_chance_explains_what_is_within_its_band_and_what_is_promised_is_never_off(self):
        for share, low, high in ((0.879, True, False), (0.9, False, False), (0.921, False, True)):
            of_all = hand.coverage(share)
            assert (of_all.is_low, of_all.is_high) == (low, high)
        assert not hand.coverage(0.905, least=0.91, most=0.95).is_low
        assert not hand.coverage(0.895, least=0.8, most=0.89).is_high

    def test_it_may_be_surely_below_the_level_by_the_draw_of_calibration_rows(self):
        # of 1000 rows 84 % are surely below 90 %, though within 80 % to 97 %
        assert hand.coverage(0.84, 0.8, 0.97).is_unlucky
        assert not hand.coverage(0.84, 0.85, 0.97).is_unlucky  # but too low
        assert not hand.coverage(0.89, 0.8, 0.97).is_unlucky
        fewer = under_coverage.Coverage(level=0.9, share=0.84, least=0.8, most=0.97, effective=30)
        assert not fewer.is_unlucky


def outcomes(clusters=None, **correct):
    return {name: hand.held(of_one, clusters) for name, of_one in correct.items()}


def test_gains_and_losses_are_counted_by_hand():
    codes = np.array([0, 0, 0, 0, 0, 1, 1, -1])  # the last row is in none, as of those searched
    sexes = Variable("sex", "column", Partition(["f", "m", "x"], codes, [None] * 3))
    whole, whole_of_other, *found = under_coverage.change_rows(
        [sexes],
        outcomes(
            base=[1, 0, 0, 0, 1, 1, 1, 0],
            ifacm=[1, 1, 1, 1, 0, 1, 1, 1],
            other=[1, 0, 0, 0, 1, 0, 1, 1],
        ),
    )
    assert [(row.predictor, *row.group) for row in found] == [
        (name, "sex", value) for name in ("ifacm", "other") for value in "fmx"
    ]
    assert (whole.group, whole.n, whole.gained, whole.lost) == (
        (under_coverage.ALL_ROWS, under_coverage.ALL_ROWS),
        8,
        4,
        1,
    )
    assert (whole_of_other.gained, whole_of_other.lost) == (1, 1)
    assert [(row.n, row.gained, row.lost, row.change) for row in found] == [
        (5, 3, 1, 0.4),
        (2, 0, 0, 0.0),
        (0, 0, 0, 0.0),
        (5, 0, 0, 0.0),
        (2, 0, 1, -0.5),
        (0, 0, 0, 0.0),
    ]
    women = found[0]
    change, discordant = 2 / 7, 5 / 7  # half a row more of each of the four kinds
    error = math.sqrt((discordant - change**2) / 7)
    assert women.p_value == pytest.approx(math.erfc(change / error / math.sqrt(2.0)))
    assert [row.p_value for row in found[1:4]] == [1.0, 1.0, 1.0]
    half = 1.959964 * error
    assert (women.low, women.high) == pytest.approx((change - half, change + half), abs=1e-6)


def test_clusters_change_as_one():
    """Ten owners of 20 rows: of two of them all rows become right, of one all wrong."""
    owner = np.repeat(np.arange(10), 20)
    before, after = owner >= 4, (owner >= 5) | (owner < 2)
    (row,) = under_coverage.change_rows([], outcomes(owner, base=before, ifacm=after))
    assert (row.n, row.gained, row.lost, row.change) == (200, 40, 20, 0.1)
    # as good as 10 rows or fewer, two of which gain and one loses
    assert row.p_value == 1.0
    assert row.low < -0.25
    assert row.high > 0.4
    (free,) = under_coverage.change_rows([], outcomes(base=before, ifacm=after))
    assert free.p_value < 0.02


def test_an_adjustment_of_nothing_is_no_change():
    right = np.arange(100) % 10 > 0
    (row,) = under_coverage.change_rows([], outcomes(base=right, ifacm=right))
    assert (row.gained, row.lost, row.change, row.p_value) == (0, 0, 0.0, 1.0)
    assert row.low == -row.high < 0.0
