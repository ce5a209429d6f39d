"""Audits whose result is remembered, for tests of what is made of it."""

from evencover.core import audit
from evencover.core.tables.table import UNNAMED, Table, rows_fingerprint

_known = {}


def audit_once(
    table,
    settings,
    *,
    on_event=lambda _: None,
    should_stop=lambda: False,
    unread=(),
    origin=UNNAMED,
    with_replay=True,
):
    """As the core's audit, whose events come again; the same one is not done a second time."""
    typed = Table.of(table)
    key = (
        rows_fingerprint(typed.frame),
        typed.notes,
        settings,
        tuple(unread),
        (origin.name, origin.fingerprint),
        with_replay,
    )
    if key in _known:
        result, events = _known[key]
        for event in events:
            on_event(event)
        return result
    events = []

    def listen(event):
        events.append(event)
        on_event(event)

    options = {"on_event": listen, "should_stop": should_stop, "unread": unread}
    options |= {"origin": origin, "with_replay": with_replay}
    result = audit(table, settings, **options)
    if not result.stopped:
        _known[key] = result, events
    return result
