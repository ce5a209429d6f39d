"""What matters most: in words, in three figures, and the groups with too little coverage."""

import streamlit as st

from evencover.core import AuditResult

from ...wording import page_texts
from ...wording.formatting import plain
from ...wording.key_figures import key_figures
from ...wording.predictors import worded
from ...wording.tables import TOO_LOW
from ..shared.table import show_table


def show_lead(result: AuditResult) -> None:
    """Draw them, with the other sentences closed at first."""
    st.info("\n\n".join(map(plain, result.headline)))
    figures = key_figures(result)
    for column, figure in zip(st.columns(len(figures)), figures, strict=True):
        column.metric(*figure, delta_color="off", delta_arrow="off")
    if TOO_LOW.rows(result):
        st.subheader("Groups with clearly too little coverage")
        st.caption(worded(page_texts.ABOUT_TOO_LOW, result.predictors))
        show_table(result, TOO_LOW)
    with st.expander("In more words"):
        st.markdown("\n\n".join(map(plain, result.explanations)))
