"""What each kind of finding says, to the letter."""

import math
from dataclasses import replace

import pytest
from rows import PREDICTORS, changed, long, pair_with_q, result_of, result_row, rule_pair

from evencover.core.findings.coverage_findings import coverage_findings
from evencover.core.findings.result import Finding
from evencover.core.findings.sentences import (
    _TEMPLATES,
    Context,
    finding_to_json,
    paragraphs,
    sentence,
    with_findings,
)

DEVON = pair_with_q("county", "Devon", 412, (0.81, 0.77, 0.85), (0.89, 0.86, 0.92), (0.002, 0.7))
CALM = pair_with_q("age", "< 30", 500, (0.91, 0.88, 0.93), (0.9, 0.87, 0.92))
SPOILT = pair_with_q("sex", "f", 200, (0.9, 0.86, 0.93), (0.8, 0.74, 0.85), (0.9, 0.001))
KENT = pair_with_q("county", "Kent", 1500, (0.8, 0.75, 0.85), (0.85, 0.82, 0.88))
RULE = rule_pair("age >= 65 and sex = f", 100, (0.7, 0.6, 0.78), (0.85, 0.77, 0.91))
CHANCE = "with no dependence at all, chance would make coverage look at least this uneven in"
BEFORE_AFTER = {"base": 0.6, "ifacm": 0.88}
EFFECT = {"size_change": 0.014, "overall": 0.9, "low": False}
GONE = EFFECT | {"before": 0.81, "after": 0.89, "effect": "raised", "of_group": 0.89}
COUNTED = {
    "segments": 3,
    "low": {"base": 2, "ifacm": 0},
    "new": {"ifacm": 0},
    "named": {"base": DEVON[:1] + CALM[:1], "ifacm": []},
    "all_low": False,
}
DEVIATION = {"of": "", "in_a_line": False, "crossfitted": 0.0436}
DEVIATION |= {"corrected": 0.0444, "low": 0.0399, "high": 0.0489}
EXPLAINED = {"dcv": 0.011, "floor": 0.0116, "floor_unadjusted": 0.008, "explained": True}
FOUND = {"rules": 12, "found": {"base": 2, "ifacm": 1}, "low": 0.489, "high": 0.67}
FOUND |= {"accuracy": {"base": 0.582, "ifacm": 0.6}}
SAID = {
    "sets-hold-all": (
        {"figures": {"calibration": 8, "too_few": True}, "advice": "more-rows"},
        (
            "The prediction intervals are infinite, as 8 calibration rows are too few for a "
            "confidence level of 90 %: they hold every value and say nothing. Use more rows, or a "
            "lower level."
        ),
    ),
    "coverage-overall": (
        {"figures": {"accuracy": 0.905, "status": "as-promised", "calibration": 30}},
        "90.5 % of the prediction intervals hold the true price, where 90 % was promised.",
    ),
    "group-low": (
        {
            "who": DEVON[0],
            "figures": {"accuracy": 0.81, "low": 0.77, "high": 0.85, "missed": 37},
            "certainty": 0.002,
        },
        (
            "But only 81.0 % do for the 412 test rows with county = Devon (likely between 77.0 % "
            "and 85.0 %), 37 fewer than promised. This is unlikely to be chance (q = 0.002)."
        ),
    ),
    "group-lower-still": (
        {
            "who": DEVON[0],
            "figures": {"accuracy": 0.6, "low": 0.55, "high": 0.65, "missed": 1124},
            "certainty": 0.0002,
        },
        (
            "Coverage is lower still, 60.0 %, for the 412 test rows with county = Devon (likely "
            "between 55.0 % and 65.0 %), 1,124 fewer than promised. That these are worse off than "
            "the others is unlikely to be chance (q < 0.001)."
        ),
    ),
    "no-segment": (
        {},
        "There was no segment to look at, so nothing is known of single groups.",
    ),
    "no-group": (
        {"figures": {"segments": 2, "rules": 0, "overall": "as-promised"}},
        (
            "No segment of the 2 looked at has coverage that is clearly too low: there is no "
            "evidence of a problem."
        ),
    ),
    "group-over": (
        {"who": DEVON[0], "figures": {"accuracy": 0.97}, "certainty": 0.001},
        (
            "97.0 % do for the 412 test rows with county = Devon, which is more than needed "
            "(q = 0.001)."
        ),
    ),
    "power": (
        {"figures": {"best": 0.1, "typical": 0.1}},
        (
            "Half of the segments have enough test rows for a shortfall of 10 percentage points to "
            "be seen in four of five cases."
        ),
    ),
    "nothing-adjusted": (
        {},
        "The adjustment (IFACM) found nothing to adjust: after is as before.",
    ),
    "effect-on-group": (
        {"who": DEVON[0], "figures": GONE},
        (
            "The adjustment (IFACM) brings them to 89.0 %, 1.0 points short of the promise; over "
            "all rows intervals become 1.4 % wider on average."
        ),
    ),
    "effect-on-all": (
        {
            "who": DEVON[0],
            "figures": GONE | {"after": 0.72, "effect": "hardly"},
            "advice": "recalibrate",
        },
        (
            "The adjustment (IFACM) hardly changes this: 72.0 % after, 18.0 points short of the "
            "promise (89.0 % for county = Devon); over all rows intervals become 1.4 % wider on "
            "average. Calibration rows that are like the test rows would restore the promise."
        ),
    ),
    "effect-overall": (
        {"figures": EFFECT},
        (
            "After the adjustment (IFACM) it is 90.0 % overall; over all rows intervals become 1.4 "
            "% wider on average."
        ),
    ),
    "beside": (
        {"who": DEVON[0], "figures": EFFECT | {"of_group": 0.7}},
        "With IFACM coverage is 90.0 % over all rows (70.0 % for county = Devon).",
    ),
    "all-rows-low-after": (
        {"figures": {"accuracy": 0.8}},
        "But over all rows coverage is 80.0 % after, less than chance explains.",
    ),
    "group-spoilt": (
        {
            "who": SPOILT[1],
            "figures": {"before": 0.9, "after": 0.8, "also": False},
            "certainty": 0.001,
        },
        (
            "But it makes coverage too low for the 200 test rows with sex = f: 90.0 % before and "
            "80.0 % after (q = 0.001)."
        ),
    ),
    "group-low-too": (
        {"who": SPOILT[1], "figures": {"before": 0.9, "after": 0.8, "also": True}},
        (
            "After it coverage is clearly too low, too, for the 200 test rows with sex = f: 90.0 % "
            "before and 80.0 % after."
        ),
    ),
    "groups-counted": (
        {"figures": COUNTED},
        (
            "Coverage is clearly too low in 2 of the 3 segments looked at before (county = Devon, "
            "age < 30), and in none after."
        ),
    ),
    "worst-segment": (
        {
            "who": DEVON[0],
            "figures": {"fewest": 30, "accuracy": BEFORE_AFTER},
            "certainty": 0.01,
        },
        (
            "Among those of 30 rows or more it is worst for the 412 test rows with county = Devon: "
            "60.0 % before (q = 0.01) and 88.0 % after."
        ),
    ),
    "rules-counted": (
        {
            "who": replace(RULE[0], n=1234),
            "figures": {"found": {"base": 1, "ifacm": 0}, "accuracy": BEFORE_AFTER},
        },
        (
            "A search for combinations of conditions, judged on rows of their own, finds 1 with "
            "clearly low coverage before and none after. It is lowest for age >= 65 and sex = f: "
            "60.0 % before and 88.0 % after, of 1,234 such rows."
        ),
    ),
    "no-fewer-groups": (
        {},
        "So no fewer groups have too little coverage after than before.",
    ),
    "level": (
        {"figures": {"accuracy": {"base": 0.9, "ifacm": 0.8966}, "low": 0.8871, "high": 0.9123}},
        (
            "Overall, the prediction sets of 90.0 % of the test rows hold their label before, and "
            "of 89.7 % after; with so many rows chance puts it between 88.7 % and 91.2 % in 99 of "
            "100 splits."
        ),
    ),
    "all-alike": (
        {"figures": {"word": "right"}},
        (
            "After, all prediction sets of the test rows are right, so nothing can be said of how "
            "coverage depends on the features."
        ),
    ),
    "dependence": (
        {"predictor": "base", "figures": DEVIATION, "certainty": 1e-80},
        (
            "Before, there is clear evidence that coverage depends on the model's features "
            f"({CHANCE} fewer than 1 of 1,000 cases). Coverage is off 90 % by about 4.4 percentage "
            "points, as a root mean square over the rows (95 % interval 4.0 to 4.9)."
        ),
    ),
    "dependence-left": (
        {
            "figures": DEVIATION | {"corrected": 0.0071, "low": 0.0, "high": 0.0128},
            "certainty": 0.0425,
        },
        (
            f"After, there is some evidence that a dependence is left ({CHANCE} 4.2 % of cases). "
            "Coverage is off 90 % by about 0.7 percentage points, as a root mean square over the "
            "rows (95 % interval 0.0 to 1.3)."
        ),
    ),
    "less-even": (
        {"advice": "keep-base"},
        (
            "So the adjustment made coverage less even than it was: it carries the chance of its "
            "training rows into every prediction, and there was less than that to mend. Keep the "
            "predictor as it was before."
        ),
    ),
    "dependence-explained": (
        {"figures": EXPLAINED},
        (
            "This is what is to be expected of an adjustment of this kind: it carries the chance "
            "of its training rows into every prediction. In figures: the deviation as measured is "
            "1.1 points, chance among the test rows included; the best adjustment of its kind from "
            "so many training rows would show about 1.2, and a faultless predictor that needs no "
            "adjustment about 0.8. More training rows would lower it."
        ),
    ),
    "scope": (
        {},
        (
            "All this sees only coverage that rises or falls steadily with a feature. Where it is "
            "off in the middle of a feature's range, or only where several features meet, the "
            "segments show it."
        ),
    ),
    "audit-only-unseen": (
        {},
        (
            "The adjustment cannot see these columns, so it mends only what other columns show "
            "of them."
        ),
    ),
    "nothing-to-search": (
        {},
        (
            "There is nothing to search for worst segments: too few test rows, or none of them "
            "with clearly more wrong prediction sets than others."
        ),
    ),
    "no-rule-found": (
        {"figures": {"rules": 7}},
        (
            "The search for worst segments finds none: of its 7 rules, none has clearly low "
            "coverage on the rows that it is judged on, before or after."
        ),
    ),
    "rules-found": (
        {"predictor": "base", "who": RULE[0], "figures": FOUND},
        (
            "The search for worst segments finds 2 rules of clearly low coverage before and 1 "
            "after, the surest of them age >= 65 and sex = f: coverage is 58.2 % before (95 % "
            "interval 48.9 % to 67.0 %) and 60.0 % after, of 100 rows that had no part in the "
            "search."
        ),
    ),
    "intervals-counted": (
        {
            "figures": {
                "segments": 41,
                "failing": {"base": 3, "ifacm": 1},
                "sure": {"base": 2, "ifacm": 0},
            }
        },
        (
            "The 95 % interval of coverage excludes 90 % in 3 of 41 segments before, 1 after (by "
            "chance alone in about 2); allowing for so many looks, 2 before and 0 after differ "
            "from the overall coverage (q up to 0.05)."
        ),
    ),
    "largest-departure": (
        {"who": KENT[0], "figures": {"accuracy": BEFORE_AFTER, "largest": ["base", "ifacm"]}},
        (
            "Largest shortfall or excess, counted in rows, before and after: county = Kent (1,500 "
            "test rows), 60.0 % before and 88.0 % after."
        ),
    ),
    "largest-audit-only": (
        {"who": KENT[0], "figures": {"accuracy": BEFORE_AFTER, "largest": ["ifacm"]}},
        (
            "Of the audit-only columns: county = Kent (1,500 test rows), 60.0 % before and 88.0 % "
            "after."
        ),
    ),
}
OF_THE_FIRST = {"worst-segment"}


def finding_of(kind, **changes):
    """The finding of a kind that stands above, or one like it."""
    given, _ = SAID[kind]
    first = given.get("predictor") or ("base" if kind in OF_THE_FIRST else "ifacm")
    whole = {"kind": kind, "topic": "coverage", "predictor": first} | given
    figures = dict(given.get("figures", {})) | changes.pop("figures", {})
    return Finding(**whole | {"figures": figures} | changes)


def context_of(*predictors, task="regression", **settings):
    given = {"predictors": list(predictors)} if predictors else {}
    return Context.of(result_of(settings={"task": task, **settings}, **given))


def said(kind, context=None, **changes):
    return sentence(finding_of(kind, **changes), context or context_of())


def test_every_kind_is_here():
    assert set(_TEMPLATES) == set(SAID)


@pytest.mark.parametrize("kind", SAID)
def test_a_kind_says(kind):
    assert said(kind) == SAID[kind][1]


def test_every_kind_is_json_with_its_sentence():
    for kind in SAID:
        plain = finding_to_json(finding_of(kind), context_of())
        assert (plain["kind"], plain["sentence"]) == (kind, SAID[kind][1])
        assert plain["algorithm"] == finding_of(kind).predictor
    plain = finding_to_json(finding_of("groups-counted"), context_of())
    devon = {"variable": "county", "value": "Devon", "kind": "column", "n": 412}
    assert plain["figures"]["named"]["base"][0] == devon
    assert finding_to_json(finding_of("rules-found"), context_of())["who"] == {
        "rule": "age >= 65 and sex = f",
        "n": 100,
    }


@pytest.mark.parametrize(
    ("kind", "changes", "part"),
    [
        ("sets-hold-all", {"figures": {"too_few": False}}, "are infinite for all test rows: they"),
        (
            "coverage-overall",
            {"figures": {"status": "low"}},
            (
                "promised: fewer than chance explains, so the promise is not kept for the test "
                "rows as a whole."
            ),
        ),
        ("coverage-overall", {"figures": {"status": "high"}}, " (more than chance explains)."),
        (
            "coverage-overall",
            {"figures": {"status": "unlucky"}},
            " (fewer, as the chance of drawing 30 calibration rows can explain).",
        ),
        (
            "no-group",
            {"figures": {"segments": 1, "overall": "low"}},
            "No segment (one was looked at) is clearly worse off than all rows together.",
        ),
        (
            "no-group",
            {"figures": {"segments": 1, "overall": "unlucky"}},
            (
                "No segment (one was looked at) has coverage that is clearly lower than that of "
                "all rows: there is no evidence that any group is worse off than the others."
            ),
        ),
        (
            "no-group",
            {"figures": {"rules": 3, "overall": "high"}},
            (
                "No segment of the 2 looked at and no rule found by search has coverage that is "
                "clearly too low: there is no evidence that any group gets less than was promised."
            ),
        ),
        ("power", {"figures": {"typical": 0.012}}, "a shortfall of 1 percentage point to"),
        ("power", {"figures": {"typical": 0.002}}, "of less than 1 percentage point to"),
        (
            "power",
            {"figures": {"typical": math.inf}},
            "But half of the segments or more have too few test rows to show one.",
        ),
        (
            "power",
            {"figures": {"best": math.inf}},
            "But the segments have too few test rows to show one.",
        ),
        (
            "group-low",
            {"who": RULE[0]},
            (
                "do for those 100 test rows with age >= 65 and sex = f that had no part in the "
                "search for this rule (likely"
            ),
        ),
        (
            "group-low",
            {"who": replace(DEVON[0], variable="cohort: old", value="inside", kind="cohort")},
            "for the 412 test rows of cohort: old (likely",
        ),
        (
            "effect-on-group",
            {"figures": {"after": 0.81, "effect": "none"}},
            (
                "The adjustment (IFACM) does not mend this: 81.0 % after, 9.0 points short of the "
                "promise; over"
            ),
        ),
        ("effect-on-group", {"figures": {"after": 0.896}}, "brings them to 89.6 %; over"),
        ("effect-on-group", {"figures": {"size_change": None}}, "short of the promise."),
        ("effect-on-group", {"figures": {"size_change": -0.1}}, "become 10.0 % narrower on"),
        ("effect-on-group", {"figures": {"size_change": -0.001}}, "become 0.1 % narrower on"),
        ("effect-on-all", {"who": None, "figures": {"after": 0.9}}, "this: 90.0 % after; over"),
        (
            "effect-on-all",
            {"who": None, "figures": {"after": 0.9, "effect": "raised"}, "advice": ""},
            "brings all rows to 90.0 %; over all rows intervals become 1.4 % wider on average.",
        ),
        ("effect-overall", {"figures": {"low": True}}, "overall, less than chance explains; over"),
        ("group-spoilt", {"figures": {"also": True}}, "It also makes coverage too low for the 200"),
        (
            "groups-counted",
            {"figures": {"all_low": True, "segments": 1}},
            "Segment by segment, coverage is clearly too low in 2 of 1 segment looked at before",
        ),
        (
            "groups-counted",
            {
                "figures": {
                    "low": {"base": 0, "ifacm": 1},
                    "new": {"ifacm": 1},
                    "named": {"base": [], "ifacm": SPOILT[1:]},
                }
            },
            "in 0 of the 3 segments looked at before, and in 1 after (sex = f), 1 of them new.",
        ),
        (
            "groups-counted",
            {"figures": {"named": {"base": [DEVON[0]] * 4, "ifacm": []}}},
            "(county = Devon, county = Devon, county = Devon, ...), and",
        ),
        (
            "rules-counted",
            {"who": None, "figures": {"found": {"base": 0, "ifacm": 2}}},
            "finds none with clearly low coverage before and 2 after.",
        ),
        ("all-alike", {"predictor": "base", "figures": {"word": "wrong"}}, "Before, all predictio"),
        (
            "dependence",
            {"certainty": 0.31},
            (
                f"no evidence that coverage depends on the model's features ({CHANCE} 31 % of "
                "cases; this does not prove that coverage is even). Coverage is off"
            ),
        ),
        (
            "dependence",
            {"figures": {"in_a_line": True, "corrected": None}},
            "on the model's features in a straight line (",
        ),
        (
            "dependence",
            {"figures": {"corrected": None}},
            (
                "Judged on rows that they have not seen, its estimates find coverage off 90 % by "
                "4.4 percentage points, as a root mean square over the rows."
            ),
        ),
        ("dependence", {"figures": {"of": "g"}}, "that coverage depends on audit-only g ("),
        (
            "dependence-left",
            {"certainty": 0.051, "figures": {"of": "the audit-only columns"}},
            "After, as to the audit-only columns, no dependence can be told from chance (",
        ),
        ("dependence-left", {"certainty": 1e-3}, "After, a dependence is clearly left ("),
        (
            "dependence-explained",
            {"figures": {"explained": False, "dcv": 0.03}},
            (
                "This is more than so many training rows explain: the deviation as measured is 3.0 "
                "points, chance among the test rows included;"
            ),
        ),
        (
            "rules-found",
            {"figures": {"found": {"base": 1, "ifacm": 0}}},
            "finds 1 rule of clearly low coverage before and 0 after, the surest",
        ),
        ("largest-departure", {"figures": {"largest": ["ifacm"]}}, "counted in rows, after: cou"),
    ],
)
def test_other_figures_are_said_otherwise(kind, changes, part):
    assert part in said(kind, **changes)


def test_an_adjustment_of_nothing_of_all_rows_too_low_asks_for_calibration_rows():
    assert said("nothing-adjusted", advice="recalibrate").endswith(
        "as before. Calibration rows that are like the test rows would restore the promise."
    )


def test_classes_have_sets_that_are_larger():
    context = context_of(task="classification")
    assert "prediction sets hold" in said("coverage-overall", context)
    assert said("sets-hold-all", context).startswith("The prediction sets hold every class, as 8")
    assert "sets become 1.4 % larger on average" in said("effect-on-group", context)
    smaller = said("effect-on-group", context, figures={"size_change": -0.1})
    assert "sets become 10.0 % smaller on average" in smaller


@pytest.mark.parametrize("change", [-0.0004, 0.0, 0.0004])
def test_sets_that_hardly_change_are_as_wide_as_before(change):
    figures = {"size_change": change}
    wide = said("effect-on-group", figures=figures)
    assert "; over all rows intervals stay about as wide as before on average." in wide
    large = said("effect-on-group", context_of(task="classification"), figures=figures)
    assert "; over all rows sets stay about as large as before on average." in large


@pytest.mark.parametrize(("level", "shown"), [(0.95, "95 %"), (0.999, "99.9 %"), (0.8, "80 %")])
def test_the_level_is_told_in_percent(level, shown):
    told = said("intervals-counted", context_of(cl=level))
    assert told.startswith(f"The 95 % interval of coverage excludes {shown} in ")


def test_names_and_values_are_written_as_rules_have_them():
    odd = replace(KENT[0], variable="*a*", value="a, <i>")
    told = said("largest-departure", who=odd)
    assert ': *a* = "a, <i>" (1,500 test rows)' in told


def test_several_adjustments_are_named():
    tilted = replace(PREDICTORS[1], name="tilted", title="tilting")
    context = context_of(*PREDICTORS, tilted)
    assert said("no-fewer-groups", context, predictor="tilted") == (
        "So no fewer groups have too little coverage after tilting than before."
    )
    figures = {"accuracy": {"base": 0.9, "ifacm": 0.88, "tilted": 0.87}}
    assert (
        "90.0 % of the test rows hold their label before, and of 88.0 % after IFACM, and of 87.0 "
        "% after tilting;"
    ) in said("level", context, figures=figures)
    assert said("largest-departure", context, figures=figures).endswith(
        "90.0 % before, 88.0 % after IFACM and 87.0 % after tilting."
    )


def test_one_predictor_alone_is_neither_before_nor_after():
    context = context_of(PREDICTORS[0])
    alone = {"accuracy": {"base": 0.9}}
    assert "hold their label; with so many" in said("level", context, figures=alone)
    assert said("no-rule-found", context).endswith("the rows that it is judged on.")
    told = said("dependence", context)
    assert told.startswith("There is clear evidence that coverage depends")


def result(*segments, **others):
    sizes = {"inefficiency": 1.0, "p_value": 0.5, "dcv": 0.0}
    rows = [
        result_row("base", accuracy=0.905, inefficiency_original_units=10.0, **sizes),
        result_row("ifacm", accuracy=0.9, inefficiency_original_units=10.14, **sizes),
    ]
    return result_of(long(*segments), rows=rows, **others)


def test_a_headline_has_a_paragraph_for_coverage_for_each_adjustment_and_for_groups():
    small = pair_with_q("county", "Bute", 50, (0.6, 0.46, 0.72), (0.88, 0.76, 0.94), (0.01, 0.9))
    told = with_findings(result(CALM, small, DEVON))
    assert told.headline == [
        (
            "90.5 % of the prediction intervals hold the true price, where 90 % was promised. But "
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
    assert all(finding.topic for finding in told.findings)
    assert len(told.explanations) == sum(
        finding.topic not in ("coverage", "remedy", "groups") for finding in told.findings
    )


def test_very_long_names_leave_the_figures_in_sight():
    long_name = "M" * 3000
    devon = changed(DEVON, variable=long_name, value=long_name)
    rule = rule_pair(long_name, 100, (0.7, 0.6, 0.78), (0.85, 0.77, 0.91), q=(1e-5, 0.4))
    settings = {"target": long_name}
    for segments in ([devon, CALM], [CALM]):
        given = result(*segments, worst_segments=long(rule), settings=settings)
        told, _ = paragraphs(coverage_findings(given), Context.of(given))
        assert max(map(len, told)) < 1500
        assert "M…" in told[0]
        assert told[0].endswith(("chance (q = 0.002).", "chance (q < 0.001)."))
        assert "and none after" in told[2]
    told = said("rules-found", who=replace(RULE[0], rule=long_name))
    assert "MM…: coverage is 58.2 % before" in told
    assert len(told) < 1000
