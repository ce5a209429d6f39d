"""Data: choose a table."""

import streamlit as st

from evencover.dashboard.pages.data.column_profiles import show_name, show_table
from evencover.dashboard.pages.data.promise import show_promise
from evencover.dashboard.pages.data.reading import offer_readings, offer_second_table, show_reading
from evencover.dashboard.pages.data.table_choice import (
    choose_table,
    show_wanted,
    take_wanted_sample,
)
from evencover.dashboard.pages.session import session
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import plain

state = session()
st.title(page_texts.TITLE)
st.markdown(page_texts.TAGLINE)
take_wanted_sample(state)
# one place for whatever is told: moved down by it, the choice would lose a file on its way up
with st.container():
    if state.problem is not None:
        st.error(plain(state.problem))
    show_wanted(state)
    if state.upload is not None and state.is_reading:
        show_reading(state, state.upload)
    if state.table is None:
        if state.upload is None:
            show_promise()
        elif not state.is_reading:
            offer_readings(state, state.upload)
            offer_second_table(state, state.upload)
    else:
        if state.settings_taken:
            st.success(page_texts.SETTINGS_TAKEN)
        show_name(state.table)
        if state.upload is not None:
            offer_readings(state, state.upload)
            offer_second_table(state, state.upload)
        show_table(state.table)
with st.container() if state.table is None else st.expander("Choose another table"):
    choose_table(state)
    st.markdown(page_texts.PRIVACY)
