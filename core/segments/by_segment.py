"""Accuracy by segment, for whom sets hold their labels how often, and by the sets' own size."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import levels
from ..arrays import FloatArray, IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import weights_of
from ..tables.columns import Column
from .binning import OUTSIDE, partition_column
from .grouping import Variable, VariableKind
from .statistics import FEWEST_JUDGED, Status, detectable, holm, p_values, q_values
from .tally import ByGroup, Tally, lines

_Columns = dict[str, NDArray[Any]]

_DIGITS = 6
"""To which widths count as different: those of one width for all differ by rounding errors."""


@dataclass(frozen=True, kw_only=True)
class SegmentRow:
    """Share of one predictor's correct prediction sets in one segment of the test rows.

    ``value`` is a segment of ``variable``, which goes by ``columns``; ``is_band`` says that it is a
    band of numbers or dates, and no value of the table. ``low`` and ``high`` are Wilson's 95 %
    interval for the accuracy, ``inefficiency`` the mean set size, or mean width with the label
    standardised.

    ``p_value`` is exact, two-sided, of "coverage in the segment is that of all test rows";
    ``q_value`` the same, adjusted by Benjamini and Hochberg for all the segments of its family,
    ``holm`` by Holm, which is stricter. Of the label's segments, for which nothing promises the
    level, the family is their own; NaN where nobody is to judge by it: where test rows say less
    than 20 independent ones, outside of a cohort, and in a cohort made after looking.
    ``detectable`` is the smallest shortfall from CL that the segment's rows would show as clearly
    too low with 80 % power; NaN where they are too few to show any. All of these take dependent
    rows for the ``n_effective`` independent ones that say as much.

    ``share_infinite`` is of intervals that hold every label (None for sets of labels);
    ``share_full`` and ``share_empty`` are of sets with every label and without any (None for
    intervals). With weights, shares and means are by these, and ``weight`` is their sum; None where
    each row counts once. ``explained_by`` is a rule found by search that the segment's shortfall is
    due to, empty where there is none. ``status`` is None where nobody is to judge.
    """

    shared: ClassVar = (
        *("variable", "value", "n", "detectable", "kind", "is_band", "columns"),
        "weight",
    )

    predictor: str
    variable: str
    value: str
    n: int
    accuracy: float
    low: float
    high: float
    inefficiency: float
    n_effective: int
    p_value: float
    q_value: float
    holm: float
    detectable: float
    share_infinite: float | None
    share_full: float | None
    share_empty: float | None
    status: Status | None = None
    explained_by: str = ""
    kind: VariableKind = "column"
    is_band: bool = False
    columns: list[str] = field(default_factory=list)
    weight: float | None = None

    @property
    def group(self) -> tuple[str, str]:
        """Which segment it is, whatever the predictor."""
        return self.variable, self.value

    @property
    def counted(self) -> float:
        """How often its rows count together."""
        return self.n if self.weight is None else self.weight

    @property
    def family(self) -> str:
        """Which segments it is judged among; empty where it is not judged."""
        return _family(self.kind, self.value, self.n_effective)


def segment_rows(
    variables: Iterable[Variable], outcomes: Mapping[str, Outcomes], level: float
) -> list[SegmentRow]:
    """Return the accuracy of each predictor in every segment of every variable.

    ``outcomes`` are those of the test rows' sets, by the predictor's name; ``level`` is CL.
    """
    variables = list(variables)
    rows: list[SegmentRow] = []
    for name, found in outcomes.items():
        tally = Tally.of(found)
        rows += rows_of_counts(name, [(each, tally) for each in variables], level)
    return rows


def rows_of_counts(
    predictor: str, counted: Iterable[tuple[Variable, Tally]], level: float
) -> list[SegmentRow]:
    """Return the accuracy of one predictor in every segment, whoever has counted the rows.

    The partition of each variable is of the entries of the tally beside it.
    """
    tables = [_figures(*of_one) for of_one in counted]
    if not tables:
        return []
    whole = {key: np.concatenate([table[key] for table in tables]) for key in tables[0]}
    right, fewer = whole.pop("right"), whole["n_effective"]
    of_all = whole.pop("all_hits"), whole.pop("all_n")
    whole["p_value"] = p_values(right, fewer, *of_all)
    whole |= _among_others(whole, *of_all, level=level)
    return [SegmentRow(predictor=predictor, **line) for line in lines(whole)]


def _figures(variable: Variable, tally: Tally) -> _Columns:
    codes, names = variable.partition.codes, variable.partition.names
    groups = tally.by(codes, len(names), are_clusters=variable.kind == "group")
    right, fewer = groups.effective
    low, high = groups.interval
    all_n = np.floor(tally.n.sum() / groups.design_effects)
    of_all = tally.n if tally.weight is None else tally.weight
    all_hits = np.rint(tally.hits.sum() / of_all.sum() * all_n)
    # rounding must leave the others no count below zero
    all_hits = np.clip(all_hits, right, all_n - (fewer - right))
    return {
        "variable": np.full(len(names), variable.name, dtype=object),
        "value": np.array(names, dtype=object),
        "kind": np.full(len(names), variable.kind, dtype=object),
        "columns": _each(list(variable.columns), len(names)),
        "is_band": np.arange(len(names)) < variable.partition.bands,
        "n": groups.n,
        "accuracy": groups.accuracy,
        "low": low,
        "high": high,
        "inefficiency": groups.shares(tally.size),
        "right": right,
        **_extremes(groups),
        "n_effective": fewer,
        "all_hits": all_hits,
        "all_n": all_n,
        "weight": np.full(len(names), None) if tally.weight is None else groups.whole,
    }


def _each(value: list[str], count: int) -> NDArray[np.object_]:
    filled = np.empty(count, dtype=object)
    filled.fill(value)
    return filled


def _among_others(
    columns: _Columns, all_hits: FloatArray, all_n: FloatArray, level: float
) -> dict[str, FloatArray]:
    """Return what depends on how many segments are looked at, by family."""
    keys = (columns[name].tolist() for name in ("kind", "value", "n_effective"))
    families = np.array([_family(*of_one) for of_one in zip(*keys, strict=True)])
    found = {name: np.full(len(families), np.nan) for name in ("q_value", "holm", "detectable")}
    for family in ("objects", "label"):
        rows = np.flatnonzero(families == family)
        if not len(rows):
            continue
        p = columns["p_value"][rows]
        shape = columns["n_effective"][rows], all_hits[rows], all_n[rows]
        found["q_value"][rows], found["holm"][rows] = q_values(p), holm(p)
        found["detectable"][rows] = detectable(*shape, level, levels.SEGMENTS / len(rows))
    return found


def _family(kind: VariableKind, value: str, n: int) -> str:
    if kind == "look" or (kind == "cohort" and value == OUTSIDE) or n < FEWEST_JUDGED:
        return ""
    return "label" if kind == "label" else "objects"


def _extremes(groups: ByGroup) -> _Columns:
    """Return the shares of sets that are infinite, full or empty; None where meaningless."""
    none = np.full(groups.count, None, dtype=object)
    largest, empty = groups.shares(groups.tally.largest), groups.shares(groups.tally.empty)
    if groups.tally.are_intervals:
        return {"share_infinite": largest, "share_full": none, "share_empty": none}
    return {"share_infinite": none, "share_full": largest, "share_empty": empty}


@dataclass(frozen=True, kw_only=True)
class SizeStratumRow:
    """Share of correct prediction sets among the test rows with sets of one size.

    ``size`` is the number of labels; or a band between quartiles of the widths, with the label
    standardised; or "infinite". ``low`` and ``high`` are Wilson's 95 % interval for the accuracy.

    Before and after an adjustment the strata hold different rows: compare how even accuracy is over
    the strata, not one stratum with its namesake. From Angelopoulos, Bates, Malik and Jordan
    (2021), "Uncertainty sets for image classifiers using conformal prediction".
    """

    predictor: str
    size: str
    n: int
    accuracy: float
    low: float
    high: float


def size_strata(predictor: str, outcomes: Outcomes) -> list[SizeStratumRow]:
    """Return accuracy by size of one predictor's sets, smallest first."""
    if outcomes.are_intervals:
        names, codes = _by_width(outcomes)
    else:
        names = [str(number) for number in range(int(outcomes.largest) + 1)]
        codes = outcomes.sizes.astype(np.intp)
    found = Tally.of(outcomes.unclustered).by(codes, len(names))
    return [
        SizeStratumRow(predictor=predictor, size=size, **of_one)
        for size, of_one in zip(names, found.figures(), strict=True)
        if of_one["n"]
    ]


def size_stratified_coverage(rows: Iterable[SizeStratumRow]) -> float:
    """Return the lowest accuracy of the strata with rows enough; NaN if there is none."""
    return min((row.accuracy for row in rows if row.n >= FEWEST_JUDGED), default=math.nan)


def _by_width(outcomes: Outcomes) -> tuple[list[str], IndexArray]:
    widths = pd.Series([float(f"{width:.{_DIGITS}g}") for width in outcomes.sizes])
    infinite = np.isinf(outcomes.sizes)
    finite = np.flatnonzero(~infinite)
    if not len(finite):
        return ["infinite"], np.zeros(len(widths), dtype=np.intp)
    shown = Column(widths.where(~infinite, widths.iloc[finite].max()), "number")
    bands = partition_column(shown, finite, weights=weights_of(outcomes.weights, finite))
    return [*bands.names, "infinite"], np.where(infinite, len(bands.names), bands.codes)
