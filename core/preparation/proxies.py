"""Columns that tell what another one holds: alone, as copies, or as parts of a sum."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..arrays import FloatArray, IndexArray
from ..tables.columns import Column, ColumnKind, coded
from ..tables.table import Table

THRESHOLD = 0.9  # of what there is to explain: variance, or errors of guessing the commonest
_FOLLOWING = 0.5  # Chatterjee's coefficient: 0.7 where a normal variable explains 0.9 of another
_FEWEST_REPEATS = 0.5  # of the rows, those with a value seen above: then a recoding is no accident
_ROWS = 4000
_LEAST_LEAF = 5
_MOST_CLASSES = 50

_FEW_VALUES = 20
_LEAST_KNOWN = 0.1
_FEWEST_ROWS = 20
_PHI = 0.8  # squared, as the share that is explained

_TOLD_TOGETHER = 0.999  # of the label's variance
_NEARLY = 0.005
_MOST_PARTS = 8


def proxies(
    table: Table, features: list[str], audit_only: tuple[str, ...]
) -> list[tuple[str, str, float]]:
    """Return features that alone tell an audit-only column, that column, and how well.

    A decision tree on the one feature, fitted on every other row, is judged on those between: by
    the share of variance, or of errors of guessing the commonest value, that it explains.
    """
    names = [*dict.fromkeys((*features, *audit_only))] if audit_only else []
    rows = evenly_spaced(table, names)
    columns = {name: as_ordered(rows[name]) for name in names}
    found = []
    for hidden in audit_only:
        follows = _follower(columns[hidden])
        for feature in features:
            if follows(columns[feature]) >= _FOLLOWING:
                kind = rows[hidden].holds
                share = _explained(columns[feature], columns[hidden], kind)
                found += [(feature, hidden, share)] * (share >= THRESHOLD)
    return found


def _follower(y: FloatArray) -> Callable[[FloatArray], float]:
    """Return what tells, in a fraction of a tree's time, how far y is a function of another column.

    That is Chatterjee's coefficient (2021, "A new coefficient of correlation"): 1 for a function,
    about 0 for independence; 0 where y is constant.
    """
    _, places, counts = np.unique(y, return_inverse=True, return_counts=True)
    up_to = np.cumsum(counts)[places]
    from_on = len(y) - up_to + counts[places]
    most = 2.0 * float(from_on @ (len(y) - from_on))

    def follows(x: FloatArray) -> float:
        steps = np.abs(np.diff(up_to[np.argsort(x, kind="stable")])).sum()
        return 1.0 - len(y) * float(steps) / most if most > 0.0 else 0.0

    return follows


def evenly_spaced(table: Table, names: Sequence[str], most: int = _ROWS) -> Table:
    """Return the named columns of so many rows at most, from all of a table in any order."""
    chosen = np.unique(np.linspace(0, len(table) - 1, min(len(table), most)).astype(np.intp))
    return table.rows(chosen, names)


def in_part(label: Column, share: float) -> Callable[[Column], bool]:
    """Return what says whether a column tells a part of a label.

    Of numbers: whether it has their order, or the reverse, where it is known. Of few values:
    whether one value of the column, or that it is missing, is that of one class alone, or of no row
    of it, and nearly tells it (by Pearson's phi).
    """
    if label.series.nunique() > _FEW_VALUES:
        y = label.numbers if label.holds == "number" else None
        return lambda column: (
            y is not None and column.holds == "number" and _in_order(column, y, share)
        )
    own, names = coded(label.series)
    return lambda column: _is_flag(coded(column.series)[0] + 1, own, len(names))


def _in_order(column: Column, y: FloatArray, share: float) -> bool:
    known = ~np.isnan(column.numbers) & ~np.isnan(y)
    x, y = column.numbers[known], y[known]
    is_known = len(x) >= _LEAST_KNOWN * len(known)
    if not is_known or min(len(np.unique(each)) for each in (x, y)) <= _FEW_VALUES:
        return False
    return bool(spearmanr(x, y).statistic ** 2 >= share)


def _is_flag(codes: IndexArray, own: IndexArray, classes: int) -> bool:
    is_most = codes == np.bincount(codes).argmax()
    table = np.bincount(is_most * classes + own, minlength=2 * classes).reshape(2, -1)
    sides, of_class, n = table.sum(axis=1, keepdims=True), table.sum(axis=0), len(codes)
    if min(*sides, of_class.max(), n - of_class.max()) < _FEWEST_ROWS:
        return False
    phi = (table[1] * n - sides[1] * of_class) / np.sqrt(sides.prod() * of_class * (n - of_class))
    is_alone = (table == 0).any(axis=0) | (table == sides).any(axis=0)
    return bool((is_alone & (phi**2 >= _PHI)).any())


def as_ordered(column: Column) -> FloatArray:
    """Return numbers, or codes in alphabetical order; missing ones as the largest of all."""
    if column.holds in ("number", "date"):
        values = column.places
    else:
        values = pd.factorize(column.levels, sort=True)[0].astype(np.float64)
        values[values < 0.0] = np.nan
    most = np.nanmax(values) if not np.isnan(values).all() else 0.0
    return np.where(np.isnan(values), most + 1.0, values)


def _explained(feature: FloatArray, hidden: FloatArray, kind: ColumnKind) -> float:
    """Return the share of what there is to explain that is explained; -inf if there is nothing."""
    # places in their order, which a tree splits as it does values: those may be beyond its floats
    places = np.unique(feature, return_inverse=True)[1][:, None]
    X, X_judged = places[::2], places[1::2]
    y, y_judged = hidden[::2], hidden[1::2]
    values, counts = np.unique(y, return_counts=True)
    is_class = kind == "category"
    if is_class and len(values) > min(_MOST_CLASSES, len(y) / 2):
        return -np.inf
    tree = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    said = tree(min_samples_leaf=_LEAST_LEAF, random_state=0).fit(X, y).predict(X_judged)
    if is_class:
        wrong, errors = said != y_judged, values[counts.argmax()] != y_judged
    else:
        wrong, errors = (said - y_judged) ** 2, (y_judged.mean() - y_judged) ** 2
    return float(1.0 - wrong.mean() / errors.mean()) if errors.any() else -np.inf


def leak_reasons(table: Table, columns: list[str], audit_only: tuple[str, ...]) -> dict[str, str]:
    """Return the columns that say the same as an audit-only column, and why they are left out.

    Copies and, where values repeat, those renamed one to one; else numbers of the same order.
    """
    hidden = {name: table[name].pattern for name in audit_only}
    hidden = {name: pattern for name, pattern in hidden.items() if pattern.max(initial=0) > 0}
    reasons: dict[str, str] = {}
    for column in columns if hidden else ():
        pattern = table[column].pattern
        for name, other in hidden.items():
            same = np.array_equal(pattern, other)
            if same and _is_no_accident(table[column], table[name], pattern):
                reasons.setdefault(column, f"says the same as the audit-only column {name}")
    return reasons


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


def weighted_sum(X: FloatArray, y: FloatArray, names: Sequence[str]) -> tuple[list[str], str]:
    """Return the columns of X, shape (n, d), of which y is nearly a sum, and that sum in words.

    Columns are taken one by one, each the one that explains most of what is left (orthogonal
    matching pursuit, Pati et al. 1993), from every other row, and judged on those between; those
    that are not needed are let go again. Nothing if eight columns do not do it.
    """
    deviation = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(deviation > 0.0, deviation, np.inf)
    chosen: list[int] = []
    if np.var(y[1::2]) == 0.0:  # as of the smallest floats, too
        return [], ""
    while _left_over(Z[:, chosen], y)[1] > 1.0 - _TOLD_TOGETHER:
        if len(chosen) == min(_MOST_PARTS, len(names)):
            return [], ""
        along = np.abs(Z.T @ _left_over(Z[:, chosen], y)[0])
        along[chosen] = -1.0
        chosen.append(int(along.argmax()))
    for part in list(chosen):
        fewer = [j for j in chosen if j != part]
        if _left_over(Z[:, fewer], y)[1] <= 1.0 - _TOLD_TOGETHER:
            chosen = fewer
    parts = [names[j] for j in sorted(chosen)]
    return parts, _sum_in_words(X[:, sorted(chosen)], y, parts)


def _left_over(X: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Return what a linear function of X, fitted on every other row, leaves of y.

    That is a value for each row, shape (n,), and of the variance of the rows between the share.
    """
    design = np.column_stack([np.ones(len(X)), X])
    left = y - design @ np.linalg.lstsq(design[::2], y[::2])[0]
    return left, float(np.mean(left[1::2] ** 2) / np.var(y[1::2]))


def _sum_in_words(X: FloatArray, y: FloatArray, names: Sequence[str]) -> str:
    design = np.column_stack([np.ones(len(X)), X])
    constant, *weights = np.linalg.lstsq(design, y)[0]
    terms = [
        f"{weight:+.3g} {name}".replace("+1 ", "+").replace("-1 ", "-")
        for name, weight in zip(names, weights, strict=True)
    ]
    if abs(constant) > _NEARLY * y.std():
        terms.append(f"{constant:+.3g}")
    return " ".join(f"{term[0]} {term[1:]}" for term in terms).removeprefix("+ ")
