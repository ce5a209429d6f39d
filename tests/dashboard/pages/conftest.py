"""What tests of pages share."""

import pytest

import evencover.core
from evencover.core import audit

_known = {}


@pytest.fixture(autouse=True)
def _every_audit_once(monkeypatch):
    """Audits of the same table and settings are done once: pages only show what came of them."""
    monkeypatch.setattr(evencover.core, "audit", _audit_once)


def _audit_once(frame, settings, *, source, fingerprint, on_event, should_stop):
    key = (fingerprint, source, settings)
    if fingerprint is None or key not in _known:
        events = []

        def listen(event):
            events.append(event)
            on_event(event)

        given = {"source": source, "fingerprint": fingerprint, "should_stop": should_stop}
        result = audit(frame, settings, on_event=listen, **given)
        if fingerprint is None or result.stopped:
            return result
        _known[key] = result, events
        return result
    result, events = _known[key]
    for event in events:
        on_event(event)
    return result
