"""The worst segments, found by search and judged on other rows."""

import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_tables
from ..report.columns import WORST
from .worded_table import show_worded


def show_worst_segments(result: AuditResult) -> None:
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
    show_worded(to_tables(result)["worst_segments"].drop(columns="variables"), WORST)
