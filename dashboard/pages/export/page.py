"""Export: the result to keep, to pass on and to repeat."""

from evencover.dashboard.pages.export.downloads import show_downloads
from evencover.dashboard.pages.export.share_settings import show_passing_on
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.shared.heading import heading
from evencover.dashboard.pages.shared.prerequisites import need_result, need_run
from evencover.dashboard.pages.shared.status_line import show_status
from evencover.dashboard.pages.steps import EXPORT

state = session()
show_status(state)
heading(EXPORT)
result = need_result(state)
show_downloads(result)
# those of the result shown: a run's own have the cohorts of whoever started it
show_passing_on(
    result.asked or need_run(state).settings, result.settings["table"], stopped=result.stopped
)
