"""The dashboard's page: choices on the left, columns and results on the right.

Run by streamlit as a script, hence the absolute imports.
"""

import streamlit as st

from evencover.core import InputError
from evencover.dashboard import texts
from evencover.dashboard.components.column_choice import choose_columns, choose_label
from evencover.dashboard.components.profiles_view import show_profiles
from evencover.dashboard.components.run_view import show_run
from evencover.dashboard.components.settings_choice import choose_settings
from evencover.dashboard.components.table_choice import choose_table, show_samples
from evencover.dashboard.state import SessionState, session
from evencover.dashboard.tables import LoadedTable


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
    if state.table is not None:
        _show_table(state, state.table)
    if state.run is not None:
        show_run(state, state.run)
    elif state.table is None:
        st.markdown(texts.WELCOME)
        show_samples()


def _show_table(state: SessionState, table: LoadedTable) -> None:
    with st.sidebar:
        target, log_target = choose_label(table)
    rows, columns = table.frame.shape
    title = f"{texts.plain(table.name)}: {rows} rows, {columns} columns"
    with st.expander(title, expanded=state.run is None):
        if table.description is not None:
            st.markdown(table.description)
        choice = choose_columns(table, target)
        columns_place = st.container()
    with st.sidebar:
        try:
            settings = choose_settings(table, target, log_target=log_target, columns=choice)
        except InputError as error:
            st.error(texts.plain(str(error)))
            return
        if st.button("Run", type="primary", width="stretch"):
            state.start_run(table, settings)
            st.rerun()
    with columns_place:
        show_profiles(table, settings)
    if state.run is not None and state.run.settings != settings:
        shown = state.run.settings
        st.warning(
            "Choices have changed: what is shown is for "
            f"CL = {shown.confidence_level:g}, C = {shown.penalty:g}. Press Run for the new ones."
        )


main()
