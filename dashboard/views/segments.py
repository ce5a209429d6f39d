"""Segments: for whom coverage is off, looked at from all sides."""

import streamlit as st

from evencover.dashboard import looking_texts, texts
from evencover.dashboard.components.cohorts import show_cohorts
from evencover.dashboard.components.examples import show_examples
from evencover.dashboard.components.filter_banner import show_filter
from evencover.dashboard.components.gaps import show_gaps, show_size_strata
from evencover.dashboard.components.guard import need_look
from evencover.dashboard.components.heading import heading, next_step
from evencover.dashboard.components.heat import show_heat
from evencover.dashboard.components.map_view import show_map
from evencover.dashboard.components.segments import show_segment_table, show_segments
from evencover.dashboard.components.status import show_status
from evencover.dashboard.components.worst_segments import show_worst_segments
from evencover.dashboard.state import session
from evencover.dashboard.steps import EXPORT, SEGMENTS

state = session()
show_status(state)
button = heading(SEGMENTS)
result, look = need_look(state)
next_step(button, "Next: Export", EXPORT)
if look is None:
    st.info(texts.ROWS_GONE)
else:
    show_filter(state, look)
variable = show_segments(state, result, look)
if look is not None:
    show_heat(state, look, variable)
show_worst_segments(state, result)
if look is not None:
    show_cohorts(state, look)
    show_map(state, look)
    show_examples(look)
    st.caption(looking_texts.TABLES_OF_ALL)
show_segment_table(state, result, variable)
show_gaps(result)
show_size_strata(result)
