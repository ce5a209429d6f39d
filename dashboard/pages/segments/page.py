"""Segments: for whom coverage is off, looked at from all sides."""

import streamlit as st

from evencover.dashboard.pages.segments.cohorts import show_cohorts
from evencover.dashboard.pages.segments.examples import show_examples
from evencover.dashboard.pages.segments.heatmap import show_heat
from evencover.dashboard.pages.segments.map import show_map
from evencover.dashboard.pages.segments.segments import show_segment_table, show_segments
from evencover.dashboard.pages.segments.worst_segments import show_worst_segments
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.shared.filter_banner import show_filter
from evencover.dashboard.pages.shared.heading import heading, next_step
from evencover.dashboard.pages.shared.prerequisites import need_look
from evencover.dashboard.pages.shared.status_line import show_status
from evencover.dashboard.pages.shared.table import show_table
from evencover.dashboard.pages.steps import EXPORT, SEGMENTS
from evencover.dashboard.wording import exploration_texts, page_texts
from evencover.dashboard.wording.predictors import worded
from evencover.dashboard.wording.tables import GAPS, SIZE_STRATA

state = session()
show_status(state)
button = heading(SEGMENTS)
result, look = need_look(state)
next_step(button, "Next: Export", EXPORT)
if look is None:
    st.info(page_texts.ROWS_GONE)
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
    st.caption(exploration_texts.TABLES_OF_ALL)
show_segment_table(state, result, variable)
for about, table in ((page_texts.ABOUT_GAPS, GAPS), (page_texts.ABOUT_SIZE_STRATA, SIZE_STRATA)):
    st.markdown(worded(about, result.predictors))
    show_table(result, table)
