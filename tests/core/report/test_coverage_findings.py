"""For whom coverage is too low, and how it depends on features: worked out by hand."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rows import (
    CALM,
    DEVON,
    PREDICTORS,
    RULE,
    audit_only_row,
    change,
    changed,
    drift_of,
    long,
    pair_with_q,
    result_of,
    result_row,
    segment_pair,
)

from evencover.core import AuditSettings, audit, to_json
from evencover.core.experiment.result import DataSummary
from evencover.core.report.coverage_findings import coverage_findings
from evencover.core.report.dependence_findings import dependence_findings
from evencover.core.report.groups import count_findings, named_group
from evencover.sample_data import load_sample

NAN = math.nan
BUTE = pair_with_q(
    "county", "Bute", 50, (0.6, 0.46, 0.72), (0.88, 0.76, 0.94), (0.01, 0.9), ("low", "unchanged")
)


def result(*segments, rules=(), accuracy=0.905, drift=(0.88, 0.92), base=None, **others):
    base = {"accuracy": accuracy, "p_value": 0.4} | (base or {})
    rows = [result_row("base", **base), result_row("ifacm", accuracy=0.9, p_value=0.4)]
    given = {"drift": drift_of(accuracy, *drift), "worst_segments": long(*rules)}
    return result_of(long(*segments), rows=rows, **given | others)


def found(*segments, **options):
    """The findings by kind, each of which there is once."""
    findings = coverage_findings(result(*segments, **options))
    by_kind = {finding.kind: finding for finding in findings}
    assert len(by_kind) == len(findings)
    assert {(f.topic, f.predictor) for f in findings} == {("coverage", "base")}
    return by_kind


class TestAllRows:
    @pytest.mark.parametrize(
        ("accuracy", "drift", "status", "severity"),
        [
            (0.905, (0.88, 0.92), "as-promised", "neutral"),
            (0.89, (0.8, 0.97), "as-promised", "neutral"),
            (0.7, (0.88, 0.92), "low", "problem"),
            (0.95, (0.88, 0.92), "high", "neutral"),
            # of 1000 rows 84 % are surely below 90 %, though within 80 % to 97 %
            (0.84, (0.8, 0.97), "unlucky", "neutral"),
        ],
    )
    def test_how_coverage_is_beside_what_chance_explains(self, accuracy, drift, status, severity):
        told = found(CALM, accuracy=accuracy, drift=drift)
        overall = told["coverage-overall"]
        assert overall.severity == severity
        expected = {"accuracy": accuracy, "level": 0.9, "least": drift[0], "most": drift[1]}
        expected |= {"status": status, "calibration": 30, "clusters": None}
        assert overall.figures == expected
        assert told["no-group"].figures["overall"] == status

    def test_sets_that_hold_all_say_nothing(self):
        full = segment_pair("s", "a", 60, [1.0, 0.9, 1.0], [1.0, 0.9, 1.0], share_infinite=1.0)
        (told,) = found(full).values()
        assert (told.kind, told.severity) == ("sets-hold-all", "problem")
        assert told.figures == {"calibration": 30, "too_few": False}
        few = DataSummary(1000, 0, 400, 8, 1000, [], [], [])  # 0.1 of 9 rows is none
        (told,) = found(DEVON, data=few).values()
        assert told.figures == {"calibration": 8, "too_few": True}
        assert count_findings(result(DEVON, data=few)) == []


class TestGroup:
    def test_that_with_most_rows_missed_is_named(self):
        told = found(CALM, BUTE, DEVON)
        assert list(told) == ["coverage-overall", "group-low"]
        low = told["group-low"]
        # 412 x (0.9 - 0.81) = 37.08 against 50 x 0.3 = 15
        assert (low.who, low.severity, low.certainty) == (DEVON[0], "problem", 0.002)
        expected = {"of_all": 0.905, "accuracy": 0.81, "low": 0.77, "high": 0.85}
        assert low.figures == expected | {
            "missed": 37,
            "looked_at": 3,
            "low_groups": 2,
            "beside": None,
        }

    def test_a_rule_stands_in_where_no_segment_is_clear(self):
        low = found(CALM, rules=[RULE])["group-low"]
        assert (low.who, low.certainty) == (RULE[0], 1e-5)
        expected = {"of_all": 0.905, "accuracy": 0.7, "low": 0.6, "high": 0.78}
        # chosen on other rows, it is not flattered
        more = {"missed": 20, "looked_at": 1, "low_groups": 1, "beside": None}
        assert low.figures == expected | more
        second = changed(RULE, rule="x < 3", rank=2)
        assert named_group(result(rules=[second, RULE])) is RULE[0]

    def test_a_rule_that_may_be_behind_the_segment_is_named(self):
        explained = changed(DEVON, {"overlaps": RULE[0].rule})
        assert named_group(result(CALM, explained, rules=[RULE])) is RULE[0]
        # and the segment with it, unless it is shown that its other rows are fine
        low = found(CALM, explained, rules=[RULE])["group-low"]
        assert (low.figures["beside"], low.figures["low_groups"]) == (explained[0], 2)
        shown = changed(explained, {"explained_by": RULE[0].rule})
        low = found(CALM, shown, rules=[RULE])["group-low"]
        assert (low.figures["beside"], low.figures["low_groups"]) == (None, 2)
        # not if it is not sure by itself
        unsure = changed(RULE, {"status": "fine"})
        assert named_group(result(CALM, explained, rules=[unsure])) is explained[0]
        # nor another rule
        assert named_group(result(CALM, DEVON, rules=[RULE])) is DEVON[0]

    def test_who_was_named_beforehand_is_always_told(self):
        explained = {"overlaps": RULE[0].rule, "explained_by": RULE[0].rule}
        asked = changed(DEVON, explained, named=True)
        told = found(CALM, asked, rules=[RULE])
        assert (told["group-low"].who, told["group-low"].figures["looked_at"]) == (asked[0], 1)
        assert "named-low" not in told
        # Bute misses fewer rows, so that another group is first
        small = changed(BUTE, explained, named=True)
        told = found(CALM, DEVON, small, rules=[RULE])
        assert (told["group-low"].who, told["group-low"].figures["low_groups"]) == (DEVON[0], 3)
        too = told["named-low"]
        assert (too.who, too.severity, too.figures) == (small[0], "problem", {"groups": [small[0]]})
        assert "county = Bute (60.0 % of 50 test rows, 15 rows fewer" in too.sentence
        lower = [changed(pair, {"status": "low"}) for pair in (DEVON, small)]
        told = found(CALM, *lower, accuracy=0.7)["group-lower-still"]
        assert told.who is lower[1][0]

    def test_single_clusters_are_told_without_a_claim(self):
        owners = [
            changed(pair, kind="group", variable="owner", value=value, columns=["owner"])
            for pair, value in ((DEVON, "agency"), (CALM, "calm"))
        ]
        assert not any(row.family for pair in owners for row in pair)
        told = found(*(changed(pair, {"status": None}) for pair in owners))
        assert not {"group-low", "problem"} & {*told}
        single = told["single-cluster"]
        assert (single.who.value, single.severity) == ("agency", "neutral")
        assert single.figures["values"] == 2
        # 905 of 1000 rows are right, 333.72 of 412 of these
        assert single.figures["rest"] == pytest.approx((905 - 412 * 0.81) / 588)
        assert "single ones are not judged" in single.sentence

    def test_classes_and_groups_too_small_to_judge_are_named(self):
        few = [
            changed(DEVON, {"accuracy": 0.83, "status": None}, value=name, n=12, n_effective=12)
            for name in "abcd"
        ]
        klass = changed(few[0], variable="label: y", value="c0", n=10, n_effective=10, kind="label")
        fine = changed(few[0], {"accuracy": 1.0}, value="e")
        small = found(CALM, *few, klass, fine)["too-small"]
        assert (len(small.figures["groups"]), small.severity) == (5, "neutral")
        told = "label: y = c0 (83.0 % of 10), county = a (83.0 % of 12), "
        assert told in small.sentence
        assert small.sentence.endswith("and 2 more.")

    def test_where_all_rows_are_too_low_it_has_to_be_lower_still(self):
        as_all = pair_with_q(
            *("sex", "f", 500, (0.73, 0.69, 0.77), (0.9, 0.87, 0.92)),
            q=(0.9, 0.5),
            status=("low", "mended"),
        )
        lower = changed(DEVON, {"accuracy": 0.6, "low": 0.55, "high": 0.65})
        told = found(as_all, lower, accuracy=0.7)
        assert list(told) == ["coverage-overall", "group-lower-still"]
        assert told["group-lower-still"].who is lower[0]
        assert told["group-lower-still"].figures["missed"] == 124
        told = found(as_all, accuracy=0.7)
        assert list(told) == ["coverage-overall", "no-group"]
        assert told["no-group"].figures["overall"] == "low"


class TestNoGroup:
    def test_what_could_have_been_seen_is_said(self):
        told = found(CALM, rules=[changed(RULE, {"status": "fine"})])
        assert list(told) == ["coverage-overall", "no-group", "power"]
        expected = {"segments": 1, "rules": 1, "overall": "as-promised"}
        assert told["no-group"].figures == expected | {"uneven": False, "class_missed": False}
        assert {finding.severity for finding in told.values()} == {"neutral"}

    @pytest.mark.parametrize(
        ("shortfalls", "best", "typical"),
        [
            ([0.012], 0.012, 0.012),
            ([0.04, NAN, 0.03], 0.03, 0.04),
            ([0.04, NAN], 0.04, math.inf),
            ([NAN], math.inf, math.inf),
        ],
    )
    def test_what_half_of_the_segments_would_show(self, shortfalls, best, typical):
        segments = [changed(CALM, detectable=shortfall) for shortfall in shortfalls]
        assert found(*segments)["power"].figures == {"best": best, "typical": typical}

    def test_without_segments_nothing_is_known_of_groups(self):
        few = changed(CALM, n=19, n_effective=19)
        for segments in ([], [few], [changed(CALM, kind="label")], [changed(CALM, kind="look")]):
            kinds = [kind for kind in found(*segments) if kind != "too-small"]
            assert kinds == ["coverage-overall", "no-segment"]

    @pytest.mark.parametrize(
        ("base", "is_uneven"),
        [
            ({"p_value": 0.005}, True),
            ({"p_value": 0.0051}, False),
            ({"p_value": None}, False),
            ({"p_value": NAN}, False),
            ({"p_value": 0.6, "p_value_permuted": 0.004}, True),
            ({"p_value": 0.004, "p_value_permuted": 0.6}, False),
        ],
    )
    def test_evidence_without_a_group_is_said_as_that(self, base, is_uneven):
        told = found(CALM, base=base)
        assert told["no-group"].figures["uneven"] == is_uneven
        assert ("uneven" in told) == is_uneven == ("power" not in told)
        if is_uneven:
            uneven = told["uneven"]
            assert (uneven.severity, uneven.figures) == ("problem", {"of": ""})
            assert uneven.certainty == min(filter(None, base.values()))
        assert "uneven" not in found(DEVON, base=base)

    def test_evidence_by_audit_only_columns_counts_too(self):
        hidden = [audit_only_row(name, p) for name, p in (("base", 0.005), ("ifacm", 0.9))]
        told = found(CALM, audit_only=hidden)["uneven"]
        assert (told.figures, told.certainty) == ({"of": "race"}, 0.005)
        of = {"variable": "race", "columns": ["race"], "value": "h", "n": 47, "rule": ""}
        race = changed(CALM, {"accuracy": 0.78}, is_band=False, **of)
        lowest = found(CALM, race, audit_only=hidden)["uneven"].sentence
        assert lowest.endswith(
            "though the lowest (race = h, 78.0 % of 47) is by itself not surely too low."
        )
        mended = [replace(row, p_value=0.9) for row in hidden[:1]] + [audit_only_row("ifacm", 1e-9)]
        assert "uneven" not in found(CALM, audit_only=mended)
        both = found(CALM, audit_only=hidden, base={"p_value": 0.001})["uneven"]
        assert both.figures == {"of": ""}  # once is enough


class TestClassMissed:
    URGENT = changed(
        segment_pair("label: y", "urgent", 120, [0.697, 0.61, 0.77], [0.8, 0.72, 0.86]),
        {"q_value": 1e-6},
        kind="label",
    )

    def test_most_missed_of_those_that_are_sure_is_told(self):
        calm = changed(self.URGENT, {"q_value": 1e-9}, value="calm", n=70)
        unsure = changed(self.URGENT, {"q_value": 0.021}, value="x", n=900)
        within = changed(self.URGENT, {"high": 0.9}, value="y", n=900)
        # 900 x 0.02 = 18 rows, against 120 x 0.203 = 24.4
        little = changed(self.URGENT, {"accuracy": 0.88, "high": 0.895}, value="z", n=900)
        made = [change(row.group, 120, 13, 1) for row in (calm[0], self.URGENT[0])]
        of_classes = {"settings": {"task": "classification"}, "changes": made}
        told = found(CALM, calm, little, self.URGENT, unsure, within, **of_classes)["class-missed"]
        assert (told.who, told.certainty, told.severity) == (self.URGENT[0], 1e-6, "neutral")
        assert told.figures == {
            "class": "urgent",
            "accuracy": {"base": 0.697, "ifacm": 0.8},
            "changes": {
                "ifacm": {"change": 0.1, "change_low": made[1].low, "change_high": made[1].high}
            },
        }

    def test_one_that_is_missed_only_after_is_told(self):
        lost = changed(self.URGENT, {"high": 0.93}, {"high": 0.8, "q_value": 1e-6})
        made = [change(lost[0].group, 120, 1, 13)]
        told = found(CALM, lost, settings={"task": "classification"}, changes=made)
        assert told["class-missed"].who == lost[1]

        assert "class-missed" not in found(CALM, self.URGENT)  # a band of a number is no class


class TestCounts:
    def test_groups_are_counted_by_their_statuses(self):
        new = pair_with_q("sex", "f", 200, *[(0.8, 0.74, 0.85)] * 2, status=("fine", "new"))
        others = [
            changed(DEVON, {}, {"status": status}, value=value, n=n)
            for status, value, n in (("mended", "A", 60), ("better", "B", 59), ("mended", "C", 58))
        ]
        (counted,) = count_findings(result(CALM, DEVON, BUTE, new, *others, rules=[RULE]))
        assert (counted.kind, counted.topic, counted.severity) == (
            *("groups-counted", "groups", "problem"),
        )
        figures = dict(counted.figures)
        named = {
            name: [getattr(row, "value", row.group[0]) for row in rows]
            for name, rows in figures.pop("named").items()
        }
        # rows missed before: 37, 15, 5.4, 5.3, 5.2; after: 20 of sex = f, 1 of Bute, 0.6 of B
        after = ["f", "Bute", "B", RULE[1].rule]
        assert named == {"base": ["Devon", "Bute", "A", "B"], "ifacm": after}
        counts = {"mended": 3, "better": 1, "unchanged": 2, "unclear": 0, "new": 1}
        assert figures == {
            "groups": 8,
            "low": {"base": 6, "ifacm": 4},
            "statuses": {"ifacm": counts},
        }

    def test_what_is_too_low_after_alone_is_weighed_with_the_adjustment(self):
        assert count_findings(result(CALM)) == []
        new = changed(DEVON, {"status": "fine"}, {"status": "new"})
        (counted,) = count_findings(result(CALM, new))
        assert (counted.severity, counted.figures["low"]) == ("neutral", {"base": 0, "ifacm": 1})

    def test_each_adjustment_is_counted(self):
        tilted = replace(PREDICTORS[1], name="tilted", title="tilting")
        third = replace(DEVON[0], predictor="tilted", status="unchanged")
        given = result_of(
            [*long(CALM, DEVON), replace(CALM[0], predictor="tilted"), third],
            rows=[result_row(name, accuracy=0.9) for name in ("base", "ifacm", "tilted")],
            predictors=[*PREDICTORS, tilted],
        )
        (counted,) = count_findings(given)
        assert counted.figures["low"] == {"base": 1, "ifacm": 0, "tilted": 1}
        assert counted.figures["statuses"]["tilted"]["unchanged"] == 1


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
    asked = AuditSettings(target="y", time="day", remedies=("none",))
    told = {f.kind: f for f in audit(frame, asked).findings}
    assert told["coverage-overall"].figures["status"] == "low"
    assert told["groups-counted"].figures["groups"] >= 2
    assert told["groups-counted"].figures["low"]["base"] == 2


def test_sets_that_hold_every_class_say_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    frame = pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=60) > 0.0, "a", "b")})
    told = audit(frame, AuditSettings(target="y", confidence_level=0.99, remedies=("none",)))
    assert told.headline == [
        (
            "The prediction sets hold every class, as 18 calibration rows are too few for a "
            "confidence level of 99 %: they say nothing."
        ),
        "Use more rows, or a lower confidence level.",
    ]


BASE = result_row(
    "base",
    accuracy=0.9,
    dcv=0.045,
    dcv_floor=0.008,
    dcv_floor_unadjusted=0.008,
    dcv_corrected=0.0444,
    dcv_corrected_low=0.0399,
    dcv_corrected_high=0.0489,
    dcv_crossfitted=0.0436,
    p_value=1e-80,
)
AFTER = replace(
    BASE,
    predictor="ifacm",
    dcv=0.0110,
    dcv_floor=0.0116,
    dcv_corrected=0.0071,
    dcv_corrected_low=0.0,
    dcv_corrected_high=0.0128,
    p_value=0.0425,
)


def findings(base=BASE, after=AFTER, **others):
    return dependence_findings(result_of(rows=[base, after], **others))


def test_dependence_before_and_what_is_left():
    before, left = findings()
    assert [f.kind for f in (before, left)] == ["dependence", "dependence-left"]
    assert [f.predictor for f in (before, left)] == ["base", "ifacm"]
    assert {f.topic for f in (before, left)} == {"dependence"}
    assert (before.certainty, left.certainty) == (1e-80, 0.0425)
    expected = {"of": "", "in_a_line": True, "is_sure": True, "off_over_all": False}
    expected |= {"corrected": 0.0444, "low": 0.0399, "high": 0.0489, "level": 0.0}
    assert before.figures == expected | {"size": 0.015, "dcv": 0.045, "floor": 0.008}
    assert not left.figures["is_sure"]
    assert (left.figures["corrected"], left.figures["high"]) == (0.0071, 0.0128)
    before, _ = findings(replace(BASE, p_value_permuted=0.02))  # of the estimator's own shape
    assert (before.certainty, before.figures["in_a_line"]) == (0.02, False)
    assert not before.figures["is_sure"]


@pytest.mark.parametrize("p_value", [0.0, 0.005, 0.0051, 0.03, 0.31, 1.0])
def test_evidence_is_clear_at_one_level_everywhere(p_value):
    before, left = findings(replace(BASE, p_value=p_value), replace(AFTER, p_value=p_value))
    for finding in (before, left):
        assert finding.figures["is_sure"] == (p_value <= 0.005)
    # what an adjustment leaves is weighed by its effect
    assert before.severity == ("problem" if p_value <= 0.005 else "neutral")
    assert left.severity == "neutral"


def test_where_no_formula_holds_the_deviation_is_beside_its_floor():
    other = replace(BASE, dcv_corrected=None, dcv_corrected_low=None, dcv_corrected_high=None)
    before = findings(other)[0]
    assert (before.figures["corrected"], before.figures["dcv"]) == (None, 0.045)
    than = "more (at the level of 1.5 %) than the"
    assert f"DCV is 4.5 points, clearly {than} 0.8 that" in before.sentence
    for figures, told in (
        ({"p_value": 0.006}, f"not clearly {than} 0.8 that"),
        ({"dcv_floor_unadjusted": 0.05}, f"not clearly {than} 5.0 that"),
    ):
        assert told in findings(replace(other, **figures))[0].sentence
    bare = findings(replace(other, dcv_floor_unadjusted=None))[0]
    assert bare.sentence.endswith("DCV is 4.5 points.")


@pytest.mark.parametrize("accuracy", [0.7, 0.95])
def test_dcv_holds_what_is_off_over_all_rows_too(accuracy):
    """Coverage is off by more than chance, though the score test sees no dependence."""
    base = replace(BASE, accuracy=accuracy, dcv=0.2, dcv_corrected=None, p_value=0.4)
    before = findings(base)[0]
    assert (before.figures["is_sure"], before.figures["off_over_all"]) == (False, True)
    told = before.sentence
    assert "20.0 points, with what is off over all rows alike, clearly more (at the level" in told


@pytest.mark.parametrize(("accuracy", "word"), [(1.0, "right"), (0.0, "wrong")])
def test_equal_outcomes_say_nothing(accuracy, word):
    alike = {"accuracy": accuracy, "p_value": math.nan}
    told = findings(BASE, replace(AFTER, **alike))
    assert [f.kind for f in told] == ["dependence"]
    (told,) = findings(replace(BASE, **alike))
    assert (told.kind, told.predictor, told.figures) == ("all-alike", "base", {"word": word})


def test_audit_only_columns_are_asked_about_by_themselves():
    hidden = [
        audit_only_row("base", 0.004),
        audit_only_row("ifacm", 0.006),
        *(audit_only_row(name, 1e-9, "another") for name in ("base", "ifacm")),
    ]
    told = findings(audit_only=hidden)
    kinds, topics = ("dependence", "dependence-left"), ("dependence", "audit-only")
    expected = [(topic, kind) for topic in topics for kind in kinds]
    assert [(f.topic, f.kind) for f in told] == expected
    before, left = told[2:]
    assert (before.severity, before.figures["is_sure"]) == ("problem", True)
    assert (left.severity, left.figures["is_sure"]) == ("neutral", False)
    assert before.figures["of"] == left.figures["of"] == "race"
    assert before.figures["corrected"] == 0.048


@pytest.fixture(scope="module")
def houses():
    sample = load_sample("houses")
    asked = AuditSettings(target=sample.target, remedies=("ifacm",))
    return audit(sample.frame.head(1000), asked)


@pytest.mark.long
def test_an_audit_brings_them_with_its_own_figures(houses):
    found = {f.kind: f for f in houses.findings if f.topic == "dependence"}
    rows = {name: houses.row("test", name) for name in houses.names}
    for kind, name in (("dependence", "base"), ("dependence-left", "ifacm")):
        assert found[kind].certainty == rows[name].p_value
        assert found[kind].figures["corrected"] == rows[name].dcv_corrected
    told = [f.sentence for f in houses.findings]
    assert houses.explanations == told[-len(houses.explanations) :]
    assert " ".join(houses.headline) == " ".join(told[: -len(houses.explanations)])
    plain = to_json(houses)
    assert [f["sentence"] for f in plain["findings"]] == told
    assert plain["headline"] == houses.headline


def test_no_certainty_is_claimed_on_the_rows_an_adjustment_was_fitted_on(houses):
    assert houses.iterations
    row = houses.row("training", "ifacm")
    names = ("corrected", "corrected_low", "corrected_high", "crossfitted")
    assert [getattr(row, f"dcv_{name}") for name in names] == [None] * 4
    assert row.p_value is None
    assert houses.row("training", "base").p_value is not None
