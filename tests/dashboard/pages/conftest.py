"""What tests of pages share."""

import pages
import pytest
from remembering import audit_once

import evencover.core


@pytest.fixture(autouse=True, scope="module")
def _every_audit_once():
    """Pages only show what comes of an audit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evencover.core, "audit", audit_once)
        yield


@pytest.fixture
def app():
    """The page as it greets; whatever a test does with it, no exception may show."""
    page = pages.open_app()
    yield page
    assert not page.exception
    if pages.known(page).run is not None:
        pages.known(page).run.job.stop()
