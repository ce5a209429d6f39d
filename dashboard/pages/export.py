"""Export: the result to keep, to pass on and to repeat."""

from collections.abc import Callable

import streamlit as st

from evencover.core import AuditResult, InputError
from evencover.core.scoring.file import ENDING

from ..export.card import to_markdown
from ..export.files import to_csv_texts, to_json_text, to_rows_csv, zipped
from ..export.report import file_name, to_html
from ..options import link, repeat_command, settings_text
from ..wording import page_texts
from ..wording.formatting import plain
from .heading import EXPORT, need_look, need_run, open_page
from .widgets import offer_file, saved_by_title


def main() -> None:
    """Draw a button for each file, and how to repeat the run; a file is made when asked for."""
    state = open_page(EXPORT)[0]
    result = need_look(state)[0]
    _offer("Download report", lambda: to_html(result), file_name(result), "text/html")
    _offer("Download model card", lambda: to_markdown(result), "card.md", "text/markdown")
    as_csv = "evencover-tables.zip", "application/zip"
    _offer("Download tables (CSV)", lambda: zipped(to_csv_texts(result)), *as_csv)
    _offer("Download JSON", lambda: to_json_text(result), "evencover.json", "application/json")
    if result.test_rows is None:
        st.markdown(page_texts.ROWS_GONE)
    else:
        _offer("Download rows (CSV)", lambda: to_rows_csv(result), "evencover-rows.csv", "text/csv")
    st.caption(page_texts.ABOUT_CSV)
    _offer_predictors(result)
    # those of the result shown: a run's own have the cohorts of whoever started it
    settings, source = result.asked or need_run(state).settings, result.settings["table"]
    st.header("The same again")
    as_it_was = page_texts.ABOUT_COMMAND  # the command does not repeat that a run was stopped
    st.markdown(f"{page_texts.ABOUT_COMMAND_STOPPED}:" if result.stopped else as_it_was)
    st.code(repeat_command(settings, source), language=None, wrap_lines=True)
    as_json = "evencover-settings.json", "application/json"
    _offer("Download settings", lambda: settings_text(settings, source), *as_json)
    address = st.context.url
    if address is not None:
        st.markdown(page_texts.ABOUT_LINK)
        st.code(link(address, settings, source), language=None, wrap_lines=True)


def _offer_predictors(result: AuditResult) -> None:
    """Draw the button for a predictor, and why others cannot be saved."""
    titles, saved = {by.name: by.title for by in result.predictors}, saved_by_title(result)
    for name, refused in result.saved.items():
        if isinstance(refused, InputError):
            st.caption(f"{plain(titles[name])}: {plain(str(refused))}.")
    if saved:
        by = saved[st.selectbox("Predictor to save", saved)]
        _offer("Save predictor", by.to_bytes, f"predictor{ENDING}", "application/zip")


def _offer(title: str, make: Callable[[], str | bytes], name: str, mime: str) -> None:
    """Draw the button for a file, and what is in it."""
    button, text = st.columns([1, 3], vertical_alignment="center")
    offer_file(button, title, make, name, mime)
    text.markdown(page_texts.DOWNLOADS[title])
