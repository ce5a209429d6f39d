"""Run: watch the adjustment arrive, layer by layer."""

from evencover.dashboard.pages.run.run_view import show_run
from evencover.dashboard.pages.shared.heading import need_run, open_page
from evencover.dashboard.pages.steps import RUN

state, button = open_page(RUN, follow=False)
show_run(state, need_run(state), button)
