"""Hints at single values that may say that there is none, among numbers and among codes."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..messages import Names
from ..tables.columns import Column
from ..tables.number_text import is_number
from .column_names import says_time
from .hint import Hint, TableWithRoles, hint, is_computable

_MISSING = (
    "{columns} may hold what stands for a missing value ({found}); taken as missing, it is told "
    "apart from the numbers beside it."
)
_SENTINELS = {sign * (10**digits - 1) for sign in (-1, 1) for digits in range(1, 7)}
_FEWEST = 5  # rows that a value repeats in, if it is no accident
_MOST_WORDS = 3
_MORE = 12  # different numbers beside words, which else may all be codes


def missing_codes(given: TableWithRoles) -> Iterator[Hint]:
    """Hint at numbers such as -99 far from the others, and at a few words among numbers."""
    found: dict[str, dict[str, int]] = {}
    for name in (*given.features, given.label.name):
        column = given.table[name]
        if column.kind == "number" and is_computable(column) and not says_time(name):
            found[name] = _far_code(column)
        elif column.kind == "category" and not column.categorical:
            found[name] = _words(given.counts(name))
    found = {name: words for name, words in found.items() if words}
    if found:
        told = [f"'{w}' in {n} of '{c}'" for c, words in found.items() for w, n in words.items()]
        changes = {"missing_in": tuple((name, (*words,)) for name, words in found.items())}
        yield hint("missing", [*found], _MISSING, changes, found=Names(told))


def _far_code(column: Column) -> dict[str, int]:
    """Return -99, 999 or the like, if it is farther from the others than these are apart."""
    known = column.numbers[~column.missing]
    if {known.min(initial=0.0), known.max(initial=0.0)}.isdisjoint(_SENTINELS):
        return {}
    values, counts = np.unique(known, return_counts=True)
    if len(values) <= 2:  # noqa: PLR2004 - of two values either may be far from the other
        return {}
    for end, rest in ((0, values[1:]), (-1, values[:-1])):
        gap = abs(values[end] - rest[end])
        is_far = gap >= np.ptp(rest) or (values[end] < 0.0 <= rest[0])
        if values[end] in _SENTINELS and counts[end] >= _FEWEST and is_far:
            return {str(int(values[end])): int(counts[end])}
    return {}


def _words(counts: pd.Series) -> dict[str, int]:
    """Return the words among a column's values that all other values but a few are numbers."""
    is_word = np.array([not is_number(value) for value in counts.index], dtype=bool)
    words = counts[is_word]
    if not 0 < len(words) <= _MOST_WORDS or (~is_word).sum() < _MORE:
        return {}
    if any(any(sign.isdigit() for sign in word) for word in words.index):
        return {}
    return {str(word): int(count) for word, count in words.items()}
