"""Findings: who is under-covered and by how much, in words, figures and charts."""

import streamlit as st

from evencover.dashboard import looking_texts
from evencover.dashboard.components.filter_banner import show_filter
from evencover.dashboard.components.findings import show_findings, show_more_words
from evencover.dashboard.components.guard import need_look
from evencover.dashboard.components.heading import heading, next_step
from evencover.dashboard.components.histogram import show_histogram
from evencover.dashboard.components.overview import show_metrics
from evencover.dashboard.components.results import show_details
from evencover.dashboard.components.status import show_status
from evencover.dashboard.components.too_low import show_too_low
from evencover.dashboard.state import session
from evencover.dashboard.steps import FINDINGS, SEGMENTS

state = session()
show_status(state)
button = heading(FINDINGS)
result, look = need_look(state)
next_step(button, "See the segments", SEGMENTS)
if look is not None and look.filter:
    show_filter(state, look)
    st.caption(looking_texts.FINDINGS_OF_ALL)
show_findings(result)
show_metrics(result)
show_too_low(result)
show_more_words(result)
show_histogram(result, look)
show_details(result)
