"""What is uploaded is kept once: streamlit copies the value of each widget in each rerun."""

import copyreg
import io
from typing import Any

from streamlit.runtime.uploaded_file_manager import UploadedFile


def share_contents() -> None:
    """Let copies of an uploaded file have its very bytes.

    Half a second was spent on every copy of 200 MB, twice as long as all other pages had to wait.
    """
    copyreg.pickle(UploadedFile, _parts)


def _parts(file: UploadedFile) -> tuple[Any, ...]:
    return _of_parts, (file.getvalue(), vars(file))


def _of_parts(content: bytes, attributes: dict[str, Any]) -> UploadedFile:
    file = UploadedFile.__new__(UploadedFile)
    io.BytesIO.__init__(file, content)
    vars(file).update(attributes)
    return file
