"""The three real data sets of the paper's kind, from a folder of the user's own or downloaded.

They are not part of the program. The environment variable ``EVENCOVER_DATA`` names a folder
with their files; what is not there is downloaded, and kept in scikit-learn's cache. Either way
the table has the SHA-256 of the published data, so that an audit never runs on something else under
the same name. A sample that cannot be had, or is not the published data, is an ``InputError``.
"""

import hashlib
import os
import socket
import ssl
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd

from evencover.core.messages import InputError

from . import downloads
from .sample import Sample

DATA_VARIABLE = "EVENCOVER_DATA"

_DECIMALS = 6  # more than the data have; a mean may be summed in another order
_PATIENCE_SECONDS = 20.0
_NO_CONNECTION = (URLError, TimeoutError, ConnectionError, HTTPException, ssl.SSLError)
_one_download_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Source:
    """Where a data set comes from, by what the published one is known, and how it is audited."""

    file: str
    download: Callable[[], pd.DataFrame]
    target: str
    sha256: str  # of the values, see content_digest: the same in every format of files
    sample: Callable[..., Sample]  # what makes the sample of its table and label


SOURCES = {
    "king_county": Source(
        "kc_house_data.csv",
        downloads.king_county,
        "price",
        "6bcb54b4d9eebb71138b2b17510178e7fdd19ab2e14d993fcda50cd5a79d33d9",
        partial(
            Sample,
            "House sales in King County, Washington, in 2014 and 2015. Each row is a sale; its "
            "price in dollars is to be predicted from the house's size, age, condition and "
            "place. Published on Kaggle by harlfoxem as House Sales in King County, USA, "
            "under CC0 (public domain).",
            task="regression",
            log_target=True,
            drop=("id", "date"),
            split="10000,5000,6613",
        ),
    ),
    "gpu": Source(
        "gpu.parquet",
        downloads.gpu,
        "run_ms",
        "1bd5049490068cf6588e09c350ea744095b85f8e41e624ae7e804aa7c06ade1a",
        partial(
            Sample,
            "Run times of a matrix multiplication on a graphics processor under every allowed "
            "combination of 14 tuning settings. Each row is one combination; the run time in "
            "milliseconds is to be predicted. SGEMM GPU kernel performance by Enrique Paredes "
            "and Rafael Ballester-Ripoll, number 440 of the UCI collection, under CC BY 4.0; "
            "changed in that the four published run times are replaced by their mean.",
            task="regression",
            log_target=True,
            split="20000,20000,20000",
        ),
    ),
    "covtype": Source(
        "covtype.parquet",
        downloads.covtype,
        "Cover_Type",
        "ef83e2bb2904bf9aaee400d69d5087d23cddb76e525027023378cb43c7d8f209",
        partial(
            Sample,
            "Patches of forest of 30 by 30 metres in northern Colorado. Each row is a patch; "
            "which of seven kinds of trees cover it is to be predicted from height, slope, "
            "light, distances and soil. Covertype by Jock A. Blackard, number 31 of the UCI "
            "collection, under CC BY 4.0; copyright Jock A. Blackard and Colorado State "
            "University.",
            task="classification",
            confidence_level=0.95,
            penalty=0.0,
            split="100000,100000,100000",
        ),
    ),
}


def load(name: str) -> Sample:
    """Return a real sample, refused if it cannot be had."""
    source = SOURCES[name]
    return source.sample(frame=_read(name), target=source.target)


def is_present(name: str) -> bool:
    """Say whether the file of a real sample is in EVENCOVER_DATA's folder."""
    folder = _folder_of_environment()
    return folder is not None and (folder / SOURCES[name].file).is_file()


def _folder_of_environment() -> Path | None:
    value = os.environ.get(DATA_VARIABLE)
    return Path(value) if value else None


def _read(name: str) -> pd.DataFrame:
    """Return the table from EVENCOVER_DATA's folder, or downloaded where it is not there."""
    source, folder = SOURCES[name], _folder_of_environment()
    if folder is not None and not folder.is_dir():
        raise InputError(
            "data.no_folder",
            "{variable} is set to {folder}, which is no folder; correct it or unset it",
            variable=DATA_VARIABLE,
            folder=folder,
        )
    if folder is None or not is_present(name):
        return _download(name)
    path = folder / source.file
    frame = _read_table(path)
    if not _is_published(frame, source):
        raise _unexpected(path)
    return frame


def _read_table(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise _unexpected(path) from error


def _download(name: str) -> pd.DataFrame:
    source = SOURCES[name]
    quoted: dict[str, object] = {
        "name": name,
        "cache": _cache_folder(),
        "instead": f"set {DATA_VARIABLE} to a folder that holds {source.file}",
    }
    changed = InputError(
        "download.changed",
        "what arrived for {name} is not the published data set, or only a part of it; empty "
        "scikit-learn's cache folder {cache} and try again, or {instead}",
        **quoted,
    )
    try:
        with _quiet_and_bounded():
            frame = source.download()
    except _NO_CONNECTION as error:
        raise InputError(
            "download.no_connection",
            "{name} could not be downloaded; try again with a connection to the internet, or "
            "{instead}",
            **quoted,
        ) from error
    except Exception as error:
        # the fetchers let through whatever unpacking and parsing a broken file raises
        if isinstance(error, OSError) and error.errno is not None:
            raise InputError(
                "download.unwritable",
                "{name} cannot be kept in scikit-learn's cache folder {cache} ({why}); name "
                "another one by SCIKIT_LEARN_DATA, or {instead}",
                why=error.strerror,
                **quoted,
            ) from error
        raise changed from error
    if not _is_published(frame, source):
        raise changed
    return frame


@contextmanager
def _quiet_and_bounded() -> Iterator[None]:
    """Let a fetcher neither warn of its retries nor wait without end.

    Filters and default timeout belong to the process, hence one download at a time.
    """
    with _one_download_at_a_time, warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"sklearn\.datasets")
        before = socket.getdefaulttimeout()
        socket.setdefaulttimeout(_PATIENCE_SECONDS)
        try:
            yield
        finally:
            socket.setdefaulttimeout(before)


def _cache_folder() -> Path:
    return Path(os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")).expanduser()


def _is_published(frame: pd.DataFrame, source: Source) -> bool:
    return content_digest(frame) == source.sha256


def content_digest(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of columns' names and values in their order, numbers of whatever type."""
    digest = hashlib.sha256()
    for name, column in frame.items():
        if pd.api.types.is_numeric_dtype(column):
            numbers = column.to_numpy(np.float64, na_value=np.nan)
            values = np.round(numbers, _DECIMALS).astype("<f8").tobytes()
        else:
            values = "\n".join(column.astype(str)).encode(errors="backslashreplace")
        digest.update(f"{name}\0{len(values)}\0".encode())
        digest.update(values)
    return digest.hexdigest()


def _unexpected(path: Path) -> InputError:
    return InputError(
        "data.changed",
        "{path} does not hold the published data; replace it by the original, complete file",
        path=path,
    )
