"""Which columns look like the label, and which like outputs of a user's own model."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from ..arrays import FloatArray
from ..messages import InputError
from ..scoring.outputs import ROUNDING
from ..tables.columns import Column, value_order
from ..tables.table import Table
from .column_names import says_one_of
from .outputs import TRUTH, surroundings
from .proxies import evenly_spaced
from .set_text import parse_sets
from .settings import OPTIONS
from .target import detect_task

Guess = Mapping[str, Any]  # columns by the options that name them
_Way = Callable[[Table, str], Iterator[Guess]]
SAMPLED_ROWS = 2000
_NEARLY_ALL = 0.95
_MOST = 0.5
_MORE = 0.7
_MOST_CLASSES = 50
_PERHAPS = 30  # columns tried as the label, the first and the last
_TINY = 1e-9
_A_COPY = 1.0 - _TINY  # no model tells so much

_CL = "confidence_level"
_OF_SETS = ("category", "unsupported")  # as text, or lists

_ENDS = {
    "lower": "upper",
    "lwr": "upr",
    "low": "high",
    "lo": "hi",
    "lb": "ub",
    "min": "max",
    "lcl": "ucl",
    "l": "u",
}
_OF_ANYTHING = ("low", "min")
"""Ends that other things have, too, such as the prices of a day, which always hold its last one; a
model's miss some labels, but not many."""

_OF_MODEL = "ci pi conf interval bound quantile"
_LABELS = (
    *("target", "label", "y", "class", "outcome", "response", "price"),
    *("y_true", "actual", "observed", "truth", "ground_truth"),
)
_SETS = "set sets"
_PREDICTIONS = "pred prediction predicted predictions yhat y_hat fit fitted forecast estimate"
_SPREADS = "sigma sd std stddev se spread scale uncertainty"
_LEVEL = re.compile(r"(.*?)(0?\.\d+|0_\d+|\d{1,3}(?:\.\d+)?)[.%]*")
"""A name with the level of a quantile at its end: q05, P2.5, 95%, quantile= 0.05, X5. of R's."""

_LEVEL_OF_ENDS = re.compile(r"(?<!\d)(0[._][5-9]\d*|[5-9]\d([._]\d)?)(?!\d)")
_FROM_END_ON = rf"(?<![^a-z])[^a-z]*+(?<![a-z])({'|'.join(_ENDS)})(?![a-z]).*"
_DIGITS = 9

_SUMS = (1.0, 100.0)  # of the levels of two quantiles that leave out as much below as above
_BETWEEN_CLASSES = r"[;|,/\[({]"


def guess_label(table: Table) -> str:
    """Return the column most likely to be the label: one named like it, else the last.

    Where there are model outputs it is the column that they tell most of, if of any.
    """
    by_name = {name.casefold(): name for name in table.names}
    named = [by_name[name] for name in _LABELS if name in by_name]
    if named:
        return named[0]
    some = table.rows(np.arange(min(len(table), SAMPLED_ROWS)))
    like = {name for name in table.names if _is_like_output(some, name)}
    others = [name for name in table.names if name not in like]
    is_likely = like or len(table.names) <= 2 * _PERHAPS
    perhaps = dict.fromkeys((*others[:_PERHAPS], *others[-_PERHAPS:]))
    told = {name: _told_of(some, name) for name in perhaps if is_likely}
    best = max(told, key=told.__getitem__, default=None)
    return table.names[-1] if best is None or told[best] <= 0.0 else best


def _is_like_output(table: Table, name: str) -> bool:
    words = (_PREDICTIONS, _SPREADS, _SETS, *_ENDS, *_ENDS.values())
    if says_one_of(name, " ".join(words)):
        return True
    column = table[name]
    if column.kind == "category":
        return bool(column.levels.str.contains(_BETWEEN_CLASSES).any())
    if not _is_known_number(column):
        return False
    is_of_classes = np.isin(column.numbers, (0.0, 1.0)).all()
    return _level(name) is not None or (_is_share(column.numbers) and not is_of_classes)


def _told_of(table: Table, target: str) -> float:
    """Return how much of a column its likeliest outputs tell, of 1; 0 where none look like that.

    Of probabilities it is Brier's skill, of predictions and middles of ends the determination, less
    what a line adds to it; of sets, by how much they hold a row's own class oftener than one drawn
    from all.
    """
    ways, _ = guess_outputs(table, target)
    return max((_skill(table.labelled(target), target, way) for way in ways), default=0.0)


def _skill(table: Table, target: str, guess: Guess) -> float:
    label, columns = table[target], columns_of(guess)
    if not guess.keys() & {"probabilities", "label_set", "set_columns"}:
        ends = [table[name].numbers for name in columns[: 1 if "prediction" in guess else 2]]
        y, middle = label.numbers, np.mean(ends, axis=0)
        y, middle = np.array([y, middle])[:, np.isfinite(y) & np.isfinite(middle)]
        told = 1.0 - _squared(y - middle) / max(_squared(y - y.mean()), _TINY)
        # what a line would make better by much is a model's of something else
        by_line = np.corrcoef(y, middle)[0, 1] ** 2 if len(y) and np.ptp(middle) > 0.0 else 0.0
        return 0.0 if told > _A_COPY else float(2.0 * told - by_line)
    classes = sorted(label.levels.unique(), key=value_order)
    own = label.levels.map(classes.index).to_numpy()
    is_own, given = np.eye(len(classes))[own], _of_classes(table, label, guess, classes)
    shares = is_own.mean(axis=0)
    if "probabilities" in guess:
        return 1.0 - _squared(given - is_own) / max(_squared(shares - is_own), _TINY)
    return float(np.mean((given * (is_own - shares)).sum(axis=1)))


def _of_classes(table: Table, label: Column, guess: Guess, classes: list[str]) -> FloatArray:
    """Return what probabilities or sets give to each class, shape (n, classes)."""
    if "label_set" in guess:
        codes, sets = parse_sets(table[guess["label_set"]], {*label.levels})
        holds = np.array([[name in names for name in classes] for names in sets], dtype=float)
        return np.where(codes[:, None] < 0, 0.0, holds[codes])
    columns = [table[name] for name in columns_of(guess)]
    if "probabilities" in guess:
        return np.column_stack([column.numbers for column in columns])
    return np.column_stack([of.levels.str.lower().map(TRUTH).to_numpy(float) for of in columns])


def guess_outputs(
    table: Table, target: str, asked: float = 0.9
) -> tuple[list[Guess], tuple[str, ...]]:
    """Return ways in which columns look like model outputs for a label, and all such columns.

    Names alone are no reason, nor are values: ends of intervals hold the label most of the time,
    predictions err less than its mean would, probabilities sum to 1, and sets hold its classes. Of
    intervals of several levels it is those of the level nearest to the one asked for.
    """
    ways: list[Guess] = []
    taken: list[str] = []
    beside: list[str] = []
    table = evenly_spaced(table.labelled(target), table.names, SAMPLED_ROWS)
    label = table[target]
    if label.holds in ("date", "unsupported") or len(label) == 0:
        return ways, ()
    of_task: tuple[_Way, ...] = (_sets, _members, _probabilities)
    if detect_task(label) == "regression":
        of_task = (_bounds, _quantiles, _predictions) if _is_known_number(label) else ()
    for way in of_task:
        others = [name for name in table.names if name not in taken]
        found = [*way(table.rows(np.arange(len(table)), others), target)]
        found.sort(key=lambda guess: abs(guess.get(_CL, asked) - asked))
        for guess in found[:1]:  # its level is a choice to make where it is one of ends
            is_other = "lower" in guess and guess.get(_CL) != asked
            ways.append({f: value for f, value in guess.items() if is_other or f != _CL})
        columns = [columns_of(guess) for guess in found]
        taken += chain(*columns)
        if way in (_bounds, _quantiles) and found:
            beside += _said_beside(table, target, columns)
    return ways, tuple(dict.fromkeys((*taken, *beside)))


def columns_of(guess: Guess) -> list[str]:
    """Return the columns that a guess names."""
    return [name for field, value in guess.items() for name in OPTIONS[field].kind.columns(value)]


def _bounds(table: Table, target: str) -> Iterator[Guess]:
    by_name = {_folded(name): name for name in table.names if name != target}
    for name in by_name.values():
        for low, high in _ENDS.items():
            other = re.sub(rf"(?<![a-z]){low}(?![a-z])", high, _folded(name))
            other = by_name.get(other, name)
            if other == name:
                continue
            held = _held(table, target, name, other)
            level = _LEVEL_OF_ENDS.search(_folded(name))
            is_a_models = level or low not in _OF_ANYTHING or says_one_of(name, _OF_MODEL)
            if held > _MOST if is_a_models else _MORE < held < 1.0:
                share = float(level[1].replace("_", ".")) if level else None
                said = {_CL: share if share < 1.0 else share / 100.0} if share else {}
                yield {"lower": name, "upper": other} | said


def _quantiles(table: Table, target: str) -> Iterator[Guess]:
    others = (name for name in table.names if name != target)
    levels = {level: name for name in others if (level := _level(name))}
    outermost_first = sorted(levels.items(), key=lambda item: item[0][1])
    for (stem, share), low in outermost_first:
        for total in _SUMS:
            high = levels.get((stem, round(total - share, _DIGITS)), low)
            if share < total / 2.0 and high != low and _held(table, target, low, high) > _MOST:
                yield {"quantiles": (low, high), _CL: 1.0 - 2.0 * share / total}


def _level(name: str) -> tuple[str, float] | None:
    found = _LEVEL.fullmatch(name.casefold())
    return found and (found[1], round(float(found[2].replace("_", ".")), _DIGITS))


def _predictions(table: Table, target: str) -> Iterator[Guess]:
    y = table[target].numbers
    names = _numeric(table, target, _PREDICTIONS)
    errors = {name: _squared(y - table[name].numbers) for name in names}
    best = min(errors, key=errors.__getitem__, default=None)
    if best is None or not errors[best] < _squared(y - y.mean()):
        return
    spreads = [name for name in _numeric(table, target, _SPREADS) if name != best]
    spreads = [name for name in spreads if np.nanmin(table[name].numbers) > 0.0]
    yield {"prediction": best} | ({"sigma": spreads[0]} if spreads else {})


def _sets(table: Table, target: str) -> Iterator[Guess]:
    label = table[target].levels.to_numpy()
    for name in table.names:
        column = table[name]
        if name == target or column.kind not in _OF_SETS or column.missing.all():
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


def _members(table: Table, target: str) -> Iterator[Guess]:
    label = table[target].levels
    says = {name: table[name].levels.str.lower() for name in table.names if name != target}
    says = {name: values.map(TRUTH) for name, values in says.items() if values.isin(TRUTH).all()}
    for classes, columns in _by_class(label, list(says)):
        holds = np.column_stack([says[name] for name in columns])
        right = np.mean(holds[np.arange(len(label)), label.map(classes.index)])
        if right > _MOST and (holds.sum(axis=1) != 1).any():  # else it is one class alone
            yield {"set_columns": columns}
            return


def _probabilities(table: Table, target: str) -> Iterator[Guess]:
    shares = {name: table[name].numbers for name in _numeric(table, target)}
    shares = {name: values for name, values in shares.items() if _is_share(values)}
    for classes, columns in _by_class(table[target].levels, list(shares)):
        given = np.array([shares[name] for name in columns])
        off, is_sure = np.abs(given.sum(axis=0) - 1.0), np.isin(given, (0.0, 1.0)).all()
        # zeros and ones alone are the label's own indicators
        if np.mean(off <= ROUNDING * len(classes)) > _NEARLY_ALL and not is_sure:
            yield {"probabilities": columns}
            return


def _by_class(label: pd.Series, names: list[str]) -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """Yield the classes, and columns that are named as or after them, in the same order."""
    classes = sorted(label.unique(), key=value_order)
    by_name = {name.casefold(): name for name in names}
    around = surroundings(names, classes) if len(classes) <= _MOST_CLASSES else ()
    for before, behind in sorted(around):
        wanted = [f"{before}{name}{behind}".casefold() for name in classes]
        if by_name.keys() >= {*wanted}:
            yield classes, tuple(by_name[name] for name in wanted)


def _numeric(table: Table, target: str, words: str | None = None) -> list[str]:
    """Return the columns of known numbers, of those whose names say one of the words, if given."""
    named = (name for name in table.names if words is None or says_one_of(name, words))
    return [name for name in named if name != target and _is_known_number(table[name])]


def _is_known_number(column: Column) -> bool:
    try:
        return column.kind == "number" and not np.isnan(column.numbers).all()
    except InputError:  # more digits than a float holds
        return False


def _held(table: Table, target: str, low: str, high: str) -> float:
    """Return how often two columns hold the label between them; 0 if they are in no order."""
    if not all(_is_known_number(table[name]) for name in (low, high)):
        return 0.0
    lower, upper, y = (table[name].numbers for name in (low, high, target))
    in_order = np.mean(lower <= upper) > _NEARLY_ALL
    return float(np.mean((lower <= y) & (y <= upper))) if in_order else 0.0


def _said_beside(table: Table, target: str, ends: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what a model said beside intervals, by names: it is within the widest of them."""
    pairs = np.array([[table[name].numbers for name in pair] for pair in ends])
    lowest, highest = np.fmin.reduce(pairs[:, 0]), np.fmax.reduce(pairs[:, 1])
    middles = {re.sub(_FROM_END_ON, "", _folded(low)) for low, _ in ends} | {"mean", "median"}
    for name in _numeric(table, target):
        if _folded(name) in middles or says_one_of(name, f"{_PREDICTIONS} {_OF_MODEL}"):
            values = table[name].numbers
            if np.mean((lowest <= values) & (values <= highest)) > _NEARLY_ALL:
                yield name


def _is_share(values: FloatArray) -> bool:
    return bool(np.nanmin(values) >= 0.0 and np.nanmax(values) <= 1.0)


def _squared(errors: FloatArray) -> float:
    known = errors[np.isfinite(errors)]
    return float(np.mean(np.square(known))) if len(known) else np.inf


def _folded(name: str) -> str:
    """Return a name in small letters, with a sign between words that capitals begin."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).casefold()
