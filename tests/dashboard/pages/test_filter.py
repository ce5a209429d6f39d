"""Filters, and a result as a session looks at it through them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit
from evencover.core.exploration.groups import coverage_on_map, group_figures
from evencover.core.segments.binning import INSIDE, OUTSIDE
from evencover.core.tables.table import Table
from evencover.dashboard.pages.filter import (
    Filter,
    LookedAt,
    Part,
    part_of,
    part_on_map,
    parts_by_segment,
)
from evencover.dashboard.pages.session import SessionState
from evencover.dashboard.runs.upload import LoadedTable
from evencover.dashboard.wording.figure_words import coverage_in_words, what_is_shown
from evencover.dashboard.wording.formatting import predictors
from evencover.dashboard.wording.rows import segments

COHORTS = (("low", "x0 < 0"),)


def row_of(result, variable, value):
    return next(one for one in segments(result) if one.first.group == (variable, value))


def test_a_filter_without_parts_leaves_all(result):
    assert not Filter()
    assert Filter().mask(result.test_rows) is None
    assert Filter().as_rule() == ""


def test_a_segment_leaves_its_rows(result):
    for row in segments(result):
        chosen = Filter().adding(part_of(row))
        found = group_figures(result.test_rows, chosen.mask(result.test_rows))
        assert (found.n, found.figures["base"].low) == (row.n, row.first.low)


def test_parts_all_have_to_hold(result):
    frame = result.test_rows.table.frame
    chosen = Filter().adding(parts_by_segment(result)["place", "Ayr"]).adding(Part("x0 >= 0.5"))
    expected = (frame["place"] == "Ayr") & (frame["x0"] >= 0.5)
    assert (chosen.mask(result.test_rows) == expected).all()
    assert chosen.words() == "place = Ayr and x0 >= 0.5"
    assert chosen.as_rule() == "place = Ayr and x0 >= 0.5"


def test_a_part_takes_the_place_of_one_that_goes_by_the_same(result):
    ayr, bude = (parts_by_segment(result)["place", value] for value in ("Ayr", "Bude"))
    first = Filter().adding(ayr, Part("x0 < 1"))
    assert first.adding(bude).parts == (Part("x0 < 1"), bude)
    assert first.adding(Part("x0 >= 1")).parts == (ayr, Part("x0 >= 1"))
    assert first.adding(Part("x1 >= 1")).parts == (*first.parts, Part("x1 >= 1"))
    assert first.without(ayr).parts == (Part("x0 < 1"),)


def test_every_worst_segment_leaves_the_rows_it_was_found_on(result):
    assert result.worst_segments
    for row in result.worst_segments:
        assert Part(row.rule).mask(result.test_rows).sum() == row.n_test


def test_a_part_of_what_is_not_there_is_refused_or_left_out(result):
    gone = Part("cohort: old", "cohort: old", "inside")
    with pytest.raises(InputError, match="there is no segment cohort: old"):
        gone.mask(result.test_rows)
    chosen = Filter((gone, Part("gone > 1"), Part("x0 > 1")))
    assert chosen.of_these(result.test_rows).parts == (Part("x0 > 1"),)


@pytest.mark.long
def test_a_cell_of_the_map_leaves_its_rows(table):
    frame = table.rename(columns={"x0": "lat", "x1": "lon"})
    test_rows = audit(frame, AuditSettings(target="y", penalty=100.0, search="paper")).test_rows
    found = coverage_on_map(test_rows)
    for cell in found.cells:
        assert part_on_map("lat", "lon", cell).mask(test_rows).sum() == cell.n


def test_cohorts_are_in_every_table_and_can_be_looked_at(result):
    look = LookedAt.of(result, COHORTS, Filter())
    row = row_of(look.result, "cohort: low", INSIDE)
    assert row.n == (result.test_rows.table.frame["x0"] < 0).sum()
    inside = LookedAt.of(result, COHORTS, Filter((part_of(row),)), look)
    assert (inside.n, inside.result) == (row.n, look.result)
    outside = part_of(row_of(look.result, "cohort: low", OUTSIDE))
    assert outside.words == "outside cohort: low (a look)"
    assert LookedAt.of(result, COHORTS, Filter((outside,))).n == result.data.test - row.n


def test_cohorts_asked_for_before_come_first_and_the_others_are_looks(result):
    own = replace(result.asked, cohorts=(("a", "x0 > 0"),))
    look = LookedAt.of(replace(result, asked=own), (("b", "x0 > 1"), ("a", "x0 > 0")), Filter())
    kinds = [
        (variable.name, variable.kind) for variable in look.test_rows.variables if variable.rule
    ]
    assert kinds == [("cohort: a", "cohort"), ("cohort: b", "look")]
    assert look.result.asked.all_cohorts == (("a", "x0 > 0"), ("b", "x0 > 1"))


def test_a_removed_cohort_leaves_the_filter(result):
    look = LookedAt.of(result, COHORTS, Filter())
    chosen = Filter((part_of(row_of(look.result, "cohort: low", INSIDE)),))
    after = LookedAt.of(result, (), chosen, look)
    assert (after.filter, after.n) == (Filter(), result.data.test)
    assert after.result is result


def test_words_tell_rows_and_coverage(result):
    found = group_figures(result.test_rows, np.zeros(result.data.test, dtype=bool))
    assert coverage_in_words(found, predictors(result)) == (
        "No test row is left: none has all of this in common."
    )
    row = result.row("test", "base")
    told = coverage_in_words(group_figures(result.test_rows), predictors(result))
    assert told.startswith(f"900 test rows · coverage {100 * row.accuracy:.1f} % (")
    assert what_is_shown("*a* = $x$", 1) == "1 test row with \\*a\\* = \\$x\\$."


def test_a_rule_on_a_label_of_digits_holds_for_the_rows_that_a_cohort_has():
    rng = np.random.default_rng(0)
    places = rng.permutation(400)
    frame = pd.DataFrame({"a": places + rng.normal(size=400), "y": [f"{i:04}" for i in places]})
    result = audit(frame, AuditSettings(target="y", task="regression", remedies=("none",)))
    band = next(one for one in segments(result) if one.variable == "label: y")
    rule = Filter((part_of(band),)).as_rule()
    assert rule.startswith("y < ")
    for asked in (rule, "y >= 300", "y = 7"):
        look = LookedAt.of(result, (("k", asked),), Filter((Part(asked),)))
        assert look.filter.parts == (Part(asked),)
        assert look.n == row_of(look.result, "cohort: k", INSIDE).n
    assert Filter((Part(rule),)).mask(result.test_rows).sum() == band.n


def test_a_removed_cohort_leaves_the_reference_group_of_a_column_called_like_it():
    frame = pd.DataFrame({"cohort: k": ["f", "m"] * 9, "a": range(18), "y": range(18)})
    asked = AuditSettings(
        target="y",
        cohorts=(("k", "a > 4"),),
        reference=(("cohort: k", "m"), ("cohort: k (2)", "inside")),
    )
    table = LoadedTable("t.csv", Table.of(frame), [], asked, "t.csv")
    state = SessionState(table=table, draft=asked, cohorts=asked.cohorts)
    state.set_cohorts(())
    assert state.draft.reference == (("cohort: k", "m"),)
