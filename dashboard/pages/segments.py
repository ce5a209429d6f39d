"""Segments: for whom coverage is off, looked at from all sides."""

from collections import Counter
from functools import partial

import streamlit as st

from evencover.core import AuditResult
from evencover.core.arrays import BoolArray
from evencover.core.exploration import groups
from evencover.core.exploration.examples import ORDERS, examples
from evencover.core.report.groups import low_groups, named_group
from evencover.core.segments.under_coverage import JudgedRow
from evencover.core.segments.worst_segments import WorstSegmentRow

from ..figures.periods import period_charts
from ..figures.segments import along_figure, heat_figure, map_figure, segment_figure
from ..wording import figure_words, page_texts, tables
from ..wording.formatting import ShownPredictor, plain, predictors, worded
from ..wording.rows import (
    SEGMENTS_SHOWN,
    by_shortfall,
    has_path,
    in_order,
    marked,
    rules_counted,
    segments,
)
from . import widgets
from .cohorts import show_cohorts
from .filter import LookedAt, Part, part_of, part_on_map, parts_by_segment
from .heading import EXPORT, SEGMENTS, need_look, next_step, open_page
from .session import SessionState

_EXAMPLES = (20, 100)
TAB, MAP = "segments-tab", "Map"
"""In the session: which of its tabs is open; the one that is there with coordinates alone."""


def main() -> None:
    """Draw the page."""
    state, button = open_page(SEGMENTS)
    result, look = need_look(state)
    next_step(button, "Next: Export", EXPORT)
    if look is None:
        st.info(page_texts.ROWS_GONE)
    else:
        widgets.show_filter(state, look)
    tabs = {
        "Groups": partial(show_groups, state, result, look),
        "Search": partial(show_worst_segments, state, result, look),
    }
    if look is not None:
        tabs["Rows"] = partial(show_examples, look)
        if groups.coordinates(look.test_rows) is not None:
            tabs[MAP] = partial(show_map, state, look)
    found = "Search" if isinstance(named_group(result), WorstSegmentRow) else "Groups"
    drawn = st.tabs(list(tabs), default=found, key=TAB, on_change="rerun")
    for tab, show in zip(drawn, tabs.values(), strict=True):
        if tab.open:  # a chart costs as much where nobody sees it
            with tab:
                show()


def show_groups(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw coverage along and by one variable, then by two, over time and in tables."""
    variable = _choose_variable(state, result)
    if look is not None:
        show_along(state, look, variable)
    show_segments(state, result, look, variable)
    if look is not None:
        show_heat(state, look, variable)
    show_periods(result, look)
    show_segment_table(state, result, variable)
    for about, table in (
        (page_texts.ABOUT_GAPS, tables.GAPS),
        (page_texts.ABOUT_SIZE_STRATA, tables.SIZE_STRATA),
    ):
        st.markdown(worded(about, result.predictors))
        widgets.show_table(result, table)
    if look is not None:
        show_cohorts(state, look)


def show_segments(
    state: SessionState, result: AuditResult, look: LookedAt | None, variable: str
) -> None:
    """Draw the segments of one variable as a chart."""
    of_it = [one for one in segments(result) if one.variable == variable and one.n > 0]
    most = SEGMENTS_SHOWN
    if len(of_it) > most and st.toggle(
        f"All {len(of_it):,} segments", key="segment-every", persist_state="session"
    ):
        most = len(of_it)
    rows = in_order(of_it, result, most)[:most]
    remarks = {"label": page_texts.ABOUT_LABEL, "look": page_texts.ABOUT_LOOK}
    about = remarks.get(rows[0].kind) if rows else None
    if about is not None:
        st.markdown(about)
    widgets.clickable_chart(
        state,
        segment_figure(rows, predictors(result), result.settings["cl"]),
        [(part_of(row),) for row in rows],
        key="segment-chart",
    )
    say_of_all_rows(look)


def show_periods(result: AuditResult, look: LookedAt | None) -> None:
    """Draw coverage and size over time and by horizon, where the audit has these."""
    for title, figure, words in period_charts(result):
        st.header(title)
        widgets.draw_chart(figure, f"chart-{title}")
        st.markdown(words)
    if result.periods:
        widgets.show_table(result, tables.PERIODS)
        say_of_all_rows(look)


def say_of_all_rows(look: LookedAt | None) -> None:
    """Say of what is drawn that the filter is not for it, if there is one."""
    if look is not None and look.filter:
        st.caption(page_texts.ALL_ROWS)


def _choose_variable(state: SessionState, result: AuditResult) -> str:
    low = Counter(row.variable for row in result.too_low(result.reference))
    kinds = {one.variable: one.kind for one in segments(result)}
    # first what Findings names, then the rest by what is missed
    names = [name for row in low_groups(result, result.reference) for name in _variables_of(row)]
    names += [one.variable for one in by_shortfall(segments(result), result)]

    def words(name: str) -> str:
        count = f" ({low[name]} clearly too low)" if low[name] else ""
        return f"{marked(name, kinds[name])}{count}"

    chosen: str = widgets.choose_one(
        "Variable, that of the finding first",
        [name for name in dict.fromkeys(names) if name in kinds],
        f"segment-variable-{_token(state)}",
        format_func=words,
        help=worded(page_texts.ABOUT_STATUS, result.predictors),
    )
    return chosen


def _variables_of(row: JudgedRow) -> list[str]:
    return row.variables if isinstance(row, WorstSegmentRow) else [row.variable]


def _token(state: SessionState) -> str:
    """Return what tells one run's choices from those of another."""
    return "" if state.run is None else state.run.token


def show_along(state: SessionState, look: LookedAt, variable: str) -> None:
    """Draw coverage of the rows left along the first number or date that the variable goes by.

    Without one that is the coverage by value, where a filter makes it differ from that of all.
    """
    along, level = groups.first_in_order(look.test_rows, variable), look.result.settings["cl"]
    if along is None and not look.filter:
        return
    if look.n == 0:
        st.info(page_texts.NOTHING_LEFT)
        return
    given, shown = predictors(look.result), figure_words.what_is_shown(look.filter.words(), look.n)
    if along is None:
        found = groups.coverage_along(look.test_rows, variable, look.where)
        figure = segment_figure(found.bands[:SEGMENTS_SHOWN], given, level)
    else:
        by, held = _choose_layers(state, look.result)
        found = groups.coverage_along(look.test_rows, along, look.where, held=held)
        figure = along_figure(found, by, given[0], level)
        shown += f" {page_texts.ABOUT_ALONG}"
    widgets.draw_chart(figure, "along-chart")
    st.caption(shown)
    for band in found.bands:
        if band.middle is None and along is not None:
            coverage = figure_words.coverage_in_words(band, given)
            st.caption(f"{plain(band.value)}: {coverage}")


def _choose_layers(
    state: SessionState, result: AuditResult
) -> tuple[ShownPredictor, dict[str, BoolArray]]:
    """Draw the choice of a predictor, and of its layers; return which sets are right with these."""
    left, right = st.columns(2)
    with left:
        by = _choose_predictor(result, "along", "Coverage along it")
    steps = result.replays.get(by.name, ())
    if len(steps) < 2:  # noqa: PLR2004 - one is without a layer
        return by, {}
    last, key = len(steps) - 1, f"along-{_token(state)}-{by.name}"
    at = right.slider("Layers", 0, last, last, key=key, persist_state="session")
    return by, {by.name: steps[at].held}


def show_segment_table(state: SessionState, result: AuditResult, variable: str) -> None:
    """Draw the table of one variable's segments, or of all, and what it means."""
    st.header("Table of segments")
    title = f"Table of {page_texts.ALL_VARIABLES}"
    everything = st.checkbox(title, key="segment-all", persist_state="session")
    shown = [one for one in segments(result) if everything or one.variable == variable]
    rows, parts = [one.fields for one in shown], [(part_of(one),) for one in shown]
    widgets.clickable_table(state, result, tables.SEGMENTS, rows, parts, key="segment-table")
    st.markdown(worded(page_texts.ABOUT_SEGMENTS, result.predictors))


def show_worst_segments(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw how many rules have clearly low coverage, and the table of all rules judged."""
    rules = tables.WORST.rows(result)
    if not rules:
        st.info(page_texts.NO_WORST)
        return
    st.markdown(f"**{rules_counted(result)}** {page_texts.ABOUT_WORST}")
    parts = [(Part(row["rule"]),) for row in rules]
    widgets.clickable_table(state, result, tables.WORST, rules, parts, key="worst-table")
    say_of_all_rows(look)


def show_examples(look: LookedAt) -> None:
    """Draw a table of single test rows, of those that the filter leaves."""
    given = predictors(look.result)
    left, right = st.columns([2, 1])
    order = widgets.choose_one(
        "First those",
        [name for name in ORDERS if name != "moved most" or has_path(look.result)],
        "examples-order",
        place=left,
        format_func=lambda name: worded(page_texts.ORDER_NAMES[name], given),
    )
    number = widgets.choose_one("Rows shown", _EXAMPLES, "examples-number", place=right)
    if look.n == 0:
        st.info(page_texts.NOTHING_LEFT)
        return
    found = examples(look.test_rows, look.where, number, order)
    spec = tables.examples_table(look.test_rows, found, given)
    st.dataframe(**widgets.drawn(spec, spec.rows(look.result), given))
    shown = figure_words.what_is_shown(look.filter.words(), look.n)
    about = worded(page_texts.ABOUT_EXAMPLES, given)
    st.caption(f"{shown} Shown: {len(found):,}. {about}")


def show_heat(state: SessionState, look: LookedAt, first: str) -> None:
    """Draw the chart of two variables of one's choice; ``first`` is one of them at first."""
    names = [v.name for v in look.test_rows.variables if v.kind != "pair" and len(v.columns) <= 1]
    names += [v.name for v in look.test_rows.variables if v.rule and v.name not in names]
    if len(names) < 2:  # noqa: PLR2004
        return
    st.header("Two variables")
    left, right, beside = st.columns(3)
    run = _token(state)
    # those of the surest rule on two or more, if there is one
    rules = look.result.rules_too_low(look.result.reference)
    of_rules = ([name for name in rule.variables if name in names] for rule in rules)
    first, second, *_ = next((of for of in of_rules if len(of) > 1), (first, None))
    kinds = {v.name: v.kind for v in look.test_rows.variables}
    choose = partial(widgets.choose_one, format_func=lambda name: marked(name, kinds[name]))
    one = choose("First variable", names, f"heat-one-{run}", first=first, place=left)
    others = [name for name in names if name != one]
    other = choose("Second variable", others, f"heat-other-{run}", first=second, place=right)
    with beside:
        by = _choose_predictor(look.result, "heat")
    others_left, where = look.besides(one, other)
    found = groups.coverage_over(look.test_rows, one, other, where)
    if not found.cells:
        st.info(page_texts.NOTHING_LEFT)
        return
    parts = parts_by_segment(look.result)
    widgets.clickable_chart(
        state,
        heat_figure(found, by, look.result.settings["cl"]),
        [(parts[found.one, cell.one], parts[found.other, cell.other]) for cell in found.cells],
        key="heat",
    )
    shown = figure_words.what_is_shown(others_left.words(), sum(c.n for c in found.cells))
    st.caption(f"{shown} {page_texts.ABOUT_HEAT}")


def show_map(state: SessionState, look: LookedAt) -> None:
    """Draw the map of the rows that the filter leaves."""
    columns = groups.coordinates(look.test_rows)
    assert columns is not None  # noqa: S101 - else there is no such tab
    others_left, where = look.besides(*columns)
    found = groups.coverage_on_map(look.test_rows, where)
    assert found is not None  # noqa: S101 - there are coordinates
    if not found.cells:
        st.info(page_texts.NOTHING_LEFT)
        return
    by = _choose_predictor(look.result, "map")
    widgets.clickable_chart(
        state,
        map_figure(found, by, look.result.settings["cl"]),
        [(part_on_map(found.latitude, found.longitude, cell),) for cell in found.cells],
        key="map",
    )
    n = len(look.test_rows.rows) if where is None else int(where.sum())
    shown = figure_words.what_is_shown(others_left.words(), n)
    st.caption(f"{shown} {page_texts.ABOUT_MAP}")
    if found.beyond:
        st.caption(page_texts.BEYOND_MAP.format(n=found.beyond))


def _choose_predictor(result: AuditResult, key: str, title: str = "Coverage") -> ShownPredictor:
    given = predictors(result)
    if len(given) == 1:
        return given[0]
    return st.radio(
        title,
        given,
        format_func=lambda by: by.when,
        horizontal=True,
        key=f"when-{key}",
        persist_state="session",
    )
