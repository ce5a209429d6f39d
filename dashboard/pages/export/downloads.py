"""The result as files."""

from collections.abc import Callable

import streamlit as st

from evencover.core import AuditResult

from ...export.files import to_csv_zip, to_json_text, to_rows_csv
from ...export.report import to_html
from ...wording import page_texts


def show_downloads(result: AuditResult) -> None:
    """Draw a button for each file, with what is in it; a file is made when it is asked for."""
    offer("Download report", lambda: to_html(result), "evencover.html", "text/html")
    offer(
        "Download tables (CSV)",
        lambda: to_csv_zip(result),
        "evencover-tables.zip",
        "application/zip",
    )
    offer("Download JSON", lambda: to_json_text(result), "evencover.json", "application/json")
    if result.objects is None:
        st.markdown(page_texts.ROWS_GONE)
    else:
        offer("Download rows (CSV)", lambda: to_rows_csv(result), "evencover-rows.csv", "text/csv")
    st.caption(page_texts.ABOUT_CSV)


def offer(title: str, make: Callable[[], str | bytes], file_name: str, mime: str) -> None:
    """Draw the button for a file, and what is in it."""
    button, text = st.columns([1, 3], vertical_alignment="center")
    button.download_button(
        title, make, file_name=file_name, mime=mime, on_click="ignore", width="stretch"
    )
    text.markdown(page_texts.DOWNLOADS[title])
