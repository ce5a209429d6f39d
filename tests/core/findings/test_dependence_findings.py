"""How coverage depends on features, what is left, and what the searches found; by hand."""

import math
from dataclasses import replace

import pytest
from rows import long, result_of, result_row, rule_pair

from evencover.core import AuditSettings, audit
from evencover.core.coverage.exchangeability import Drift
from evencover.core.findings.dependence_findings import dependence_findings
from evencover.core.findings.result_json import to_json
from evencover.core.findings.sentences import Context, sentence
from evencover.sample_data import load_sample

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


def findings(base=BASE, after=AFTER, topic="dependence", **others):
    found = dependence_findings(result_of(rows=[base, after], **others))
    return [finding for finding in found if finding.topic == topic]


def kinds(*rows):
    return [finding.kind for finding in findings(*rows)]


def test_clear_evidence_before_and_what_is_left():
    before, left, explained, scope = findings()
    assert [f.kind for f in (before, left, explained, scope)] == [
        *("dependence", "dependence-left", "dependence-explained", "scope")
    ]
    assert [f.predictor for f in (before, left, explained)] == ["base", "ifacm", "ifacm"]
    assert (before.certainty, left.certainty) == (1e-80, 0.0425)
    assert (before.severity, left.severity) == ("problem", "problem")
    assert before.figures == {
        "of": "",
        "in_a_line": False,
        "corrected": 0.0444,
        "low": 0.0399,
        "high": 0.0489,
        "crossfitted": 0.0436,
    }
    assert (left.figures["corrected"], left.figures["high"]) == (0.0071, 0.0128)
    assert explained.figures == {
        "dcv": 0.0110,
        "floor": 0.0116,
        "floor_unadjusted": 0.008,
        "explained": True,
    }


@pytest.mark.parametrize(
    ("p_value", "words", "severity"),
    [
        (0.0099, "there is clear evidence", "problem"),
        (0.03, "there is some evidence", "problem"),
        (0.31, "there is no evidence", "neutral"),
    ],
)
def test_how_sure(p_value, words, severity):
    before = findings(replace(BASE, p_value=p_value))[0]
    assert (before.certainty, before.severity) == (p_value, severity)
    told = sentence(before, Context.of(result_of()))
    assert told.startswith(f"Before, {words} that coverage depends on the model's features (with")
    assert f"in {100 * p_value:.2g} % of cases" in told


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0099, "a dependence is clearly left"),
        (0.0101, "there is some evidence that a dependence"),
        (0.4, "no dependence can be told from chance"),
    ],
)
def test_how_sure_after(p_value, words):
    left = findings(BASE, replace(AFTER, p_value=p_value))[1]
    assert sentence(left, Context.of(result_of())).startswith(f"After, {words}")


def test_more_than_noise_is_said():
    after = replace(AFTER, dcv=0.03, dcv_floor_unadjusted=0.0082, p_value=1e-9)
    explained = findings(BASE, after)[2]
    assert explained.figures == {
        "dcv": 0.03,
        "floor": 0.0116,
        "floor_unadjusted": 0.0082,
        "explained": False,
    }
    # up to one and a half times the floor is explained
    edge = findings(BASE, replace(AFTER, dcv=1.5 * 0.0116))[2]
    assert edge.figures["explained"]


def test_an_adjustment_that_makes_it_worse_is_not_excused():
    before = replace(BASE, p_value=0.26, dcv_corrected=0.008, dcv_corrected_high=0.02)
    after = replace(AFTER, p_value=0.013, dcv_corrected=0.027)
    worse = findings(before, after)[2]
    assert (worse.kind, worse.severity, worse.advice) == ("less-even", "problem", "keep-base")
    # as large as it may have been before, too
    assert "less-even" not in kinds(before, replace(after, dcv_corrected=0.02))


def test_nothing_left_is_said():
    assert kinds(BASE, replace(AFTER, p_value=0.4)) == ["dependence", "dependence-left", "scope"]


@pytest.mark.parametrize(("accuracy", "word"), [(1.0, "right"), (0.0, "wrong")])
def test_equal_outcomes_say_nothing(accuracy, word):
    alike = {"accuracy": accuracy, "p_value": math.nan}
    told = findings(BASE, replace(AFTER, **alike))
    assert [f.kind for f in told] == ["dependence", "all-alike", "scope"]
    assert (told[1].predictor, told[1].figures) == ("ifacm", {"word": word})
    told = findings(replace(BASE, **alike))
    assert [(f.kind, f.predictor, f.figures) for f in told] == [
        ("all-alike", "base", {"word": word})
    ]


def test_the_level_is_told_apart_with_its_band():
    drift = Drift(0.9, 0.8871, 0.9123, auc=0.5, auc_standard_error=0.01)
    (level,) = findings(BASE, replace(AFTER, accuracy=0.8966), topic="level", drift=drift)
    assert level.figures == {
        "accuracy": {"base": 0.9, "ifacm": 0.8966},
        "low": 0.8871,
        "high": 0.9123,
    }


def test_the_deviation_by_another_estimator_is_on_unseen_rows():
    none = dict.fromkeys(("dcv_corrected", "dcv_corrected_low", "dcv_corrected_high"))
    other = replace(BASE, dcv_formula="none", **none)
    before = findings(other, replace(other, predictor="ifacm"))[0]
    assert before.figures["in_a_line"]  # the score test is not the estimator's own
    assert (before.figures["corrected"], before.figures["crossfitted"]) == (None, 0.0436)
    own = findings(replace(other, p_value_permuted=0.02), replace(other, predictor="ifacm"))
    assert own[0].certainty == 0.02
    assert not own[0].figures["in_a_line"]
    assert "scope" not in [f.kind for f in own]


SURE = ((0.582, 0.489, 0.67), (0.6, 0.5, 0.7))


def search(*pairs):
    (found,) = findings(topic="search", worst_segments=long(*pairs))
    return found


def test_the_surest_of_the_worst_segments_is_told():
    one = rule_pair("race = Black and sex = F", 110, *SURE, q=(0.001, 0.9))
    calm = rule_pair("y < 2", 300, (0.9, 0.87, 0.93), (0.9, 0.87, 0.93))
    told = search(one, rule_pair("x < 3", 110, *SURE, q=(0.01, 0.01)), calm)
    assert (told.kind, told.severity, told.who) == ("rules-found", "problem", one[0])
    assert told.figures == {
        "rules": 3,
        "found": {"base": 2, "ifacm": 2},
        "accuracy": {"base": 0.582, "ifacm": 0.6},
        "low": 0.489,
        "high": 0.67,
    }
    after = rule_pair("x < 3", 110, (0.88, 0.8, 0.95), SURE[1], q=(0.9, 0.01))
    told = search(calm, after)
    assert (told.kind, told.who) == ("rules-found", after[1])
    assert told.figures["found"] == {"base": 0, "ifacm": 1}
    assert (told.figures["low"], told.figures["high"]) == (0.8, 0.95)  # of the reference


def test_no_worst_segment_is_told_too():
    told = search(rule_pair("y < 2", 300, (0.9, 0.87, 0.93), (0.9, 0.87, 0.93)))
    assert (told.kind, told.figures["rules"], told.who) == ("no-rule-found", 1, None)
    assert told.figures["found"] == {"base": 0, "ifacm": 0}
    assert search().kind == "nothing-to-search"


@pytest.fixture(scope="module")
def houses():
    sample = load_sample("houses")
    return audit(sample.frame.head(3000), AuditSettings(target=sample.target))


def test_an_audit_brings_them_with_its_own_figures(houses):
    found = {f.kind: f for f in houses.findings if f.topic in ("level", "dependence", "search")}
    rows = {name: houses.row("test", name) for name in houses.names}
    assert found["level"].figures["accuracy"] == {n: row.accuracy for n, row in rows.items()}
    assert found["level"].figures["low"] == houses.drift.accuracy_low
    for kind, name in (("dependence", "base"), ("dependence-left", "ifacm")):
        assert found[kind].certainty == rows[name].p_value
        assert found[kind].figures["corrected"] == rows[name].dcv_corrected
    search = next(f for f in houses.findings if f.topic == "search")
    assert search.figures["rules"] == len(houses.worst_segments) / 2
    context = Context.of(houses)
    told = [sentence(f, context) for f in houses.findings]
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
