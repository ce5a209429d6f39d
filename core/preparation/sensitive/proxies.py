"""Features that tell an audit-only column almost perfectly, and so stand in for it."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ...arrays import FloatArray
from ...tables.columns import Column
from ...tables.table import Table

THRESHOLD = 0.9
"""Of what there is to explain: variance of numbers, or errors of always guessing the commonest."""

_ROWS = 4000
_LEAST_LEAF = 5
_MOST_CLASSES = 50


def proxies(
    table: Table, features: list[str], audit_only: tuple[str, ...]
) -> list[tuple[str, str, float]]:
    """Return features that alone tell an audit-only column, that column, and how well.

    A decision tree on the one feature is fitted on every other of up to 4,000 of the rows and
    judged on those between: the share of variance that it explains of numbers and dates, or, of
    categories, the share that it avoids of the errors of always guessing the commonest value.
    Those with a share of at least THRESHOLD are returned.
    """
    if not audit_only:
        return []
    # evenly spaced, as rows may come in an order
    chosen = np.unique(np.linspace(0, len(table) - 1, min(len(table), _ROWS)).astype(np.intp))
    rows = table.rows(chosen, [*dict.fromkeys((*features, *audit_only))])
    columns = {name: _as_ordered(rows[name]) for name in (*features, *audit_only)}
    found = []
    for hidden in audit_only:
        is_class = rows[hidden].holds == "category"
        for feature in features:
            told = _told(columns[feature], columns[hidden], is_class=is_class)
            if told >= THRESHOLD:
                found.append((feature, hidden, told))
    return found


def _as_ordered(column: Column) -> FloatArray:
    """Return numbers, or codes in alphabetical order; missing ones as the largest of all."""
    if column.holds in ("number", "date"):
        values = column.places
    else:
        values = pd.factorize(column.levels, sort=True)[0].astype(np.float64)
        values[values < 0.0] = np.nan
    most = np.nanmax(values) if not np.isnan(values).all() else 0.0
    return np.where(np.isnan(values), most + 1.0, values)


def _told(feature: FloatArray, hidden: FloatArray, *, is_class: bool) -> float:
    """Return the share of what there is to explain that is explained; -inf if there is nothing."""
    X, X_judged = feature[::2, None], feature[1::2, None]
    y, y_judged = hidden[::2], hidden[1::2]
    if is_class:
        values, counts = np.unique(y, return_counts=True)
        guess, found = values[counts.argmax()], y_judged
        if len(values) > _MOST_CLASSES:
            return -np.inf
        tree = DecisionTreeClassifier(min_samples_leaf=_LEAST_LEAF, random_state=0).fit(X, y)
        errors, wrong = np.mean(guess != found), np.mean(tree.predict(X_judged) != found)
    else:
        tree = DecisionTreeRegressor(min_samples_leaf=_LEAST_LEAF, random_state=0).fit(X, y)
        errors = np.var(y_judged)
        wrong = np.mean((tree.predict(X_judged) - y_judged) ** 2)
    return float(1.0 - wrong / errors) if errors > 0.0 else -np.inf
