"""Export: the result to keep, to pass on and to repeat."""

from evencover.dashboard.components.downloads import show_downloads
from evencover.dashboard.components.guard import need_result
from evencover.dashboard.components.heading import heading
from evencover.dashboard.components.status import show_status
from evencover.dashboard.state import session
from evencover.dashboard.steps import EXPORT

state = session()
show_status(state)
heading(EXPORT)
show_downloads(need_result(state))
