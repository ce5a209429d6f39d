"""Accuracy by segment, one variable at a time: a chart first, the table for later."""

import streamlit as st

from evencover.core import AuditResult

from ...figures import segment_figure
from ...wording import exploration_texts, page_texts
from ...wording.predictors import predictors
from ...wording.rows import failing, figure, segments
from ...wording.tables import SEGMENTS
from ..filter import part_of
from ..filtered_result import LookedAt
from ..session import SessionState
from ..shared.clicks import clickable_chart, clickable_table
from .profile import show_along


def show_segments(state: SessionState, result: AuditResult, look: LookedAt | None) -> str:
    """Draw the segments of one variable as a chart, more finely if asked for; return its name."""
    variable = _choose_variable(result)
    rows = [row for row in segments(result) if row["variable"] == variable and row["n"] > 0]
    clickable_chart(
        state,
        segment_figure(rows, predictors(result), result.settings["cl"]),
        [(part_of(row),) for row in rows],
        key="segment-chart",
    )
    st.caption(f"{exploration_texts.ALL_ROWS} {exploration_texts.CLICK_SEGMENT if look else ''}")
    if look is not None and st.toggle(
        "Look along it more finely", key="along", persist_state="session"
    ):
        show_along(look, variable)
    return variable


def _choose_variable(result: AuditResult) -> str:
    reference, level = predictors(result)[0], result.settings["cl"]
    low: list[str] = []
    high: list[str] = []
    for row in failing(result, reference):
        accuracy = figure(row, "accuracy", reference)
        (low if accuracy < level else high).append(row["variable"])
    # first what Findings names, then the rest of what is off
    first = [*(row.variable for row in result.too_low(reference.name)), *low, *high]
    variables = dict.fromkeys([*first, *(row.variable for row in result.segments)])
    when = f"{reference.when}: " if reference.at else ""
    chosen: str = st.selectbox(
        "Variable, those with the most rows missed first",
        list(variables),
        format_func=lambda name: (
            f"{name} ({when}{low.count(name)} too low, {high.count(name)} too high)"
        ),
        key="segment-variable",
        persist_state="session",
    )
    return chosen


def show_segment_table(state: SessionState, result: AuditResult, variable: str) -> None:
    """Draw the table of one variable's segments, or of all, and what it means."""
    st.subheader("Table of segments")
    everything = st.checkbox(
        f"Table of {page_texts.ALL_VARIABLES}", key="segment-all", persist_state="session"
    )
    rows = [row for row in segments(result) if everything or row["variable"] == variable]
    clickable_table(
        state, result, SEGMENTS, rows, [(part_of(row),) for row in rows], key="segment-table"
    )
    st.markdown(page_texts.ABOUT_SEGMENTS)
