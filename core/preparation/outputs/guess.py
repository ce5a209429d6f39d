"""Which columns look like the label, and what a user's own model said of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...errors import InputError
from ...tables.columns import value_order
from ...tables.table import Table
from ..target import detect_task
from .label_sets import parse_sets
from .probabilities import ROUNDING, surroundings

Guess = Mapping[str, Any]
"""Columns by the options that name them."""

MOST_ROWS = 2000
_NEARLY_ALL = 0.95
_MOST = 0.5
_MOST_CLASSES = 50

_ENDS = {"lower": "upper", "lwr": "upr", "low": "high", "lo": "hi", "lb": "ub", "min": "max"}
_LABELS = ("target", "label", "y", "class", "outcome", "response", "price")
_SETS = "set sets"
_PREDICTIONS = "pred prediction predicted predictions yhat y_hat fit fitted forecast estimate"
_SPREADS = "sigma sd std stddev se spread scale uncertainty"
_QUANTILE = re.compile(r"(?:^|[^a-z])(?:q|quantile|p)[ _]?(0?\.\d+|\d{1,2}(?:\.\d+)?)$")


def guess_label(table: Table) -> str:
    """Return the column most likely to be the label: one named like it, else the last.

    Behind a label there may be what a model said of it, if values bear that out.
    """
    by_name = {name.casefold(): name for name in table.names}
    named = [by_name[name] for name in _LABELS if name in by_name]
    if named:
        return named[0]
    last = table.names[-1]
    some = table.rows(np.arange(min(len(table), MOST_ROWS)))
    before = next((name for name in reversed(table.names) if not _looks_said(some, name)), last)
    return before if before != last and guess_outputs(table, before) else last


def _looks_said(table: Table, name: str) -> bool:
    if _says(name, f"{_PREDICTIONS} {_SPREADS} {_SETS} {' '.join([*_ENDS, *_ENDS.values()])}"):
        return True
    column = table[name]
    is_known = column.kind == "number" and not column.missing.all()
    return is_known and _is_share(column.numbers)


def guess_outputs(table: Table, target: str) -> list[Guess]:
    """Return the ways in which columns look like what a model said of a label, none or more.

    Names alone are no reason, nor are values: ends of intervals hold the label most of the time,
    predictions err less than its mean would, probabilities sum to 1, and sets hold its classes.
    """
    if table[target].holds in ("date", "unsupported") or table[target].missing.all():
        return []
    known = np.flatnonzero(~table[target].missing)
    # evenly spaced, as rows may come in an order
    some = np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_ROWS)).astype(np.intp))
    table = table.rows(known[some])
    is_numeric = detect_task(table[target]) == "regression"
    ways = (_bounds, _quantiles, _predictions) if is_numeric else (_sets, _probabilities)
    return [guess for way in ways for guess in way(table, target)]


def _bounds(table: Table, target: str) -> Iterator[Guess]:
    names = _numeric(table, target)
    by_name = {name.casefold(): name for name in names}
    for name in names:
        for low, high in _ENDS.items():
            other = re.sub(rf"(?<![a-z]){low}(?![a-z])", high, name.casefold())
            other = by_name.get(other, name)
            if other != name and _hold(table, target, name, other):
                yield {"lower": name, "upper": other}
                return


def _quantiles(table: Table, target: str) -> Iterator[Guess]:
    found = {name: _QUANTILE.search(name.casefold()) for name in _numeric(table, target)}
    levels = {name: float(level[1]) for name, level in found.items() if level is not None}
    ordered = sorted(levels, key=levels.__getitem__)
    if len(ordered) > 1 and _hold(table, target, ordered[0], ordered[-1]):
        yield {"quantiles": (ordered[0], ordered[-1])}


def _predictions(table: Table, target: str) -> Iterator[Guess]:
    y, names = table[target].numbers, _numeric(table, target)
    errors = {
        name: _squared(y - table[name].numbers) for name in names if _says(name, _PREDICTIONS)
    }
    best = min(errors, key=errors.__getitem__, default=None)
    if best is None or not errors[best] < _squared(y - y.mean()):
        return
    spreads = [name for name in names if name != best and _says(name, _SPREADS)]
    spreads = [name for name in spreads if np.nanmin(table[name].numbers) > 0.0]
    yield {"prediction": best, "sigma": spreads[0] if spreads else None}


def _sets(table: Table, target: str) -> Iterator[Guess]:
    label = table[target].levels.to_numpy()
    for name in table.names:
        column = table[name]
        if name == target or column.kind != "category" or column.missing.all():
            continue
        try:
            codes, sets = parse_sets(column, {*label})
        except InputError:
            continue
        of_rows = [() if code < 0 else sets[code] for code in codes]
        known = np.mean([{*names} <= {*label} for names in of_rows])
        right = np.mean([own in names for own, names in zip(label, of_rows, strict=True)])
        if known > _NEARLY_ALL and right > _MOST and max(map(len, sets)) > 1:
            yield {"label_set": name}
            return


def _probabilities(table: Table, target: str) -> Iterator[Guess]:
    classes = sorted(table[target].levels.unique(), key=value_order)
    if len(classes) > _MOST_CLASSES:
        return
    shares = {name: table[name].numbers for name in _numeric(table, target)}
    shares = {name: values for name, values in shares.items() if _is_share(values)}
    by_name = {name.casefold(): name for name in shares}
    for before, behind in sorted(surroundings(list(shares), classes)):
        wanted = [f"{before}{name}{behind}".casefold() for name in classes]
        columns = [by_name[name] for name in wanted if name in by_name]
        off = np.abs(sum(shares[name] for name in columns) - 1.0)
        if len(columns) == len(classes) and np.mean(off <= ROUNDING * len(columns)) > _NEARLY_ALL:
            yield {"probabilities": tuple(columns)}
            return


def _numeric(table: Table, target: str) -> list[str]:
    names = [name for name in table.names if table[name].kind == "number" and name != target]
    return [name for name in names if not table[name].missing.all()]


def _hold(table: Table, target: str, low: str, high: str) -> bool:
    """Say whether two columns are in order and hold the label between them, most of the time."""
    lower, upper, y = (table[name].numbers for name in (low, high, target))
    in_order = np.mean(lower <= upper) > _NEARLY_ALL
    return bool(in_order and np.mean((lower <= y) & (y <= upper)) > _MOST)


def _is_share(values: FloatArray) -> bool:
    return bool(np.nanmin(values) >= 0.0 and np.nanmax(values) <= 1.0)


def _squared(errors: FloatArray) -> float:
    known: Sequence[float] | FloatArray = errors[np.isfinite(errors)]
    return float(np.mean(np.square(known))) if len(known) else np.inf


def _says(name: str, words: str) -> bool:
    said = f"_{'_'.join(re.findall(r'[a-z]+', name.casefold()))}_"
    return any(f"_{word}_" in said for word in words.split())
