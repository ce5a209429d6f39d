"""What tests of all packages share."""

import gc
import os
from pathlib import Path

import pytest

# before anything loads them: beside other tests on the same cores, threads wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items):
    """Mark the tests that read the published data, however many fixtures away."""
    for item in items:
        if "data_folder" in item.fixturenames:
            item.add_marker("real_data")


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


def pytest_collection_finish():
    """Thousands of tests stay until the end: the collector need not visit them each time."""
    gc.collect()
    gc.freeze()
