"""The three real data sets of the paper's kind, read from a folder of the user's own.

They are not part of the program. The environment variable ``EVENCOVER_DATA`` names the folder
that holds their files; each file is checked against the row count and the mean label of the
published data, so that an audit never runs on something else under the same name.
"""

import math
import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from evencover.core.errors import InputError

from .sample import Sample

DATA_VARIABLE = "EVENCOVER_DATA"

_MEAN_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Source:
    """A file and what tells that it holds the published data."""

    file: str
    target: str
    rows: int
    target_mean: float


SOURCES = {
    "king_county": Source("kc_house_data.csv", "price", 21_613, 540088.1417665294),
    "gpu": Source("gpu.parquet", "run_ms", 241_600, 217.57195309395692),
    "covtype": Source("covtype.parquet", "Cover_Type", 581_012, 2.051470537613681),
}


def king_county(folder: Path | None = None) -> Sample:
    """Return the sample ``king_county`` from ``folder``, by default EVENCOVER_DATA's.

    Raises
    ------
    InputError
        If there is no folder, no file, or the file does not hold the published data.
    """
    source = SOURCES["king_county"]
    return Sample(
        name="king_county",
        title="House sales in King County",
        description=(
            "House sales in King County, Washington, in 2014 and 2015. Each row is a sale; its "
            "price in dollars is to be predicted from the house's size, age, condition and "
            "place. Published on Kaggle by harlfoxem as House Sales in King County, USA, "
            "under CC0 (public domain)."
        ),
        frame=_read(source, folder),
        target=source.target,
        task="regression",
        log_target=True,
        drop=("id", "date"),
        split="10000,5000,6613",
    )


def gpu(folder: Path | None = None) -> Sample:
    """Return the sample ``gpu`` from ``folder``, by default EVENCOVER_DATA's.

    Raises
    ------
    InputError
        If there is no folder, no file, or the file does not hold the published data.
    """
    source = SOURCES["gpu"]
    return Sample(
        name="gpu",
        title="GPU kernel run times",
        description=(
            "Run times of a matrix multiplication on a graphics processor under every allowed "
            "combination of 14 tuning settings. Each row is one combination; the run time in "
            "milliseconds is to be predicted. SGEMM GPU kernel performance by Enrique Paredes "
            "and Rafael Ballester-Ripoll, number 440 of the UCI collection, under CC BY 4.0; "
            "changed in that the four published run times are replaced by their mean."
        ),
        frame=_read(source, folder),
        target=source.target,
        task="regression",
        log_target=True,
        split="20000,20000,20000",
    )


def covtype(folder: Path | None = None) -> Sample:
    """Return the sample ``covtype`` from ``folder``, by default EVENCOVER_DATA's.

    Raises
    ------
    InputError
        If there is no folder, no file, or the file does not hold the published data.
    """
    source = SOURCES["covtype"]
    return Sample(
        name="covtype",
        title="Forest cover types",
        description=(
            "Patches of forest of 30 by 30 metres in northern Colorado. Each row is a patch; "
            "which of seven kinds of trees cover it is to be predicted from height, slope, "
            "light, distances and soil. Covertype by Jock A. Blackard, number 31 of the UCI "
            "collection, under CC BY 4.0; copyright Jock A. Blackard and Colorado State "
            "University."
        ),
        frame=_read(source, folder),
        target=source.target,
        task="classification",
        confidence_level=0.95,
        penalty=0.0,
        split="100000,100000,100000",
    )


def is_present(name: str) -> bool:
    """Say whether the file of a real sample is in EVENCOVER_DATA's folder."""
    folder = _folder_of_environment()
    return folder is not None and (folder / SOURCES[name].file).is_file()


def _folder_of_environment() -> Path | None:
    value = os.environ.get(DATA_VARIABLE)
    return Path(value) if value else None


def _read(source: Source, folder: Path | None) -> pd.DataFrame:
    folder = _folder_of_environment() if folder is None else folder
    if folder is None:
        raise InputError(
            f"{source.file} cannot be found because {DATA_VARIABLE} is not set; set it to the "
            "folder that holds the file"
        )
    path = folder / source.file
    if not path.is_file():
        raise InputError(
            f"there is no file {path}; put {source.file} there or set {DATA_VARIABLE} to the "
            "folder that holds it"
        )
    frame = _read_table(path)
    if not _is_published(frame, source):
        raise _unexpected(path)
    return frame


def _read_table(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise _unexpected(path) from error


def _is_published(frame: pd.DataFrame, source: Source) -> bool:
    if len(frame) != source.rows or source.target not in frame:
        return False
    label = frame[source.target]
    return pd.api.types.is_numeric_dtype(label) and math.isclose(
        float(label.mean()), source.target_mean, rel_tol=_MEAN_TOLERANCE
    )


def _unexpected(path: Path) -> InputError:
    return InputError(
        f"{path} does not hold the published data; replace it by the original, complete file"
    )
