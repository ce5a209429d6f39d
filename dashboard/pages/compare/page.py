"""Compare: remedies side by side over seeds, and C against what it buys."""

import streamlit as st

from evencover.dashboard.pages.compare.choices import choose_comparison
from evencover.dashboard.pages.compare.path_view import show_path_choice
from evencover.dashboard.pages.compare.view import show_comparison
from evencover.dashboard.pages.heading import heading, need_table, show_choices
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.steps import COMPARE
from evencover.dashboard.wording import comparison_texts

state = session()
button = heading(COMPARE)
show_choices(state)
if state.table is None:
    show_comparison(state)  # as after a reload
table = need_table(state)
st.markdown(comparison_texts.ABOUT_COMPARISON)
chosen = choose_comparison(state)
is_asked = button.button(
    "Compare", type="primary", width="stretch", disabled=chosen is None or state.draft is None
)
if is_asked and chosen is not None and state.draft is not None:
    state.start_comparison(table, state.draft, *chosen)
show_comparison(state)
st.subheader(comparison_texts.CHOOSING_C)
show_path_choice(state, table)
