"""Cohorts: counted by hand, compared with all others, and the same asked before or after."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rows import by_name
from same import timeless

from evencover.core import AuditSettings, InputError, audit, to_json
from evencover.core.report.audit import cohorts_replaced, with_cohorts
from evencover.core.segments.statistics import difference_interval
from evencover.core.tables.grammar import parse_rule

pytestmark = pytest.mark.long

COHORTS = (
    ("young women", "age < 40 and sex = f"),
    ("far", 'place = "Far, out", North or South'),
    ("giants", "height > 900"),
    ("dear", "price >= 100"),
)


def people(rows=600):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(10, 90, rows),
            "height": rng.normal(170.0, 10.0, rows),
            "sex": rng.choice(["f", "m"], rows),
            "place": rng.choice(["Far, out", "South", "North", None], rows),
            "code": rng.choice([1, 2, 30], rows),
        }
    )
    noise = np.where((frame["age"] < 40) & (frame["sex"] == "f"), 12.0, 4.0)
    return frame.assign(price=100.0 + rng.normal(size=rows) * noise)


@pytest.fixture(scope="module")
def settings():
    return AuditSettings(
        target="price",
        pairs=(("sex", "place"),),
        reference=(("sex", "m"),),
        audit_only=("place",),
        categorical=("code",),
        search="paper",
        remedies=("ifacm",),
    )


@pytest.fixture(scope="module")
def result(settings):
    return audit(people(), replace(settings, cohorts=COHORTS))


def rows_of(result, variable):
    return {row.value: row for row in by_name(result.segments) if row.variable == variable}


def test_a_cohort_is_counted_as_by_hand(result):
    table, test_rows = people(), result.test_rows
    test = table.iloc[test_rows.rows]
    inside = ((test["age"] < 40) & (test["sex"] == "f")).to_numpy()
    found = rows_of(result, "cohort: young women")
    assert list(found) == ["inside", "outside"]
    for row, rows in ((found["inside"], inside), (found["outside"], ~inside)):
        assert (row.kind, row.n) == ("cohort", rows.sum())
        accuracy = {r.predictor: r.accuracy for r in result.segments if r.group == row.group}
        assert accuracy == {n: o.correct[rows].mean() for n, o in test_rows.outcomes.items()}
        assert list(accuracy) == ["base", "ifacm"]
    far = test["place"].notna().sum()
    assert rows_of(result, "cohort: far")["inside"].n == far


def test_a_gap_is_that_of_inside_to_outside(result):
    gap = next(gap for gap in result.gaps if gap.variable == "cohort: far")
    inside, outside = rows_of(result, "cohort: far").values()
    assert inside.n > outside.n  # so that outside is not just the largest
    assert (gap.reference, gap.gap_segment) == ("outside", "inside")
    assert gap.gap == pytest.approx(inside.accuracy - outside.accuracy)
    counts = [
        np.array([n]) for row in (inside, outside) for n in (round(row.accuracy * row.n), row.n)
    ]
    low, high = difference_interval(*counts, 0.95)  # the only gap of its variable
    assert (gap.gap_low, gap.gap_high) == pytest.approx((low[0], high[0]))


def test_nobody_asked_about_the_rows_outside_and_an_empty_cohort_is_told(result):
    of_cohorts = [row.group for row in result.object_segments("base") if row.kind == "cohort"]
    assert of_cohorts == [("cohort: young women", "inside"), ("cohort: far", "inside")]
    outside = rows_of(result, "cohort: far")["outside"]
    assert np.isnan(outside.q_value)
    assert {row.kind for row in rows_of(result, "cohort: dear").values()} == {"label"}
    inside, outside = rows_of(result, "cohort: giants").values()
    assert (inside.n, outside.n) == (0, result.data.test)
    assert to_json(result)["settings"]["cohorts"] == dict(COHORTS)
    told = "No test row is in 'cohort: giants', as the rule height > 900 holds for none."
    assert result.notes.count(told) == 1
    assert result.headline[0].startswith(told)


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        ("place = north", "North"),
        ("place = Nrth or Far", "North"),
        ("sex = man", None),
        ("sex = m and height > 900", None),
    ],
)
def test_a_value_that_does_not_exist_is_told_with_the_nearest_one(result, rule, meant):
    wrong = with_cohorts(result, [("k", rule)])
    start = f"No test row is in 'look: k', as the rule {rule} holds for none"
    end = "." if meant is None else f"; did you mean {meant}?"
    assert wrong.headline[0].startswith(start + end)
    (told,) = (f for f in wrong.findings if f.kind == "no-rows")
    assert (told.severity, told.topic) == ("problem", "coverage")


def test_cohorts_asked_afterwards_are_looks_of_the_audit_done_with_them(settings, result):
    bare = audit(people(), settings)
    looked = audit(people(), replace(settings, looks=COHORTS))
    assert timeless(with_cohorts(bare, COHORTS)) == timeless(looked)
    assert timeless(with_cohorts(result, ())) == timeless(bare)
    one = COHORTS[2:3]
    again = with_cohorts(result, one)
    assert timeless(again) == timeless(audit(people(), replace(settings, cohorts=one)))
    assert again.asked == replace(settings, cohorts=one)
    assert [v.name for v in again.test_rows.variables if v.rule] == ["cohort: giants"]


def test_a_cohort_that_was_asked_for_stays_one_beside_looks(settings):
    few = replace(settings, cohorts=COHORTS[:1])
    both = with_cohorts(audit(people(300), few), COHORTS[:2])
    done = audit(people(300), replace(few, looks=COHORTS[1:2]))
    assert timeless(both) == timeless(done)
    assert both.asked == done.asked
    assert both.settings["cohorts"] == dict(COHORTS[:1])
    assert both.settings["looks"] == dict(COHORTS[1:2])


def test_a_look_has_figures_but_is_not_judged(settings, result):
    looked = audit(people(), replace(settings, looks=COHORTS))
    for name, _ in COHORTS:
        asked, seen = (rows_of(of, f"cohort: {name}") for of in (result, looked))
        for value, row in seen.items():
            assert (row.kind, row.family, row.status) == ("look", "", None)
            assert np.isnan([row.q_value, row.holm, row.detectable]).all()
            np.testing.assert_equal(
                [row.n, row.accuracy, row.low, row.high, row.p_value],
                [getattr(asked[value], key) for key in ("n", "accuracy", "low", "high", "p_value")],
            )
    # so it says nothing of the others either
    bare = {row.group: row.q_value for row in by_name(audit(people(), settings).segments)}
    others = {row.group: row.q_value for row in by_name(looked.segments) if row.kind != "look"}
    np.testing.assert_equal(others, bare)
    gaps = [row for row in looked.gaps if row.kind == "look"]
    assert gaps
    assert np.isnan([(row.gap_low, row.gap_high) for row in gaps]).all()


def test_cohorts_of_classes_are_the_same_afterwards():
    table = people(400).assign(price=lambda t: np.where(t["price"] > 100.0, "dear", "cheap"))
    settings = AuditSettings(target="price", search="paper", remedies=("ifacm",))
    cohorts = (("dear men", "price = dear and sex = m"), ("old", "age >= 65"))
    before = audit(table, replace(settings, looks=cohorts))
    assert timeless(with_cohorts(audit(table, settings), cohorts)) == timeless(before)
    men = ((table["price"] == "dear") & (table["sex"] == "m")).iloc[before.test_rows.rows].sum()
    assert rows_of(before, "cohort: dear men")["inside"].n == men


def without_a_rule(result):
    """See that every rule says its segment's rows alone; return the segments that have none."""
    partitions = {each.name: each.partition for each in result.test_rows.variables}
    for row in (row for row in result.segments if row.rule):
        holds, rows = parse_rule(row.rule).holds(result.test_rows.table), partitions[row.variable]
        np.testing.assert_array_equal(holds, rows.rows(row.value), err_msg=row.rule)
    return list(dict.fromkeys(row.group for row in result.segments if not row.rule))


def rules(result, *variables):
    return {row.value: row.rule for row in result.segments if row.variable in variables}


def test_a_segment_s_rule_says_exactly_its_rows(result):
    outside = [(f"cohort: {name}", "outside") for name, _ in COHORTS]
    assert without_a_rule(result) == outside
    said = rules(result, "sex × place", "code", "cohort: young women")
    assert said["f × Far, out"] == 'sex = f and place = "Far, out"'
    assert said["f × (missing)"] == "sex = f and place is missing"
    assert said["30"] == "code = 30"
    assert said["inside"] == "age < 40 and sex = f"


def test_rules_of_dates_rare_values_and_classes():
    rng = np.random.default_rng(7)
    days = np.datetime64("2020-01-01") + rng.integers(0, 300, 400)
    table = pd.DataFrame(
        {
            "day": pd.Series(days).dt.strftime("%d.%m.%Y").mask(rng.random(400) < 0.1),
            "month": days.astype("datetime64[M]").astype("datetime64[us]"),
            "few": pd.Series(days[:5]).sample(400, replace=True, random_state=1).to_numpy(),
            "many": rng.choice([f"v {i}" for i in range(15)], 400),
            "zone": np.where(rng.random(400) < 0.5, 100, rng.integers(101, 140, 400)),
            "time": [f"{hour:02}:30" for hour in rng.integers(0, 24, 400)],
            "y": rng.choice(["a", "b"], 400),
        }
    )
    result = audit(table, AuditSettings(target="y", remedies=("none",), categorical=("zone",)))
    assert without_a_rule(result) == []
    # of 120 test rows no value has 20
    assert rules(result, "many")["(other)"] == "many is not missing"
    assert rules(result, "label: y")["a"] == "y = a"
    assert rules(result, "zone") == {"100": "zone = 100", "(other)": "zone != 100"}


def test_a_column_called_like_a_cohort_keeps_its_name():
    table = people(200).rename(columns={"age": "cohort: old"})
    asked = {"cohorts": (("old", '"cohort: old" > 65'),), "remedies": ("none",)}
    result = audit(table, AuditSettings(target="price", **asked))
    inside = rows_of(result, "cohort: old (2)")["inside"]
    assert inside.n == (table["cohort: old"].iloc[result.test_rows.rows] > 65).sum()


def test_a_reference_goes_with_its_cohort(settings):
    reference = (("sex", "m"), ("cohort: far", "inside"))
    named = replace(settings, cohorts=COHORTS[:2], reference=reference)
    before = audit(people(200), named)
    left = with_cohorts(before, COHORTS[:1])
    told = "The reference group 'inside' of 'cohort: far' was left out, as there is no such cohort."
    assert left.notes == [*before.notes, told]
    assert left.asked == replace(named, cohorts=COHORTS[:1], reference=reference[:1])
    assert left.settings["reference"] == {"sex": "m"}
    assert cohorts_replaced(named, COHORTS[:1]) == left.asked
    assert cohorts_replaced(named, COHORTS[1:]).reference == reference
    gap = next(row for row in with_cohorts(before, COHORTS[1:]).gaps if "far" in row.variable)
    assert gap.reference == "inside"


def test_what_cannot_be_is_told_afterwards_too(result):
    for cohorts, sentence in (
        ((("a", "age >"),), "cannot be read"),
        ((("a", "agee > 3"),), "no column 'agee'"),
        ((("a", "age > x"),), "'x' is none"),
    ):
        with pytest.raises(InputError, match=sentence):
            with_cohorts(result, cohorts)


def test_the_reference_group_of_a_column_called_like_a_cohort_stays():
    table = people(300).rename(columns={"sex": "cohort: k"})
    asked = AuditSettings(
        target="price",
        cohorts=(("k", "age > 40"),),
        reference=(("cohort: k", "m"), ("cohort: k (2)", "inside")),
        remedies=("none",),
    )
    before = audit(table, asked)
    after = with_cohorts(before, ())
    assert after.asked.reference == (("cohort: k", "m"),)
    assert {gap.variable: gap.reference for gap in after.gaps}["cohort: k"] == "m"
    left_out = "The reference group 'inside' of 'cohort: k (2)' was left out"
    assert after.notes == [*before.notes, f"{left_out}, as there is no such cohort."]
    assert with_cohorts(before, asked.cohorts).asked == asked


def test_a_note_tells_of_which_cohorts_the_repeats_are():
    asked = AuditSettings(target="price", cohorts=COHORTS[:1], repeats=2, remedies=("ifacm",))
    before = audit(people(300), asked)
    after = with_cohorts(before, COHORTS[1:2])
    told = "The figures over the repeats have the cohorts that the audit was run with"
    assert after.notes == [*before.notes, f"{told}: 'young women'."]
    assert after.repeats == before.repeats
    assert with_cohorts(after, ()).notes == after.notes
    assert with_cohorts(before, COHORTS[:1]).notes == before.notes
