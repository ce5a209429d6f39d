"""Accuracy by segment, one variable at a time: a chart first, the table for later."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from ...export.files import to_table
from ...figures import segment_figure
from ...wording import exploration_texts, page_texts
from ...wording.tables import SEGMENTS
from ..filter import part_of
from ..filtered_result import LookedAt
from ..session import SessionState
from ..shared.clicks import clickable_chart, clickable_table
from .profile import show_along

_SHARES = [
    f"share_{size}_{when}"
    for size in ("infinite", "full", "empty")
    for when in ("base", "adjusted")
]


def show_segments(state: SessionState, result: AuditResult, look: LookedAt | None) -> str:
    """Draw the segments of one variable as a chart, more finely if asked for; return its name."""
    failing = result.failing_segments()
    low = [row.variable for row in failing if row.accuracy_base < result.settings["cl"]]
    high = [row.variable for row in failing if row.accuracy_base > result.settings["cl"]]
    # first what Findings names, then the rest of what is off
    first = [*(row.variable for row in result.too_low()), *low, *high]
    variables = dict.fromkeys([*first, *(row.variable for row in result.segments)])
    variable = st.selectbox(
        "Variable, those with the most rows missed first",
        list(variables),
        format_func=lambda name: (
            f"{name} (before: {low.count(name)} too low, {high.count(name)} too high)"
        ),
        key="segment-variable",
        persist_state="session",
    )
    rows = [row for row in result.segments if row.variable == variable and row.n > 0]
    clickable_chart(
        state,
        segment_figure(rows, result.settings["cl"]),
        [(part_of(row),) for row in rows],
        key="segment-chart",
    )
    st.caption(f"{exploration_texts.ALL_ROWS} {exploration_texts.CLICK_SEGMENT if look else ''}")
    if look is not None and st.toggle(
        "Look along it more finely", key="along", persist_state="session"
    ):
        show_along(look, variable)
    return variable


def show_segment_table(state: SessionState, result: AuditResult, variable: str) -> None:
    """Draw the table of one variable's segments, or of all, and what it means."""
    st.subheader("Table of segments")
    everything = st.checkbox(
        f"Table of {page_texts.ALL_VARIABLES}", key="segment-all", persist_state="session"
    )
    rows = [row for row in result.segments if everything or row.variable == variable]
    table = _with_remarks(to_table(result, "segments"))
    clickable_table(
        state,
        table if everything else table[table["variable"] == variable],
        SEGMENTS,
        [(part_of(row),) for row in rows],
        key="segment-table",
    )
    st.markdown(page_texts.ABOUT_SEGMENTS)


def _with_remarks(table: pd.DataFrame) -> pd.DataFrame:
    """Say which segments are too small, and leave out shares that mean nothing for the task."""
    remarks = table["detectable"].isna().map({True: page_texts.TOO_FEW, False: ""})
    meaningless = [c for c in _SHARES if table[c].isna().all()]
    return table.assign(remark=remarks).drop(columns=[*meaningless, "is_band"])
