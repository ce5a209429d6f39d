"""What tests of pages share."""

import pytest
from remembering import audit_once

import evencover.core


@pytest.fixture(autouse=True, scope="module")
def _every_audit_once():
    """Pages only show what comes of an audit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evencover.core, "audit", audit_once)
        yield
