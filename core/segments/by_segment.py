"""Accuracy by segment, how unequal it is over those of a variable, and by the sets' own size."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .. import levels
from ..arrays import FloatArray, IndexArray
from ..conformal.rank import CoverageLaw
from ..rows.outcomes import Outcomes
from ..rows.weights import weights_of
from ..tables.columns import Column
from .binning import OUTSIDE, partition_column
from .grouping import Variable, VariableKind
from .statistics import (
    FEWEST_JUDGED,
    LEVEL,
    Status,
    detectable,
    difference_interval,
    holm,
    p_values,
    q_values,
)
from .tally import ByGroup, Tally, lines

_DRAWS = 2_000
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
    ``holm`` by Holm, which is stricter. Those ``named`` beforehand, see :class:`.Variable`, are a
    family, and all other columns one; so are the label's, for which nothing promises the level; NaN
    where nobody is to judge by it: where test rows say less than 20 independent ones, outside of a
    cohort, in a cohort made after looking, and in one value of the column that keeps rows together:
    its rows may be alike, so that each has a coverage of its own without any fault.
    ``detectable`` is the smallest shortfall from CL that the segment's rows would show as clearly
    too low with 80 % power; NaN where they are too few to show any. All of these take dependent
    rows for the ``n_effective`` independent ones that say as much.

    ``share_infinite`` is of intervals that hold every label (None for sets of labels);
    ``share_full`` and ``share_empty`` are of sets with every label and without any (None for
    intervals). With weights, shares and means are by these, and ``weight`` is their sum; None where
    each row counts once. ``explained_by`` is a rule found by search that the segment's shortfall is
    shown to be due to, ``overlaps`` one that it may be due to, see :func:`.explaining_rule`; empty
    where there is none. ``status`` is None where nobody is to judge; it goes by ``judged_q``, see
    :mod:`.under_coverage`. ``rule`` holds for exactly the segment's rows; empty where none does.
    ``same_as`` is that of a segment before it with the same test rows; empty where there is none.
    """

    shared: ClassVar = (
        *("variable", "value", "n", "detectable", "kind", "is_band", "columns"),
        *("weight", "named", "rule", "same_as"),
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
    p_value: float = math.nan
    q_value: float = math.nan
    holm: float = math.nan
    detectable: float = math.nan
    share_infinite: float | None
    share_full: float | None
    share_empty: float | None
    status: Status | None = None
    judged_q: float = math.nan
    explained_by: str = ""
    overlaps: str = ""
    kind: VariableKind = "column"
    is_band: bool = False
    columns: list[str] = field(default_factory=list)
    weight: float | None = None
    named: bool = False
    rule: str = ""
    same_as: str = ""

    @property
    def group(self) -> tuple[str, str]:
        """Which segment it is, whatever the predictor."""
        return self.variable, self.value

    @property
    def counts_as(self) -> str | tuple[str, str]:
        """Which group it is, whatever it is called."""
        return self.same_as or self.rule or self.group

    @property
    def counted(self) -> float:
        """How often its rows count together."""
        return self.n if self.weight is None else self.weight

    @property
    def family(self) -> str:
        """Which segments it is judged among, those of the label by themselves; empty for none."""
        is_outside = self.kind == "cohort" and self.value == OUTSIDE
        if self.kind in ("look", "group") or is_outside or self.n_effective < FEWEST_JUDGED:
            return ""
        return "label" if self.kind == "label" else "named" if self.named else "objects"


def segment_rows(
    variables: Iterable[Variable], outcomes: Mapping[str, Outcomes], level: float
) -> list[SegmentRow]:
    """Return the accuracy of each predictor in every segment of every variable.

    ``outcomes`` are those of the test rows' sets, by the predictor's name; ``level`` is CL.
    """
    variables, rows = list(variables), []
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
    rows: list[SegmentRow] = []
    shapes = [np.empty((4, 0), dtype=np.intp)]
    for variable, tally in counted:
        names, bands = variable.partition.names, variable.partition.bands
        codes, is_group = variable.partition.codes, variable.kind == "group"
        rules = variable.partition.rules
        groups = ByGroup(tally, codes, len(names), are_clusters=is_group)
        shapes.append(_among_all(groups))
        rows += [
            SegmentRow(
                predictor=predictor,
                variable=variable.name,
                value=value,
                kind=variable.kind,
                is_band=place < bands,
                columns=list(variable.columns),
                named=variable.named,
                rule=str(rules[place] or ""),
                **figures,
            )
            for place, (value, figures) in enumerate(zip(names, _figures(groups), strict=True))
        ]
    hits, n, *of_all = np.hstack(shapes)
    p, families = p_values(hits, n, *of_all), np.array([row.family for row in rows])
    q, strict, shows = np.full((3, len(rows)), np.nan)
    for family in ("named", "objects", "label"):
        among = np.flatnonzero(families == family)
        if len(among):
            q[among], strict[among] = q_values(p[among]), holm(p[among])
            size = levels.GROUPS.get(family, levels.SEGMENTS) / len(among)
            all_hits, all_n = (of[among] for of in of_all)
            shows[among] = detectable(n[among], all_hits, all_n, level, size)
    judged = lines({"p_value": p, "q_value": q, "holm": strict, "detectable": shows})
    return [replace(row, **figures) for row, figures in zip(rows, judged, strict=True)]


def with_same(rows: Sequence[SegmentRow], variables: Iterable[Variable]) -> list[SegmentRow]:
    """Return the rows with what segments have the same rows as one before.

    ``variables`` are all that the rows are of, of the same test rows. The label's are no others'.
    """
    counts = Counter(row.n for row in rows if row.rule and row.predictor == rows[0].predictor)
    rules: dict[bytes, str] = {}
    same: dict[tuple[str, str], str] = {}
    for variable in (of for of in variables if of.kind != "label"):
        codes = variable.partition.codes
        sizes = np.bincount(codes[codes >= 0], minlength=len(variable.partition.names)).tolist()
        for place, (value, rule) in enumerate(
            zip(variable.partition.names, variable.partition.rules, strict=True)
        ):
            if rule is not None and sizes[place] and counts[sizes[place]] > 1:
                inside = np.packbits(codes == place).tobytes()
                first = rules.setdefault(inside, str(rule))
                same[variable.name, value] = "" if first == str(rule) else first
    return [replace(row, same_as=same.get(row.group, "")) for row in rows]


def _among_all(groups: ByGroup) -> IndexArray:
    """Return hits and rows of groups, and of all, in independent rows, shape (4, count)."""
    tally, right, n = groups.tally, groups.right, groups.effective
    of_all = tally.n if tally.weight is None else tally.weight
    all_n = np.floor(tally.n.sum() / groups.design_effects)
    all_hits = np.rint(tally.hits.sum() / of_all.sum() * all_n)
    # rounding must leave the others no count below zero
    return np.array([right, n, np.clip(all_hits, right, all_n - (n - right)), all_n], dtype=np.intp)


def _figures(groups: ByGroup) -> list[dict[str, Any]]:
    tally, none = groups.tally, np.full(groups.count, None, dtype=object)
    largest = groups.shares(tally.largest)
    return groups.lines(
        inefficiency=groups.shares(tally.size),
        n_effective=groups.effective,
        share_infinite=largest if tally.are_intervals else none,
        share_full=none if tally.are_intervals else largest,
        share_empty=none if tally.are_intervals else groups.shares(tally.empty),
        weight=none if tally.weight is None else groups.whole,
    )


@dataclass(frozen=True, kw_only=True)
class GapRow:
    """Differences in one predictor's coverage between the segments of one variable.

    All figures are those of the segments with at least 20 test rows, and of the ``reference``: the
    largest unless chosen. There are so many ``groups`` of these, the reference among them, and so
    many segments with fewer test rows ``left_out``, not counting empty ones.

    ``gap`` is the difference of largest size between a segment's accuracy and the reference's,
    negative where the reference has more; NaN, with None for ``gap_segment``, where there is none.
    ``gap_low`` and ``gap_high`` are Newcombe's interval for it at Bonferroni's level: those of all
    differences of the variable hold together in 95 % of cases. A group made after looking has none,
    nor have single clusters, which differ without any fault.

    ``coverage_gap`` is the mean distance of the segments' accuracies from CL, weighted by rows; its
    floor what that is on average by chance alone, that of drawing the calibration rows included,
    where coverage is the same in each of the segments.
    Unweighted, each segment counts once, as in CovGap of Ding, Angelopoulos, Bates, Jordan and
    Tibshirani (2023), "Class-conditional conformal prediction with many classes".

    ``lowest`` is feature-stratified coverage, as in Angelopoulos and Bates (2021), "A gentle
    introduction to conformal prediction and distribution-free uncertainty quantification": the
    lowest of several is below CL by chance alone. NaN and None where there is none.
    """

    shared: ClassVar = (
        *("variable", "kind", "reference", "reference_n", "groups", "left_out"),
        *("coverage_gap_floor", "coverage_gap_unweighted_floor"),
    )

    predictor: str
    variable: str
    kind: VariableKind
    reference: str
    reference_n: int
    groups: int
    left_out: int
    gap: float
    gap_segment: str | None
    gap_low: float
    gap_high: float
    coverage_gap: float
    coverage_gap_floor: float
    coverage_gap_unweighted: float
    coverage_gap_unweighted_floor: float
    lowest: float
    lowest_segment: str | None

    @property
    def group(self) -> str:
        """Which variable it is, whatever the predictor."""
        return self.variable


def gap_rows(
    segments: Sequence[SegmentRow], law: CoverageLaw, reference: Mapping[str, str]
) -> list[GapRow]:
    """Return each predictor's gaps between the segments of each variable.

    ``law`` is that of a faultless predictor's coverage; ``reference`` names, by variable, the
    segment to compare with instead of the largest.
    """
    by_variable = groupby(segments, key=lambda row: (row.predictor, row.variable))
    return [_gap_row(list(of), law, reference.get(name)) for (_, name), of in by_variable]


def _gap_row(rows: Sequence[SegmentRow], law: CoverageLaw, chosen: str | None) -> GapRow:
    largest = max(rows, key=lambda row: row.counted)
    reference = next((row for row in rows if row.value == chosen), largest)
    groups = [row for row in rows if row.n >= FEWEST_JUDGED]
    others = [row for row in groups if row is not reference]
    by_chance = law.mean_distance(np.array([row.n_effective for row in groups], dtype=np.intp))
    distance = np.abs(np.array([row.accuracy for row in groups]) - law.level)
    weight = np.array([row.counted for row in groups])
    lowest = min(groups, key=lambda row: row.accuracy, default=None)
    gaps = {row.value: row.accuracy - reference.accuracy for row in others if reference.n}
    widest = max(others, key=lambda row: abs(gaps[row.value])) if gaps else None
    low, high = math.nan, math.nan
    if widest is not None and reference.kind not in ("look", "group"):
        low, high = (float(end[0]) for end in differences([widest], reference, len(others)))
    return GapRow(
        predictor=reference.predictor,
        variable=reference.variable,
        kind=reference.kind,
        reference=reference.value,
        reference_n=reference.n,
        groups=len(others) + 1,
        left_out=sum(0 < row.n < FEWEST_JUDGED for row in rows if row is not reference),
        gap=math.nan if widest is None else gaps[widest.value],
        gap_segment=None if widest is None else widest.value,
        gap_low=low,
        gap_high=high,
        coverage_gap=_mean(distance, weight),
        coverage_gap_floor=_mean(by_chance, weight),
        coverage_gap_unweighted=_mean(distance),
        coverage_gap_unweighted_floor=_mean(by_chance),
        lowest=math.nan if lowest is None else lowest.accuracy,
        lowest_segment=None if lowest is None else lowest.value,
    )


def differences(
    rows: Sequence[SegmentRow], reference: SegmentRow, comparisons: int
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals for accuracies less a reference's, shape (m,).

    So many of these hold together in 95 % of cases.
    """
    counts = [(row.n_effective * row.accuracy, row.n_effective) for row in (*rows, reference)]
    hits, n = np.rint(counts).astype(np.intp).T
    level = 1.0 - (1.0 - LEVEL) / comparisons
    return difference_interval(hits[:-1], n[:-1], hits[-1:], n[-1:], level)


def _mean(values: FloatArray, weights: FloatArray | IndexArray | None = None) -> float:
    return float(np.average(values, weights=weights)) if len(values) else math.nan


@dataclass(frozen=True, kw_only=True)
class SizeStratumRow:
    """Share of correct prediction sets among the test rows with sets of one size.

    ``size`` is the number of labels; or a band between quartiles of the widths, with the label
    standardised; or "infinite". ``low`` and ``high`` are Wilson's 95 % interval for the accuracy.

    Before and after an adjustment the strata hold different rows: compare how even accuracy is over
    the strata, not one stratum with its namesake. From Angelopoulos, Bates, Malik and Jordan
    (2021), "Uncertainty sets for image classifiers using conformal prediction". An empty set holds
    no label whatever the predictor, and is in no stratum.
    """

    predictor: str
    size: str
    n: int
    accuracy: float
    low: float
    high: float


def size_strata(predictor: str, outcomes: Outcomes) -> list[SizeStratumRow]:
    """Return accuracy by size of one predictor's sets, smallest first; of empty ones it is none."""
    if outcomes.are_intervals:
        names, codes = _by_width(outcomes)
    else:
        names = [str(number) for number in range(int(outcomes.largest) + 1)]
        codes = outcomes.sizes.astype(np.intp)
    found = ByGroup(Tally.of(outcomes), codes, len(names)).lines()
    return [
        SizeStratumRow(predictor=predictor, size=size, **of_one)
        for size, of_one in zip(names, found, strict=True)
        if of_one["n"] and (outcomes.are_intervals or size != "0")
    ]


def size_stratified_coverage(rows: Iterable[SizeStratumRow]) -> float:
    """Return the lowest accuracy of the strata with rows enough; NaN if there is none."""
    return min((row.accuracy for row in rows if row.n >= FEWEST_JUDGED), default=math.nan)


def lowest_by_chance(
    rows: Iterable[SizeStratumRow], law: CoverageLaw, design_effect: float
) -> float:
    """Return above what the same is in 95 % of draws without any fault, by simulation.

    ``law`` is that of a faultless predictor's coverage.
    """
    n = np.array([row.n / design_effect for row in rows if row.n >= FEWEST_JUDGED], dtype=np.intp)
    if not len(n):
        return math.nan
    rng, n = np.random.default_rng(0), np.maximum(n, 1)
    shares = rng.binomial(n, rng.choice(law.nodes, _DRAWS)[:, None]) / n
    return float(np.quantile(shares.min(axis=1), 1.0 - LEVEL))


def _by_width(outcomes: Outcomes) -> tuple[list[str], IndexArray]:
    widths = pd.Series([float(f"{width:.{_DIGITS}g}") for width in outcomes.sizes])
    infinite = np.isinf(outcomes.sizes)
    finite = np.flatnonzero(~infinite)
    if not len(finite):
        return ["infinite"], np.zeros(len(widths), dtype=np.intp)
    shown = Column(widths.where(~infinite, widths.iloc[finite].max()), "number")
    bands = partition_column(shown, finite, weights=weights_of(outcomes.weights, finite))
    return [*bands.names, "infinite"], np.where(infinite, len(bands.names), bands.codes)
