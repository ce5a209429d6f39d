"""The active filter, and the clicks on charts and tables that become part of it.

A chart or table that is drawn anew under its old key would report its last click again, and one
whose data changes would lose it. So a click is taken up once, where it arrives, and everything
that can be clicked gets a new key.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from evencover.core import AuditResult

from ...wording import exploration_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.rows import Row, fields_of
from ...wording.tables import TableSpec
from ..filter import Filter, LookedAt, Part
from ..session import SessionState
from .widgets import draw_chart, drawn

Parts = tuple[Part, ...]

_STAYS = """<style>
div:has(> .st-key-filter) {position: sticky; top: 3.75rem; z-index: 90;}
.st-key-filter {background: light-dark(#FFF6E8, #3A2F1D); max-height: 30vh; overflow: auto;}
[data-testid="stMain"] {scroll-padding-top: 30vh;}
</style>"""
"""The banner stays in sight while the page is scrolled; what is scrolled to stays below it."""


def clickable_chart(
    state: SessionState, figure: go.Figure, parts: Sequence[Parts], *, key: str
) -> None:
    """Draw a chart; ``parts`` are added to the filter by a click on the point of their place."""
    whole_key = f"{state.clicks}-{key}"
    draw_chart(
        figure,
        whole_key,
        selection_mode="points",
        on_select=lambda: take_point(state, st.session_state[whole_key], parts),
    )


def clickable_table(
    state: SessionState,
    result: AuditResult,
    spec: TableSpec,
    rows: Sequence[Row],
    parts: Sequence[Parts],
    *,
    key: str,
) -> None:
    """Draw a table; ``parts`` are added to the filter by the choice of the row of their place."""
    whole_key = f"{state.clicks}-{key}"
    st.dataframe(
        **drawn(spec, rows, predictors(result)),
        key=whole_key,
        lazy=False,
        selection_mode="single-row",
        on_select=lambda: take_row(state, st.session_state[whole_key], parts),
    )


def take_point(state: SessionState, event: dict[str, Any], parts: Sequence[Parts]) -> None:
    """Take up a click on a chart."""
    points = event["selection"]["points"]
    if points:
        state.add_to_filter(*parts[points[0]["point_index"]])


def take_row(state: SessionState, event: dict[str, Any], parts: Sequence[Parts]) -> None:
    """Take up the choice of a row of a table."""
    rows = event["selection"]["rows"]
    if rows:
        state.add_to_filter(*parts[rows[0]])


def show_filter(state: SessionState, look: LookedAt) -> None:
    """Draw what it leaves, and ways out of it, on top of the pages that it is for."""
    if not look.filter:
        st.caption(exploration_texts.NO_FILTER.format(n=look.n))
        return
    st.html(_STAYS)
    figures, given = fields_of(look.figures), predictors(look.result)
    shown = [exploration_texts.coverage_in_words(figures, given)]
    if look.n:
        is_regression = look.test_rows.task == "regression"
        shown.append(exploration_texts.sizes_in_words(figures, given, are_intervals=is_regression))
    parts = look.filter.parts
    with st.container(key="filter", border=True, gap="small"):
        st.markdown(f"**Filter: {plain(look.filter.words())}**  \n{' · '.join(shown)}")
        with st.container(horizontal=True, gap="small"):
            if st.button("Clear filter", key="clear-filter"):
                _use(state, Filter())
            for place, part in enumerate(parts if len(parts) > 1 else ()):
                if st.button(f"Remove: {plain(part.words)}", key=f"remove-part-{place}"):
                    _use(state, look.filter.without(part))


def _use(state: SessionState, chosen: Filter) -> None:
    state.filter = chosen
    state.clicks += 1
    st.rerun()
