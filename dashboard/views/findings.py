"""Findings: who is under-covered and by how much, in words, figures and charts."""

from evencover.dashboard.components.findings import show_findings, show_more_words
from evencover.dashboard.components.guard import need_result
from evencover.dashboard.components.heading import heading, next_step
from evencover.dashboard.components.overview import show_metrics
from evencover.dashboard.components.results import show_details
from evencover.dashboard.components.status import show_status
from evencover.dashboard.state import session
from evencover.dashboard.steps import FINDINGS, SEGMENTS

state = session()
show_status(state)
button = heading(FINDINGS)
result = need_result(state)
next_step(button, "See the segments", SEGMENTS)
show_findings(result)
show_metrics(result)
show_more_words(result)
show_details(result)
