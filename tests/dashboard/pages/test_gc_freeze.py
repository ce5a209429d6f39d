"""What streamlit searches for garbage after every rerun."""

import gc

import pages

from evencover.dashboard.pages import reruns as gc_freeze


def test_what_was_imported_is_no_longer_searched_once_a_page_was_drawn():
    gc_freeze.spare_imports.cache_clear()  # as in a new server, whatever tests left behind
    pages.open_app()
    assert gc.get_freeze_count() > 100_000
    assert len(gc.get_objects()) < gc.get_freeze_count()
