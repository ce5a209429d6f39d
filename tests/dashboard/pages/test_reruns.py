"""What streamlit does in every rerun: searches for garbage, and copies what was uploaded."""

import copy
import gc

import pages
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from evencover.dashboard.pages import reruns as gc_freeze
from evencover.dashboard.pages.reruns import share_contents


def test_what_was_imported_is_no_longer_searched_once_a_page_was_drawn():
    gc_freeze.spare_imports.cache_clear()  # as in a new server, whatever tests left behind
    pages.open_app()
    assert gc.get_freeze_count() > 100_000
    assert len(gc.get_objects()) < gc.get_freeze_count()


def test_a_copy_of_an_uploaded_file_has_its_very_bytes():
    content = bytes(range(256))
    urls = FileURLs(file_id="7", upload_url="up", delete_url="gone")
    file = UploadedFile(UploadedFileRec("7", "t.csv", "text/csv", content), urls)
    share_contents()
    copied = copy.deepcopy(file)
    assert copied.getvalue() is content
    assert (copied.file_id, copied.name, copied.type, copied.size) == (
        "7",
        "t.csv",
        "text/csv",
        256,
    )
    assert copied._file_urls == urls
    assert copied == file
    copied.write(b"xyz")
    assert file.getvalue() == content
