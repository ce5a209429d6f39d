"""Columns that would let a model see what it may not: audit-only columns in another guise."""

import numpy as np
import pandas as pd

from ..arrays import IndexArray
from ..tables.columns import Column, coded
from ..tables.table import Table

_FEWEST_REPEATS = 0.5
"""Of the rows, the share whose value has been seen above, from which a recoding is no accident."""


def leak_reasons(table: Table, columns: list[str], audit_only: tuple[str, ...]) -> dict[str, str]:
    """Return the columns that say the same as an audit-only column, and why they are left out.

    Such a column is a copy or, if values repeat, renames them one to one; without repetition it
    has numbers in the same order, or in the reverse.
    """
    hidden = {name: _pattern(table[name]) for name in audit_only}
    hidden = {name: pattern for name, pattern in hidden.items() if pattern.max(initial=0) > 0}
    if not hidden:
        return {}
    reasons: dict[str, str] = {}
    for column in columns:
        pattern = _pattern(table[column])
        for name, other in hidden.items():
            same = np.array_equal(pattern, other)
            if same and _is_no_accident(table[column], table[name], pattern):
                reasons.setdefault(column, f"says the same as the audit-only column {name}")
    return reasons


def _pattern(column: Column) -> IndexArray:
    """Return for each row which value it has, or that it is missing, in order of appearance."""
    if column.holds == "unsupported":
        return np.zeros(len(column), dtype=np.intp)
    values = pd.Series(coded(column.series)[0]) if column.holds == "category" else column.series
    return pd.factorize(values, use_na_sentinel=False)[0]


def _is_no_accident(column: Column, hidden: Column, pattern: IndexArray) -> bool:
    """Say whether two columns of one pattern have it for more reason than hardly repeating."""
    values = int(pattern.max()) + 1
    often = len(pattern) - values >= _FEWEST_REPEATS * len(pattern)
    if often or column.series.equals(hidden.series):
        return True
    if not {column.holds, hidden.holds} <= {"number", "date"}:
        return False
    known = ~column.missing & ~hidden.missing
    ranks, others = (
        np.unique(one.ordered[known], return_inverse=True)[1] for one in (column, hidden)
    )
    return np.array_equal(ranks, others) or np.array_equal(ranks.max() - ranks, others)
