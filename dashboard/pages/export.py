"""Export: the result to keep, to pass on and to repeat."""

from collections.abc import Callable

import streamlit as st

from evencover.core import AuditResult, AuditSettings

from ..export.files import to_csv_texts, to_json_text, to_rows_csv, zipped
from ..export.report import file_name, to_html
from ..options.command_line import repeat_command
from ..options.links import link, settings_text
from ..wording import page_texts
from .heading import EXPORT, need_look, need_run, open_page
from .widgets import offer_file


def main() -> None:
    """Draw the page."""
    state = open_page(EXPORT)[0]
    result = need_look(state)[0]
    show_downloads(result)
    # those of the result shown: a run's own have the cohorts of whoever started it
    settings = result.asked or need_run(state).settings
    show_passing_on(settings, result.settings["table"], stopped=result.stopped)


def show_downloads(result: AuditResult) -> None:
    """Draw a button for each file, with what is in it; a file is made when it is asked for."""
    _offer("Download report", lambda: to_html(result), file_name(result), "text/html")
    as_csv = "evencover-tables.zip", "application/zip"
    _offer("Download tables (CSV)", lambda: zipped(to_csv_texts(result)), *as_csv)
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


def _offer(title: str, make: Callable[[], str | bytes], name: str, mime: str) -> None:
    """Draw the button for a file, and what is in it."""
    button, text = st.columns([1, 3], vertical_alignment="center")
    offer_file(button, title, make, name, mime)
    text.markdown(page_texts.DOWNLOADS[title])
