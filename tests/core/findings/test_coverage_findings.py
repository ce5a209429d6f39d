"""For whom coverage is too low, and what the adjustments make of it, worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rows import (
    PREDICTORS,
    changed,
    long,
    pair_with_q,
    result_of,
    result_row,
    rule_pair,
    segment_row,
)

from evencover.core import AuditSettings, audit
from evencover.core.conformal.prediction_sets import Outcomes
from evencover.core.coverage.exchangeability import Drift
from evencover.core.findings.coverage_findings import coverage_findings
from evencover.core.findings.result import DataSummary
from evencover.core.findings.wording import segment_in_words
from evencover.core.segments.binning import partition_column
from evencover.core.segments.by_segment import segment_rows
from evencover.core.segments.grouping import Variable
from evencover.core.tables.columns import Column
from evencover.sample_data import load_sample

NAN = math.nan
UNADJUSTED = [PREDICTORS[0], replace(PREDICTORS[1], adjusts=False)]


def row(name, accuracy=0.905, size=10.0, inefficiency=1.0):
    return result_row(
        name, accuracy=accuracy, inefficiency=inefficiency, inefficiency_original_units=size
    )


CALM = pair_with_q("age", "< 30", 500, (0.91, 0.88, 0.93), (0.9, 0.87, 0.92))
DEVON = pair_with_q("county", "Devon", 412, (0.81, 0.77, 0.85), (0.89, 0.86, 0.92), (0.002, 0.7))
SPOILT = pair_with_q("sex", "f", 200, (0.9, 0.86, 0.93), (0.8, 0.74, 0.85), (0.9, 0.001))
RULE = rule_pair("age >= 65 and sex = f", 100, (0.7, 0.6, 0.78), (0.85, 0.77, 0.91), q=(1e-5, 0.4))
LOW = row("base", 0.7)
"""Below 0.88 to 0.92, where chance puts the accuracy of the results here."""


def result(*segments, rules=(), base=None, after=None, drift=(0.88, 0.92), **others):
    return result_of(
        long(*segments),
        rows=[base or row("base"), after or row("ifacm", 0.9, 10.14)],
        drift=Drift(0.905, *drift, 0.5, 0.01),
        worst_segments=long(*rules),
        **others,
    )


def found(*segments, **options):
    """The findings by kind, each of which there is once."""
    findings = coverage_findings(result(*segments, **options))
    by_kind = {finding.kind: finding for finding in findings}
    assert len(by_kind) == len(findings)
    return by_kind


def values(rows):
    return [row.value for row in rows]


def test_the_group_with_most_rows_missed_comes_first():
    small = pair_with_q("county", "Bute", 50, (0.6, 0.46, 0.72), (0.88, 0.76, 0.94), (0.01, 0.9))
    told = found(CALM, small, DEVON)
    assert list(told) == [
        "coverage-overall",
        "group-low",
        "effect-on-group",
        "groups-counted",
        "worst-segment",
    ]
    overall, low, effect, counted, worst = told.values()
    assert [f.topic for f in told.values()] == ["coverage", "coverage", "remedy", *["groups"] * 2]
    assert [f.predictor for f in told.values()] == ["base", "base", "ifacm", "base", "base"]
    assert [f.severity for f in told.values()] == [
        *("neutral", "problem", "neutral", "problem", "problem")
    ]
    assert overall.figures == {
        "accuracy": 0.905,
        "level": 0.9,
        "status": "as-promised",
        "calibration": 30,
    }
    # 412 x (0.9 - 0.81) = 37.08 against 50 x 0.3 = 15
    assert low.who is DEVON[0]
    assert low.figures == {"accuracy": 0.81, "low": 0.77, "high": 0.85, "missed": 37}
    assert low.certainty == 0.002
    assert effect.figures["effect"] == "raised"
    assert (effect.figures["before"], effect.figures["after"]) == (0.81, 0.89)
    assert effect.figures["size_change"] == pytest.approx(0.014)
    assert counted.figures["segments"] == 3
    assert counted.figures["low"] == {"base": 2, "ifacm": 0}
    assert counted.figures["new"] == {"ifacm": 0}
    assert values(counted.figures["named"]["base"]) == ["Devon", "Bute"]
    assert worst.who is small[0]
    assert worst.figures == {"fewest": 30, "accuracy": {"base": 0.6, "ifacm": 0.88}}
    assert worst.certainty == 0.01


def test_what_is_still_too_low_is_said():
    devon = changed(DEVON, ifacm={"accuracy": 0.85, "high": 0.88, "q_value": 0.01})
    told = found(CALM, devon)
    assert told["effect-on-group"].figures["after"] == 0.85
    assert told["groups-counted"].figures["low"] == {"base": 1, "ifacm": 1}
    assert told["no-fewer-groups"].predictor == "ifacm"
    assert "worst-segment" not in told  # it is the one named first


@pytest.mark.parametrize(
    ("accuracy", "effect"),
    [
        (0.81, "none"),
        (0.79, "none"),
        (0.832, "hardly"),  # 0.022 of 0.09
        (0.833, "raised"),
        (0.896, "raised"),
        (0.93, "raised"),
    ],
)
def test_an_adjustment_is_praised_as_far_as_it_helps(accuracy, effect):
    told = found(changed(DEVON, ifacm={"accuracy": accuracy}))["effect-on-group"]
    assert (told.figures["effect"], told.figures["after"]) == (effect, accuracy)
    assert told.figures["of_group"] == accuracy


def test_four_segments_are_handed_on_of_which_three_are_named():
    others = [changed(DEVON, value=name, n=n) for name, n in zip("ABCD", (9, 8, 7, 6), strict=True)]
    counted = found(DEVON, *others)["groups-counted"]
    assert counted.figures["low"]["base"] == 5
    assert values(counted.figures["named"]["base"]) == ["Devon", "A", "B", "C"]


def test_a_group_that_stays_below_the_level_is_not_called_mended():
    """Its interval after is below 0.9, though the overall coverage, against which q is, fell."""
    after = {"accuracy": 0.86, "high": 0.899, "q_value": 0.4}
    told = found(CALM, changed(DEVON, ifacm=after))["groups-counted"]
    assert told.figures["low"]["ifacm"] == 1
    told = found(changed(CALM, ifacm=after), DEVON)["groups-counted"]
    assert told.figures["low"]["ifacm"] == 0


@pytest.mark.parametrize(("size", "change"), [(9.0, -0.1), (11.0, 0.1), (math.inf, None)])
def test_the_change_of_size(size, change):
    effect = found(DEVON, after=row("ifacm", 0.9, size))["effect-on-group"]
    assert effect.figures["size_change"] == (change and pytest.approx(change))


def test_an_adjustment_of_nothing_is_said_to_be_one():
    told = found(DEVON, predictors=UNADJUSTED)
    assert told["nothing-adjusted"].advice == ""
    assert not [kind for kind in told if kind.startswith(("effect", "no-fewer"))]
    assert found(CALM, base=LOW, predictors=UNADJUSTED)["nothing-adjusted"].advice == "recalibrate"


@pytest.mark.parametrize("q", [0.051, 1.0])
def test_a_low_segment_that_may_be_chance_is_no_problem(q):
    told = found(CALM, changed(DEVON, base={"q_value": q}))
    assert list(told) == ["coverage-overall", "no-group", "power", "effect-overall"]
    assert told["no-group"].figures == {"segments": 2, "rules": 0, "overall": "as-promised"}
    assert told["power"].figures == {"best": 0.1, "typical": 0.1}
    assert told["effect-overall"].figures["overall"] == 0.9
    assert not told["effect-overall"].figures["low"]


@pytest.mark.parametrize(
    ("shortfalls", "best", "typical"),
    [
        ([0.012], 0.012, 0.012),
        ([0.04, NAN, 0.03], 0.03, 0.04),
        ([0.04, NAN], 0.04, math.inf),
        ([NAN], math.inf, math.inf),
    ],
)
def test_what_half_of_the_segments_would_show(shortfalls, best, typical):
    segments = [changed(CALM, detectable=shortfall) for shortfall in shortfalls]
    assert found(*segments)["power"].figures == {"best": best, "typical": typical}


def test_a_rule_stands_in_where_no_segment_is_clear():
    told = found(CALM, rules=[RULE])
    assert told["group-low"].who is RULE[0]
    assert told["group-low"].figures["missed"] == 20
    assert told["group-low"].certainty == 1e-5
    assert told["groups-counted"].figures["low"] == {"base": 0, "ifacm": 0}
    counted = told["rules-counted"]
    assert counted.who is RULE[0]
    assert counted.figures == {
        "found": {"base": 1, "ifacm": 0},
        "accuracy": {"base": 0.7, "ifacm": 0.85},
    }


def test_more_than_needed_is_no_problem():
    high = pair_with_q("county", "Kent", 300, (0.97, 0.94, 0.98), (0.93, 0.9, 0.96), (0.001, 0.5))
    told = found(CALM, high)
    over = told["group-over"]
    assert (over.who, over.figures["accuracy"], over.certainty) == (high[0], 0.97, 0.001)
    assert list(told)[:3] == ["coverage-overall", "group-over", "no-group"]
    assert over.severity == told["no-group"].severity == "neutral"


def test_labels_and_the_outside_of_cohorts_are_no_group():
    assert "no-group" in found(CALM, changed(DEVON, kind="label"))
    cohort = changed(DEVON, variable="cohort: old homes", value="inside", kind="cohort")
    assert found(cohort)["group-low"].who is cohort[0]
    assert "no-group" in found(CALM, changed(cohort, value="outside"))


def test_what_is_too_low_only_after_is_named():
    told = found(CALM, SPOILT)
    spoilt = told["group-spoilt"]
    assert (spoilt.who, spoilt.predictor, spoilt.severity) == (SPOILT[1], "ifacm", "problem")
    assert spoilt.figures == {"before": 0.9, "after": 0.8, "also": False}
    assert spoilt.certainty == 0.001
    counted = told["groups-counted"].figures
    assert (counted["low"], counted["new"]) == ({"base": 0, "ifacm": 1}, {"ifacm": 1})
    assert values(counted["named"]["ifacm"]) == ["f"]
    both = found(DEVON, SPOILT)
    assert both["group-spoilt"].figures["after"] == 0.8
    assert both["groups-counted"].figures["new"] == {"ifacm": 1}
    assert "no-fewer-groups" in both


def test_an_overall_level_beyond_chance_is_said():
    low = found(CALM, base=row("base", 0.85))
    assert list(low) == ["coverage-overall", "no-group", "effect-on-all", "groups-counted"]
    assert low["coverage-overall"].figures["status"] == "low"
    assert low["coverage-overall"].severity == "problem"
    assert low["no-group"].figures["overall"] == "low"
    effect = low["effect-on-all"]
    assert (effect.figures["before"], effect.figures["after"]) == (0.85, 0.9)
    assert (effect.figures["effect"], effect.advice, effect.who) == ("raised", "", None)
    assert low["groups-counted"].figures["all_low"]
    high = found(DEVON, base=row("base", 0.95))
    assert high["coverage-overall"].figures["status"] == "high"
    assert "group-low" in high


def test_infinite_intervals_say_nothing():
    infinite = row("base", 1.0, math.inf, math.inf)
    few = found(CALM, base=infinite, data=DataSummary(999, 0, 99, 8, 50, [], [], []))
    assert list(few) == ["sets-hold-all"]
    assert few["sets-hold-all"].figures == {"calibration": 8, "too_few": True}
    assert few["sets-hold-all"].advice == "more-rows"


@pytest.mark.parametrize("share", ["share_full", "share_infinite"])
def test_sets_that_hold_everything_say_nothing(share):
    told = found(changed(CALM, {share: 1.0}), base=row("base", 1.0))
    assert list(told) == ["sets-hold-all"]
    assert not told["sets-hold-all"].figures["too_few"]
    assert "sets-hold-all" not in found(changed(CALM, {share: 1.0}), CALM)


def test_too_few_rows_to_calibrate_are_no_fault_of_what_is_not_calibrated():
    own = replace(PREDICTORS[0], name="own", is_calibrated=False)
    few = result_of(
        [segment_row("own", "age", "< 30", 500, 0.91, 0.88, 0.93, q_value=0.5, detectable=0.1)],
        rows=[row("own")],
        predictors=[own],
        data=DataSummary(999, 0, 99, 8, 1000, [], [], []),
    )
    kinds = [finding.kind for finding in coverage_findings(few)]
    assert kinds == ["coverage-overall", "no-group", "power"]


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
    group = segment_row("base", "x", value, 9, kind=kind)
    assert segment_in_words(replace(group, is_band=group.is_band or " to " in value)) == words


def test_the_planted_county_is_named():
    sample = load_sample("houses")
    settings = AuditSettings(target="price", log_target=True, penalty=sample.penalty)
    result = audit(sample.frame, settings)
    low = next(finding for finding in result.findings if finding.kind == "group-low")
    assert low.who.group == ("county", "Devon")
    assert "test rows with county = Devon" in result.headline[0]


def test_only_bands_are_told_as_bounds():
    groups = [">= odd", "< 5", "a, b", "plain"]
    frame = pd.DataFrame({"g": np.resize(groups, 60), "x": [*np.arange(59.0), np.nan]})
    outcomes = Outcomes(np.arange(60) % 5 > 0, np.ones(60), math.inf)
    divided = [
        Variable(name, "column", partition_column(Column.of(frame[name]), np.arange(60)))
        for name in frame
    ]
    rows = segment_rows(divided, {"base": outcomes})
    assert [segment_in_words(row) for row in rows] == [
        *('g = "< 5"', 'g = ">= odd"', 'g = "a, b"', "g = plain"),
        *("x < 14.5", "x = 14.5 to 29", "x = 29 to 43.5", "x >= 43.5", "x = (missing)"),
    ]


def test_where_all_rows_are_too_low_that_comes_first_and_then_who_is_lower_still():
    devon = changed(DEVON, base={"accuracy": 0.6, "low": 0.55, "high": 0.65})
    # neither is told from all rows, but both from the level: 0.73 of 500 against 0.9
    other = changed(CALM, {"accuracy": 0.73, "high": 0.77}, {"accuracy": 0.74, "high": 0.78})
    told = found(other, devon, base=LOW, after=row("ifacm", 0.72, 10.14))
    assert list(told) == [
        *("coverage-overall", "group-lower-still", "effect-on-all", "groups-counted")
    ]
    lower = told["group-lower-still"]
    assert (lower.who, lower.figures["missed"], lower.certainty) == (devon[0], 124, 0.002)
    effect = told["effect-on-all"]
    assert (effect.figures["effect"], effect.figures["of_group"]) == ("hardly", 0.89)
    assert (effect.figures["before"], effect.figures["after"]) == (0.7, 0.72)
    assert (effect.who, effect.advice) == (devon[0], "recalibrate")
    counted = told["groups-counted"].figures
    assert (counted["low"], counted["new"]) == ({"base": 2, "ifacm": 1}, {"ifacm": 0})
    assert values(counted["named"]["base"]) == ["Devon", "< 30"]


def test_what_becomes_too_low_only_after_is_said_of_all_rows_and_of_groups():
    spoilt = changed(SPOILT, ifacm={"q_value": 0.9})
    fallen = row("ifacm", 0.8, 10.14)
    told = found(spoilt, after=fallen)
    assert told["effect-overall"].figures["low"]
    assert told["effect-overall"].figures["overall"] == 0.8
    assert told["group-spoilt"].figures == {"before": 0.9, "after": 0.8, "also": True}
    assert told["group-spoilt"].certainty is None
    told = found(spoilt, DEVON, after=fallen)
    assert told["all-rows-low-after"].figures == {"accuracy": 0.8}
    assert told["all-rows-low-after"].severity == "problem"
    assert list(told)[2:5] == ["effect-on-group", "all-rows-low-after", "group-spoilt"]
    low = found(spoilt, base=LOW, after=fallen)
    assert low["effect-on-all"].advice == "recalibrate"
    assert low["group-low-too"].who is spoilt[1]
    assert low["groups-counted"].figures["new"] == {"ifacm": 1}
    assert low["groups-counted"].figures["low"] == {"base": 0, "ifacm": 1}


def test_an_adjustment_does_not_spoil_what_was_low_already():
    """Its interval was below 0.9 before, though its q was not small."""
    low = pair_with_q("sex", "f", 200, (0.83, 0.77, 0.88), (0.8, 0.74, 0.85), (0.2, 0.001))
    told = found(CALM, low)
    assert "group-spoilt" not in told
    counted = told["groups-counted"].figures
    assert (counted["low"], counted["new"]) == ({"base": 0, "ifacm": 1}, {"ifacm": 0})


@pytest.mark.parametrize(
    ("accuracy", "drift", "status"),
    [
        (0.95, (0.88, 0.92), "high"),
        # of 1000 rows 84 % are surely below 90 %, though within 80 % to 97 %
        (0.84, (0.8, 0.97), "unlucky"),
        (0.89, (0.8, 0.97), "as-promised"),
    ],
)
def test_the_status_of_all_rows_is_that_of_nobody_in_particular(accuracy, drift, status):
    told = found(CALM, base=row("base", accuracy), drift=drift)
    assert told["coverage-overall"].figures["status"] == status
    assert told["no-group"].figures["overall"] == status


def test_a_rule_above_the_level_is_no_low_one():
    """Under it coverage is surely lower than that of all rows, which is 99 %."""
    easy = changed(
        RULE,
        {"accuracy": 0.957, "low": 0.909, "high": 0.98},
        {"accuracy": 0.96, "low": 0.91, "high": 0.98},
    )
    given = result(CALM, rules=[easy], base=row("base", 0.99))
    assert (given.worst_found("base"), given.worst_found("ifacm")) == ([], [])
    assert "no-group" in [finding.kind for finding in coverage_findings(given)]
    # nor is one whose interval holds the level clearly low
    held = changed(RULE, {"high": 0.9})
    assert result(CALM, rules=[held]).worst_found("base") == []


def test_a_group_above_the_level_but_below_all_rows_is_not_called_more_than_needed():
    kent = pair_with_q("county", "Kent", 300, *[(0.95, 0.93, 0.97)] * 2, (0.001, 0.5))
    assert "group-over" not in found(kent, base=row("base", 0.99))


def test_without_segments_nothing_is_known_of_groups():
    told = found()
    assert list(told) == ["coverage-overall", "no-segment", "effect-overall"]


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
    told = {f.kind: f for f in audit(frame, AuditSettings(target="y", time="day")).findings}
    assert told["coverage-overall"].figures["status"] == "low"
    assert told["groups-counted"].figures["segments"] == 2
    assert told["groups-counted"].figures["low"]["base"] == 2


def test_sets_that_hold_every_class_say_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=60) > 0.0, "a", "b")})
    told = audit(frame, AuditSettings(target="y", confidence_level=0.99))
    assert "".join(told.headline) == (
        "The prediction sets hold every class, as 18 calibration rows are too few for a confidence "
        "level of 99 %: they say nothing. Use more rows, or a lower level."
    )


def test_a_second_adjustment_has_findings_of_its_own():
    tilted = replace(PREDICTORS[1], name="tilted", title="tilting")
    pairs = [CALM, DEVON, SPOILT]
    thirds = [replace(pair[0], predictor="tilted") for pair in pairs]
    given = result_of(
        [*long(*pairs), *thirds],
        rows=[row("base"), row("ifacm", 0.9, 10.14), row("tilted")],
        predictors=[*PREDICTORS, tilted],
    )
    findings = coverage_findings(given)
    effects = [f for f in findings if f.kind == "effect-on-group"]
    assert [(f.predictor, f.figures["effect"]) for f in effects] == [
        ("ifacm", "raised"),
        ("tilted", "none"),
    ]
    counted = next(f for f in findings if f.kind == "groups-counted").figures
    assert counted["low"] == {"base": 1, "ifacm": 1, "tilted": 1}
    assert counted["new"] == {"ifacm": 1, "tilted": 0}
    spoilt = [f.predictor for f in findings if f.kind == "group-spoilt"]
    assert spoilt == ["ifacm"]
