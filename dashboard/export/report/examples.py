"""Test rows one by one, for the report if they are asked for."""

from typing import Any

import numpy as np

from evencover.core import AuditResult, InputError
from evencover.core.segments.test_rows import AuditedObjects

from ...wording.prediction_sets import set_texts
from ...wording.tables import Column
from .cells import LONGEST, Table, make_table
from .limits import cut

_MOST_COLUMNS = 12
MOST = 200


def check_examples(number: int) -> None:
    """Raise :class:`InputError` if a report cannot show so many test rows."""
    if not 0 <= number <= MOST:
        raise InputError(f"examples is {number}; give a whole number from 0 to {MOST}")


def example_table(result: AuditResult, number: int) -> Table | None:
    """Return so many test rows: missed before, lowest p(x) before first; None if none are asked.

    Where fewer are missed, rows that are not follow in the same order.

    Raises
    ------
    InputError
        If the result holds no rows, or the number is none that can be shown.
    """
    check_examples(number)
    if number == 0:
        return None
    if result.objects is None:
        raise InputError("the result holds no test rows; run the audit again to show some")
    objects = result.objects
    order = np.lexsort((objects.base.probability, objects.base.correct))[:number]
    others = objects.frame.drop(columns=objects.target).iloc[order, :_MOST_COLUMNS]
    columns = _columns(objects, list(map(str, others.columns)))
    rows = _rows(objects, order.tolist())
    for row, values in zip(rows, others.itertuples(index=False, name=None), strict=True):
        row |= {f"column {place}": str(value) for place, value in enumerate(values)}
    return make_table("examples", columns, rows, MOST)


def _columns(objects: AuditedObjects, names: list[str]) -> dict[str, Column]:
    shown = {
        "row": Column("row", "%d", "Of the table, the first below its header being 1."),
        "label": Column(cut(objects.target, LONGEST)),
        "set_base": Column("before"),
        "held_base": Column("held"),
        "probability_base": Column("p(x), before", "%.3f"),
        "set_adjusted": Column("after"),
        "held_adjusted": Column("held"),
        "probability_adjusted": Column("p(x), after", "%.3f"),
    }
    return shown | {
        f"column {place}": Column(cut(name, LONGEST)) for place, name in enumerate(names)
    }


def _rows(objects: AuditedObjects, order: list[int]) -> list[dict[str, Any]]:
    sets = {
        "base": set_texts(objects, objects.base),
        "adjusted": set_texts(objects, objects.adjusted),
    }
    rows: list[dict[str, Any]] = []
    for place in order:
        row: dict[str, Any] = {
            "row": int(objects.rows[place]) + 1,
            "label": str(objects.frame[objects.target].iloc[place]),
        }
        for when, found in (("base", objects.base), ("adjusted", objects.adjusted)):
            row[f"set_{when}"] = sets[when][place]
            row[f"held_{when}"] = "yes" if found.correct[place] else "no"
            row[f"probability_{when}"] = float(found.probability[place])
        rows.append(row)
    return rows
