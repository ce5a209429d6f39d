"""The result as files."""

import streamlit as st

from evencover.core import AuditResult

from ..exports import to_csv_zip, to_json_text


def show_downloads(result: AuditResult) -> None:
    """Draw a button for each file; a file is made when it is asked for."""
    left, right = st.columns(2)
    left.download_button(
        "Download JSON",
        lambda: to_json_text(result),
        file_name="evencover.json",
        mime="application/json",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        "Download tables (CSV)",
        lambda: to_csv_zip(result),
        file_name="evencover-tables.zip",
        mime="application/zip",
        on_click="ignore",
        width="stretch",
    )
