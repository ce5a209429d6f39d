"""Clicks on charts and tables that become part of the filter.

A chart or table that is drawn anew under its old key would report its last click again, and one
whose data changes would lose it. So a click is taken up once, where it arrives, and everything
that can be clicked gets a new key.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from evencover.core import AuditResult

from ...wording.predictors import predictors
from ...wording.rows import Row
from ...wording.tables import TableSpec
from ..filter import Part
from ..session import SessionState
from .table import drawn

Parts = tuple[Part, ...]


def clickable_chart(
    state: SessionState, figure: go.Figure, parts: Sequence[Parts], *, key: str
) -> None:
    """Draw a chart; ``parts`` are added to the filter by a click on the point of their place."""
    whole_key = f"{state.clicks}-{key}"
    st.plotly_chart(
        figure,
        width="stretch",
        theme=None,
        key=whole_key,
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
