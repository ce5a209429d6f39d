"""Accuracy by segment: for whom the prediction sets hold their labels how often."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import as_numbers, coded, column_kind, value_order
from .dates import date_parts, to_dates
from .encoding import MISSING
from .names import told_apart
from .prediction_sets import BoolArray, FloatArray
from .segment_tests import detectable, holm, p_values, q_values
from .split import IndexArray
from .wilson import wilson_interval

MOST_VALUES = 12
"""A variable with more distinct values is divided at the quartiles of the training rows."""

OTHER = "(other)"
_LARGEST_WHOLE = 1e15
_QUARTILES = (0.25, 0.5, 0.75)
_Show = Callable[[FloatArray], list[str]]


@dataclass(frozen=True, kw_only=True)
class SegmentRow:
    """Share of correct prediction sets in one segment of the test rows, before and after.

    Attributes
    ----------
    low_base, high_base, low_adjusted, high_adjusted
        Ends of Wilson's 95 % intervals for the accuracies.
    inefficiency_base, inefficiency_adjusted
        Mean set size, or mean width with the label standardised.
    p_value_base, p_value_adjusted
        Exact, two-sided, of "coverage in the segment is that of all test rows".
    q_value_base, q_value_adjusted
        The same, adjusted by Benjamini and Hochberg for all the segments looked at.
    holm_base, holm_adjusted
        The same, adjusted by Holm: stricter, the chance of a single false one is bounded.
    detectable
        The smallest shortfall in coverage that the segment's rows would show with 80 % power at
        5 %; NaN where they are too few to show any.
    """

    variable: str
    value: str
    n: int
    accuracy_base: float
    accuracy_adjusted: float
    low_base: float
    high_base: float
    low_adjusted: float
    high_adjusted: float
    inefficiency_base: float
    inefficiency_adjusted: float
    p_value_base: float
    p_value_adjusted: float
    q_value_base: float
    q_value_adjusted: float
    holm_base: float
    holm_adjusted: float
    detectable: float


@dataclass(frozen=True)
class Judged:
    """Prediction sets of the test rows: which are correct, and their sizes, shape (n_test,)."""

    correct: BoolArray
    sizes: FloatArray


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
    base: Judged,
    adjusted: Judged,
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
    base, adjusted
        The test rows' prediction sets before and after.
    """
    columns: dict[str, list[NDArray[Any]]] = {}
    for variable in variables:
        partition = partition_column(frame[variable], train)
        codes = partition.codes[test]
        n = np.bincount(codes, minlength=len(partition.names))
        found: dict[str, NDArray[Any]] = {
            "variable": np.full(len(n), variable, dtype=object),
            "value": np.array(partition.names, dtype=object),
            "n": n,
            "detectable": detectable(n, int(base.correct.sum()), len(test)),
        }
        for name, judged in (("base", base), ("adjusted", adjusted)):
            found |= _figures(codes, n, judged, name)
        for key, values in found.items():
            columns.setdefault(key, []).append(values)
    whole = {key: np.concatenate(values) for key, values in columns.items()}
    for name in ("base", "adjusted") if whole else ():
        whole[f"q_value_{name}"] = q_values(whole[f"p_value_{name}"])
        whole[f"holm_{name}"] = holm(whole[f"p_value_{name}"])
    rows = zip(*(values.tolist() for values in whole.values()), strict=True)
    return [SegmentRow(**dict(zip(whole, row, strict=True))) for row in rows]


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
        partition = _by_value(column, train)
    missing = column.isna().to_numpy()
    if not missing.any():
        return partition
    codes = np.where(missing, len(partition.names), partition.codes)
    return Partition(told_apart([*partition.names, MISSING]), codes)


def _by_value(column: pd.Series, train: IndexArray) -> Partition:
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


def _figures(
    codes: NDArray[np.intp], n: NDArray[np.intp], judged: Judged, name: str
) -> dict[str, NDArray[Any]]:
    """Return the figures of all segments of one variable, shape (number of segments,) each."""
    hits = np.bincount(codes[judged.correct], minlength=len(n))
    low, high = wilson_interval(hits, n)
    with np.errstate(invalid="ignore"):
        accuracy = hits / n
        size = np.bincount(codes, weights=judged.sizes, minlength=len(n)) / n
    return {
        f"accuracy_{name}": accuracy,
        f"low_{name}": low,
        f"high_{name}": high,
        f"inefficiency_{name}": size,
        f"p_value_{name}": p_values(hits, n, int(judged.correct.sum()), len(codes)),
    }
