"""The worst segments, found by search and judged on other rows."""

import streamlit as st

from evencover.core import AuditResult

from .. import looking_texts, texts
from ..exports import to_table
from ..filters import RulePart
from ..report.columns import WORST
from ..state import SessionState
from .clicks import clickable_table


def show_worst_segments(state: SessionState, result: AuditResult) -> None:
    """Draw how many rules have clearly low coverage, and the table of all rules judged."""
    st.subheader("Worst segments, found by search")
    rules = result.worst_segments
    if not rules:
        st.info(texts.NO_WORST)
        return
    before, after = result.worst_found(), result.worst_found("adjusted")
    st.markdown(
        f"**{len(before)} of {len(rules)} rules have clearly low coverage before, {len(after)} "
        f"after.** {texts.ABOUT_WORST}"
    )
    clickable_table(
        state,
        to_table(result, "worst_segments").drop(columns="variables"),
        WORST,
        [(RulePart(row.rule),) for row in rules],
        key="worst-table",
    )
    st.caption(f"{looking_texts.ALL_ROWS} {looking_texts.CLICK_ROW}")
