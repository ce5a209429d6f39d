"""Accuracy by segment, one variable at a time or as searched for, and the rows one by one."""

from collections import Counter

import streamlit as st

from evencover.core import AuditResult
from evencover.core.exploration import ORDERS, coverage_along, examples

from ...figures import along_figure, segment_figure
from ...wording import exploration_texts, page_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors, worded
from ...wording.rows import (
    SEGMENTS_SHOWN,
    by_shortfall,
    fields_of,
    has_path,
    marked,
    rules_counted,
    segments,
    worst_first,
)
from ...wording.tables import SEGMENTS, WORST, examples_table
from ..filter import LookedAt, RulePart, part_of
from ..session import SessionState
from ..shared.clicks import clickable_chart, clickable_table
from ..shared.widgets import choose_one, draw_chart, drawn

_EXAMPLES = (20, 100)


def show_segments(state: SessionState, result: AuditResult, look: LookedAt | None) -> str:
    """Draw the segments of one variable as a chart, more finely if asked for; return its name."""
    variable = _choose_variable(result)
    of_it = [row for row in segments(result) if row["variable"] == variable and row["n"] > 0]
    rows = worst_first(of_it, result)
    if len(rows) > SEGMENTS_SHOWN and not st.toggle(
        f"All {len(rows):,} segments", key="segment-every", persist_state="session"
    ):
        rows = rows[:SEGMENTS_SHOWN]
    remarks = {"label": page_texts.ABOUT_LABEL, "look": exploration_texts.ABOUT_LOOK}
    about = remarks.get(rows[0]["kind"]) if rows else None
    if about is not None:
        st.markdown(about)
    clickable_chart(
        state,
        segment_figure(rows, predictors(result), result.settings["cl"]),
        [(part_of(row),) for row in rows],
        key="segment-chart",
    )
    say_of_all_rows(look)
    if look is not None and st.toggle(
        "Look along it more finely", key="along", persist_state="session"
    ):
        _show_along(look, variable)
    return variable


def say_of_all_rows(look: LookedAt | None) -> None:
    """Say of what is drawn that the filter is not for it, if there is one."""
    if look is not None and look.filter:
        st.caption(exploration_texts.ALL_ROWS)


def _choose_variable(result: AuditResult) -> str:
    low = Counter(row.variable for row in result.too_low(result.reference))
    kinds = {row["variable"]: row["kind"] for row in segments(result)}
    # first what Findings names, then the rest by what is missed
    missed = by_shortfall(segments(result), result)

    def words(name: str) -> str:
        count = f" ({low[name]} clearly too low)" if low[name] else ""
        return f"{marked(name, kinds[name])}{count}"

    chosen: str = choose_one(
        "Variable, those with the most rows missed first",
        list(dict.fromkeys([*low, *(row["variable"] for row in missed)])),
        "segment-variable",
        format_func=words,
        help=worded(page_texts.ABOUT_STATUS, result.predictors),
    )
    return chosen


def _show_along(look: LookedAt, variable: str) -> None:
    """Draw coverage along a variable, of the rows that the filter leaves."""
    if look.n == 0:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    found, given = coverage_along(look.test_rows, variable, look.where), predictors(look.result)
    draw_chart(along_figure(found, given, look.result.settings["cl"]), "along-chart")
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    st.caption(f"{shown} {exploration_texts.ABOUT_ALONG if found.kind != 'category' else ''}")
    for band in found.bands:
        if band.middle is None and found.kind != "category":
            coverage = exploration_texts.coverage_in_words(fields_of(band), given)
            st.caption(f"{plain(band.value)}: {coverage}")


def show_segment_table(state: SessionState, result: AuditResult, variable: str) -> None:
    """Draw the table of one variable's segments, or of all, and what it means."""
    st.subheader("Table of segments")
    everything = st.checkbox(
        f"Table of {page_texts.ALL_VARIABLES}", key="segment-all", persist_state="session"
    )
    rows = [row for row in segments(result) if everything or row["variable"] == variable]
    parts = [(part_of(row),) for row in rows]
    clickable_table(state, result, SEGMENTS, rows, parts, key="segment-table")
    st.markdown(worded(page_texts.ABOUT_SEGMENTS, result.predictors))


def show_worst_segments(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw how many rules have clearly low coverage, and the table of all rules judged."""
    st.subheader("Worst segments, found by search")
    rules = WORST.rows(result)
    if not rules:
        st.info(page_texts.NO_WORST)
        return
    st.markdown(f"**{rules_counted(result)}** {page_texts.ABOUT_WORST}")
    parts = [(RulePart(row["rule"]),) for row in rules]
    clickable_table(state, result, WORST, rules, parts, key="worst-table")
    say_of_all_rows(look)


def show_examples(look: LookedAt) -> None:
    """Draw a table of single test rows, of those that the filter leaves."""
    st.subheader("Examples")
    given = predictors(look.result)
    left, right = st.columns([2, 1])
    order = choose_one(
        "First those",
        [name for name in ORDERS if name != "moved most" or has_path(look.result)],
        "examples-order",
        place=left,
        format_func=lambda name: worded(exploration_texts.ORDER_NAMES[name], given),
    )
    number = choose_one("Rows shown", _EXAMPLES, "examples-number", place=right)
    if look.n == 0:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    found = examples(look.test_rows, look.where, number, order)
    spec = examples_table(look.test_rows, found, given)
    st.dataframe(**drawn(spec, spec.rows(look.result), given))
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    about = worded(exploration_texts.ABOUT_EXAMPLES, given)
    st.caption(f"{shown} Shown: {len(found):,}. {about}")
