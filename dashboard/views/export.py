"""Export: the result to keep, to pass on and to repeat."""

from evencover.dashboard.components.downloads import show_downloads
from evencover.dashboard.components.guard import need_result, need_run
from evencover.dashboard.components.heading import heading
from evencover.dashboard.components.passing_on import show_passing_on
from evencover.dashboard.components.status import show_status
from evencover.dashboard.state import session
from evencover.dashboard.steps import EXPORT

state = session()
show_status(state)
heading(EXPORT)
result = need_result(state)
show_downloads(result)
# those of the result shown: a run's own have the cohorts of whoever started it
show_passing_on(
    result.asked or need_run(state).settings, result.settings["table"], stopped=result.stopped
)
