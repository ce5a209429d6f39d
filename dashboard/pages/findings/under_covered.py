"""The groups whose coverage is clearly too low, before or after."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from ...wording import page_texts
from ...wording.tables import TOO_LOW, too_low_rows
from ..shared.table import show_worded


def show_too_low(result: AuditResult) -> None:
    """Draw them as a table; nothing where there are none."""
    rows = too_low_rows(result)
    if not rows:
        return
    st.subheader("Groups with clearly too little coverage")
    st.caption(page_texts.ABOUT_TOO_LOW)
    show_worded(pd.DataFrame(rows)[list(TOO_LOW)], TOO_LOW)
