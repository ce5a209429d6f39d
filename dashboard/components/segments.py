"""Accuracy by segment, one variable at a time."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_tables
from ..figures import segment_figure

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
    st.dataframe(
        table if everything else table[table["variable"] == variable],
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f")
            for name in table.columns
            if name not in ("variable", "value", "n", "kind", "remark")
        },
    )


def _with_remarks(table: pd.DataFrame) -> pd.DataFrame:
    """Say which segments are too small, and put first what the text tells to read."""
    first = ["q_value_base", "q_value_adjusted", "detectable"]
    others = [name for name in table.columns if name not in first]
    place = others.index("accuracy_adjusted") + 1
    table = table[[*others[:place], *first, *others[place:]]]
    remarks = table["detectable"].isna().map({True: texts.TOO_FEW, False: ""})
    meaningless = [c for c in _SHARES if table[c].isna().all()]
    table.insert(list(table).index("n") + 1, "remark", remarks)
    return table.drop(columns=meaningless)
