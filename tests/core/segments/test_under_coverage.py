"""One rule for who is clearly too low, and what became of them: every status by hand."""

from dataclasses import replace

import pytest
from rows import NAMES, change, changed, coverage, long, pair_with_q, rule_pair, segment_row

from evencover.core.levels import SEARCH, SEGMENTS
from evencover.core.segments.under_coverage import (
    TOO_LOW,
    Coverage,
    is_lower_than_all,
    with_statuses,
)

FINE, LOW = (0.9, 0.86, 0.93), (0.81, 0.77, 0.85)
RAISED, STILL_LOW = (0.89, 0.86, 0.92), (0.85, 0.82, 0.88)
MANY, FEW, WORSE = (60, 20), (7, 4), (3, 30)
"""Rows gained and lost: by McNemar p is 8e-6, 0.55 and 1e-6."""

EVEN = {name: coverage(0.9) for name in NAMES}
LOW_BEFORE = {"base": coverage(0.7), "ifacm": coverage(0.9)}
LOW_AFTER = {"base": coverage(0.9), "ifacm": coverage(0.7)}
AS_ALL = (0.7, 0.66, 0.74)


def statuses(pair, made=FEW, of_all=EVEN, size=SEGMENTS, others=()):
    """The statuses of a group before and after, by what the adjustment made of its rows."""
    changes = [change(row.group, row.n, *made) for row in (pair[0], *(p[0] for p in others))]
    found = with_statuses(long(pair, *others), of_all, changes, size)
    return tuple(row.status for row in found if row.group == pair[0].group)


def county(before, after, q=(0.002, 0.7), n=412, **others):
    return pair_with_q("county", "Devon", n, before, after, q, **others)


@pytest.mark.parametrize(
    ("before", "after", "q", "made", "expected"),
    [
        (FINE, FINE, (0.5, 0.5), FEW, ("fine", "fine")),
        (LOW, RAISED, (0.02, 0.7), MANY, ("low", "mended")),
        (LOW, STILL_LOW, (0.02, 0.7), MANY, ("low", "better")),
        (LOW, STILL_LOW, (0.02, 1e-9), MANY, ("low", "better")),
        (LOW, RAISED, (0.02, 0.7), FEW, ("low", "unchanged")),  # chance may have done as much
        (LOW, STILL_LOW, (0.02, 1e-9), FEW, ("low", "unchanged")),
        (LOW, STILL_LOW, (0.02, 1e-9), WORSE, ("low", "unchanged")),
        (LOW, LOW, (0.02, 0.02), (0, 0), ("low", "unchanged")),
        (FINE, LOW, (0.5, 0.02), WORSE, ("fine", "new")),
        (FINE, LOW, (0.5, 0.021), WORSE, ("fine", "fine")),
        (LOW, RAISED, (0.021, 0.7), MANY, ("fine", "fine")),  # may be chance: not clearly low
        (LOW, LOW, (0.021, 0.02), FEW, ("fine", "new")),
        ((0.87, 0.83, 0.9), FINE, (0.002, 0.5), MANY, ("fine", "fine")),  # ends at CL: holds it
    ],
)
def test_every_status(before, after, q, made, expected):
    assert statuses(county(before, after, q), made) == expected


def test_statuses_of_too_little_coverage_are_all_but_two():
    assert set(TOO_LOW) == {"low", "better", "unchanged", "new"}


def test_rules_are_judged_in_the_same_way_at_their_own_level():
    for q, expected in ((0.01, ("low", "mended")), (0.011, ("fine", "fine"))):
        rule = rule_pair("age >= 65", 100, LOW, RAISED, q=(q, 0.5))
        assert statuses(rule, MANY, size=SEARCH) == expected


@pytest.mark.parametrize(
    "others", [{"kind": "label"}, {"kind": "look"}, {"n": 19}, {"kind": "cohort", "of": "outside"}]
)
def test_who_is_not_judged_has_no_status(others):
    given = {name: value for name, value in others.items() if name != "of"}
    pair = changed(county(LOW, LOW, (1e-9, 1e-9), **given), value=others.get("of", "Devon"))
    for of_all in (EVEN, {name: coverage(0.7) for name in NAMES}):
        assert statuses(pair, of_all=of_all) == (None, None)


def test_a_group_above_all_rows_is_not_lower_than_them():
    """Its q-value is of being better off, in a predictor that is too low for all."""
    high = county((0.85, 0.81, 0.88), FINE, (1e-9, 0.5))
    assert is_lower_than_all(high[0], coverage(0.9), SEGMENTS)
    assert not is_lower_than_all(high[0], coverage(0.7), SEGMENTS)


class TestOverallLow:
    """Coverage of all rows is 0.7, where chance puts it between 0.88 and 0.92."""

    def test_what_is_as_low_as_all_rows_is_too_low(self):
        pair = county(AS_ALL, FINE, (0.9, 0.5))
        assert statuses(pair, MANY, LOW_BEFORE) == ("low", "mended")
        assert statuses(pair, MANY, EVEN) == ("fine", "fine")

    def test_it_is_new_where_it_is_so_after_alone(self):
        pair = county(FINE, AS_ALL, (0.9, 0.9))
        assert statuses(pair, WORSE, LOW_AFTER) == ("fine", "new")

    def test_of_many_looks_one_that_chance_explains_is_not(self):
        # 0.85 of 200 rows: P(at most 170 of 200) = 0.0163 at 0.9, doubled 0.033
        pair = county((0.85, 0.794, 0.893), FINE, (0.9, 0.9), n=200)
        assert statuses(pair, MANY, LOW_BEFORE) == ("fine", "fine")
        # one row of 200 less, 0.0186 alone: enough among two looks of which one is surer, but not
        # among two of which the other is none
        pair = county((0.845, 0.788, 0.889), FINE, (0.9, 0.9), n=200)
        alone = pair_with_q("county", "Kent", 500, AS_ALL, FINE)
        calm = pair_with_q("county", "Kent", 500, FINE, FINE)
        assert statuses(pair, MANY, LOW_BEFORE) == ("low", "mended")
        assert statuses(pair, MANY, LOW_BEFORE, others=[alone]) == ("low", "mended")
        assert statuses(pair, MANY, LOW_BEFORE, others=[calm]) == ("fine", "fine")

    def test_dependent_rows_say_less(self):
        pair = county(AS_ALL, FINE, (0.9, 0.5))
        few = [replace(row, n_effective=10) for row in pair]
        assert statuses(few, MANY, LOW_BEFORE) == (None, None)


def test_a_predictor_that_is_no_adjustment_is_judged_by_itself():
    pair = county(LOW, RAISED)
    others = [segment_row("own", "county", "Devon", 412, *LOW, q_value=q) for q in (0.01, 0.03)]
    of_all = EVEN | {"own": coverage(0.9)}
    changes = [change(pair[0].group, 412, *MANY)]
    for other, expected in zip(others, ("low", "fine"), strict=True):
        found = with_statuses([*pair, other], of_all, changes, SEGMENTS)
        assert [row.status for row in found] == ["low", "mended", expected]


class TestCoverage:
    def test_chance_explains_what_is_within_its_band(self):
        for share, low, high in ((0.879, True, False), (0.9, False, False), (0.921, False, True)):
            of_all = coverage(share)
            assert (of_all.is_low, of_all.is_high) == (low, high)

    def test_what_is_promised_is_never_too_low_or_too_high(self):
        # whatever the draw of calibration rows explains
        assert not coverage(0.905, least=0.91, most=0.95).is_low
        assert not coverage(0.895, least=0.8, most=0.89).is_high

    def test_it_may_be_surely_below_the_level_by_the_draw_of_calibration_rows(self):
        # of 1000 rows 84 % are surely below 90 %, though within 80 % to 97 %
        assert coverage(0.84, 0.8, 0.97).is_unlucky
        assert not coverage(0.84, 0.85, 0.97).is_unlucky  # but too low
        assert not coverage(0.89, 0.8, 0.97).is_unlucky
        fewer = Coverage(level=0.9, n=1000, share=0.84, least=0.8, most=0.97, effective=30)
        assert not fewer.is_unlucky
