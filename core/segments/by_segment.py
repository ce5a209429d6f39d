"""Accuracy by segment: for whom the prediction sets hold their labels how often."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IndexArray
from ..conformal.prediction_sets import Outcomes
from .grouping import Variable, VariableKind
from .statistics import detectable, holm, p_values, q_values, shares


@dataclass(frozen=True, kw_only=True)
class SegmentRow:
    """Share of one predictor's correct prediction sets in one segment of the test rows.

    ``value`` is a segment of ``variable``; ``is_band`` says that it is a band of numbers or dates,
    and no value of the table. ``low`` and ``high`` are Wilson's 95 % interval for the accuracy,
    ``inefficiency`` the mean set size, or mean width with the label standardised.

    ``p_value`` is exact, two-sided, of "coverage in the segment is that of all test rows";
    ``q_value`` the same, adjusted by Benjamini and Hochberg for all the segments looked at,
    ``holm`` by Holm, which is stricter. ``detectable`` is the smallest shortfall in coverage that
    the segment's rows would show with 80 % power at 5 %; NaN where they are too few to show any.

    ``share_infinite`` is of intervals that hold every label (None for sets of labels);
    ``share_full`` and ``share_empty`` are of sets with every label and without any (None for
    intervals).
    """

    shared: ClassVar = ("variable", "value", "n", "detectable", "kind", "is_band")

    predictor: str
    variable: str
    value: str
    n: int
    accuracy: float
    low: float
    high: float
    inefficiency: float
    p_value: float
    q_value: float
    holm: float
    detectable: float
    share_infinite: float | None
    share_full: float | None
    share_empty: float | None
    kind: VariableKind = "column"
    is_band: bool = False

    @property
    def group(self) -> tuple[str, str]:
        """Which segment it is, whatever the predictor."""
        return self.variable, self.value


def segment_rows(
    variables: Iterable[Variable], outcomes: Mapping[str, Outcomes]
) -> list[SegmentRow]:
    """Return the accuracy of each predictor in every segment of every variable.

    ``outcomes`` are those of the test rows' sets, by the predictor's name.
    """
    variables = list(variables)
    rows: list[SegmentRow] = []
    for name, found in outcomes.items() if variables else ():
        tables = [_figures(variable, found) for variable in variables]
        whole = {key: np.concatenate([table[key] for table in tables]) for key in tables[0]}
        whole |= {"q_value": q_values(whole["p_value"]), "holm": holm(whole["p_value"])}
        lines = zip(*(values.tolist() for values in whole.values()), strict=True)
        rows += [
            SegmentRow(predictor=name, **dict(zip(whole, line, strict=True))) for line in lines
        ]
    return rows


def _figures(variable: Variable, outcomes: Outcomes) -> dict[str, NDArray[Any]]:
    codes, names = variable.partition.codes, variable.partition.names
    n = np.bincount(codes, minlength=len(names))
    hits = np.bincount(codes[outcomes.correct], minlength=len(names))
    in_all = int(outcomes.correct.sum()), len(codes)
    with np.errstate(invalid="ignore"):
        size = np.bincount(codes, weights=outcomes.sizes, minlength=len(names)) / n
    return {
        "variable": np.full(len(names), variable.name, dtype=object),
        "value": np.array(names, dtype=object),
        "kind": np.full(len(names), variable.kind, dtype=object),
        "is_band": np.arange(len(names)) < variable.partition.bands,
        "n": n,
        **shares(hits, n),
        "inefficiency": size,
        "p_value": p_values(hits, n, *in_all),
        "detectable": detectable(n, *in_all),
        **_extremes(codes, n, outcomes),
    }


def _extremes(codes: IndexArray, n: IndexArray, outcomes: Outcomes) -> dict[str, NDArray[Any]]:
    """Return the shares of sets that are infinite, full or empty; None where meaningless."""

    def share(size: float) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.bincount(codes[outcomes.sizes == size], minlength=len(n)) / n

    largest, none = share(outcomes.largest), np.full(len(n), None, dtype=object)
    if outcomes.are_intervals:
        return {"share_infinite": largest, "share_full": none, "share_empty": none}
    return {"share_infinite": none, "share_full": largest, "share_empty": share(0.0)}
