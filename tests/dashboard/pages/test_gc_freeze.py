"""What streamlit searches for garbage after every rerun."""

import gc

import pages


def test_what_was_imported_is_no_longer_searched_once_a_page_was_drawn():
    pages.open_app()
    assert gc.get_freeze_count() > 100_000
    assert len(gc.get_objects()) < gc.get_freeze_count()
