"""Findings in words: every kind renders, and a few to the letter."""

import json
import math
import re
from dataclasses import replace

import pytest
from rows import (
    ALL,
    CALM,
    DEVON,
    PREDICTORS,
    RULE,
    SPOILT,
    audit_only_row,
    change,
    changed,
    comparison,
    drift_of,
    long,
    pair_with_q,
    result_of,
    result_row,
    segment_pair,
)
from scipy import stats

from evencover.core import AuditSettings
from evencover.core.conformal.label_measures import UNKNOWN_CLASS
from evencover.core.conformal.measures import Fit
from evencover.core.experiment.result import DataSummary
from evencover.core.messages import Names, Sentence
from evencover.core.preparation.hint import hint
from evencover.core.preparation.hints import changed as changed_settings
from evencover.core.report.advice_findings import ADVICE_IN_BRIEF
from evencover.core.report.audit import with_findings
from evencover.core.report.coverage_findings import coverage_findings
from evencover.core.report.effects import EFFECTS
from evencover.core.report.in_short import fates, in_short, shown_groups, steps
from evencover.core.report.result import finding_to_json, plain_sections
from evencover.core.report.wording import signed_end
from evencover.core.segments.audited_rows import Untested
from evencover.core.segments.grouping import EMPTY_COHORT

BUTE = pair_with_q("county", "Bute", 50, (0.6, 0.46, 0.72), (0.62, 0.48, 0.74), (0.001, 0.001))
OWNER = changed(DEVON, kind="cohort", variable="cohort: agency", value="x", columns=["owner"])
SINGLE = [
    changed(pair, {"status": None}, kind="group", variable="owner", value=value, columns=["owner"])
    for pair, value in ((DEVON, "agency"), (CALM, "calm"))
]
URGENT = changed(
    segment_pair("label: y", "urgent", 120, [0.697, 0.61, 0.77], [0.8, 0.72, 0.86]),
    {"q_value": 1e-6},
    kind="label",
)
FULL = segment_pair("s", "a", 60, [1.0, 0.9, 1.0], [1.0, 0.9, 1.0], share_infinite=1.0)
MADE = [
    change(ALL, 1000, 20, 20),
    change(CALM[0].group, 500, 5, 10),
    change(DEVON[0].group, 412, 40, 7),
    change(OWNER[0].group, 412, 9, 9),
    change(BUTE[0].group, 50, 2, 1),
    change(SPOILT[0].group, 200, 3, 23),
    change(URGENT[0].group, 120, 13, 1),
    change(RULE[0].group, 100, 20, 5),
]
FIGURES = {
    "inefficiency": 1.3,
    "dcv": 0.03,
    "dcv_floor": 0.01,
    "dcv_floor_unadjusted": 0.01,
    "dcv_corrected": 0.028,
    "dcv_corrected_low": 0.01,
    "dcv_corrected_high": 0.04,
}
KINDS = {
    *("sets-hold-all", "no-rows", "coverage-overall", "group-low", "group-lower-still"),
    *("no-segment", "no-group", "uneven", "power", "class-missed", "untested"),
    *("single-cluster", "too-small"),
    *("effect", "group-spoilt", "cost", "advice"),
    *("groups-counted", "all-alike", "dependence", "dependence-left"),
    *("trees", "trees-left"),
}
CLASSES = {"task": "classification"}
UNTESTED = [
    Untested("owner", value, rows) for value, rows in zip("abcd", (1200, 90, 80, 70), strict=True)
]


def told(*segments, accuracy=0.905, p_value=0.5, rules=(), figures=FIGURES, **others):
    """A result made by hand, with what it says."""
    rows = [
        result_row(name, accuracy=share, p_value=p_value, dcv_crossfitted=0.025, **figures)
        for name, share in (("base", accuracy), ("ifacm", 0.9))
    ]
    others["changes"] = [MADE[0], *others.get("changes", MADE[1:])]
    usual = {"drift": drift_of(accuracy), "worst_segments": long(*rules)}
    return with_findings(result_of(long(*segments), rows=rows, **usual | others).judged())


def by_trees(p_value, dcv):
    names = ("ert_l2_trees", "ert_l2_trees_low", "ert_l2_trees_high")
    figures = dict(zip(names, (dcv**2, 0.0, 2.0 * dcv**2), strict=True))
    return figures | {"p_value_trees": p_value, "dcv_crossfitted_trees": dcv}


def without_layers(reason, penalty=None):
    adjusting = replace(
        PREDICTORS[1], adjusts=False, fit=Fit(no_layer_reason=reason, suggested_penalty=penalty)
    )
    return told(CALM, predictors=[PREDICTORS[0], adjusting])


UNKNOWING = replace(
    PREDICTORS[0], fit=Fit(notes=[Sentence(UNKNOWN_CLASS, "{classes}.", classes=Names(["b", "c"]))])
)
GIVEN = replace(PREDICTORS[0], is_calibrated=False)


def ready_made(**columns):
    return told(CALM, DEVON, predictors=[GIVEN, PREDICTORS[1]], **columns)


def compared(**figures):
    return [comparison(**figures)]


def of_classes():
    widths = {"size_ratio_median": None, "size_ratio_mean": None}
    return told(CALM, URGENT, settings=CLASSES, comparisons=compared(**widths))


LESS_EVEN = {"unevenness_change": 0.001, "unevenness_p_value": 0.01}


@pytest.fixture(scope="module")
def results():
    """Results that have a finding of every kind, in many of its forms."""
    return [
        told(CALM, DEVON, BUTE),
        told(CALM, SPOILT, comparisons=compared(found=0.009)),
        told(DEVON, SPOILT),
        told(CALM, OWNER, comparisons=compared(found=None), settings={"group": "owner"}),
        told(CALM, OWNER, settings={"audit_only": ["owner"]}),
        told(BUTE, accuracy=0.7, settings={"audit_only": ["county"]}),
        told(changed(DEVON, {"accuracy": 0.6, "high": 0.65}), CALM, accuracy=0.7),
        told(CALM, rules=[RULE], p_value=0.01),
        told(CALM, p_value=1e-6, rules=[changed(RULE, {"q_value": 0.4})]),
        told(CALM, accuracy=0.95, comparisons=compared(found_p_value=0.4)),
        told(CALM, accuracy=0.84, drift=drift_of(0.84, 0.8, 0.97)),
        told(CALM, accuracy=0.84, drift=replace(drift_of(0.84, 0.8, 0.97), clusters=1000)),
        told(changed(CALM, detectable=math.nan)),
        told(CALM, changed(SPOILT, detectable=math.nan)),
        told(changed(CALM, detectable=0.001), comparisons=compared(**LESS_EVEN)),
        told(),
        told(FULL),
        told(CALM, data=DataSummary(1000, 0, 400, 8, 1000, [], [], [])),
        told(CALM, data=DataSummary(1000, 0, 400, 30, 1000, ["gender"], [], [])),
        told(BUTE, data=replace(told().data, untested=UNTESTED)),
        told(CALM, data=replace(told().data, encoded_features=["x"])),
        told(
            BUTE,
            data=replace(told().data, features=["x"], encoded_features=["x"] * 41),
            comparisons=compared(found_p_value=0.3),
        ),
        told(BUTE, p_value=0.01, notes=[Sentence(EMPTY_COHORT, "No row.")]),
        told(CALM, figures=FIGURES | {"dcv_corrected": None}),
        told(CALM, figures=FIGURES | {"dcv_corrected": None, "dcv_floor_unadjusted": None}),
        told(CALM, accuracy=1.0, p_value=math.nan),
        of_classes(),
        told(FULL, settings=CLASSES),
        told(FULL, predictors=[UNKNOWING, PREDICTORS[1]]),
        told(
            CALM,
            audit_only=[audit_only_row(name, 1e-4) for name in ("base", "ifacm")],
            comparisons=compared(cost=None),
        ),
        *map(without_layers, ("", "stopped", "holds-all", "stalled", "even")),
        without_layers("penalty", 0.02),
        ready_made(settings={"lower": "low", "upper": "high"}),
        ready_made(
            settings={"lower": "low", "upper": "high"}, figures=FIGURES | {"inefficiency": math.inf}
        ),
        ready_made(settings={"label_set": "said"}),
        told(BUTE, accuracy=0.7, settings={"split_column": "part"}),
        told(CALM, *SINGLE, changed(CALM, value="z", n=12, n_effective=12)),
        told(CALM, changed(DEVON, {"status": None}, n=12, n_effective=12)),
        *(told(CALM, figures=FIGURES | by_trees(*of)) for of in ((1e-4, 0.05), (0.02, 0.01))),
        told(CALM, figures=FIGURES | by_trees(0.4, 0.0)),
    ]


def test_every_kind_of_finding_and_of_advice_is_made_by_some_result(results):
    findings = [finding for result in results for finding in result.findings]
    assert {finding.kind for finding in findings} == KINDS
    assert {finding.advice for finding in findings} - {""} == set(ADVICE_IN_BRIEF)
    assert {f.figures["effect"] for f in findings if f.kind == "effect"} == set(EFFECTS)


@pytest.mark.parametrize("segments", [(FULL,), (CALM, BUTE)])
def test_a_class_that_the_model_does_not_know_is_the_first_thing_to_mend(segments):
    first, *more = (
        f.sentence
        for f in told(*segments, predictors=[UNKNOWING, PREDICTORS[1]]).findings
        if f.advice
    )
    assert first == "Take a model that knows b, c, too, or leave out the rows of b, c."
    assert bool(more) == (segments != (FULL,))


OFF = "it is off 90 % by about 5.0 points (0.0 to 7.1)"  # the roots of the ERT and its interval
BELOW = "Whatever they see is likely below 7.1 points"


@pytest.mark.parametrize(
    ("p_value", "dcv", "first", "then", "amount"),
    [
        (1e-4, 0.05, "clear evidence that", "a dependence by trees is clearly left", OFF),
        (0.02, 0.05, "some evidence, but not enough to claim it,", "may be left", BELOW),
        (0.4, 0.0, "no clear evidence that", "no dependence by trees is clearly left", "but noise"),
        (1e-4, 0.0, "clear evidence that", "a dependence by trees is clearly left", "do not tell"),
    ],
)
def test_what_trees_see_is_told_apart_from_straight_lines(p_value, dcv, first, then, amount):
    result = told(CALM, figures=FIGURES | by_trees(p_value, dcv))
    before, after = (f for f in result.findings if f.kind in ("trees", "trees-left"))
    assert f"there is {first}" in before.sentence
    assert "coverage depends on the features by trees (chance" in before.sentence
    assert f"{amount} (ERT {dcv**2:.5f}, 95 % interval 0.00000 to" in before.sentence
    assert then in after.sentence
    assert (before.severity == "problem") == (p_value < 0.005)
    # with straight lines alone there is none
    uneven = [f for f in result.findings if f.kind == "uneven"]
    assert bool(uneven) == (p_value < 0.005)
    assert all("on the features by trees" in f.sentence for f in uneven)


def test_what_trees_see_after_an_adjustment_alone_is_not_left_by_it():
    rows = [
        result_row(name, accuracy=0.9, p_value=0.5, **FIGURES | by_trees(p_value, 0.05))
        for name, p_value in (("base", 0.4), ("ifacm", 1e-4))
    ]
    (left,) = (f for f in with_findings(result_of(rows=rows)).findings if f.kind == "trees-left")
    assert "a dependence by trees is clearly there, which was not clear before" in left.sentence


def test_values_without_a_test_row_are_named():
    (headline, *_) = told(BUTE, data=replace(told().data, untested=UNTESTED)).headline
    assert headline.endswith(
        "No row of owner = a (1,200 rows), owner = b (90 rows), owner = c (80 rows) and 1 more is "
        "a test row: nothing is known of them."
    )


UNLUCKY = {"accuracy": 0.84, "drift": drift_of(0.84, 0.8, 0.97)}
SPOILT_TOO = changed(SPOILT, {}, {"high": 0.86}, value="m")
ODD = changed(DEVON, variable="*a*", value="a, <i>")
ONE = DataSummary(1000, 0, 400, 1, 1000, [], [], [])
PARTS = [
    *(
        ((), {"settings": {"cl": level}}, 0, f"where {shown} % was promised")
        for level, shown in ((0.95, "95"), (0.925, "92.5"), (0.8, "80"))
    ),
    # more than chance explains: larger than needed, and groups may have other problems
    ([CALM], {"accuracy": 0.95}, 0, "chance explains, so the intervals are larger than needed"),
    ([CALM], {"accuracy": 0.96}, 0, "no clear evidence that any group gets less than was promised"),
    # a group is no "but" to coverage that is below the level itself
    ([DEVON], {}, 0, " But only 81.0 % do for"),
    ([DEVON], UNLUCKY, 0, "can explain). Only 81.0 % do for"),
    ([DEVON], {"accuracy": 0.89}, 0, "promised. Only 81.0 % do for"),
    (
        [CALM],
        UNLUCKY | {"drift": replace(UNLUCKY["drift"], clusters=1)},
        0,
        "promised (1 cluster of rows that may be alike: in 99 of 100 audits",
    ),
    (
        [CALM],
        {"data": ONE, "settings": {"cl": 0.9999999}},
        0,
        "as 1 calibration row is too few for a confidence level of 99.99999 %",
    ),
    # names and values are written as rules have them
    ([ODD], {"changes": [change(ODD[0].group, 412, 9, 9)]}, 0, 'with *a* = "a, <i>" ('),
    *(
        ([CALM], {"comparisons": compared(size_ratio_median=ratio)}, 1, words)
        for ratio, words in (
            (0.991, "half of the intervals become 0.9 % narrower or more (the mean width stays)"),
            (1.0004, "intervals stay as wide as they were"),
            (1.0, "intervals stay as wide as they were"),
            (2.5, "become 150.0 % wider or more ("),
        )
    ),
    (
        [SPOILT],
        {},
        1,
        ": sex = f (90.0 % before, 80.0 % after) is clearly too low only after it; half",
    ),
    (
        [SPOILT, SPOILT_TOO],
        {"changes": [*MADE, change(SPOILT_TOO[0].group, 200, 3, 3)]},
        1,
        ": sex = f (90.0 % before, 80.0 % after) and 1 more are clearly too low only after it;",
    ),
    # a change that chance explains is no fall
    *(
        ([BUTE], {"changes": [change(BUTE[0].group, 50, gained, lost)]}, 1, words)
        for gained, lost, words in (
            (2, 1, "which chance can explain"),
            (1, 1, "for county = Bute it is 62.0 % after (as before);"),
            (1, 20, "county = Bute falls to 62.0 %"),
        )
    ),
]


@pytest.mark.parametrize(("segments", "options", "place", "part"), PARTS)
def test_parts_of_the_headline(segments, options, place, part):
    assert part in told(*segments, **options).headline[place]


def test_parts_that_are_left_out():
    within = told(CALM, accuracy=0.95, drift=drift_of(0.95, 0.8, 0.97)).headline[0]
    assert "larger" not in within
    assert "in 1 of 2 groups judged before (age >= 65" in told(CALM, rules=[RULE]).explanations[0]


@pytest.mark.parametrize(
    ("accuracy", "end"),
    [
        (0.809, "). "),
        (0.7, "): fewer than chance explains, so the promise is not kept"),
        (0.99, "): more than chance explains, so the intervals are larger"),
    ],
)
def test_where_chance_puts_coverage_of_clusters_is_told(accuracy, end):
    drift = replace(drift_of(accuracy, 0.714, 0.9849, n=20), clusters=18)
    result = told(CALM, accuracy=accuracy, drift=drift, settings={"group": "patient"})
    band = "in 99 of 100 audits chance alone puts it between 71.4 and 98.5 %"
    assert f"promised (18 values of patient: {band}{end}" in result.headline[0]


def test_all_groups_too_low_are_counted_in_the_headline_as_below():
    for segments, rules, count in (([DEVON], [], 1), ([DEVON, BUTE], [RULE], 3)):
        result = told(CALM, *segments, rules=rules)
        text = result.headline[0]
        assert ("see below" in text) == (count > 1)
        assert count == 1 or f"In all, {count} groups are clearly too low, see below." in text
        assert f"in {count} of {count + 1} groups judged before" in result.explanations[0]


def test_rows_that_are_needed_are_told_to_two_digits():
    unsure = told(BUTE, comparisons=compared(found=0.00987))
    # 400 (2 x 0.01 / 0.00987)^2 = 1,642.4; 4 x 0.6 x 0.4 / 0.05^2 = 384
    assert "with some 1,600 training rows it would pay" in unsure.advice
    assert "takes some 380 test rows" in unsure.advice


def test_a_column_that_is_not_seen_is_no_cure_by_itself():
    text = told(CALM, BUTE, settings={"audit_only": ["county"]}).advice
    assert text.endswith(
        "If the audit-only county may be used, groups:county with use-protected promises each of "
        "its groups the level; neither model nor adjustment sees it. "
        "To know coverage of county = Bute within 5 points takes some 380 test rows."
    )


def test_every_sentence_is_whole_and_every_finding_is_json(results):
    for result in results:
        for finding in result.findings:
            text = finding.sentence
            assert re.fullmatch(r"[A-Z0-9].*\.", text), text
            assert not re.search(r"\bnan\b|\binf\b|None|[{}?]|  | \.(?!\.)|\.\.$| ,", text), text
            assert text == finding_to_json(finding)["sentence"]
        made = [finding_to_json(finding) for finding in result.findings]
        plain, _ = plain_sections({"findings": made})
        json.dumps(plain, allow_nan=False)
        for finding, written in zip(result.findings, made, strict=True):
            assert (written["algorithm"], written["kind"]) == (finding.predictor, finding.kind)
            for name, figure in finding.figures.items():
                if "SegmentRow" not in repr(figure):
                    assert repr(written["figures"][name]) == repr(figure)  # NaN is NaN, too
    first = next(f for f in results[0].findings if f.who is not None)
    devon = {"variable": "county", "value": "Devon", "kind": "column", "n": 412}
    assert finding_to_json(first)["who"] == devon
    by_rule = next(f for f in results[7].findings if f.who is not None)
    assert finding_to_json(by_rule)["who"] == {"rule": "age >= 65 and sex = f", "n": 100}


def test_the_first_screen_says_who_how_much_how_sure_what_it_did_and_what_now():
    result = told(CALM, DEVON, BUTE)
    assert result.headline == [
        (
            "90.5 % of the prediction intervals hold the true price, where 90 % was promised. But "
            "only 81.0 % do for the 412 test rows with county = Devon (likely between 77.0 % and "
            "85.0 %), 37 rows fewer than promised. This is unlikely to be chance (q = 0.0030); "
            "picked from 3 of its kind, it is likely not quite so low. In all, 2 groups are "
            "clearly too low, see below."
        ),
        (
            "The adjustment (IFACM) helps: county = Devon comes to 89.0 % (+8.0 points, 95 % "
            "interval +4.8 to +11.2); half of the intervals become 1.4 % wider or more (the mean "
            "width stays). "
            "Adjusting by itself costs about 1.0 points of evenness, as only 400 training rows "
            "tell where to; they show about 3.0 to mend."
        ),
        "Use the adjusted predictor (IFACM); but county = Bute stays too low (62.0 %).",
    ]
    assert result.explanations[0] == (
        "Coverage is clearly too low in 2 of 3 groups judged before (county = Devon, "
        "county = Bute), and in 1 after (1 mended, 1 without a clear gain)."
    )


def test_no_evidence_is_said_with_what_could_have_been_seen():
    result = told(CALM, comparisons=compared(found_p_value=0.051))
    assert result.headline[0] == (
        "90.5 % of the prediction intervals hold the true price, where 90 % was promised. No "
        "segment (one was looked at) has coverage that is clearly too low: there is no evidence of "
        "a problem. Half of the segments have test rows enough to show a shortfall of 10 "
        "percentage points in four of five cases."
    )


def test_what_training_rows_show_does_not_stand_beside_no_evidence():
    text = told(CALM, comparisons=compared(found_p_value=0.05)).headline[0]
    assert "there is no clear evidence of a problem" in text


def test_a_clear_change_of_all_rows_is_told():
    for lost, words in ((44, "; over all rows it is 90.0 % (-2.4 points, "), (20, "less; half of")):
        changes = [change(CALM[0].group, 500, 5, 10), change(ALL, 1000, 20, lost)]
        assert words in told(CALM, changes=changes).headline[1]


def test_evidence_without_a_group_does_not_stand_beside_no_evidence():
    text = told(CALM, p_value=1e-6).headline[0]
    assert "no evidence" not in text
    assert "Yet there is clear evidence that coverage depends on the features" in text
    assert "without any single group" in text


def test_evidence_that_is_no_claim_is_not_no_evidence():
    assert "there is no clear evidence of a problem" in told(CALM, p_value=0.03).headline[0]


def test_what_a_group_too_small_to_judge_may_explain_is_not_said_to_have_no_group():
    tiny = changed(SPOILT, {"accuracy": 0.3, "high": 0.7}, n=7, n_effective=7)
    data = DataSummary(1000, 0, 400, 30, 1000, ["sex"], ["sex=f"], [])
    text = told(CALM, tiny, p_value=1e-6, data=data).headline[0]
    assert "it is uneven, which may be due to sex = f, too small to judge." in text
    # one miss is no rarity
    one = changed(SPOILT, {"accuracy": 0.0, "high": 0.79}, n=1, n_effective=1)
    text = told(CALM, one, p_value=1e-6, data=data).headline[0]
    assert "it is uneven without any single group that shows it." in text


def test_where_all_rows_say_too_little_no_group_or_evenness_is_claimed():
    few = replace(drift_of(), rows_effective=1)
    text = " ".join(told(CALM, DEVON, drift=few).headline)
    assert "There is no segment with rows enough to judge" in text
    assert "more even" not in text.replace("neither clearly more even", "")


def test_classes_have_sets():
    result = of_classes()
    assert "of the prediction sets hold" in result.headline[0]
    assert result.headline[0].endswith(
        "Of those that are truly urgent, 69.7 % before and 80.0 % after of 120 are in their set, "
        "clearly better after (+10.0 points, 95 % interval +3.9 to +15.8): the "
        "level is promised for each class by the remedy label alone."
    )
    assert "; the class urgent is clearly better off; a set holds 1.30 cl" in result.headline[1]


def test_several_adjustments_are_named():
    tilted = replace(PREDICTORS[1], name="tilted", title="tilting")
    shares = {"base": 0.7, "ifacm": 0.68, "tilted": 0.67}
    segments = [replace(URGENT[0], predictor=name, accuracy=of) for name, of in shares.items()]
    result = result_of(
        segments,
        rows=[result_row(name, accuracy=0.9, p_value=0.5, **FIGURES) for name in shares],
        predictors=[*PREDICTORS, tilted],
        settings=CLASSES | {"group": None},
        changes=[
            change(URGENT[0].group, 120, *made, name)
            for name, made in (("ifacm", (3, 5)), ("tilted", (0, 6)))
        ],
    )
    (told,) = (f for f in coverage_findings(result) if f.kind == "class-missed")
    assert (
        "70.0 % before, 68.0 % after IFACM and 67.0 % after tilting of 120 are in their set, "
        "clearly worse after tilting (-5.0 points, 95 % interval -9.1 to -0.8): the level"
    ) in told.sentence


def test_one_predictor_alone_is_neither_before_nor_after():
    alone = with_findings(
        result_of(
            [pair[0] for pair in (CALM, DEVON)],
            rows=[result_row("base", accuracy=0.905, p_value=0.5, **FIGURES)],
            predictors=PREDICTORS[:1],
            changes=[],
            comparisons=[],
            settings={"group": None},
        ).judged()
    )
    text = " ".join([*alone.headline, *alone.explanations])
    assert "county = Devon" in text
    assert not re.search(r"\b(before|after|adjust\w*)\b", text)


def test_very_long_names_leave_the_figures_in_sight():
    long_name = "M" * 3000
    devon = changed(DEVON, variable=long_name, value=long_name)
    rule = changed(RULE, rule=long_name)
    made = [change(devon[0].group, 412, 9, 9), change(rule[0].group, 100, 9, 9)]
    for segments in ([devon, CALM], [CALM]):
        settings = {"target": long_name, "cl": 0.9}
        result = told(*segments, rules=[rule], changes=made, settings=settings)
        assert max(map(len, result.headline)) < 1500
        assert "M…" in result.headline[0]
        assert "unlikely to be chance (q " in result.headline[0]


def test_the_first_screen_is_two_sentences_and_whom_the_advice_leaves_where():
    result = told(CALM, DEVON, BUTE)
    assert in_short(result) == [
        (
            "county = Devon: only 81.0 % of 412 test rows are covered, not the 90 % promised "
            "(q = 0.0030)."
        ),
        "2 of 3 groups are clearly too low; after ifacm 1 is.",
    ]
    assert fates(result) == [
        "county = Devon: 81.0 % → 89.0 %, mended",
        "county = Bute: 60.0 % → 62.0 %, still too low",
    ]
    (use,) = steps(result)
    assert (use.kind, use.sentence) == ("use", "Use the adjusted predictor (IFACM).")
    # what is kept leaves them as they are
    nothing = replace(PREDICTORS[1], adjusts=False, fit=Fit(no_layer_reason="even"))
    kept = told(CALM, BUTE, predictors=[PREDICTORS[0], nothing])
    assert kept.advised == "base"
    assert fates(kept) == ["county = Bute: 60.0 %, too low"]
    assert in_short(kept)[1] == "1 of 2 groups is clearly too low."
    # one that is too low only then is told, too; a rule may be named beforehand
    spoilt = told(CALM, DEVON, SPOILT)
    assert spoilt.advised == "ifacm"
    assert fates(spoilt)[1:] == ["sex = f: 90.0 % → 80.0 %, too low only then"]
    by_rule = told(CALM, rules=[RULE])
    assert in_short(by_rule)[0].startswith("age >= 65 and sex = f: only 70.0 % of 100 unsearched")
    assert [step.kind for step in steps(by_rule)][-1] == "name-group"


def test_a_group_that_is_raised_by_sets_which_hold_all_labels_is_told_so():
    for base, ifacm, is_so in ((0.02, 0.14, True), (0.02, 0.11, False)):
        full = changed(DEVON, {"share_full": base}, {"share_full": ifacm}, share_infinite=None)
        (line,) = fates(told(CALM, full))
        so = f", by sets of all labels (2.0 % → {100 * ifacm:.1f} %)" if is_so else ""
        assert line == f"county = Devon: 81.0 % → 89.0 %, mended{so}"
    (by_rule,) = fates(told(CALM, rules=[RULE]))
    assert by_rule == "age >= 65 and sex = f: 70.0 % → 85.0 %, mended"


def test_ends_of_an_interval_keep_the_sign_by_which_nothing_is_outside():
    assert [*map(signed_end, (-0.0002, 0.0, -0.0, 0.0002, -0.031))] == [
        *("-0.0", "+0.0", "+0.0", "+0.0", "-3.1")
    ]


def test_a_step_is_the_first_clause_of_its_advice_and_a_better_model_is_one():
    hidden = told(CALM, BUTE, settings={"audit_only": ["county"]})
    asked = next(step for step in steps(hidden) if step.kind == "unseen")
    assert asked.sentence == (
        "If the audit-only county may be used, groups:county with use-protected promises each of "
        "its groups the level."
    )
    better = hint("model", ["price"], "trees predict it better", {"model": "boosting"})
    given = told(CALM, hints=[better], asked=AuditSettings(target="price"))
    (step,) = (step for step in steps(given) if step.kind == "model")
    assert changed_settings(given.asked, step.changes).model == "boosting"
    assert [one.kind for one in steps(told(CALM, hints=[better]))] == [
        one.kind for one in steps(told(CALM))
    ]


def test_without_a_group_the_first_screen_says_what_could_be_seen():
    first, second = in_short(told(CALM))
    assert (
        first
        == "No group is clearly too low: 90.5 % of 1,000 test rows are covered, 90 % promised."
    )
    assert second.startswith("Half of the segments have test rows enough to show a shortfall of 10")
    low = told(CALM, accuracy=0.7, drift=drift_of(0.7, 0.88, 0.92))
    assert in_short(low)[0] == (
        "Only 70.0 % of all 1,000 test rows are covered, not the 90 % promised: fewer than chance "
        "explains."
    )


def test_groups_are_shown_in_the_order_of_the_counts_beside_what_chance_allows():
    result = told(CALM, BUTE, DEVON, rules=[RULE])
    shown = shown_groups(result, 3)
    assert [one.name for one in shown] == [
        "county = Devon",
        "county = Bute",
        "age >= 65 and sex = f",
    ]
    assert [one.told for one in shown] == [
        "→ mended",
        "→ still too low",
        "→ mended",
    ]
    # by hand: the law of 300 calibration rows at 90 % for 412 test rows
    n = result.data.calibration
    rank = math.floor((n + 1) * (1 - 0.9) + 1e-9)
    ends = stats.betabinom.interval(0.95, DEVON[0].n_effective, n + 1 - rank, rank)
    assert shown[0].band == pytest.approx([end / DEVON[0].n_effective for end in ends])
