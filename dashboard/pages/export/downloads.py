"""The result as files, and the run to repeat: its command, its settings as a file and a link."""

from collections.abc import Callable

import streamlit as st

from evencover.core import AuditResult, AuditSettings

from ...export.files import to_csv_zip, to_json_text, to_rows_csv
from ...export.report import file_name, to_html
from ...options.links import link, settings_text
from ...options.repeat_command import repeat_command
from ...wording import page_texts


def show_downloads(result: AuditResult) -> None:
    """Draw a button for each file, with what is in it; a file is made when it is asked for."""
    _offer("Download report", lambda: to_html(result), file_name(result), "text/html")
    zipped = "evencover-tables.zip", "application/zip"
    _offer("Download tables (CSV)", lambda: to_csv_zip(result), *zipped)
    _offer("Download JSON", lambda: to_json_text(result), "evencover.json", "application/json")
    if result.test_rows is None:
        st.markdown(page_texts.ROWS_GONE)
    else:
        _offer("Download rows (CSV)", lambda: to_rows_csv(result), "evencover-rows.csv", "text/csv")
    st.caption(page_texts.ABOUT_CSV)


def show_passing_on(settings: AuditSettings, source: str, *, stopped: bool) -> None:
    """Draw how to repeat the run; the command does not repeat that it was ``stopped``."""
    st.subheader("The same again")
    st.markdown(f"{page_texts.ABOUT_COMMAND_STOPPED}:" if stopped else page_texts.ABOUT_COMMAND)
    st.code(repeat_command(settings, source), language=None, wrap_lines=True)
    as_json = "evencover-settings.json", "application/json"
    _offer("Download settings", lambda: settings_text(settings, source), *as_json)
    address = st.context.url
    if address is not None:
        st.markdown(page_texts.ABOUT_LINK)
        st.code(link(address, settings, source), language=None, wrap_lines=True)


def _offer(title: str, make: Callable[[], str | bytes], file_name: str, mime: str) -> None:
    """Draw the button for a file, and what is in it."""
    button, text = st.columns([1, 3], vertical_alignment="center")
    button.download_button(
        title, make, file_name=file_name, mime=mime, on_click="ignore", width="stretch"
    )
    text.markdown(page_texts.DOWNLOADS[title])
