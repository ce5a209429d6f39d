"""Run: watch the adjustment arrive, layer by layer."""

from evencover.dashboard.components.guard import need_run
from evencover.dashboard.components.heading import heading
from evencover.dashboard.components.run_view import show_run
from evencover.dashboard.components.status import show_status
from evencover.dashboard.state import session
from evencover.dashboard.steps import RUN

state = session()
show_status(state, follow=False)
button = heading(RUN)
run = need_run(state)
show_run(state, run, button)
