"""Setup: the label, CL and C, the columns' roles, and finer choices."""

import streamlit as st

from evencover.dashboard.pages.cohorts import list_cohorts
from evencover.dashboard.pages.heading import heading, need_table, show_choices
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.setup.settings_choice import choose_settings
from evencover.dashboard.pages.steps import RUN, SETUP
from evencover.dashboard.wording.formatting import plain

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
    st.switch_page(RUN.file)
