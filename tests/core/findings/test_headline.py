"""The two or three sentences an audit begins with, worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rows import segment_row

from evencover.core import AuditSettings, audit
from evencover.core.coverage.exchangeability import Drift
from evencover.core.findings.headline import headline, segment_in_words
from evencover.core.findings.result import AuditResult, DataSummary, ResultRow
from evencover.core.segments.binning import partition_column
from evencover.core.segments.by_segment import segment_rows
from evencover.core.segments.grouping import Variable
from evencover.core.conformal.prediction_sets import Outcomes
from evencover.core.segments.search.worst_segments import WorstSegmentRow
from evencover.sample_data import load_sample

NAN = math.nan


def row(algorithm, accuracy=0.905, size=10.0, inefficiency=1.0):
    blank = dict.fromkeys(
        [name for name in ResultRow.__dataclass_fields__ if name not in ("segment", "algorithm")]
    )
    given = {
        "accuracy": accuracy,
        "inefficiency": inefficiency,
        "inefficiency_original_units": size,
    }
    return ResultRow("test", algorithm, **blank | given)


def segment(variable, value, n, before, after, q=(0.5, 0.5), detectable=0.1, kind="column"):
    (a, low, high), (b, low_after, high_after) = before, after
    made = segment_row(variable, value, n, a, b, low, high, low_after, high_after)
    return replace(made, q_value_base=q[0], q_value_adjusted=q[1], detectable=detectable, kind=kind)


CALM = segment("age", "< 30", 500, (0.91, 0.88, 0.93), (0.9, 0.87, 0.92))
DEVON = segment("county", "Devon", 412, (0.81, 0.77, 0.85), (0.89, 0.86, 0.92), q=(0.002, 0.7))
RULE = WorstSegmentRow(
    rule="age >= 65 and sex = f",
    variables=["age", "sex"],
    found_on="base",
    n=100,
    n_test=210,
    accuracy_base=0.7,
    accuracy_adjusted=0.85,
    low_base=0.6,
    high_base=0.78,
    low_adjusted=0.77,
    high_adjusted=0.91,
    p_value_base=1e-6,
    p_value_adjusted=0.2,
    q_value_base=1e-5,
    q_value_adjusted=0.4,
)


def result_of(
    *segments, rules=(), base=None, after=None, layers=1, drift=(0.88, 0.92), task="regression"
):
    return AuditResult(
        {"cl": 0.9, "target": "price", "task": task},
        DataSummary(1000, 0, 400, 30, 1000, [], [], []),
        [base or row("base"), after or row("ifacm", 0.9, 10.14)],
        [None] * layers,
        [],
        list(segments),
        Drift(0.905, *drift, 0.5, 0.01),
        None,
        [],
        worst_segments=list(rules),
    )


def test_the_group_with_most_rows_missed_comes_first():
    small = segment("county", "Bute", 50, (0.6, 0.46, 0.72), (0.88, 0.76, 0.94), q=(0.01, 0.9))
    assert headline(result_of(CALM, small, DEVON)) == [
        # 412 x (0.9 - 0.81) = 37.08 against 50 x 0.3 = 15
        (
            "90.5 % of the prediction intervals hold the true price, where 90 % was promised; but "
            "only 81.0 % do for the 412 test rows with county = Devon (likely between 77.0 % "
            "and 85.0 %), 37 fewer than promised. This is unlikely to be chance (q = 0.002)."
        ),
        (
            "The adjustment (IFACM) brings them to 89.0 %, 1.0 points short of the promise; "
            "over all rows intervals become 1.4 % wider on average."
        ),
        (
            "Coverage is clearly too low in 2 of the 3 segments looked at before (county = Devon, "
            "county = Bute), and in none after. Among those of 30 rows or more it is worst for "
            "the 50 test rows with county = Bute: 60.0 % before (q = 0.01) and 88.0 % after."
        ),
    ]


def test_what_is_still_too_low_is_said():
    devon = replace(DEVON, accuracy_adjusted=0.85, high_adjusted=0.88, q_value_adjusted=0.01)
    told = headline(result_of(CALM, devon))
    assert told[1].startswith(
        "The adjustment (IFACM) brings them to 85.0 %, 5.0 points short of the promise; over"
    )
    assert told[2] == (
        "Coverage is clearly too low in 1 of the 2 segments looked at before (county = Devon), and "
        "in 1 after. So no fewer groups have too little coverage after than before."
    )


@pytest.mark.parametrize(
    ("accuracy", "says"),
    [
        (0.81, "does not mend this: 81.0 % after, 9.0 points short of the promise; over"),
        (0.79, "does not mend this: 79.0 % after, 11.0 points short of the promise; over"),
        (0.832, "hardly changes this: 83.2 % after, 6.8 points short"),  # 0.022 of 0.09
        (0.833, "brings them to 83.3 %, 6.7 points short of the promise; over"),
        (0.896, "brings them to 89.6 %; over"),
        (0.93, "brings them to 93.0 %; over"),
    ],
)
def test_an_adjustment_is_praised_as_far_as_it_helps(accuracy, says):
    told = headline(result_of(replace(DEVON, accuracy_adjusted=accuracy)))
    assert told[1].startswith(f"The adjustment (IFACM) {says}")


def test_no_more_than_three_segments_are_named():
    others = [replace(DEVON, value=name, n=n) for name, n in (("A", 9), ("B", 8), ("C", 7))]
    assert (
        "in 4 of the 4 segments looked at before (county = Devon, county = A, county = B, ...), "
        "and in none after." in headline(result_of(DEVON, *others))[2]
    )


def test_a_group_that_stays_below_the_level_is_not_called_mended():
    """Its interval after is below 0.9, though the overall coverage, against which q is, fell."""
    devon = replace(DEVON, accuracy_adjusted=0.86, high_adjusted=0.899, q_value_adjusted=0.4)
    assert "and in 1 after." in headline(result_of(CALM, devon))[2]
    calm = replace(CALM, accuracy_adjusted=0.86, high_adjusted=0.899, q_value_adjusted=0.4)
    assert "and in none after." in headline(result_of(calm, DEVON))[2]


def test_narrower_and_larger_sets():
    narrower = result_of(DEVON, after=row("ifacm", 0.9, 9.0))
    assert "over all rows intervals become 10.0 % narrower" in headline(narrower)[1]
    larger = result_of(DEVON, after=row("ifacm", 0.9, 11.0), task="classification")
    assert headline(larger)[0].startswith("90.5 % of the prediction sets hold")
    assert "over all rows sets become 10.0 % larger" in headline(larger)[1]


def test_without_a_layer_nothing_is_said_to_have_changed():
    assert headline(result_of(DEVON, layers=0))[1] == (
        "The adjustment (IFACM) found nothing to adjust: after is as before."
    )


@pytest.mark.parametrize("q", [0.051, 1.0])
def test_a_low_segment_that_may_be_chance_is_no_problem(q):
    told = headline(result_of(CALM, replace(DEVON, q_value_base=q)))
    assert told == [
        (
            "90.5 % of the prediction intervals hold the true price, where 90 % was promised. "
            "No segment of the 2 looked at has coverage that is clearly too low: there is no "
            "evidence of a problem. Half of the segments have enough test rows for a shortfall of "
            "10 percentage points to be seen in four of five cases."
        ),
        (
            "After the adjustment (IFACM) it is 90.0 % overall; over all rows intervals become "
            "1.4 % wider on average."
        ),
    ]


def test_segments_too_small_to_show_anything():
    told = headline(result_of(replace(CALM, detectable=NAN)))
    assert told[0].endswith("But the segments have too few test rows to show one.")


def test_a_rule_stands_in_where_no_segment_is_clear():
    told = headline(result_of(CALM, rules=[RULE]))
    assert told[0].endswith(
        "but only 70.0 % do for those 100 test rows with age >= 65 and sex = f that had no part "
        "in the search for this rule (likely between 60.0 % and 78.0 %), 20 fewer than promised. "
        "This is unlikely to be chance (q < 0.001)."
    )
    assert told[2].endswith(
        "in 0 of 1 segment looked at before, and in none after. A search for combinations of "
        "conditions, judged on rows of their own, finds 1 with clearly low coverage before and "
        "none after. It is lowest for age >= 65 and sex = f: 70.0 % before and 85.0 % after, of "
        "100 such rows."
    )


def test_more_than_needed_is_no_problem():
    high = segment("county", "Kent", 300, (0.97, 0.94, 0.98), (0.93, 0.9, 0.96), q=(0.001, 0.5))
    told = headline(result_of(CALM, high))
    assert (
        "; 97.0 % do for the 300 test rows with county = Kent, which is more than needed "
        "(q = 0.001). No segment" in told[0]
    )


def test_labels_and_the_outside_of_nothing_are_no_group():
    of_label = replace(DEVON, kind="label")
    assert "no evidence of a problem" in headline(result_of(CALM, of_label))[0]


def test_what_is_too_low_only_after_is_named():
    spoilt = segment("sex", "f", 200, (0.9, 0.86, 0.93), (0.8, 0.74, 0.85), q=(0.9, 0.001))
    told = headline(result_of(CALM, spoilt))
    assert told[1].endswith(
        " But it makes coverage too low for the 200 test rows with sex = f: 90.0 % before and "
        "80.0 % after (q = 0.001)."
    )
    assert told[2] == (
        "Coverage is clearly too low in 0 of the 2 segments looked at before, and in 1 after "
        "(sex = f), 1 of them new."
    )
    both = headline(result_of(DEVON, spoilt))
    assert both[1].endswith("80.0 % after (q = 0.001).")
    assert "in 1 after, 1 of them new. So no fewer groups" in both[2]


def test_an_overall_level_beyond_chance_is_said():
    low = headline(result_of(CALM, base=row("base", 0.85)))
    assert low == [
        (
            "85.0 % of the prediction intervals hold the true price, where 90 % was promised: "
            "fewer than chance explains, so the promise is not kept for the test rows as a whole. "
            "No segment (one was looked at) is clearly worse off than all rows together."
        ),
        (
            "The adjustment (IFACM) brings all rows to 90.0 %; over all rows intervals become "
            "1.4 % wider on average."
        ),
        (
            "Segment by segment, coverage is clearly too low in 0 of 1 segment looked at before, "
            "and in none after."
        ),
    ]
    high = headline(result_of(DEVON, base=row("base", 0.95)))
    assert "where 90 % was promised (more than chance explains); but only" in high[0]


def test_infinite_intervals_say_nothing():
    infinite = row("base", 1.0, math.inf, math.inf)
    few = replace(result_of(CALM, base=infinite), data=DataSummary(999, 0, 99, 8, 50, [], [], []))
    assert headline(few) == [
        (
            "The prediction intervals are infinite, as 8 calibration rows are too few for a "
            "confidence level of 90 %: they hold every value and say nothing. Use more rows, or a "
            "lower level."
        )
    ]


def test_a_cohort_is_called_by_its_name():
    cohort = replace(DEVON, variable="cohort: old homes", value="inside", kind="cohort")
    told = headline(result_of(cohort))
    assert "for the 412 test rows of cohort: old homes (likely" in told[0]
    outside = replace(cohort, value="outside")
    assert "no evidence of a problem" in headline(result_of(CALM, outside))[0]


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ("Devon", "column", "x = Devon"),
        ("< 3", "column", "x < 3"),
        (">= 9", "column", "x >= 9"),
        ("3 to 9", "column", "x = 3 to 9"),
        ("f × old", "pair", "x: f × old"),
    ],
)
def test_words_for_segments(value, kind, words):
    group = segment(
        "x", value, 412, (0.81, 0.77, 0.85), (0.89, 0.86, 0.92), (0.002, 1.0), kind=kind
    )
    assert f"the 412 test rows with {words} (likely" in headline(result_of(group))[0]


def test_the_planted_county_is_named():
    sample = load_sample("houses")
    told = audit(
        sample.frame, AuditSettings(target="price", log_target=True, penalty=sample.penalty)
    ).headline
    assert "test rows with county = Devon" in told[0]


def test_only_bands_are_told_as_bounds():
    groups = [">= odd", "< 5", "a, b", "plain"]
    frame = pd.DataFrame({"g": np.resize(groups, 60), "x": [*np.arange(59.0), np.nan]})
    judged = Judged(np.arange(60) % 5 > 0, np.ones(60), math.inf)
    divided = [
        Variable(name, "column", partition_column(frame[name], np.arange(60))) for name in frame
    ]
    rows = segment_rows(divided, base=judged, adjusted=judged)
    assert [segment_in_words(row) for row in rows] == [
        *('g = "< 5"', 'g = ">= odd"', 'g = "a, b"', "g = plain"),
        *("x < 14.5", "x = 14.5 to 29", "x = 29 to 43.5", "x >= 43.5", "x = (missing)"),
    ]


@pytest.mark.parametrize("size", [9.996, 10.0, 10.004])
def test_sets_that_hardly_change_are_as_wide_as_before(size):
    wide, large = (
        headline(result_of(DEVON, after=row("ifacm", 0.9, size), task=task))[1]
        for task in ("regression", "classification")
    )
    assert "; over all rows intervals stay about as wide as before on average." in wide
    assert "; over all rows sets stay about as large as before on average." in large
    changed = headline(result_of(DEVON, after=row("ifacm", 0.9, 9.99)))[1]
    assert "intervals become 0.1 % narrower on average" in changed


LOW = row("base", 0.7)
"""Below 0.88 to 0.92, where chance puts the accuracy of the results here."""


def test_where_all_rows_are_too_low_that_comes_first_and_then_who_is_lower_still():
    devon = replace(DEVON, accuracy_base=0.6, low_base=0.55, high_base=0.65)
    # neither is told from all rows, but both from the level: 0.73 of 500 against 0.9
    other = replace(CALM, accuracy_base=0.73, high_base=0.77, accuracy_adjusted=0.74)
    other = replace(other, high_adjusted=0.78)
    after = row("ifacm", 0.72, 10.14)
    assert headline(result_of(other, devon, base=LOW, after=after)) == [
        (
            "70.0 % of the prediction intervals hold the true price, where 90 % was promised: "
            "fewer than chance explains, so the promise is not kept for the test rows as a whole. "
            "Coverage is lower still, 60.0 %, for the 412 test rows with county = Devon (likely "
            "between 55.0 % and 65.0 %), 124 fewer than promised. That these are worse off than "
            "the others is unlikely to be chance (q = 0.002)."
        ),
        (
            "The adjustment (IFACM) hardly changes this: 72.0 % after, 18.0 points short of the "
            "promise (89.0 % for county = Devon); over all rows intervals become 1.4 % wider on "
            "average. Calibration rows that are like the test rows would restore the promise."
        ),
        (
            "Segment by segment, coverage is clearly too low in 2 of the 2 segments looked at "
            "before (county = Devon, age < 30), and in 1 after."
        ),
    ]


def test_what_becomes_too_low_only_after_is_said_of_all_rows_and_of_groups():
    spoilt = segment("sex", "f", 200, (0.9, 0.86, 0.93), (0.8, 0.74, 0.85), q=(0.9, 0.9))
    fallen = row("ifacm", 0.8, 10.14)
    assert headline(result_of(spoilt, after=fallen))[1] == (
        "After the adjustment (IFACM) it is 80.0 % overall, less than chance explains; over all "
        "rows intervals become 1.4 % wider on average. But it makes coverage too low for the 200 "
        "test rows with sex = f: 90.0 % before and 80.0 % after."
    )
    assert headline(result_of(spoilt, DEVON, after=fallen))[1].endswith(
        "on average. But over all rows coverage is 80.0 % after, less than chance explains. It "
        "also makes coverage too low for the 200 test rows with sex = f: 90.0 % before and 80.0 % "
        "after."
    )
    low = headline(result_of(spoilt, base=LOW, after=fallen))
    assert low[1].endswith(
        "on average. After it coverage is clearly too low, too, for the 200 test rows with sex = "
        "f: 90.0 % before and 80.0 % after. Calibration rows that are like the test rows would "
        "restore the promise."
    )
    assert low[2].endswith(
        "in 0 of 1 segment looked at before, and in 1 after (sex = f), 1 of them new."
    )


def test_an_adjustment_does_not_spoil_what_was_low_already():
    """Its interval was below 0.9 before, though its q was not small."""
    low = segment("sex", "f", 200, (0.83, 0.77, 0.88), (0.8, 0.74, 0.85), q=(0.2, 0.001))
    told = headline(result_of(CALM, low))
    assert "makes coverage" not in told[1]
    assert told[2].endswith("in 0 of the 2 segments looked at before, and in 1 after (sex = f).")


def test_more_than_needed_overall_leaves_no_evidence_of_too_little():
    high = headline(result_of(CALM, base=row("base", 0.95)))[0]
    assert "(more than chance explains). No segment (one was looked at) has" in high
    assert "there is no evidence that any group gets less than was promised." in high


def test_a_shortfall_by_the_draw_of_few_calibration_rows_is_told_as_that():
    # of 1000 rows 84 % are surely below 90 %, though within 80 % to 97 %
    told = headline(result_of(CALM, base=row("base", 0.84), drift=(0.8, 0.97)))[0]
    assert (
        "(fewer, as the chance of drawing 30 calibration rows can explain). No segment (one was "
        "looked at) has coverage that is clearly lower than that of all rows: there is no evidence "
        "that any group is worse off than the others."
    ) in told


def test_a_rule_above_the_level_is_no_low_one():
    """Under it coverage is surely lower than that of all rows, which is 99 %."""
    easy = replace(RULE, accuracy_base=0.957, low_base=0.909, high_base=0.98)
    easy = replace(easy, accuracy_adjusted=0.96, low_adjusted=0.91, high_adjusted=0.98)
    result = result_of(CALM, rules=[easy], base=row("base", 0.99))
    assert (result.worst_found(), result.worst_found("adjusted")) == ([], [])
    assert "no evidence" in headline(result)[0]
    # nor is one whose interval holds the level clearly low
    assert result_of(CALM, rules=[replace(RULE, high_base=0.9)]).worst_found() == []


def test_a_group_above_the_level_but_below_all_rows_is_not_called_more_than_needed():
    kent = segment("county", "Kent", 300, (0.95, 0.93, 0.97), (0.95, 0.93, 0.97), q=(0.001, 0.5))
    assert "more than needed" not in headline(result_of(kent, base=row("base", 0.99)))[0]


def test_the_promise_broken_for_the_latest_rows_is_said():
    rng = np.random.default_rng(0)
    n = 1500
    late = np.arange(n) > 0.7 * n
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2000-01-01", periods=n, freq="h"),
            "g": rng.choice(list("ab"), n),
            "y": rng.normal(size=n) * np.where(late, 2.2, 1.0),
        }
    )
    told = audit(frame, AuditSettings(target="y", time="day")).headline
    assert "the promise is not kept for the test rows as a whole" in told[0]
    assert "clearly too low in 2 of the 2 segments looked at before" in told[2]


def test_sets_that_hold_every_class_say_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=60) > 0.0, "a", "b")})
    told = audit(frame, AuditSettings(target="y", confidence_level=0.99)).headline
    assert "".join(told) == (
        "The prediction sets hold every class, as 18 calibration rows are too few for a confidence "
        "level of 99 %: they say nothing. Use more rows, or a lower level."
    )
    full = replace(CALM, share_full_base=1.0)
    told = headline(result_of(full, base=row("base", 1.0), task="classification"))
    assert "".join(told) == (
        "The prediction sets hold every class for all test rows: they say nothing. Use more rows, "
        "or a lower level."
    )


@pytest.mark.parametrize(
    ("shortfalls", "says"),
    [
        ([0.012], "for a shortfall of 1 percentage point to be seen in four"),
        ([0.002], "for a shortfall of less than 1 percentage point to be seen in four"),
        ([0.04, NAN, 0.03], "for a shortfall of 4 percentage points to be seen in four"),
        ([0.04, NAN], "But half of the segments or more have too few test rows to show one."),
    ],
)
def test_what_half_of_the_segments_would_show(shortfalls, says):
    segments = [replace(CALM, detectable=shortfall) for shortfall in shortfalls]
    assert says in headline(result_of(*segments))[0]


def test_rows_under_a_rule_have_a_thousands_comma():
    assert (
        "after, of 1,234 such rows." in headline(result_of(CALM, rules=[replace(RULE, n=1234)]))[2]
    )


def test_very_long_names_leave_the_figures_in_sight():
    long = "M" * 3000
    devon = replace(DEVON, variable=long, value=long)
    rule = replace(RULE, rule=long)
    for result in (result_of(devon, CALM, rules=[rule]), result_of(CALM, rules=[rule])):
        told = headline(replace(result, settings=result.settings | {"target": long}))
        assert max(map(len, told)) < 1500
        assert "M…" in told[0]
        assert told[0].endswith(("chance (q = 0.002).", "chance (q < 0.001)."))
        assert "and none after" in told[2]
