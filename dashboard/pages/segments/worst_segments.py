"""The worst segments, found by search and judged on other rows."""

import streamlit as st

from evencover.core import AuditResult

from ...export.files import to_table
from ...wording import exploration_texts, page_texts
from ...wording.tables import WORST
from ..filter import RulePart
from ..session import SessionState
from ..shared.clicks import clickable_table


def show_worst_segments(state: SessionState, result: AuditResult) -> None:
    """Draw how many rules have clearly low coverage, and the table of all rules judged."""
    st.subheader("Worst segments, found by search")
    rules = result.worst_segments
    if not rules:
        st.info(page_texts.NO_WORST)
        return
    before, after = result.worst_found(), result.worst_found("adjusted")
    st.markdown(
        f"**{len(before)} of {len(rules)} rules have clearly low coverage before, {len(after)} "
        f"after.** {page_texts.ABOUT_WORST}"
    )
    clickable_table(
        state,
        to_table(result, "worst_segments").drop(columns="variables"),
        WORST,
        [(RulePart(row.rule),) for row in rules],
        key="worst-table",
    )
    st.caption(f"{exploration_texts.ALL_ROWS} {exploration_texts.CLICK_ROW}")
