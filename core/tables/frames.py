"""Data frames of any library that narwhals knows."""

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..errors import InputError
from .formats.parquet import frame_of_arrow
from .lazy import LazyTable


def as_table(frame: Any, name: str) -> pd.DataFrame | LazyTable:  # noqa: ANN401 - of any library
    """Return a frame, which an error calls ``name``; one that is not in memory stays where it is.

    An array of shape (n, d) has the columns x0, x1, ...; a mapping is of columns by their names.
    """
    if isinstance(frame, pd.DataFrame):
        named = frame.set_axis(frame.columns.map(str), axis="columns")  # also those of two levels
        return named.reset_index(drop=True)
    if isinstance(frame, Mapping):
        return pd.DataFrame(dict(frame)).rename(columns=str)
    if isinstance(frame, np.ndarray) and frame.ndim == 2:  # noqa: PLR2004 - rows and columns
        return pd.DataFrame(frame, columns=[f"x{place}" for place in range(frame.shape[1])])
    try:
        known = nw.from_native(frame)
    except TypeError:
        sentence = (
            "{argument} is a {type}; give a data frame, such as of pandas, polars, pyarrow or "
            "duckdb, or an array of rows and columns"
        )
        about = {"argument": name, "type": type(frame).__name__}
        raise InputError("argument.no_frame", sentence, **about) from None
    return LazyTable(known) if isinstance(known, nw.LazyFrame) else frame_of_arrow(known.to_arrow())


def as_series(values: Any, name: str) -> pd.Series:  # noqa: ANN401 - of whatever library
    """Return n values, which an error calls ``name``, as a series; numbers stay numbers."""
    known = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(known, nw.Series):
        return known.to_pandas().reset_index(drop=True)
    if np.ndim(values) == 1 or (isinstance(values, list | tuple) and len(values)):
        return pd.Series(values if isinstance(values, np.ndarray) else list(values))
    sentence = "{argument} is a {type}; name a column of the frame, or give one value for each row"
    about = {"argument": name, "type": type(values).__name__}
    raise InputError("argument.no_values", sentence, **about)
