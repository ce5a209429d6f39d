"""Segments: for whom coverage is off, looked at from all sides."""

import streamlit as st

from evencover.dashboard.pages.segments.cells import show_heat, show_map
from evencover.dashboard.pages.segments.cohorts import show_cohorts
from evencover.dashboard.pages.segments.segments import (
    say_of_all_rows,
    show_examples,
    show_segment_table,
    show_segments,
    show_worst_segments,
)
from evencover.dashboard.pages.shared.clicks import show_filter
from evencover.dashboard.pages.shared.heading import need_look, next_step, open_page
from evencover.dashboard.pages.shared.widgets import show_table
from evencover.dashboard.pages.steps import EXPORT, SEGMENTS
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.predictors import worded
from evencover.dashboard.wording.tables import GAPS, SIZE_STRATA

state, button = open_page(SEGMENTS)
result, look = need_look(state)
next_step(button, "Next: Export", EXPORT)
if look is None:
    st.info(page_texts.ROWS_GONE)
else:
    show_filter(state, look)
variable = show_segments(state, result, look)
if look is not None:
    show_heat(state, look, variable)
show_worst_segments(state, result, look)
if look is not None:
    show_cohorts(state, look)
    show_map(state, look)
    show_examples(look)
say_of_all_rows(look)
show_segment_table(state, result, variable)
for about, table in ((page_texts.ABOUT_GAPS, GAPS), (page_texts.ABOUT_SIZE_STRATA, SIZE_STRATA)):
    st.markdown(worded(about, result.predictors))
    show_table(result, table)
