"""The dashboard's page: choices on the left, columns and results on the right.

Run by streamlit as a script, hence the absolute imports.
"""

import streamlit as st

from evencover.core import AuditResult, AuditSettings, InputError, audit
from evencover.core.events import Listener, StopRequest
from evencover.dashboard import texts
from evencover.dashboard.components.live import show_live
from evencover.dashboard.components.results import show_results
from evencover.dashboard.components.settings_choice import (
    choose_columns,
    choose_label,
    choose_settings,
    show_profiles,
)
from evencover.dashboard.components.table_choice import choose_table
from evencover.dashboard.jobs import Job
from evencover.dashboard.state import LoadedTable, Run, SessionState, session


def main() -> None:
    """Draw the page."""
    st.set_page_config(page_title=texts.TITLE, page_icon="⚖️", layout="wide")
    state = session()
    with st.sidebar:
        choose_table(state)
    st.title(texts.TITLE)
    st.markdown(texts.TAGLINE)
    if state.problem is not None:
        st.error(texts.plain(state.problem))
    if state.table is None:
        st.markdown(texts.WELCOME)
        return
    _show_table(state, state.table)
    if state.run is not None:
        _show_run(state.run)


def _show_table(state: SessionState, table: LoadedTable) -> None:
    with st.sidebar:
        target, log_target = choose_label(table)
    rows, columns = table.frame.shape
    title = f"{texts.plain(table.name)}: {rows} rows, {columns} columns"
    with st.expander(title, expanded=state.run is None):
        if table.sample is not None:
            st.markdown(table.sample.description)
        choice = choose_columns(table, target)
        show_profiles(table)
    with st.sidebar:
        try:
            settings = choose_settings(table, target, log_target=log_target, columns=choice)
        except InputError as error:
            st.error(texts.plain(str(error)))
            return
        if st.button("Run", type="primary", width="stretch"):
            _start(state, table, settings)
    if state.run is not None and state.run.settings != settings:
        shown = state.run.settings
        st.warning(
            "Choices have changed: what is shown is for "
            f"CL = {shown.confidence_level:g}, C = {shown.penalty:g}. Press Run for the new ones."
        )


def _start(state: SessionState, table: LoadedTable, settings: AuditSettings) -> None:
    state.end_run()

    def work(on_event: Listener, should_stop: StopRequest) -> AuditResult:
        return audit(
            table.frame, settings, source=table.name, on_event=on_event, should_stop=should_stop
        )

    state.run = Run(Job(work), settings, table)
    state.run.job.start()
    st.rerun()


def _show_run(run: Run) -> None:
    snapshot = run.job.snapshot()
    if snapshot.state == "running":
        show_live(run)
    elif snapshot.error is not None:
        st.error(texts.plain(snapshot.error))
    elif snapshot.result is not None:
        st.caption(
            f"Results for {texts.plain(run.table.name)}: label {texts.plain(run.settings.target)}, "
            f"CL = {run.settings.confidence_level:g}, C = {run.settings.penalty:g}"
        )
        show_results(snapshot.result)


main()
