"""Runs: those of this browser that are kept, any of them opened again, any two side by side."""

from evencover.dashboard.pages.runs.run_list import show_runs
from evencover.dashboard.pages.runs.side_by_side import show_two
from evencover.dashboard.pages.shared.heading import open_page
from evencover.dashboard.pages.steps import RUNS

state, _ = open_page(RUNS)
runs = state.runs()
show_runs(state, runs)
show_two(runs)
