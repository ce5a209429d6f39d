"""Segments: coverage by the values of each variable, and the worst segments."""

from evencover.dashboard.components.gaps import show_gaps, show_size_strata
from evencover.dashboard.components.guard import need_result
from evencover.dashboard.components.heading import heading, next_step
from evencover.dashboard.components.segments import show_segments
from evencover.dashboard.components.status import show_status
from evencover.dashboard.components.worst_segments import show_worst_segments
from evencover.dashboard.state import session
from evencover.dashboard.steps import EXPORT, SEGMENTS

state = session()
show_status(state)
button = heading(SEGMENTS)
result = need_result(state)
next_step(button, "Next: Export", EXPORT)
show_segments(result)
show_gaps(result)
show_size_strata(result)
show_worst_segments(result)
