"""The worst segments, found by search and judged on other rows."""

import streamlit as st

from evencover.core import AuditResult

from ...wording import exploration_texts, page_texts
from ...wording.predictors import worded
from ...wording.rows import rules_counted
from ...wording.tables import WORST
from ..filter import RulePart
from ..session import SessionState
from ..shared.clicks import clickable_table


def show_worst_segments(state: SessionState, result: AuditResult) -> None:
    """Draw how many rules have clearly low coverage, and the table of all rules judged."""
    st.subheader("Worst segments, found by search")
    rules = WORST.rows(result)
    if not rules:
        st.info(page_texts.NO_WORST)
        return
    about = worded(page_texts.ABOUT_WORST, result.predictors)
    st.markdown(f"**{rules_counted(result)}** {about}")
    clickable_table(
        state,
        result,
        WORST,
        rules,
        [(RulePart(row["rule"]),) for row in rules],
        key="worst-table",
    )
    st.caption(f"{exploration_texts.ALL_ROWS} {exploration_texts.CLICK_ROW}")
