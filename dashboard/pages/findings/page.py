"""Findings: who is under-covered and by how much, in words, figures and charts."""

import streamlit as st

from evencover.dashboard.pages.findings.better import show_better
from evencover.dashboard.pages.findings.results import show_details, show_histogram, show_lead
from evencover.dashboard.pages.shared.clicks import show_filter
from evencover.dashboard.pages.shared.heading import need_look, next_step, open_page
from evencover.dashboard.pages.steps import FINDINGS, SEGMENTS
from evencover.dashboard.wording import exploration_texts

state, button = open_page(FINDINGS)
result, look = need_look(state)
next_step(button, "See the segments", SEGMENTS)
if look is not None and look.filter:
    show_filter(state, look)
    st.caption(exploration_texts.FINDINGS_OF_ALL)
show_lead(result)
show_better(state)
show_histogram(result, look)
show_details(result)
