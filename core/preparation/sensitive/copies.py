"""Columns that would let a model see what it may not: audit-only columns in another guise."""

import numpy as np
import pandas as pd

from ...arrays import FloatArray, IndexArray
from ...tables.columns import as_numbers, coded, column_kind
from ...tables.dates import to_dates

_FEWEST_REPEATS = 0.5
"""Of the rows, the share whose value has been seen above, from which a recoding is no accident."""


def leak_reasons(
    frame: pd.DataFrame, columns: list[str], audit_only: tuple[str, ...]
) -> dict[str, str]:
    """Return the columns that say the same as an audit-only column, and why they are left out.

    Such a column is a copy or, if values repeat, renames them one to one; without repetition it
    has numbers in the same order, or in the reverse.
    """
    hidden = {name: _pattern(frame[name]) for name in audit_only}
    hidden = {name: pattern for name, pattern in hidden.items() if pattern.max(initial=0) > 0}
    if not hidden:
        return {}
    reasons: dict[str, str] = {}
    for column in columns:
        pattern = _pattern(frame[column])
        for name, other in hidden.items():
            if np.array_equal(pattern, other) and _is_no_accident(
                frame[column], frame[name], pattern
            ):
                reasons[column] = f"says the same as the audit-only column {name}"
                break
    return reasons


def _pattern(column: pd.Series) -> IndexArray:
    """Return for each row which value it has, numbered in order of appearance.

    Missing is a value: a copy may give it a name.
    """
    kind = column_kind(column)
    if kind == "unsupported":
        return np.zeros(len(column), dtype=np.intp)
    values = pd.Series(coded(column)[0]) if kind == "category" else column
    return pd.factorize(values, use_na_sentinel=False)[0]


def _is_no_accident(column: pd.Series, hidden: pd.Series, pattern: IndexArray) -> bool:
    """Say whether two columns of one pattern have it for more reason than hardly repeating."""
    values = int(pattern.max()) + 1
    if len(pattern) - values >= _FEWEST_REPEATS * len(pattern) or column.equals(hidden):
        return True
    if not {column_kind(column), column_kind(hidden)} <= {"number", "date"}:
        return False
    known = (column.notna() & hidden.notna()).to_numpy()
    ranks, others = (
        np.unique(_in_order(one)[known], return_inverse=True)[1] for one in (column, hidden)
    )
    return np.array_equal(ranks, others) or np.array_equal(ranks.max() - ranks, others)


def _in_order(column: pd.Series) -> FloatArray:
    return as_numbers(column) if column_kind(column) == "number" else to_dates(column).to_numpy()
