"""What tests of pages share."""

import pytest
from remembering import audit_once

import evencover.core


@pytest.fixture(autouse=True)
def _every_audit_once(monkeypatch):
    """Pages only show what comes of an audit."""
    monkeypatch.setattr(evencover.core, "audit", audit_once)
