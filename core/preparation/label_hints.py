"""What an analyst may want to choose otherwise of the label, and what tells it."""

import math
from collections.abc import Iterator

import numpy as np

from ..arrays import FloatArray
from ..messages import Cell, Passage
from ..tables.columns import coded
from ..tables.table import Table
from .encoding import NumberEncoder
from .hint import Hint, TableWithRoles, hint, is_computable
from .proxies import evenly_spaced, in_part, proxies, weighted_sum
from .target import MOST_CLASSES

_SKEWED = 0.25
_EVENER = 2 / 3  # so skewed, at most, the logarithms are beside the label itself
_TOLD_ALONE = 0.995  # of the label's variance, or of the errors of always guessing the commonest
_CELLS = 4_000_000
_FEWEST_ROWS = 100
_FEWEST_OTHERS = 20  # rows of other values than the commonest: fewer may be told by chance
_SKEW = (
    "Label {columns} is positive and skewed to the right: its logarithm is less so, and intervals "
    "would be wider where values are large."
)
_COPY = (
    "{columns} alone tell{s} label '{label}', or a part of it, almost perfectly; if {they} {are} "
    "not known before the label is, leave {them} out."
)
_SUM = (
    "Label '{label}' is almost exactly a sum of features, {equation}; if {they} {are} not known "
    "before the label is, leave {them} out."
)
_CLASSES = (
    "Label {columns} is taken for {count} classes; choose the task regression if it is a number to "
    "predict."
)
_VARIANTS = (
    "{columns} hold{s} values that differ in capitals, spaces or a full stop alone, such as "
    "'{one}' and '{other}'; if they mean the same, write them alike."
)
_TWO = 2


def skewed_label(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at the logarithm of a positive label that is more even by it."""
    label = given.label
    is_number = label.holds == "number" and is_computable(label) and given.task == "regression"
    if given.settings.log_target or not is_number or len(label) < _FEWEST_ROWS:
        return
    values = label.numbers
    if values.min() <= 0.0:
        return
    skewed, left = skewness(values), abs(skewness(np.log(values)))
    if skewed >= _SKEWED + 2.0 / math.sqrt(len(values)) and left <= _EVENER * skewed:
        yield hint("logarithm", [label.name], _SKEW, {"log_target": True})


def leak(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at features that tell the label alone, or else by a weighted sum of them."""
    label, table = given.label, given.table
    if label.holds not in ("number", "category") or not is_computable(label):
        return
    features = [f for f in given.features if table[f].holds in ("number", "category")]
    rows = evenly_spaced(table, [*features, label.name])
    values = rows[label.name].series
    if len(rows) < _FEWEST_ROWS or len(rows) - values.value_counts().max() < _FEWEST_OTHERS:
        return
    shares = {feature: share for feature, _, share in proxies(rows, features, (label.name,))}
    tells = in_part(rows[label.name], _TOLD_ALONE)
    copies = [f for f in features if shares.get(f, 0.0) >= _TOLD_ALONE or tells(rows[f])]
    if copies:
        yield hint("leak", copies, _COPY, {"drop": tuple(copies)}, label=label.name)
    elif given.task == "regression" and label.holds == "number":
        yield from _sums(rows, [f for f in features if table[f].holds == "number"], label.name)


def _sums(rows: Table, numbers: list[str], label: str) -> Iterator[Hint]:
    """Hint at the features of which the label is a sum."""
    rows = evenly_spaced(rows, [*numbers, label], _CELLS // (len(numbers) + 1))
    filled = [NumberEncoder().fit(rows[name]).transform(rows[name])[:, 0] for name in numbers]
    X = np.column_stack([np.empty((len(rows), 0)), *filled])
    parts, formula = weighted_sum(X, rows[label].numbers, numbers)
    if parts:
        about = {"label": label, "equation": Passage(f"{label} = {formula}")}
        yield hint("leak", parts, _SUM, {"drop": tuple(parts)}, **about)


def taken_for_classes(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at a label of numbers that is taken for classes, unless these count from 0 up."""
    settings, label = given.settings, given.label
    if settings.outputs is None and given.task == "classification" and label.holds == "number":
        n = len(values := np.unique(label.numbers))
        if n > _TWO and not np.array_equal(values, np.arange(n)):
            yield hint("task", [label.name], _CLASSES, {"task": "regression"}, count=n)


def variants(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at classes and categories that are written in several ways, it seems."""
    found: dict[str, tuple[str, str]] = {}
    for name in (given.label.name, *given.features):
        column = given.table[name]
        values = coded(column.series)[1] if column.holds == "category" else ()
        first: dict[str, str] = {}
        for value in values if len(values) <= MOST_CLASSES else ():
            words = " ".join(value.casefold().rstrip(" .").split())
            if len(words) > 1 and first.setdefault(words, value) != value:
                found.setdefault(name, (first[words], value))
    if found:
        one, other = map(Cell, next(iter(found.values())))
        yield hint("variants", [*found], _VARIANTS, None, one=one, other=other)


def skewness(values: FloatArray) -> float:
    """Return how much farther the 95th percentile is from the median than the 5th, -1 to 1.

    Zero where they are equally far. A few outliers, which may be in any label, change nothing; see
    Hinkley (1975), "On power transformations to symmetry".
    """
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
    return float((high + low - 2.0 * middle) / (high - low)) if high > low else 0.0
