"""Test rows one by one: what was predicted for them, and what each layer of IFACM added."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..segments.test_rows import AuditedObjects, ObjectSets
from ..tables.columns import as_levels
from .groups import Codes, Where, shown_sizes


@dataclass(frozen=True)
class ShownSet:
    """One predictor's set for one row.

    Attributes
    ----------
    held
        Whether it holds the label.
    probability
        The estimated p(x).
    size
        Width in the label's own units, or number of labels.
    lower, upper
        Ends of an interval in the label's own units; None for sets of labels.
    labels
        Those in the set; empty for intervals.
    """

    held: bool
    probability: float
    size: float
    lower: float | None
    upper: float | None
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """A test row.

    Attributes
    ----------
    place
        Among the test rows, from 0.
    row
        Its number in the table; 1 for the first below the header.
    sets
        By the predictor's name.
    steps
        Of the predictors with layers: what each added to the row's scores; above 0 widens its
        set, below 0 narrows it.
    """

    place: int
    row: int
    label: str
    sets: Mapping[str, ShownSet]
    steps: Mapping[str, tuple[float, ...]]


def _missed(objects: AuditedObjects) -> Codes:
    first = next(iter(objects.sets.values()))
    return np.lexsort((first.probability, first.correct))


def _moved(objects: AuditedObjects) -> Codes:
    moves = [np.abs(steps.sum(axis=0)) for steps in objects.steps.values()]
    return np.argsort(-np.max([np.zeros(len(objects.rows)), *moves], axis=0), kind="stable")


def _widest(objects: AuditedObjects) -> Codes:
    return np.argsort(-list(objects.sets.values())[-1].sizes, kind="stable")


def _in_table_order(objects: AuditedObjects) -> Codes:
    return np.argsort(objects.rows, kind="stable")


ORDERS: dict[str, Callable[[AuditedObjects], Codes]] = {
    "missed before": _missed,
    "moved most": _moved,
    "widest after": _widest,
    "table order": _in_table_order,
}
"""By which rows come first: missed before, those of lowest p(x) among them first; changed most by
the layers together; with the largest set after; or as they are in the table."""


def examples(
    objects: AuditedObjects,
    where: Where = None,
    limit: int = 100,
    order: str = next(iter(ORDERS)),
) -> list[Example]:
    """Return test rows one by one.

    Parameters
    ----------
    objects
        The n test rows.
    where
        Which of them to look at, shape (n,); None for all.
    limit
        The most rows to return.
    order
        Which come first: a name of ``ORDERS``.
    """
    ranked = ORDERS[order](objects)
    chosen = ranked if where is None else ranked[where[ranked]]
    chosen = chosen[:limit]
    labels = as_levels(objects.frame[objects.target].iloc[chosen])
    return [
        _example(objects, place, str(label))
        for place, label in zip(chosen.tolist(), labels, strict=True)
    ]


def _example(objects: AuditedObjects, place: int, label: str) -> Example:
    return Example(
        place=place,
        row=int(objects.rows[place]) + 1,
        label=label,
        sets={name: _shown(objects, sets, place) for name, sets in objects.sets.items()},
        steps={name: tuple(steps[:, place].tolist()) for name, steps in objects.steps.items()},
    )


def _shown(objects: AuditedObjects, sets: ObjectSets, place: int) -> ShownSet:
    members = [] if sets.members is None else np.flatnonzero(sets.members[place]).tolist()
    return ShownSet(
        held=bool(sets.correct[place]),
        probability=float(sets.probability[place]),
        size=float(shown_sizes(sets)[place]),
        lower=None if sets.lower is None else float(sets.lower[place]),
        upper=None if sets.upper is None else float(sets.upper[place]),
        labels=tuple(objects.classes[member] for member in members),
    )
