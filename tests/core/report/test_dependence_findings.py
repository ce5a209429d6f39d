"""How coverage depends on features and audit-only columns, and what is left; by hand."""

import math
from dataclasses import replace

import pytest
from rows import audit_only_row, result_of, result_row

from evencover.core import AuditSettings, audit
from evencover.core.report.dependence_findings import dependence_findings
from evencover.core.report.result import to_json
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


def findings(base=BASE, after=AFTER, **others):
    return dependence_findings(result_of(rows=[base, after], **others))


def test_dependence_before_and_what_is_left():
    before, left = findings()
    assert [f.kind for f in (before, left)] == ["dependence", "dependence-left"]
    assert [f.predictor for f in (before, left)] == ["base", "ifacm"]
    assert {f.topic for f in (before, left)} == {"dependence"}
    assert (before.certainty, left.certainty) == (1e-80, 0.0425)
    assert before.figures == {
        "of": "",
        "in_a_line": True,
        "is_sure": True,
        "off_over_all": False,
        "size": 0.015,
        "corrected": 0.0444,
        "low": 0.0399,
        "high": 0.0489,
        "dcv": 0.045,
        "floor": 0.008,
    }
    assert not left.figures["is_sure"]
    assert (left.figures["corrected"], left.figures["high"]) == (0.0071, 0.0128)


@pytest.mark.parametrize("p_value", [0.0, 0.005, 0.0051, 0.03, 0.31, 1.0])
def test_evidence_is_clear_at_one_level_everywhere(p_value):
    before, left = findings(replace(BASE, p_value=p_value), replace(AFTER, p_value=p_value))
    for finding in (before, left):
        assert finding.figures["is_sure"] == (p_value <= 0.005)
    # what an adjustment leaves is weighed by its effect
    assert before.severity == ("problem" if p_value <= 0.005 else "neutral")
    assert left.severity == "neutral"


def test_a_permuted_p_value_is_of_the_estimator_s_own_shape():
    before, _ = findings(replace(BASE, p_value_permuted=0.02))
    assert (before.certainty, before.figures["in_a_line"]) == (0.02, False)
    assert not before.figures["is_sure"]


def test_where_no_formula_holds_the_deviation_is_beside_its_floor():
    other = replace(BASE, dcv_corrected=None, dcv_corrected_low=None, dcv_corrected_high=None)
    before = findings(other)[0]
    assert (before.figures["corrected"], before.figures["dcv"]) == (None, 0.045)
    told = before.sentence
    assert "DCV is 4.5 points, clearly more (at the level of 1.5 %) than the 0.8 that" in told
    told = findings(replace(other, p_value=0.006))[0].sentence
    assert "not clearly more (at the level of 1.5 %) than the 0.8 that" in told
    told = findings(replace(other, dcv_floor=0.05))[0].sentence
    assert "not clearly more (at the level of 1.5 %) than the 5.0 that" in told
    told = findings(replace(other, dcv_floor=None))[0].sentence
    assert told.endswith("DCV is 4.5 points.")


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
    assert [(f.topic, f.kind) for f in told] == [
        ("dependence", "dependence"),
        ("dependence", "dependence-left"),
        ("audit-only", "dependence"),
        ("audit-only", "dependence-left"),
    ]
    before, left = told[2:]
    assert (before.severity, before.figures["is_sure"]) == ("problem", True)
    assert (left.severity, left.figures["is_sure"]) == ("neutral", False)
    assert before.figures["of"] == left.figures["of"] == "race"
    assert before.figures["corrected"] == 0.048


@pytest.fixture(scope="module")
def houses():
    sample = load_sample("houses")
    return audit(sample.frame.head(1000), AuditSettings(target=sample.target))


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
