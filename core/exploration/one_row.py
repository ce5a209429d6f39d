"""One row in a form: what a saved predictor says of it, why, and of test rows that are like it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..report.result import AuditResult
from ..scoring.columns import DATE_PARTS, MISSING, EncodedCategory, EncodedNumber, as_kind
from ..scoring.functions import Constant, Function, Layers
from ..scoring.groups import ByValue, Columns, Kind, Values
from ..scoring.predictor import ClassesLabel, SavedPredictor
from ..segments.audited_rows import TestRows
from ..segments.statistics import FEWEST_JUDGED
from ..tables.plain_columns import plain_columns
from .groups import GroupFigures, group_figures

_MOST_ALIKE, _PART_ALIKE = 200, 5
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - as dates of tables

Asked = tuple[Kind, Any, Sequence[str]]
"""Of a column: its kind, the value to begin with, and the values that are known of a category."""


def asked_of(predictor: SavedPredictor) -> dict[str, Asked]:
    """Return what a row is to have; it begins with training means and most frequent values."""
    found: dict[str, Asked] = {name: (kind, None, ()) for name, kind in predictor.columns.items()}
    for by in predictor.thresholds.divisions:
        if isinstance(by, ByValue):
            known = (*map(by.shown, range(len(by.groups))),)
            found[by.column] = "category", next(iter(known), None), known
    for each in predictor.design.columns:
        if isinstance(each, EncodedCategory):
            found[each.column] = "category", next(iter(each.texts), None), each.texts
        elif isinstance(each, EncodedNumber):
            found[each.column] = each.wants, _mean(each), ()
    return found


def _mean(of: EncodedNumber) -> float | datetime:
    first, last = of.means[[0, -1]].tolist()
    if not of.parts:
        return float(f"{first:.4g}")
    days = math.floor(first) if of.parts == len(DATE_PARTS) else 0
    return _EPOCH + timedelta(seconds=min(max(days * 86_400 + round(60 * last) * 60, -9e9), 9e9))


class OneRow(NamedTuple):
    """What is said of a row: ``sets`` by the reference, if there is one, and by a predictor.

    ``new`` are columns of which training rows had no such value. ``why`` has, of each label, its
    probability, and that which it needs (in adaptive sets with all less likely) "before", by the
    reference, and with one part more of the predictor's scores each time; or, of each of these, the
    width in the label's units. ``alike`` are the test rows nearest in features.
    """

    sets: pd.DataFrame
    new: Sequence[str]
    why: pd.DataFrame
    alike: GroupFigures | None


def predict_row(
    predictor: SavedPredictor, values: Mapping[str, Any], result: AuditResult | None = None
) -> OneRow:
    """Return what a predictor, of a result if it is of one, says of a row by its columns' values.

    Raises :class:`InputError` if a value is of another kind than its column.
    """
    asked = asked_of(predictor)

    def read(name: str, kind: Kind) -> Values:
        value = None if values[name] == MISSING else values[name]
        is_date = asked[name][0] == "date"
        return as_kind(np.array([value], "datetime64[us]" if is_date else None), name, kind)

    known = [] if result is None else [result.saved[result.reference]]
    two = [by for by in (*known, predictor) if isinstance(by, SavedPredictor)]
    told = {by.name: by.predicted(read) for by in two if {*by.columns} <= {*values}}
    rows = [
        {"predictor": name} | {key: of[0] for key, of in each.columns.items()}
        for name, each in told.items()
    ]
    stages = ({"before": two[0]} if len(told) > 1 else {}) | dict(_stages(predictor))
    test = None if result is None else result.test_rows
    alike = None if test is None else _alike(test, predictor, read)
    return OneRow(pd.DataFrame(rows), [*told[predictor.name].new], _why(stages, read), alike)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of infinite widths
def _why(stages: Mapping[str, SavedPredictor], read: Columns) -> pd.DataFrame:
    *_, last = stages.values()
    if not isinstance(last.label, ClassesLabel):
        ends = [by.sets(read) for by in stages.values()]
        widths = np.array([max(upper[0] - lower[0], 0.0) for lower, upper in ends])
        times = widths / np.append(np.nan, widths[:-1])
        return pd.DataFrame({"part": [*stages], "width": widths, "times as wide": times})
    X, said, _ = last.objects(read)
    shares = np.exp(last.scores.functions[0].of(X, said))[0]
    needed = {"label": last.label.classes, "probability": shares}
    for what, by in stages.items():
        X, said, codes = by.objects(read)
        least = by.thresholds.at(codes)[0] - by.scores.shift(X, said)
        needed[what] = np.broadcast_to(np.exp(least), shares.shape)
    return pd.DataFrame(needed)


def _stages(predictor: SavedPredictor) -> Iterator[tuple[str, SavedPredictor]]:
    """Yield it with usual shifts, those of the average row and 0 of layers, then with one more."""
    form, average = predictor.scores, np.zeros((1, len(predictor.design.kept)))
    terms, shifts = list[tuple[str, Function]](), list[Function]()
    for each in form.shifts:
        if isinstance(each, Layers):
            layers = [replace(each, layers=(layer,)) for layer in each.layers]
            terms += [(f"layer {number}", layer) for number, layer in enumerate(layers, 1)]
            shifts += [Constant(0.0)] * len(layers)
        else:
            terms.append(("adjustment", each))
            shifts.append(Constant(0.0 if each.said else float(each.of(average, {})[0])))
    whose = "its group's threshold" if predictor.thresholds.divisions else "threshold"
    yield whose, replace(predictor, scores=replace(form, shifts=(*shifts,)))
    for place, (what, term) in enumerate(terms):
        shifts[place] = term
        yield what, replace(predictor, scores=replace(form, shifts=(*shifts,)))


def _alike(rows: TestRows, predictor: SavedPredictor, read: Columns) -> GroupFigures | None:
    """Return the figures of the nearest fifth of the test rows, but 20 to 200, if rows differ."""
    n, design = len(rows.rows), predictor.design
    gaps = design.matrix(plain_columns(rows.table), n) - design.matrix(read, 1)
    count = min(_MOST_ALIKE, max(FEWEST_JUDGED, n // _PART_ALIKE))
    near = np.argsort((gaps**2).sum(axis=1), kind="stable")[:count]
    return group_figures(rows, np.isin(np.arange(n), near)) if gaps.size else None
