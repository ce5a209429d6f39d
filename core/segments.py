"""Accuracy by segment: for whom the prediction sets hold their labels how often."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import as_levels, as_numbers, column_kind, value_order
from .dates import date_parts, to_dates
from .encoding import MISSING
from .names import told_apart
from .prediction_sets import BoolArray, FloatArray
from .split import IndexArray
from .wilson import wilson_interval

MOST_VALUES = 12
"""A variable with more distinct values is divided at the quartiles of the training rows."""

OTHER = "(other)"
_LARGEST_WHOLE = 1e15
_QUARTILES = (0.25, 0.5, 0.75)
_Show = Callable[[FloatArray], list[str]]


@dataclass(frozen=True)
class SegmentRow:
    """Share of correct prediction sets in one segment of the test rows, before and after."""

    variable: str
    value: str
    n: int
    accuracy_base: float
    accuracy_adjusted: float
    low_base: float
    high_base: float
    low_adjusted: float
    high_adjusted: float


@dataclass(frozen=True)
class Partition:
    """Segments of a variable: their names, and each row's segment, shape (n,)."""

    names: list[str]
    codes: NDArray[np.intp]


def segment_rows(
    frame: pd.DataFrame,
    variables: Iterable[str],
    train: IndexArray,
    test: IndexArray,
    *,
    correct_base: BoolArray,
    correct_adjusted: BoolArray,
) -> list[SegmentRow]:
    """Return accuracy before and after in every segment of every variable.

    Parameters
    ----------
    frame
        The rows with a label.
    variables
        Columns of ``frame`` to divide by.
    train, test
        Positions of the sets in ``frame``; accuracy is that of the test rows.
    correct_base, correct_adjusted
        Whether each test row's set holds its label, shape (n_test,).
    """
    rows: list[SegmentRow] = []
    for variable in variables:
        partition = partition_column(frame[variable], train)
        codes, k = partition.codes[test], len(partition.names)
        n = np.bincount(codes, minlength=k)
        base = _accuracy(codes, n, correct_base)
        adjusted = _accuracy(codes, n, correct_adjusted)
        rows += [
            SegmentRow(
                variable,
                name,
                int(n[i]),
                accuracy_base=float(base[0][i]),
                accuracy_adjusted=float(adjusted[0][i]),
                low_base=float(base[1][i]),
                high_base=float(base[2][i]),
                low_adjusted=float(adjusted[1][i]),
                high_adjusted=float(adjusted[2][i]),
            )
            for i, name in enumerate(partition.names)
        ]
    return rows


def partition_column(column: pd.Series, train: IndexArray) -> Partition:
    """Divide the rows by a column: by value if there are few, else by quartile of training."""
    kind = column_kind(column)
    if kind == "number" and column.nunique() > MOST_VALUES:
        partition = _by_quartile(as_numbers(column), train, _numbers_shown)
    elif kind == "date" and column.nunique() > MOST_VALUES:
        dates = to_dates(column)
        moments = date_parts(dates)[:, 0]
        days = np.floor(moments)
        one_day = np.nanmin(days) == np.nanmax(days)
        partition = (
            _by_quartile(moments, train, _times_shown)
            if one_day
            else _by_quartile(days, train, _days_shown)
        )
    else:
        partition = _by_value(as_levels(column), train)
    missing = column.isna().to_numpy()
    if not missing.any():
        return partition
    codes = np.where(missing, len(partition.names), partition.codes)
    return Partition(told_apart([*partition.names, MISSING]), codes)


def _by_value(levels: pd.Series, train: IndexArray) -> Partition:
    names = levels.dropna().unique().tolist()
    if len(names) > MOST_VALUES:
        counts = levels.iloc[train].value_counts().reindex(names, fill_value=0)
        most = sorted(names, key=lambda name: (-counts[name], name))[: MOST_VALUES - 1]
        codes = pd.Index(most).get_indexer(levels)
        return Partition(told_apart([*most, OTHER]), np.where(codes < 0, len(most), codes))
    names.sort(key=value_order)
    return Partition(names, pd.Index(names).get_indexer(levels))


def _by_quartile(values: FloatArray, train: IndexArray, show: _Show) -> Partition:
    edges = _inner_edges(values[train])
    if len(edges) == 0:  # training rows all have one value, or none
        edges = _inner_edges(values)
    shown = show(edges)
    names = [f"< {shown[0]}", *(f"{low} to {high}" for low, high in pairwise(shown))]
    return Partition([*names, f">= {shown[-1]}"], np.searchsorted(edges, values, side="right"))


def _numbers_shown(edges: FloatArray) -> list[str]:
    """Write edges as briefly as tells them apart; whole numbers in full."""
    for digits in (6, 10):
        shown = [_number(edge, digits) for edge in edges]
        if len(set(shown)) == len(shown):
            return shown
    return [_number(edge, 17) for edge in edges]


def _number(value: float, digits: int) -> str:
    whole = float(value).is_integer() and abs(value) < _LARGEST_WHOLE
    if whole:
        return str(int(value))
    return f"{value:.{digits if abs(value) < 10**digits else 15}g}"


def _days_shown(edges: FloatArray) -> list[str]:
    return [str(day) for day in np.floor(edges).astype("datetime64[D]")]


def _times_shown(edges: FloatArray) -> list[str]:
    seconds = [round(edge % 1.0 * 86_400.0) for edge in edges.tolist()]
    return [f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds]


def _inner_edges(values: FloatArray) -> FloatArray:
    """Return the distinct quartiles that leave values on both sides."""
    seen = values[~np.isnan(values)]
    if len(seen) == 0:
        return seen
    edges = np.unique(np.quantile(seen, _QUARTILES))
    edges = edges[edges > seen.min()]
    above = seen[seen > seen.min()]
    if len(edges) == 0 and len(above):  # three quarters and more share the smallest value
        edges = np.array([above.min()])
    return edges


def _accuracy(
    codes: NDArray[np.intp], n: NDArray[np.intp], correct: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return accuracy and the ends of its interval, shape (number of segments,) each."""
    hits = np.bincount(codes[correct], minlength=len(n))
    with np.errstate(invalid="ignore"):
        accuracy = hits / n
    return accuracy, *wilson_interval(hits, n)
