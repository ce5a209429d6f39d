"""Export: the result to keep, to pass on and to repeat."""

from evencover.dashboard.pages.export.downloads import show_downloads, show_passing_on
from evencover.dashboard.pages.shared.heading import need_look, need_run, open_page
from evencover.dashboard.pages.steps import EXPORT

state = open_page(EXPORT)[0]
result = need_look(state)[0]
show_downloads(result)
# those of the result shown: a run's own have the cohorts of whoever started it
settings = result.asked or need_run(state).settings
show_passing_on(settings, result.settings["table"], stopped=result.stopped)
