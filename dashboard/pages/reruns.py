"""What streamlit does in every rerun, made to cost less."""

import copyreg
import gc
import io
from functools import cache
from typing import Any

from streamlit.runtime.uploaded_file_manager import UploadedFile


@cache
def spare_imports() -> None:
    """Leave what lives by now, nearly all of it code that stays, out of later garbage searches.

    The search took 0.13 s of each rerun, also of those that only look how far a run is.
    """
    gc.collect()
    gc.freeze()


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
