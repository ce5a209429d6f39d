"""How the rows are divided by a column, or by two at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..arrays import BoolArray, FloatArray, IndexArray
from ..errors import InputError
from ..messages import told_apart
from ..preparation.encoding import MISSING
from ..preparation.settings_checks import BINS
from ..tables.columns import as_numbers, coded, column_kind, value_order
from ..tables.dates import date_parts, to_dates

MOST_VALUES = 12
"""A variable with more distinct values is divided at quantiles of the training rows."""

OTHER = "(other)"
INSIDE, OUTSIDE = "inside", "outside"
"""The rows that a rule holds for, and the others."""

_LARGEST_WHOLE = 1e15
_Show = Callable[[FloatArray], list[str]]


@dataclass(frozen=True)
class Partition:
    """Segments of a variable: their names, and each row's segment, shape (n,).

    The first so many as ``bands`` says are bands of numbers or dates, named by their bounds.
    """

    names: list[str]
    codes: NDArray[np.intp]
    bands: int = 0


def partition_column(
    column: pd.Series, train: IndexArray, *, bins: int = BINS, cuts: Sequence[float] = ()
) -> Partition:
    """Divide the rows by a column: by value if there are few, else by quantile of training.

    Parameters
    ----------
    column
        Values of all rows; missing ones are a segment of their own, the last.
    train
        Positions of the training rows, whose quantiles bound the bands.
    bins
        Number of bands between quantiles.
    cuts
        Ascending bounds of bands to use instead, in the column's units.

    Raises
    ------
    InputError
        If there are cut points for a column that holds no numbers, or if the column holds lists.
    """
    kind = column_kind(column)
    if cuts:
        partition = _by_cuts(column, cuts)
    elif kind == "number" and column.nunique() > MOST_VALUES:
        partition = _by_quantile(as_numbers(column), train, bins, _numbers_shown)
    elif kind == "date" and column.nunique() > MOST_VALUES:
        dates = to_dates(column)
        moments = date_parts(dates)[:, 0]
        days = np.floor(moments)
        one_day = np.nanmin(days) == np.nanmax(days)
        partition = (
            _by_quantile(moments, train, bins, _times_shown)
            if one_day
            else _by_quantile(days, train, bins, _days_shown)
        )
    else:
        partition = by_value(column, train)
    missing = column.isna().to_numpy()
    if not missing.any():
        return partition
    codes = np.where(missing, len(partition.names), partition.codes)
    return Partition(told_apart([*partition.names, MISSING]), codes, partition.bands)


def _by_cuts(column: pd.Series, cuts: Sequence[float]) -> Partition:
    """Divide numbers at ascending bounds.

    Raises
    ------
    InputError
        If the column holds no numbers.
    """
    if column_kind(column) != "number":
        raise InputError(
            f"column '{column.name}' holds no numbers to cut; leave out its cut points, or have "
            "it read as numbers"
        )
    return _between(as_numbers(column), np.array(cuts), _numbers_shown)


def crossed(first: Partition, second: Partition) -> Partition:
    """Return the intersections of the segments of two partitions of the same rows."""
    names = [f"{one} × {other}" for one in first.names for other in second.names]
    return Partition(told_apart(names), first.codes * len(second.names) + second.codes)


def by_rule(holds: BoolArray) -> Partition:
    """Divide into the rows that a rule holds for, shape (n,), and the others."""
    return Partition([INSIDE, OUTSIDE], (~holds).astype(np.intp))


def filled(partition: Partition, rows: IndexArray) -> Partition:
    """Return the partition of some of the rows, of which every segment has one."""
    present, codes = np.unique(partition.codes[rows], return_inverse=True)
    return Partition([partition.names[code] for code in present], codes)


def by_value(column: pd.Series, train: IndexArray) -> Partition:
    """Divide by value; of many, those most frequent in training, and one segment of the others."""
    codes, found = coded(column)
    names: list[str] = found.tolist()
    if len(names) > MOST_VALUES:
        counts = np.bincount(codes[train] + 1, minlength=len(names) + 1)[1:]
        frequent = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
        shown = frequent[: MOST_VALUES - 1]
        rest, written = len(shown), told_apart([*(names[i] for i in shown), OTHER])
    else:
        shown = sorted(range(len(names)), key=lambda i: value_order(names[i]))
        rest, written = -1, [names[i] for i in shown]
    place = np.full(len(names) + 1, rest)  # its last is for missing values, coded -1
    place[shown] = np.arange(len(shown))
    return Partition(written, place[codes])


def _by_quantile(values: FloatArray, train: IndexArray, bins: int, show: _Show) -> Partition:
    edges = _inner_edges(values[train], bins)
    if len(edges) == 0:  # training rows all have one value, or none
        edges = _inner_edges(values, bins)
    return _between(values, edges, show)


def _between(values: FloatArray, edges: FloatArray, show: _Show) -> Partition:
    if len(edges) == 0:  # values that differ by less than floats tell apart
        return Partition(show(values[~np.isnan(values)][:1]), np.zeros(len(values), dtype=np.intp))
    shown = show(edges)
    names = [f"< {shown[0]}", *(f"{low} to {high}" for low, high in pairwise(shown))]
    names.append(f">= {shown[-1]}")
    return Partition(names, np.searchsorted(edges, values, side="right"), bands=len(names))


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


def _inner_edges(values: FloatArray, bins: int) -> FloatArray:
    """Return the distinct quantiles that leave values on both sides."""
    seen = values[~np.isnan(values)]
    if len(seen) == 0:
        return seen
    edges = np.unique(np.quantile(seen, np.arange(1, bins) / bins))
    edges = edges[edges > seen.min()]
    above = seen[seen > seen.min()]
    if len(edges) == 0 and len(above):  # too many share the smallest value
        edges = np.array([above.min()])
    return edges
