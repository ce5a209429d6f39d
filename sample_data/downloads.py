"""The three real data sets as scikit-learn's fetchers download and keep them.

Each function returns the table as the local file has it: the same names, types and order of
columns. The fetchers keep what they download in scikit-learn's own cache, which is
``~/scikit_learn_data`` or the folder that the environment variable ``SCIKIT_LEARN_DATA`` names,
and read it from there the next time, without a connection.

Tested against a filled cache. Not tried, for want of a connection: the downloads themselves, that
King County is number 42092 (``house_sales``, version 1) and the run times number 43144
(``SGEMM_GPU_kernel_performance``), and how the latter spells its run columns (``Run1`` or
``Run1 (ms)``; both are understood). A wrong number does no harm: the caller checks the SHA-256 of
the table. That of the file scikit-learn knows for the forest alone; for the other two it asks an
MD5 of where they are.
"""

from typing import Any

import numpy as np
import pandas as pd

KING_COUNTY_ID = 42092
GPU_ID = 43144

KING_COUNTY_TYPES = {
    "id": "int64",
    "date": "str",
    "price": "float64",
    "bedrooms": "int64",
    "bathrooms": "float64",
    **dict.fromkeys(("sqft_living", "sqft_lot"), "int64"),
    "floors": "float64",
    **dict.fromkeys(("waterfront", "view", "condition", "grade"), "int64"),
    **dict.fromkeys(("sqft_above", "sqft_basement"), "int64"),
    **dict.fromkeys(("yr_built", "yr_renovated", "zipcode"), "int64"),
    **dict.fromkeys(("lat", "long"), "float64"),
    **dict.fromkeys(("sqft_living15", "sqft_lot15"), "int64"),
}

GPU_TYPES = {
    **dict.fromkeys(("MWG", "NWG", "KWG", "MDIMC", "NDIMC", "MDIMA", "NDIMB", "KWI"), "int16"),
    **dict.fromkeys(("VWM", "VWN", "STRM", "STRN", "SA", "SB"), "int16"),
    "run_ms": "float64",
}
_RUNS = ["Run1", "Run2", "Run3", "Run4"]

COVTYPE_TYPES = {
    "Elevation": "int16",
    "Aspect": "int16",
    "Slope": "int8",
    "Horizontal_Distance_To_Hydrology": "int16",
    "Vertical_Distance_To_Hydrology": "int16",
    "Horizontal_Distance_To_Roadways": "int16",
    "Hillshade_9am": "int16",
    "Hillshade_Noon": "int16",
    "Hillshade_3pm": "int16",
    "Horizontal_Distance_To_Fire_Points": "int16",
    **{f"Wilderness_Area{i}": "int8" for i in range(1, 5)},
    **{f"Soil_Type{i}": "int8" for i in range(1, 41)},
    "Cover_Type": "int8",
}


def king_county() -> pd.DataFrame:
    """Return the house sales."""
    return _as_published(_openml(KING_COUNTY_ID), KING_COUNTY_TYPES)


def gpu() -> pd.DataFrame:
    """Return the run times, the four published ones replaced by their mean."""
    frame = _openml(GPU_ID).rename(columns=lambda name: name[:4] if name[:4] in _RUNS else name)
    return _as_published(frame.assign(run_ms=frame[_RUNS].mean(axis=1)), GPU_TYPES)


def covtype() -> pd.DataFrame:
    """Return the forest cover types."""
    # a slow import, which the start of the program does not need
    from sklearn.datasets import fetch_covtype  # noqa: PLC0415

    X, y = fetch_covtype(return_X_y=True, n_retries=1)
    *features, target = COVTYPE_TYPES  # scikit-learn numbers areas and soils from 0
    return _as_published(pd.DataFrame(X, columns=features).assign(**{target: y}), COVTYPE_TYPES)


def _openml(data_id: int) -> pd.DataFrame:
    from sklearn.datasets import fetch_openml  # noqa: PLC0415 - as above

    frame: pd.DataFrame = fetch_openml(
        data_id=data_id,
        target_column=None,
        as_frame=True,
        parser="pandas",
        # scikit-learn 1.9 fails on a nominal column whose values pandas 3 takes for numbers
        read_csv_kwargs={"dtype": None},
        n_retries=1,
    ).frame
    return frame


def _as_published(frame: pd.DataFrame, types: dict[str, str]) -> pd.DataFrame:
    """Return the columns named, in that order and of those types."""
    return pd.DataFrame({name: _typed(frame[name], type_) for name, type_ in types.items()})


def _typed(column: "pd.Series[Any]", type_: str) -> "pd.Series[Any]":
    if not pd.api.types.is_numeric_dtype(column):
        column = column.astype(str).str.strip("'\"")  # the parser leaves a text's single quotes
    if type_ == "str":
        return column
    numbers = pd.to_numeric(column).to_numpy()
    with np.errstate(invalid="ignore"):  # a value the type cannot hold is found below
        typed = numbers.astype(type_)
    if not np.array_equal(typed, numbers):
        raise ValueError(f"column {column.name} holds values that are not {type_}")
    return pd.Series(typed)
