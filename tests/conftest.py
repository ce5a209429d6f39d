"""What tests of all packages share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_folder():
    """The folder of the real data; without it tests skip here and fail in CI."""
    folder = os.environ.get("EVENCOVER_DATA")
    if folder:
        return Path(folder)
    reason = "EVENCOVER_DATA is not set; set it to the folder with the real data"
    if os.environ.get("CI") == "true":
        return pytest.fail(reason)
    return pytest.skip(reason)
