"""Which segments are judged together, rows that are alike, and DCV by audit-only columns."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rows import by_name, held, result_of, result_row
from scipy.stats import beta, hypergeom
from statsmodels.stats.multitest import multipletests

from evencover.core import AuditSettings, audit
from evencover.core.conformal.rank import CoverageLaw
from evencover.core.coverage.null_model import NullModel
from evencover.core.report.dependence_findings import dependence_findings
from evencover.core.rows.examples import as_examples
from evencover.core.segments.binning import INSIDE, OUTSIDE, Partition
from evencover.core.segments.by_audit_only import ALL, diagnose_audit_only
from evencover.core.segments.by_segment import SegmentRow, segment_rows
from evencover.core.segments.grouping import Variable
from evencover.core.segments.statistics import detectable, wilson_interval
from evencover.core.segments.tally import ColumnSegments, PartOfSegment
from evencover.core.segments.under_coverage import change_rows
from evencover.core.tables.table import Table
from evencover.sample_data import load_sample

N = 600
LEVEL = 0.9


def variable(name, kind, names, codes, **others):
    partition = Partition(list(names), np.asarray(codes), [None] * len(names))
    return Variable(name, kind, partition, **others)


def drawn(rng, name, kind, names, n=N, share=None, **others):
    return variable(name, kind, names, rng.choice(len(names), n, p=share), **others)


@pytest.fixture(scope="module")
def judged():
    """Segments of every kind; the last of each of "zone" and "class" has fewer than 20 rows."""
    rng = np.random.default_rng(3)
    few = [0.5, 0.48, 0.02]
    variables = [
        drawn(rng, "sex", "column", "fm"),
        drawn(rng, "zone", "column", "abc", share=few),
        drawn(rng, "owner", "group", "xyz"),
        drawn(rng, "race", "column", "jk", named=True),
        drawn(rng, "sex × zone", "pair", "pqrs", named=True),
        drawn(rng, "cohort: old", "cohort", (INSIDE, OUTSIDE), named=True),
        drawn(rng, "cohort: odd", "look", (INSIDE, OUTSIDE)),
        drawn(rng, "label: y", "label", "uvw", share=few),
        drawn(rng, "cohort: dear", "label", (INSIDE, OUTSIDE)),
    ]
    outcomes = {
        name: held(rng.random(N) < share) for name, share in (("base", 0.85), ("ifacm", 0.92))
    }
    return outcomes, segment_rows(variables, outcomes, LEVEL)


OBJECTS = [
    *(("sex", value) for value in "fm"),
    *(("zone", value) for value in "ab"),
]
NAMED = [
    *(("race", value) for value in "jk"),
    *(("sex × zone", value) for value in "pqrs"),
    ("cohort: old", INSIDE),
]
LABELS = [
    *(("label: y", value) for value in "uv"),
    *(("cohort: dear", value) for value in (INSIDE, OUTSIDE)),
]


FAMILIES = [("objects", OBJECTS), ("named", NAMED), ("label", LABELS)]


def exact(row, correct):
    law = hypergeom(N, correct.sum(), row.n)
    hits = round(row.n * row.accuracy)
    return min(1.0, 2.0 * min(law.cdf(hits), law.sf(hits - 1)))


@pytest.mark.parametrize("name", ["base", "ifacm"])
@pytest.mark.parametrize(("family", "groups"), FAMILIES)
def test_segments_are_corrected_for_among_those_of_their_family(judged, name, family, groups):
    outcomes, rows = judged
    members = [row for row in by_name(rows, name) if row.family == family]
    assert [row.group for row in members] == groups
    p = [exact(row, outcomes[name].correct) for row in members]
    assert [row.p_value for row in members] == pytest.approx(p)
    assert [r.q_value for r in members] == pytest.approx(multipletests(p, method="fdr_bh")[1])
    assert [r.holm for r in members] == pytest.approx(multipletests(p, method="holm")[1])
    shown = detectable(
        np.array([row.n for row in members]),
        outcomes[name].correct.sum(),
        N,
        LEVEL,
        0.02 / len(members),  # two hundredths are for each family together
    )
    assert [row.detectable for row in members] == pytest.approx(shown, nan_ok=True)


def test_the_others_have_figures_but_are_not_judged(judged):
    outcomes, rows = judged
    others = [row for row in rows if row.family == ""]
    assert [row.group for row in by_name(others)] == [
        ("zone", "c"),
        *(("owner", value) for value in "xyz"),
        ("cohort: old", OUTSIDE),
        ("cohort: odd", INSIDE),
        ("cohort: odd", OUTSIDE),
        ("label: y", "w"),
    ]
    for row in others:
        assert row.p_value == pytest.approx(exact(row, outcomes[row.predictor].correct))
        assert row.low < row.accuracy < row.high
        assert np.isnan([row.q_value, row.holm, row.detectable]).all()
        assert row.status is None


COPIES = 3


@pytest.fixture(scope="module")
def single_and_copied():
    """Rows once, and each three times, as a cluster."""
    rng = np.random.default_rng(4)
    codes, n = rng.choice(3, N, p=[0.6, 0.3, 0.1]), N
    before = rng.random(n) < np.array([0.92, 0.88, 0.7])[codes]
    after = before ^ (rng.random(n) < 0.08)

    def tables(copies):
        divided = variable("zone", "column", "abc", np.repeat(codes, copies))
        clusters = None if copies == 1 else np.repeat(np.arange(n), copies)
        outcomes = {
            name: held(np.repeat(correct, copies), clusters)
            for name, correct in (("base", before), ("ifacm", after))
        }
        _, *changes = change_rows([divided], outcomes)
        return segment_rows([divided], outcomes, LEVEL), changes

    return tables(1), tables(COPIES)


def test_rows_copied_say_no_more_than_once(single_and_copied):
    (singles, _), (copied, _) = single_and_copied
    for row, thrice in zip(singles, copied, strict=True):
        assert (row.n_effective, thrice.n) == (row.n, COPIES * row.n)
        # a little fewer, as 600 clusters are known by Student's law: (2.584 / 2.576)^2
        assert 0.98 * row.n - 1.0 < thrice.n_effective <= row.n
        assert thrice.accuracy == pytest.approx(row.accuracy, abs=1e-12)
        assert (thrice.low, thrice.high) == pytest.approx((row.low, row.high), abs=0.01)
        assert np.log(thrice.p_value) == pytest.approx(np.log(row.p_value), rel=0.1, abs=0.3)
        assert thrice.detectable == pytest.approx(row.detectable, abs=0.02)
    assert any(row.p_value < 1e-4 for row in singles)  # of which copies would make far less


def test_changes_of_rows_copied_are_those_of_the_rows(single_and_copied):
    (_, singles), (_, copied) = single_and_copied
    for row, thrice in zip(singles, copied, strict=True):
        assert (thrice.gained, thrice.lost) == (COPIES * row.gained, COPIES * row.lost)
        assert thrice.change == pytest.approx(row.change, abs=1e-12)
        assert (thrice.low, thrice.high) == pytest.approx((row.low, row.high), abs=0.01)
        assert thrice.p_value == pytest.approx(row.p_value, abs=0.1)


def test_a_cluster_that_is_a_segment_of_its_own_is_asked_about_as_it_is():
    """Owner 0 has 200 rows at 60 %; to say so of these very rows takes no other owners."""
    rng = np.random.default_rng(5)
    clusters = np.concatenate([np.zeros(200, dtype=int), 1 + np.arange(400) // 4])
    correct = np.where(clusters == 0, np.arange(600) % 10 < 6, rng.random(600) < 0.9)
    codes = (clusters > 0).astype(int)
    outcomes = {"base": held(correct, clusters)}

    def rows(kind):
        owners = variable("owner", kind, ("0", "(other)"), codes)
        return segment_rows([owners], outcomes, LEVEL)

    zero, others = rows("group")
    assert (zero.n_effective, zero.accuracy) == (200, 0.6)
    low, high = wilson_interval(np.array([120]), np.array([200]))
    assert (zero.low, zero.high) == (low[0], high[0])
    assert zero.family == ""  # as other owners may be as low without any fault
    assert others.n_effective < 400
    as_sample, _ = rows("column")  # of owners like it, of which one was seen
    assert as_sample.n_effective < 20


@pytest.mark.parametrize("spread", [0.0, 1.0])
@pytest.mark.long
def test_p_values_of_dependent_rows_keep_their_size(spread):
    """Clusters of 10 that differ in coverage, in segments that have nothing to do with it."""
    rng, runs, below = np.random.default_rng(6), 300, []
    clusters = np.repeat(np.arange(100), 10)
    for _ in range(runs):
        odds = 2.2 + spread * rng.normal(size=100)
        correct = rng.random(1000) < (1.0 / (1.0 + np.exp(-odds)))[clusters]
        codes = rng.choice(2, 100, p=[0.7, 0.3])[clusters]
        divided = variable("v", "column", "ab", codes)
        rows = segment_rows([divided], {"base": held(correct, clusters)}, LEVEL)
        below.append(rows[1].p_value <= 0.05)
    assert np.mean(below) <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / runs)


@pytest.fixture
def groups():
    county = variable("county", "column", ("Devon", "Kent", "Essex"), [0] * 2 + [1] * 12 + [2] * 6)
    heating = variable("heating", "column", ("gas", "oil"), [0, 1] * 10)
    return ColumnSegments([heating, county])


def test_a_small_segment_that_is_there_whole_is_named_though_most_rows_are_of_others(groups):
    # Devon: 2 of 6 rows, 1/3 - 0.1 more than of all; Kent: 4 of 6, 2/3 - 0.6; gas: none more.
    rows = np.isin(np.arange(20), [0, 1, 2, 3, 4, 5])
    assert groups.most_in_excess(rows) == PartOfSegment("county = Devon", 2, 2)


def test_without_a_clear_excess_or_of_a_single_row_none_is_named(groups):
    assert groups.most_in_excess(np.ones(20, bool)) is None
    assert groups.most_in_excess(np.zeros(20, bool)) is None
    assert groups.most_in_excess(np.arange(20) == 0) is None


def test_of_small_groups_none_is_the_worst(groups):
    assert groups.worst(held(np.arange(20) % 4 > 0)) is None  # of 12 rows at most


MANY = 20_000
IN_A_LINE = {ALL: True, "group": False, "age": True}
NULL_MODEL = NullModel(CoverageLaw.of_calibration(5000, 0.9), held([]))


TABLE = as_examples(np.zeros((2 * MANY, 1)))
LEARNING, TEST = TABLE.part(np.arange(MANY)), TABLE.part(np.arange(MANY, 2 * MANY))


def draw(seed=0):
    """Coverage 0.75 for a tenth of the rows by ``group``, 0.9 for the others; age means nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "group": rng.choice(["A", "B"], 2 * MANY, p=[0.9, 0.1]),
            "age": rng.normal(40, 10, 2 * MANY),
        }
    )
    share = np.where(frame["group"] == "B", 0.75, 0.9)[MANY:]
    return frame, rng.random(MANY) < share, rng.random(MANY) < 0.9


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
    groups = frame["group"].to_numpy()[MANY:]
    squares = [((base[groups == g].mean() - 0.9) ** 2, (groups == g).mean()) for g in "AB"]
    expected = math.sqrt(sum(square * weight for square, weight in squares))
    assert row.dcv == pytest.approx(expected, rel=1e-6)
    # the rank of 5000 calibration rows is 500
    drawn = beta(4501, 500).var()
    assert row.dcv_floor == pytest.approx(math.sqrt(2 * 0.09 / MANY + drawn), rel=1e-12)
    assert row.dcv_spread_floor == pytest.approx(math.sqrt(0.09 / MANY), rel=1e-12)
    assert row.column == "group"


def test_the_floor_knows_the_calibration_rows_and_is_drawn_where_values_are_rare():
    frame, base, _ = draw(2)
    law = CoverageLaw.of_calibration(99, 0.9)
    outcomes = held(base)
    data, null_model = prepared(frame, ("group",)), NullModel(law, outcomes)
    (whole,) = diagnose_audit_only(data, {"base": outcomes}, null_model)[0]
    assert whole.dcv_formula == "good"
    assert whole.dcv_floor == pytest.approx(math.sqrt(0.09 * (2 / MANY + 1 / 101)), rel=1e-9)
    assert whole.dcv_spread_floor == pytest.approx(math.sqrt(0.09 / MANY), rel=1e-9)
    small = frame.assign(place=np.random.default_rng(3).integers(0, 12, 2 * MANY).astype(str))
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
    assert "depends on the audit-only column (all) " in findings(alone)[0].sentence


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
    settings = AuditSettings(
        target=sample.target, audit_only=("group",), penalty=5.0, remedies=("ifacm",)
    )
    result = audit(sample.frame, settings)
    base, after = result.audit_only
    assert (base.column, base.predictor, after.predictor) == ("group", "base", "ifacm")
    groups = {r.value: r for r in by_name(result.segments) if r.variable == "group"}
    by_group = [(groups[g].accuracy - 0.9, groups[g].n) for g in "AB"]
    expected = math.sqrt(sum(n * off**2 for off, n in by_group) / sum(n for _, n in by_group))
    assert isinstance(groups["A"], SegmentRow)
    assert base.dcv == pytest.approx(expected, rel=1e-6)
    assert any("depends on the audit-only column group" in told for told in result.explanations)
    assert any(f.figures.get("of") == "group" for f in result.findings)
    assert any(row.rule == "group = B" for row in result.worst_segments)
