"""Findings: who is under-covered and by how much, in words, figures and charts."""

import streamlit as st

from evencover.dashboard.pages.findings.details import show_details
from evencover.dashboard.pages.findings.histogram import show_histogram
from evencover.dashboard.pages.findings.lead import show_lead
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.shared.filter_banner import show_filter
from evencover.dashboard.pages.shared.heading import heading, next_step
from evencover.dashboard.pages.shared.prerequisites import need_look
from evencover.dashboard.pages.shared.status_line import show_status
from evencover.dashboard.pages.steps import FINDINGS, SEGMENTS
from evencover.dashboard.wording import exploration_texts

state = session()
show_status(state)
button = heading(FINDINGS)
result, look = need_look(state)
next_step(button, "See the segments", SEGMENTS)
if look is not None and look.filter:
    show_filter(state, look)
    st.caption(exploration_texts.FINDINGS_OF_ALL)
show_lead(result)
show_histogram(result, look)
show_details(result)
