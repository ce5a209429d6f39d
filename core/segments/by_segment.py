"""Accuracy by segment: for whom the prediction sets hold their labels how often."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
    return [
        row for name, found in outcomes.items() for row in _of_predictor(variables, name, found)
    ]


def _of_predictor(variables: list[Variable], name: str, outcomes: Outcomes) -> list[SegmentRow]:
    columns: dict[str, list[NDArray[Any]]] = {}
    for variable in variables:
        codes, names = variable.partition.codes, variable.partition.names
        found = _figures(codes, len(names), outcomes) | {
            "variable": np.full(len(names), variable.name, dtype=object),
            "value": np.array(names, dtype=object),
            "kind": np.full(len(names), variable.kind, dtype=object),
            "is_band": np.arange(len(names)) < variable.partition.bands,
        }
        for key, values in found.items():
            columns.setdefault(key, []).append(values)
    if not columns:
        return []
    whole = {key: np.concatenate(values) for key, values in columns.items()}
    whole["q_value"] = q_values(whole["p_value"])
    whole["holm"] = holm(whole["p_value"])
    rows = zip(*(values.tolist() for values in whole.values()), strict=True)
    return [SegmentRow(predictor=name, **dict(zip(whole, row, strict=True))) for row in rows]


def _figures(codes: NDArray[np.intp], segments: int, outcomes: Outcomes) -> dict[str, NDArray[Any]]:
    """Return the figures of all segments of one variable, shape (segments,) each."""
    n = np.bincount(codes, minlength=segments)
    hits = np.bincount(codes[outcomes.correct], minlength=segments)
    in_all = int(outcomes.correct.sum()), len(codes)
    with np.errstate(invalid="ignore"):
        size = np.bincount(codes, weights=outcomes.sizes, minlength=segments) / n
    return {
        "n": n,
        **shares(hits, n),
        "inefficiency": size,
        "p_value": p_values(hits, n, *in_all),
        "detectable": detectable(n, *in_all),
        **_shares(codes, n, outcomes),
    }


def _shares(
    codes: NDArray[np.intp], n: NDArray[np.intp], outcomes: Outcomes
) -> dict[str, NDArray[Any]]:
    """Return the shares of sets that are infinite, full or empty; None where meaningless."""

    def share(size: float, *, known: bool) -> NDArray[Any]:
        if not known:
            return np.full(len(n), None, dtype=object)
        with np.errstate(invalid="ignore"):
            return np.bincount(codes[outcomes.sizes == size], minlength=len(n)) / n

    of_intervals, largest = outcomes.are_intervals, outcomes.largest
    return {
        "share_infinite": share(largest, known=of_intervals),
        "share_full": share(largest, known=not of_intervals),
        "share_empty": share(0.0, known=not of_intervals),
    }
