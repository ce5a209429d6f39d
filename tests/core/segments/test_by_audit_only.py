"""DCV by audit-only columns: against known coverage, and what is said of it."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rows import by_name, held, result_of, result_row
from scipy.stats import beta

from evencover.core import AuditSettings, audit
from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.coverage.null_model import NullModel
from evencover.core.report.dependence_findings import dependence_findings
from evencover.core.rows.examples import as_examples
from evencover.core.segments.by_audit_only import ALL, diagnose_audit_only
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.tables.table import Table
from evencover.sample_data import load_sample

N = 20_000
IN_A_LINE = {ALL: True, "group": False, "age": True}
NULL_MODEL = NullModel(CoverageLaw.of_calibration(5000, 0.9), held([]))


TABLE = as_examples(np.zeros((2 * N, 1)))
LEARNING, TEST = TABLE.part(np.arange(N)), TABLE.part(np.arange(N, 2 * N))


def draw(seed=0):
    """Coverage 0.75 for a tenth of the rows by ``group``, 0.9 for the others; age means nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"group": rng.choice(["A", "B"], 2 * N, p=[0.9, 0.1]), "age": rng.normal(40, 10, 2 * N)}
    )
    share = np.where(frame["group"] == "B", 0.75, 0.9)[N:]
    return frame, rng.random(N) < share, rng.random(N) < 0.9


def findings(rows):
    """What is said of the audit-only columns."""
    figures = {"accuracy": 0.9, "p_value": 0.5}
    result = result_of(
        rows=[result_row(name, **figures) for name in ("base", "ifacm")], audit_only=rows
    )
    return [f for f in dependence_findings(result) if f.topic == "audit-only"]


def diagnosed(frame, base, adjusted, columns=("group", "age")):
    outcomes = {"base": held(base), "ifacm": held(adjusted)}
    return diagnose_audit_only(prepared(frame, columns), outcomes, NULL_MODEL)


def prepared(frame, columns, test=TEST):
    """Rows made ready, with only what the diagnosis takes."""
    roles = SimpleNamespace(audit_only=columns)
    return SimpleNamespace(table=Table.of(frame), roles=roles, learning=LEARNING, test=test)


def test_the_deviation_is_found_where_it_is():
    rows = {(row.column, row.predictor): row for row in diagnosed(*draw())[0]}
    assert list(rows) == [
        (column, name) for column in (ALL, "group", "age") for name in ("base", "ifacm")
    ]
    truth = math.sqrt(0.1 * 0.15**2)
    group = rows["group", "base"]
    assert group.dcv_corrected_low <= truth <= group.dcv_corrected_high
    assert group.parameters == 2
    assert group.p_value < 1e-20
    assert rows[ALL, "base"].p_value < 1e-20
    assert rows[ALL, "base"].parameters == 3
    assert rows["age", "base"].p_value > 0.01
    assert rows["group", "ifacm"].p_value > 0.01


def test_two_groups_by_hand():
    """The logistic regression on one indicator gives the groups' own shares."""
    frame, base, adjusted = draw(1)
    row = diagnosed(frame, base, adjusted, ("group",))[0][0]
    groups = frame["group"].to_numpy()[N:]
    squares = [((base[groups == g].mean() - 0.9) ** 2, (groups == g).mean()) for g in "AB"]
    expected = math.sqrt(sum(square * weight for square, weight in squares))
    assert row.dcv == pytest.approx(expected, rel=1e-6)
    # the rank of 5000 calibration rows is 500
    drawn = beta(4501, 500).var()
    assert row.dcv_floor == pytest.approx(math.sqrt(2 * 0.09 / N + drawn), rel=1e-12)
    assert row.dcv_spread_floor == pytest.approx(math.sqrt(0.09 / N), rel=1e-12)
    assert row.column == "group"


def test_the_floor_knows_the_calibration_rows_and_is_drawn_where_values_are_rare():
    frame, base, _ = draw(2)
    law = CoverageLaw.of_calibration(99, 0.9)
    outcomes = held(base)
    data, null_model = prepared(frame, ("group",)), NullModel(law, outcomes)
    (whole,) = diagnose_audit_only(data, {"base": outcomes}, null_model)[0]
    assert whole.dcv_formula == "good"
    assert whole.dcv_floor == pytest.approx(math.sqrt(0.09 * (2 / N + 1 / 101)), rel=1e-9)
    assert whole.dcv_spread_floor == pytest.approx(math.sqrt(0.09 / N), rel=1e-9)
    small = frame.assign(place=np.random.default_rng(3).integers(0, 12, 2 * N).astype(str))
    outcomes = held(base[:300])
    data = prepared(small, ("place",), TEST.part(np.arange(300)))
    (few,) = diagnose_audit_only(data, {"base": outcomes}, NullModel(law, outcomes))[0]
    assert (few.dcv_formula, few.dcv_corrected) == ("rough", None)
    assert few.dcv_floor == pytest.approx(math.sqrt(0.09 * (12 / 300 + 1 / 101)), rel=0.2)


def test_a_column_that_tells_nothing_is_told_of():
    frame, base, adjusted = draw()
    rows, notes = diagnosed(frame.assign(same="x"), base, adjusted, ("same", "group"))
    assert {row.column for row in rows} == {ALL, "group"}
    assert [note.split(":")[0] for note in notes] == ["There is no DCV by audit-only 'same'"]


def test_a_column_called_like_all_of_them_is_not_taken_for_them():
    frame, base, adjusted = draw()
    found = diagnosed(frame.rename(columns={"age": ALL}), base, adjusted, (ALL, "group"))[0]
    assert [(row.column, row.joint) for row in found[::2]] == [
        (ALL, True),
        (ALL, False),
        ("group", False),
    ]
    usual = diagnosed(frame, base, adjusted, ("age", "group"))[0]
    assert [row.dcv for row in found] == [row.dcv for row in usual]
    alone = diagnosed(frame.rename(columns={"group": ALL}), base, adjusted, (ALL,))[0]
    assert not alone[0].joint
    assert "depends on audit-only (all) " in findings(alone)[0].sentence


def test_the_findings_are_of_all_columns_together():
    rows = diagnosed(*draw())[0]
    before, after = findings(rows)
    assert before.sentence.startswith(
        "Before, there is clear evidence that coverage depends on the audit-only columns"
    )
    assert " off 90 % by about 4." in before.sentence
    assert after.sentence.startswith("After, as to the audit-only columns, no dependence")
    assert {row.column: row.in_a_line for row in rows} == IN_A_LINE
    for finding, row in zip((before, after), rows, strict=False):
        assert (finding.predictor, finding.certainty) == (row.predictor, row.p_value)
        assert finding.figures["of"] == "the audit-only columns"
        assert finding.figures["corrected"] == row.dcv_corrected
    alone, left = findings(
        [replace(row, column="age", joint=False, p_value=0.005) for row in rows[:2]]
    )
    assert (alone.figures["of"], alone.figures["is_sure"]) == ("age", True)
    assert left.kind == "dependence-left"
    unsure, _ = findings([replace(row, p_value=0.0051) for row in rows[:2]])
    assert (unsure.severity, unsure.figures["is_sure"]) == ("neutral", False)
    assert findings([replace(row, p_value=math.nan) for row in rows[:2]]) == findings([]) == []


@pytest.mark.long
def test_what_the_adjustment_cannot_see_stays_and_is_said():
    sample = load_sample("triage")
    settings = AuditSettings(target=sample.target, audit_only=("group",), penalty=5.0)
    result = audit(sample.frame, settings)
    base, after = result.audit_only
    assert (base.column, base.predictor, after.predictor) == ("group", "base", "ifacm")
    groups = {r.value: r for r in by_name(result.segments) if r.variable == "group"}
    by_group = [(groups[g].accuracy - 0.9, groups[g].n) for g in "AB"]
    expected = math.sqrt(sum(n * off**2 for off, n in by_group) / sum(n for _, n in by_group))
    assert isinstance(groups["A"], SegmentRow)
    assert base.dcv == pytest.approx(expected, rel=1e-6)
    assert any("depends on audit-only group" in told for told in result.explanations)
    assert any(f.figures.get("of") == "group" for f in result.findings)
    assert any(row.rule == "group = B" for row in result.worst_segments)
