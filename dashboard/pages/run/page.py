"""Run: watch the adjustment arrive, layer by layer."""

from evencover.dashboard.pages.run.run_view import show_run
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.shared.heading import heading
from evencover.dashboard.pages.shared.prerequisites import need_run
from evencover.dashboard.pages.shared.status_line import show_status
from evencover.dashboard.pages.steps import RUN

state = session()
show_status(state, follow=False)
button = heading(RUN)
run = need_run(state)
show_run(state, run, button)
