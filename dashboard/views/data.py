"""Data: choose a table."""

import streamlit as st

from evencover.dashboard import texts
from evencover.dashboard.components.shared_settings import show_wanted
from evencover.dashboard.components.table_choice import choose_table, take_wanted_sample
from evencover.dashboard.components.table_view import show_table
from evencover.dashboard.state import session

state = session()
st.title(texts.TITLE)
st.markdown(texts.TAGLINE)
take_wanted_sample(state)
if state.problem is not None:
    st.error(texts.plain(state.problem))
show_wanted(state)
if state.table is None:
    st.markdown(texts.WELCOME)
    choose_table(state)
    st.markdown(texts.PRIVACY)
else:
    if state.settings_taken:
        st.success(texts.SETTINGS_TAKEN)
    show_table(state.table)
    with st.expander("Choose another table"):
        choose_table(state)
        st.markdown(texts.PRIVACY)
