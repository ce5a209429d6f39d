"""What streamlit makes of an uploaded file in each rerun."""

import copy

from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from evencover.dashboard.pages.reruns import share_contents


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
