"""Test rows one by one: what was predicted for them, and what each layer of IFACM added."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import IndexArray
from ..rows.outcomes import IntervalSets
from ..segments.audited_rows import TestRows
from ..tables.columns import as_levels
from .groups import Where, all_or


@dataclass(frozen=True)
class ShownSet:
    """One predictor's set for one row, and whether it ``held`` the label.

    ``size`` is the number of labels, or the width in the label's own units, as the ends of an
    interval are. Sets of labels have no ends, intervals no ``labels``.
    """

    held: bool
    probability: float
    size: float
    lower: float | None
    upper: float | None
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """A test row: its ``place`` among them from 0, and its number in the table from 1.

    ``sets`` and ``steps`` are by the predictor's name; steps are what each layer added to the row's
    scores: above 0 widens its set, below 0 narrows it.
    """

    place: int
    row: int
    label: str
    sets: Mapping[str, ShownSet]
    steps: Mapping[str, tuple[float, ...]]


def _missed(test_rows: TestRows) -> IndexArray:
    first = next(iter(test_rows.sets))
    return np.lexsort((test_rows.probabilities[first], test_rows.outcomes[first].correct))


def _moved(test_rows: TestRows) -> IndexArray:
    moves = [np.abs(steps.sum(axis=0)) for steps in test_rows.steps.values()]
    return np.argsort(-np.max([np.zeros(len(test_rows.rows)), *moves], axis=0), kind="stable")


ORDERS: dict[str, Callable[[TestRows], IndexArray]] = {
    "missed before": _missed,
    "moved most": _moved,
    "widest after": lambda o: np.argsort(-list(o.outcomes.values())[-1].sizes, kind="stable"),
    "by lot": lambda o: np.random.default_rng(0).permutation(len(o.rows)),
    "table order": lambda o: np.argsort(o.rows, kind="stable"),
}
"""By which rows come first: missed before, those of lowest p(x) among them first; changed most by
the layers together; with the largest set after; drawn by lot; or as they are in the table."""


def examples(
    test_rows: TestRows, where: Where = None, limit: int = 100, order: str = next(iter(ORDERS))
) -> list[Example]:
    """Return at most ``limit`` test rows, of those that ``where`` says, one by one.

    ``order``, a name of ``ORDERS``, says which come first.
    """
    ranked = ORDERS[order](test_rows)
    chosen = ranked[all_or(where, test_rows)[ranked]][:limit]
    labels = as_levels(test_rows.table.frame[test_rows.target].iloc[chosen])
    return [
        Example(
            place,
            row=int(test_rows.rows[place]) + 1,
            label=str(label),
            sets={name: _shown(test_rows, name, place) for name in test_rows.sets},
            steps={name: tuple(of[:, place].tolist()) for name, of in test_rows.steps.items()},
        )
        for place, label in zip(chosen.tolist(), labels, strict=True)
    ]


def _shown(test_rows: TestRows, name: str, place: int) -> ShownSet:
    sets = test_rows.sets[name]
    held = bool(test_rows.outcomes[name].correct[place])
    figures = held, float(test_rows.probabilities[name][place]), float(sets.sizes[place])
    if isinstance(sets, IntervalSets):
        return ShownSet(*figures, float(sets.lower[place]), float(sets.upper[place]), ())
    labels = (test_rows.classes[member] for member in np.flatnonzero(sets.members[place]))
    return ShownSet(*figures, None, None, tuple(labels))
