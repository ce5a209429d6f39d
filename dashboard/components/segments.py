"""Accuracy by segment, one variable at a time."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_tables
from ..figures import segment_figure
from ..report.columns import SEGMENTS
from .worded_table import show_worded

_SHARES = [
    f"share_{size}_{when}"
    for size in ("infinite", "full", "empty")
    for when in ("base", "adjusted")
]


def show_segments(result: AuditResult) -> None:
    """Draw the segments of one variable, as a chart and as a table."""
    st.markdown(texts.ABOUT_SEGMENTS)
    variables = list(dict.fromkeys(row.variable for row in result.segments))
    failing = [row.variable for row in result.failing_segments()]
    variables.sort(key=lambda name: failing.index(name) if name in failing else len(failing))
    variable = st.selectbox(
        "Variable, largest shortfall or excess in rows first",
        variables,
        format_func=lambda name: f"{name} (clearly off before: {failing.count(name)})",
        key="segment-variable",
        persist_state="session",
    )
    rows = [row for row in result.segments if row.variable == variable]
    st.plotly_chart(
        segment_figure(rows, result.settings["cl"]),
        width="stretch",
        theme=None,
        key="segment-chart",
    )
    everything = st.checkbox(
        f"Table of {texts.ALL_VARIABLES}", key="segment-all", persist_state="session"
    )
    table = _with_remarks(to_tables(result)["segments"])
    show_worded(table if everything else table[table["variable"] == variable], SEGMENTS)


def _with_remarks(table: pd.DataFrame) -> pd.DataFrame:
    """Say which segments are too small, and leave out shares that mean nothing for the task."""
    remarks = table["detectable"].isna().map({True: texts.TOO_FEW, False: ""})
    meaningless = [c for c in _SHARES if table[c].isna().all()]
    return table.assign(remark=remarks).drop(columns=meaningless)
