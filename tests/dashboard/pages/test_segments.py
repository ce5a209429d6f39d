"""Filters, cohorts and the rules they are made of, drawn by AppTest."""

import datetime as dt

import numpy as np
import pages
import pytest
from pages import called, chart, frame_with, give, go, known, labels, open_tab, press, run_to_end
from streamlit.testing.v1 import AppTest

from evencover.core.exploration.examples import examples
from evencover.core.exploration.groups import (
    coverage_along,
    coverage_on_map,
    coverage_over,
    group_figures,
)
from evencover.core.report.groups import named_group
from evencover.dashboard.options import repeat_command
from evencover.dashboard.pages import segments as segments_page
from evencover.dashboard.pages.filter import Filter, Part, parts_by_segment
from evencover.dashboard.pages.widgets import take_up
from evencover.dashboard.wording import formatting, page_texts
from evencover.dashboard.wording.figure_words import coverage_in_words
from evencover.dashboard.wording.formatting import predictors
from evencover.dashboard.wording.rows import LOOK, by_shortfall, segments

pytestmark = pytest.mark.long

VARIABLE = "Variable, that of the finding first"


@pytest.fixture(scope="module")
def finished(table):
    """The page with a finished run, which every test finds without filter and cohorts."""
    page = pages.open_app()
    give(page, table.head(1000))
    run_to_end(page)
    yield page
    assert not page.exception


@pytest.fixture
def app(finished):
    go(finished, pages.SEGMENTS)
    yield finished
    assert not finished.exception
    state = known(finished)
    state.filter = Filter()
    state.set_cohorts(())


def result_of(app):
    return known(app).look(known(app).run.job.snapshot().result)[0]


def filter_by(app, *parts):
    known(app).set_filter(known(app).filter.adding(*parts))
    app.run()


def captions(app):
    return [caption.value for caption in app.caption]


def banner(app):
    return next((m.value for m in app.markdown if m.value.startswith("**Filter")), None)


def write_rule(app, rule, name):
    called("Rule", app.text_area).set_value(rule).run()
    called("Name of the cohort", app.text_input).set_value(name).run()
    press(app, "Add cohort")


def test_the_filter_is_told_on_both_pages_and_cleared(app):
    assert page_texts.NO_FILTER.format(n=300) in captions(app)
    assert banner(app) is None
    assert "Clear filter" not in labels(app.button)
    result = result_of(app)
    filter_by(app, parts_by_segment(result)["place", "Ayr"], Part("x0 >= 0.5"))
    where = known(app).filter.mask(result.test_rows)
    for step in (pages.SEGMENTS, pages.FINDINGS):
        go(app, step)
        told = banner(app)
        assert told.startswith(f"**Filter: {formatting.plain('place = Ayr and x0 >= 0.5')}**")
        figures = group_figures(result.test_rows, where)
        assert coverage_in_words(figures, predictors(result)) in told
    assert page_texts.FINDINGS_OF_ALL in captions(app)
    press(app, "Remove: place = Ayr")
    assert known(app).filter == Filter((Part("x0 >= 0.5"),))
    press(app, "Clear filter")
    assert banner(app) is None


def heat_of(app):
    return [(point[0], point[1]) for point in chart(app, "heat")["data"][-1]["customdata"]]


def counted_by_base(cells):
    return [(cell.n, 100.0 * cell.figures["base"].accuracy) for cell in cells]


def test_charts_and_examples_are_of_the_rows_left(app):
    result, rule = result_of(app), Part("x0 >= 0.5")
    filter_by(app, rule)
    test_rows, where = result.test_rows, rule.mask(result.test_rows)
    called(VARIABLE, app.selectbox).set_value("place").run()
    bands = coverage_along(test_rows, "place", where).bands
    assert chart(app, "along-chart")["data"][1]["x"] == [
        100.0 * band.figures["ifacm"].accuracy for band in bands
    ]
    called(VARIABLE, app.selectbox).set_value("x0").run()
    names = [called(f"{which} variable", app.selectbox).value for which in ("First", "Second")]
    # a chart of x0 itself goes on to show what a part of the filter on x0 would hide
    assert "x0" in names
    assert heat_of(app) == counted_by_base(coverage_over(test_rows, *names).cells)
    others = next(name for name in ("x1", "x2") if name not in names), "place"
    called("First variable", app.selectbox).set_value(others[0]).run()
    called("Second variable", app.selectbox).set_value(others[1]).run()
    assert heat_of(app) == counted_by_base(coverage_over(test_rows, *others, where).cells)
    shown = frame_with(open_tab(app, "Rows"), "held_base")
    assert shown["row"].tolist() == [e.row for e in examples(test_rows, where, 20)]
    assert f"{where.sum()} test rows with {formatting.plain(rule.words)}." in " ".join(
        captions(app)
    )
    go(app, pages.FINDINGS)
    bars = chart(app, "probabilities")["data"]
    assert [sum(bar["y"]) for bar in bars[:2]] == [where.sum()] * 2


def test_the_curve_goes_by_the_predictor_and_its_layers(app):
    result = result_of(app)
    steps, bands = result.replays["ifacm"], coverage_along(result.test_rows, "x0").bands
    called(VARIABLE, app.selectbox).set_value("x0").run()
    before, after = ([100.0 * b.figures[name].accuracy for b in bands] for name in result.names[:2])
    assert chart(app, "along-chart")["data"][-1]["y"] == before
    assert not app.slider
    called("Coverage along it", app.radio).set_value(predictors(result)[1]).run()
    assert chart(app, "along-chart")["data"][-1]["y"] == after
    for at in range(len(steps)):
        called("Layers", app.slider).set_value(at).run()
        (_, thin, curve) = chart(app, "along-chart")["data"]
        found = coverage_along(result.test_rows, "x0", held={"ifacm": steps[at].held}).bands
        assert curve["y"] == [100.0 * band.figures["ifacm"].accuracy for band in found]
        assert thin["y"] == before
    called("Layers", app.slider).set_value(0).run()
    assert chart(app, "along-chart")["data"][-1]["y"] == before
    called("Coverage along it", app.radio).set_value(predictors(result)[0]).run()


def test_the_page_opens_on_the_finding_and_other_tabs_wait(app, monkeypatch):
    result = result_of(app)
    assert labels(app.tabs) == ["Groups", "Search", "Rows"]
    assert named_group(result) is None  # so that shortfalls alone order
    first, *_ = by_shortfall(segments(result), result)
    assert called(VARIABLE, app.selectbox).value == first.variable
    assert not [shown for shown in app.dataframe if "n_test" in shown.value]
    rule = result.worst_segments[0]
    monkeypatch.setattr(segments_page, "named_group", lambda _: rule)
    go(app, pages.FINDINGS)
    shown = frame_with(go(app, pages.SEGMENTS), "n_test")
    assert rule.rule in shown["rule"].tolist()
    assert VARIABLE not in labels(app.selectbox)


def test_a_table_with_coordinates_has_a_map_in_a_tab(table):
    app = pages.open_app()
    give(app, table.head(600).rename(columns={"x0": "lat", "x1": "lon"}))
    run_to_end(app)
    go(app, pages.SEGMENTS)
    assert labels(app.tabs) == ["Groups", "Search", "Rows", "Map"]
    open_tab(app, "Map")
    cells = coverage_on_map(result_of(app).test_rows).cells
    assert [one[0] for one in chart(app, "map")["data"][-1]["customdata"]] == [c.n for c in cells]
    # and a click away from Findings, whatever tab was open
    open_tab(app, "Rows")
    press(go(app, pages.FINDINGS), "See the map")
    assert pages.title(app) == "Segments"
    assert chart(app, "map")
    assert not app.exception


def test_a_filter_without_rows_is_a_result(app):
    filter_by(app, Part("x0 > 1e9"))
    assert page_texts.NOTHING_LEFT in banner(app)
    assert [info.value for info in app.info].count(page_texts.NOTHING_LEFT) >= 2
    go(app, pages.FINDINGS)
    assert page_texts.NOTHING_LEFT in [info.value for info in app.info]


def test_a_click_is_taken_up_once(app):
    state, result = known(app), result_of(app)
    ayr = parts_by_segment(result)["place", "Ayr"]
    before = state.clicks
    take_up(state, {"selection": {"points": []}}, [(ayr,)])
    assert (state.filter, state.clicks) == (Filter(), before)
    take_up(state, {"selection": {"points": [{"point_index": 1}]}}, [(), (ayr,)])
    assert (state.filter, state.clicks) == (Filter((ayr,)), before + 1)
    take_up(state, {"selection": {"rows": [0]}}, [(Part("x0 < 0"),)])
    assert state.filter.parts == (ayr, Part("x0 < 0"))
    app.run()
    assert chart(app, f"{state.clicks}-segment-chart")


def test_a_cohort_is_built_from_conditions(app):
    called("Column", app.selectbox).set_value("place").run()
    called("Values, any of", app.multiselect).set_value(["Ayr", "Bude"]).run()
    press(app, "Add condition")
    called("Column", app.selectbox).set_value("x0").run()
    called("from", app.number_input).set_value(0.5).run()
    press(app, "Add condition")
    rule = "place = Ayr or Bude and x0 >= 0.5"
    assert called("Rule", app.text_area).value == rule
    called("Name of the cohort", app.text_input).set_value("high").run()
    press(app, "Add cohort")
    assert known(app).cohorts == (("high", rule),)
    assert called("Rule", app.text_area).value == ""
    result = result_of(app)
    rows = [r for r in result.of(result.segments, "base") if r.variable == "cohort: high"]
    assert [row.n for row in rows] == [Part(rule).mask(result.test_rows).sum(), 300 - rows[0].n]
    called(f"Table of {page_texts.ALL_VARIABLES}", app.checkbox).set_value(True).run()
    assert "cohort: high" in frame_with(app, "detectable")["variable"].tolist()
    assert "cohort: high" in frame_with(app, "gap_segment_base")["variable"].tolist()


def test_a_cohort_comes_of_the_filter_and_goes_with_the_next_run(app):
    filter_by(app, parts_by_segment(result_of(app))["place", "Ayr"])
    press(app, "Use the active filter")
    assert called("Rule", app.text_area).value == "place = Ayr"
    called("Name of the cohort", app.text_input).set_value("home").run()
    press(app, "Add cohort")
    cohorts = (("home", "place = Ayr"),)
    go(app, pages.SETUP)
    assert (known(app).draft.cohorts, known(app).draft.looks) == ((), cohorts)
    assert "Look **home**: place = Ayr" in [text.value for text in app.markdown]
    go(app, pages.SEGMENTS)
    assert not app.warning  # the results shown have the cohort, so they are not old ones
    press(app, "Look at it")
    assert formatting.plain("cohort: home") in banner(app)
    press(app, "Remove")
    assert known(app).cohorts == ()
    assert "cohort" not in banner(app)


def test_a_look_is_marked_wherever_it_is_listed(app):
    write_rule(app, "x0 > 0", "high")
    assert f"**{formatting.plain('cohort: high (a look)')}**" in "\n".join(
        text.value for text in app.markdown
    )
    for label in (VARIABLE, "First variable", "Second variable"):
        options = called(label, app.selectbox).options
        assert [name for name in options if "high" in name] == ["cohort: high (a look)"]
    called(VARIABLE, app.selectbox).set_value("cohort: high").run()
    assert page_texts.ABOUT_LOOK in [text.value for text in app.markdown]
    assert not [text for text in captions(app) if text.startswith("*Clearly too low*")]
    for column in ("detectable", "gap_segment_base"):
        told = frame_with(app, column).set_index("variable")["remark"]
        assert set(told["cohort: high"] if column == "detectable" else [told["cohort: high"]]) == {
            LOOK
        }


def test_a_label_is_said_to_be_promised_nothing_and_is_not_counted(app):
    called(VARIABLE, app.selectbox).set_value("label: y").run()
    assert page_texts.ABOUT_LABEL in [text.value for text in app.markdown]
    assert not [text for text in captions(app) if text.startswith("*Clearly too low*")]
    assert called(VARIABLE, app.selectbox).options[-1] == "label: y"
    ticks = chart(app, "segment-chart")["layout"]["yaxis"]["ticktext"]
    assert all("<b>" not in tick for tick in ticks)


def test_a_rule_that_cannot_be_read_is_told(app):
    called("Rule", app.text_area).set_value("x0 >").run()
    assert "cannot be read" in app.warning[0].value
    assert called("Add cohort", app.button).disabled
    write_rule(app, "x0 > 1", " ")
    assert "has no name" in app.error[0].value
    write_rule(app, "x0 > 1", "twice")
    write_rule(app, "x0 > 2", "twice")
    assert "is given twice" in app.error[0].value
    assert known(app).cohorts == (("twice", "x0 > 1"),)


def test_a_reload_keeps_the_cohorts_of_ones_own_run(app):
    known(app).set_cohorts((("low", "x0 < 0"),))
    reloaded = pages.open_app(run=known(app).run.token)
    assert known(reloaded).cohorts == (("low", "x0 < 0"),)
    go(reloaded, pages.SEGMENTS)
    assert not reloaded.exception
    assert not reloaded.warning
    press(reloaded, "Remove")
    assert known(reloaded).cohorts == ()
    # it is another page that has the run open, so its own cohorts stay
    assert known(app).cohorts == known(app).run.settings.looks == (("low", "x0 < 0"),)


@pytest.fixture(scope="module")
def compared(table):
    """A page with the run of a cohort that is the reference of all others."""
    page = pages.open_app()
    give(page, table.head(1000))
    known(page).set_cohorts((("c", "x0 < 0"),))
    called("Groups to compare with", page.text_area).set_value("cohort: c=inside").run()
    run_to_end(page)
    assert known(page).run.settings.reference == (("cohort: c", "inside"),)
    return page


def test_a_cohort_that_is_a_reference_can_be_removed(compared):
    watching = pages.open_app(run=known(compared).run.token)
    press(go(compared, pages.SEGMENTS), "Remove")
    reloaded = pages.open_app(run=known(compared).run.token)
    for page in (compared, reloaded):
        for step in (pages.SEGMENTS, pages.FINDINGS, pages.EXPORT):
            assert not go(page, step).exception
        assert known(page).cohorts == known(page).run.settings.all_cohorts == ()
        assert "cohort: c" not in page.code[0].value
    # whoever watches keeps the cohorts, in all that is exported
    go(watching, pages.EXPORT)
    result = result_of(watching)
    assert result.asked.all_cohorts == (("c", "x0 < 0"),)
    assert watching.code[0].value == repeat_command(result.asked, "table.csv")
    assert "c: x0 < 0" in watching.code[0].value
    assert not watching.exception


def test_cohorts_that_do_not_go_with_the_run_are_given_up_in_a_sentence(compared):
    known(compared).set_cohorts((("odd", "nowhere > 3"),))
    go(compared, pages.FINDINGS)
    assert not compared.exception
    (told,) = [w.value for w in compared.warning if page_texts.COHORTS_GIVEN_UP in w.value]
    assert "there is no column 'nowhere'" in told
    assert known(compared).cohorts == (("c", "x0 < 0"),)


def test_cohorts_stay_when_the_rows_are_let_go(table):
    page = pages.open_app()
    give(page, table.head(300))
    run_to_end(page)
    known(page).set_cohorts((("low", "x0 < 0"),))
    go(page, pages.FINDINGS)
    segments = result_of(page).segments
    assert "cohort: low" in [row.variable for row in segments]
    run = known(page).run
    run.let_go_of_rows()
    for step in (pages.SEGMENTS, pages.EXPORT):
        go(page, step)
        assert not page.exception
        assert page_texts.OTHER_COHORTS not in [told.value for told in page.warning]
    assert result_of(page).segments == segments
    assert "low: x0 < 0" in page.code[0].value
    reloaded = go(pages.open_app(run=run.token), pages.EXPORT)  # the run itself has no cohort
    assert page_texts.OTHER_COHORTS in [told.value for told in reloaded.warning]
    assert "low: x0 < 0" not in reloaded.code[0].value


def choose_days(low, high):
    import streamlit as st  # noqa: PLC0415 - a script of its own

    from evencover.core.exploration.groups import ColumnValues  # noqa: PLC0415
    from evencover.dashboard.pages.cohorts import _choose_between  # noqa: PLC0415

    st.text(str(_choose_between("day", ColumnValues("date", [], low, high, 0))))


def days(date):
    return float(date.toordinal() - dt.date(1970, 1, 1).toordinal())


FIRST, LAST = days(dt.date.min), days(dt.date.max)


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (0.5, 40.25, dt.date(1970, 1, 1), dt.date(1970, 2, 11)),
        (-1.5, -0.5, dt.date(1969, 12, 30), dt.date(1970, 1, 1)),
        (0.0, LAST, dt.date(1970, 1, 1), dt.date.max),
        (FIRST, LAST, dt.date.min, dt.date.max),
        (FIRST - 1e6, LAST + 1e9, dt.date.min, dt.date.max),
        (FIRST - 2.0, FIRST - 2.0, dt.date.min, dt.date.min),
        (LAST + 2.0, LAST + 3.0, dt.date.max, dt.date.max),
    ],
)
def test_days_are_those_of_the_column_that_a_calendar_has(low, high, first, last):
    app = AppTest.from_function(choose_days, args=(low, high)).run()
    assert not app.exception
    assert [(day.min, day.max) for day in app.date_input] == [(first, last)] * 2
    app.date_input[0].set_value(first).run()
    assert not app.exception
    assert app.text[0].value == f"day >= {first}"


def test_coverage_over_time_and_by_horizon_is_drawn(table):
    frame = table.head(600).assign(
        day=np.repeat(np.arange(120), 5), steps=np.tile(range(1, 6), 120)
    )
    page = pages.open_app()
    give(page, frame)
    go(page, pages.SETUP)
    called("Split the rows", page.selectbox).set_value("by time").run()
    called("Column to split by", page.selectbox).set_value("day").run()
    called("Steps ahead", page.selectbox).set_value("steps").run()
    run_to_end(page)
    go(page, pages.SEGMENTS)
    assert not page.exception
    result = result_of(page)
    assert (result.asked.time, result.asked.horizon) == ("day", "steps")
    assert "steps" in result.data.features
    titles = [sub.value for sub in page.header]
    assert titles.index("Over time") < titles.index("By steps ahead")
    (shown,) = [d.value for d in page.dataframe if "band_low" in d.value]
    assert shown["coverage"].tolist() == [row.coverage for row in result.periods]
