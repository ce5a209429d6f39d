"""Setup: the label, CL and C, the columns' roles, and finer choices."""

import streamlit as st

from ...wording.formatting import plain
from ..cohorts import list_cohorts
from ..heading import heading, need_table, show_choices
from ..session import session
from ..steps import RUN, SETUP
from .settings_choice import choose_settings


def main() -> None:
    """Draw the page."""
    state = session()
    button = heading(SETUP)
    line = st.container()
    complaint = st.container()
    table = need_table(state)
    choices = choose_settings(table, state.cohorts)
    state.draft = None if choices.problems else choices.settings
    for problem in dict.fromkeys(choices.problems):
        complaint.error(plain(problem))
    list_cohorts(state)
    with line:
        show_choices(state)
    if state.draft is not None and button.button("Run", type="primary", width="stretch"):
        state.start_run(table, state.draft)
        RUN.open()
