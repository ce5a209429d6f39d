"""Setup: the label, CL and C, the columns' roles, and finer choices."""

import streamlit as st

from evencover.core import InputError
from evencover.dashboard import texts
from evencover.dashboard.components.cohorts import list_cohorts
from evencover.dashboard.components.guard import need_table
from evencover.dashboard.components.heading import heading
from evencover.dashboard.components.settings_choice import choose_settings
from evencover.dashboard.components.status import show_choices
from evencover.dashboard.state import session
from evencover.dashboard.steps import RUN, SETUP

state = session()
line = st.container()
button = heading(SETUP)
complaint = st.container()
table = need_table(state)
try:
    state.draft = choose_settings(table, state.cohorts)
except InputError as error:
    state.draft = None
    complaint.error(texts.plain(str(error)))
list_cohorts(state)
with line:
    show_choices(state)
if state.draft is not None and button.button("Run", type="primary", width="stretch"):
    state.start_run(table, state.draft)
    st.switch_page(RUN.file)
