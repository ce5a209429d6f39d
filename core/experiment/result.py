"""What an experiment found: figures of predictors on the same rows, judged once.

A figure is declared here, where it is also said whether comparisons tell it; what computes it is in
``evaluation.py``, and its words on page, report and terminal are a line of ``columns.csv`` in
``dashboard/wording/``.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, Protocol, Self, TypeVar

from .. import levels
from ..arrays import BoolArray
from ..conformal.measures import Choice, Fit
from ..coverage.dcv_inference import NoiseFormula
from ..coverage.diagnosis import ProbabilityBin
from ..coverage.exchangeability import Drift
from ..events import LayerAccepted, LayerTried
from ..messages import InputError, Sentence
from ..preparation.hint import Hint
from ..preparation.settings import AuditSettings
from ..scoring.predictor import SavedPredictor
from ..segments.audited_rows import TestRows, Untested
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_period import PeriodRow
from ..segments.by_segment import GapRow, SegmentRow, SizeStratumRow
from ..segments.tally import PartOfSegment, SegmentCoverage
from ..segments.under_coverage import ALL_ROWS, TOO_LOW, ChangeRow, Coverage, with_statuses
from ..segments.worst_segments import WorstSegmentRow

SubsetName = Literal["training", "test"]

Place = Literal["differences", "two runs"]
"""A comparison's differences from the base, or two runs side by side."""

PAIRED: Mapping[str, tuple[Place, ...]] = {"places": ("differences",)}
_IN_BOTH: Mapping[str, tuple[Place, ...]] = {"places": ("differences", "two runs")}
_OF_RUNS: Mapping[str, tuple[Place, ...]] = {"places": ("two runs",)}
"""Where a figure is told beside the tables."""


def told_in(place: Place, row: type[Any]) -> list[str]:
    """Return the figures of a class of rows that are told in a place."""
    return [figure.name for figure in fields(row) if place in figure.metadata.get("places", ())]


@dataclass(frozen=True)
class ResultRow:
    """Figures of one predictor on one set.

    The training figures are those of an ICP with the training set as its own calibration set
    (Algorithm 1), the test figures those of one calibrated on the calibration set. ``accuracy`` is
    the share of sets that hold their label; ``inefficiency`` the mean set size, or mean interval
    width with the label standardised by the training rows.

    ``dcv`` is the deviation from conditional validity; its parts are ``dcv_level``, mean p - CL,
    and ``dcv_spread``, the deviation of p. ``dcv_floor`` is what it is by chance alone: by
    estimation noise and, on test rows, the draw of the calibration rows; for an adjusted predictor
    on test rows with the training noise it carries. ``dcv_spread_floor`` is its part of the spread.
    ``dcv_floor_unadjusted`` is that of a perfectly valid predictor that was not adjusted, and
    ``dcv_floor_simulated`` the same by drawing outcomes, from which the floors are where
    ``dcv_formula``, which says how well formulas tell the noise, is "rough": wrong sets, or
    clusters with some, are few for the parameters, or the regression did not converge.
    ``dcv_corrected`` is without the part that estimation noise adds on average, with a 95 %
    interval for the DCV in the population; ``dcv_crossfitted`` by estimates that are judged on
    other rows than they were fitted on.

    ``p_value`` is of the score test that coverage does not depend on the features, each taken as a
    straight line; ``p_value_permuted`` by permuting outcomes: as the estimator sees dependence. For
    ``ert_...`` see ``ExcessRisk``. ``worst_slab_coverage`` is coverage between the two planes where
    it looked worst on one half of the test rows, on the other half, with a 95 % interval;
    ``size_stratified_coverage`` the lowest among sets of one size that 20 test rows or more have;
    ``missed_below`` the share of labels that lie below their intervals, the other misses above.
    ``..._trees`` are by boosted trees, whatever the estimator, judged out of fold on at most 20,000
    test rows, see :func:`evencover.core.coverage.evenness.by_trees`.
    ``..._by_chance`` is what a predictor without fault that was not adjusted does not exceed in
    95 % of cases, or fall below for ``size_stratified_by_chance``. ``parameters`` of the logistic
    regression of correctness include the intercept; ``converged`` is of that and of the estimator
    behind ``dcv``. About 95 % of p(x) lie between ``noise_low`` and ``noise_high`` by noise alone
    without any fault.

    None: floors, noise and correction by another estimator than the logistic regression
    (``dcv_formula`` is "none"); they, and all that says how sure DCV is, for an adjusted predictor
    on the training rows it was optimised on; the correction where the formula is rough, on training
    rows the floors, too; what is simulated or permuted unless it is needed or asked for; what is
    of test rows on training rows.
    """

    subset: SubsetName
    predictor: str
    accuracy: float = field(metadata=_IN_BOTH)
    inefficiency: float = field(metadata=_IN_BOTH)
    inefficiency_original_units: float = field(metadata=_IN_BOTH)
    dcv: float = field(metadata=_IN_BOTH)
    dcv_level: float
    dcv_spread: float
    dcv_floor: float | None = field(default=None, metadata=_OF_RUNS)
    dcv_floor_unadjusted: float | None = None
    dcv_corrected: float | None = field(default=None, metadata=_OF_RUNS)
    dcv_corrected_low: float | None = None
    dcv_corrected_high: float | None = None
    dcv_crossfitted: float | None = field(default=None, metadata=_IN_BOTH)
    p_value: float | None = field(default=None, metadata=_OF_RUNS)
    ert_l1: float | None = field(default=None, metadata=_IN_BOTH)
    ert_over: float | None = None
    ert_under: float | None = None
    ert_l2: float | None = None
    ert_log: float | None = None
    worst_slab_coverage: float | None = field(default=None, metadata=_IN_BOTH)
    worst_slab_low: float | None = None
    worst_slab_high: float | None = None
    ert_l1_error: float | None = None
    ert_l1_by_chance: float | None = None
    ert_l2_error: float | None = None
    ert_l2_by_chance: float | None = None
    ert_log_error: float | None = None
    ert_log_by_chance: float | None = None
    parameters: int = field(kw_only=True)
    converged: bool = field(kw_only=True)
    dcv_floor_simulated: float | None = None
    p_value_permuted: float | None = None
    size_stratified_coverage: float | None = None
    size_stratified_by_chance: float | None = None
    noise_low: float | None = None
    noise_high: float | None = None
    dcv_spread_floor: float | None = None
    missed_below: float | None = None
    dcv_crossfitted_trees: float | None = None
    ert_l2_trees: float | None = field(default=None, metadata=_IN_BOTH)
    ert_l2_trees_low: float | None = None
    ert_l2_trees_high: float | None = None
    p_value_trees: float | None = None
    dcv_formula: NoiseFormula = "good"


@dataclass(frozen=True)
class CoefficientRow:
    """A coefficient of the logistic regression of correctness on standardised features.

    NaN where the outcomes are all equal or the rows do not determine it.
    """

    feature: str
    subset: SubsetName
    predictor: str
    coefficient: float
    standard_error: float


@dataclass(frozen=True, kw_only=True)
class AdjustmentRow:
    """What an adjustment changes over all test rows, beside the reference on the same rows.

    ``size_ratio_...`` are of each row's own width after to that before, in the label's units, of
    rows where both are finite; None for sets of labels. ``spread_before`` and ``spread_after`` are
    the cross-fitted standard deviations of coverage about its own mean, by straight lines and
    boosted trees in the features; by classes where the adjustment promises the level for each;
    ``spread_p_value_...`` are one-sided, of "there is none".
    ``size_change`` is the mean of rows' own differences in size, that of the standardised label,
    with its standard error; NaN where sizes are infinite.
    ``unevenness_change`` is that of their squares, by the rows' paired differences.

    ``cost`` is the unevenness that fitting k effective terms to so many training rows brings about,
    ``sqrt(k w / n_train)``, or a threshold for each of G groups or classes, ``sqrt(G w /
    n_calibration)``; None where the terms have no number. ``found`` is the corrected DCV of the
    reference on the training rows, and ``found_p_value`` that of the score test there: what there
    is to adjust. ``mended`` is the share of it, in DCV squared, that is gone there after; of all
    that is seen where ``found`` is None. None where that is not known, or not what the adjustment
    goes by.
    """

    predictor: str
    size_ratio_median: float | None
    size_ratio_mean: float | None
    unevenness_change: float
    unevenness_standard_error: float
    unevenness_p_value: float
    spread_before: float
    spread_after: float
    spread_p_value_before: float
    spread_p_value_after: float
    cost: float | None
    found: float | None
    found_p_value: float | None
    mended: float | None
    size_change: float = math.nan
    size_change_error: float = math.nan


@dataclass(frozen=True)
class DroppedColumn:
    """A column, or encoded column, left out of the model, and why."""

    column: str
    reason: str


@dataclass(frozen=True)
class DataSummary:
    """What was made of the table, whose ``rows`` include those without a label or output.

    ``features`` are columns of the table that the model uses, ``encoded_features`` those of the
    design matrix. The ``fingerprint`` is "sha256:" and the digest of the file's bytes, or
    "rows-sha256:" and that of a frame's values. Where rows have weights, ``weights`` are their sums
    by set, and ``effective`` says how many rows of one weight say as much.
    """

    rows: int
    rows_without_label: int
    train: int
    calibration: int
    test: int
    features: list[str]
    encoded_features: list[str]
    dropped: list[DroppedColumn]
    fingerprint: str = ""
    rows_without_output: int = 0  # of a user's own model
    untested: list[Untested] = field(default_factory=list)
    rows_without_weight: int = 0  # or of weight 0
    effective: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    sample: int | None = None  # rows that figures of single rows are of; None where of all


@dataclass(frozen=True)
class Seconds:
    """Wall-clock time by stage; ``fits`` by the predictor's name."""

    read: float
    fits: Mapping[str, float]
    audit: float

    @property
    def total(self) -> float:
        """All of it."""
        return self.read + sum(self.fits.values()) + self.audit


@dataclass(frozen=True)
class ChangedRows:
    """The n test rows whose sets a layer made larger, or smaller, and by how much on average.

    ``change`` is a share of their widths before, or a number of labels; None where one of these is
    infinite. ``among`` is the segment most in excess among them; None without such.
    """

    n: int
    change: float | None
    among: PartOfSegment | None


@dataclass(frozen=True)
class ReplayStep:
    """What the prediction sets of a predictor are like with its first layers alone.

    Figures are of the test rows unless their names say otherwise. ``probabilities`` counts p(x) in
    bins of equal width from 0 to 1; ``worst`` is the segment whose 95 % interval ends lowest,
    None where none has rows enough.
    ``tried`` are the evaluations that the last of the layers was chosen from; ``held`` says which
    sets hold their label, shape (n,).
    """

    predictor: str
    layers: int
    training_dcv: float
    training_inefficiency: float
    dcv: float
    inefficiency: float
    coverage: float
    probabilities: tuple[int, ...]
    worst: SegmentCoverage | None
    are_intervals: bool
    wider: ChangedRows | None = None
    narrower: ChangedRows | None = None
    gamma: float | None = None
    delta: float | None = None
    tried: tuple[LayerTried, ...] = ()
    held: BoolArray = field(kw_only=True, repr=False, compare=False)


class _OfPredictor(Protocol):
    @property
    def predictor(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfPredictor)


@dataclass(frozen=True)
class AuditedPredictor:
    """What was audited: its name in data, its title for a reader, and what it promises.

    Without calibration rows that its sets hang on it is not audited on training rows. All but the
    reference are adjustments, made from it to mend it: ``adjusts`` says whether one differs from
    it, ``by_classes`` whether it promises the level for each class, ``fit`` what its fit did.
    """

    name: str
    title: str
    guarantee: str
    is_calibrated: bool = True
    adjusts: bool = True
    by_classes: bool = False
    fit: Fit = field(default_factory=Fit)


@dataclass(frozen=True)
class Examination:
    """What the same rows say of predictors; lists hold one entry for each row of a table.

    Figures are rows of one predictor each. The first predictor is the reference that the others
    adjust; nothing else is special about it. ``changes`` and ``comparisons`` are of each adjustment
    beside the reference.
    ``hints`` are those of the notes that may have a remedy, an option of the audit.
    ``stopped`` says whether a fit, the permutations or the repeats were ended before their end.
    ``asked`` are the settings as they were asked for, ``settings`` as they were used; ``test_rows``
    are the test rows themselves; ``replays`` have, of each predictor that comes about by layers,
    what its sets are like with the first 0, 1, ... of them; ``size_gaps`` what a comparison tells
    of the test rows once these are gone; ``saved`` are the predictors as they are written down, or
    why one cannot be. These five are in memory alone.
    """

    settings: dict[str, Any]
    data: DataSummary
    predictors: list[AuditedPredictor]
    results: list[ResultRow]
    coefficients: list[CoefficientRow]
    segments: list[SegmentRow]
    drift: Drift
    seconds: Seconds
    notes: list[Sentence]
    hints: list[Hint] = field(default_factory=list)
    stopped: bool = False
    gaps: list[GapRow] = field(default_factory=list)
    size_strata: list[SizeStratumRow] = field(default_factory=list)
    worst_segments: list[WorstSegmentRow] = field(default_factory=list)
    audit_only: list[AuditOnlyRow] = field(default_factory=list)
    periods: list[PeriodRow] = field(default_factory=list)
    changes: list[ChangeRow] = field(default_factory=list)
    comparisons: list[AdjustmentRow] = field(default_factory=list)
    probabilities: list[ProbabilityBin] = field(default_factory=list)
    replays: Mapping[str, Sequence[ReplayStep]] = field(default_factory=dict, compare=False)
    asked: AuditSettings | None = field(default=None, compare=False)
    test_rows: TestRows | None = field(default=None, compare=False)
    size_gaps: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    saved: Mapping[str, SavedPredictor | InputError] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> list[str]:
        """The predictors' names, the reference first."""
        return [predictor.name for predictor in self.predictors]

    @property
    def reference(self) -> str:
        """The name of the predictor that the others adjust."""
        return self.predictors[0].name

    @property
    def iterations(self) -> Sequence[LayerAccepted]:
        """The layers of the first predictor that has any."""
        return next((by.fit.layers for by in self.predictors if by.fit.layers), ())

    @property
    def choices(self) -> list[Choice | None]:
        """What each predictor was chosen from, by training rows; None where there was no choice."""
        return [by.fit.choice for by in self.predictors]

    @property
    def adjustments(self) -> list[str]:
        """The names of the predictors that are made from the reference."""
        return self.names[1:]

    def row(self, subset: SubsetName, predictor: str) -> ResultRow:
        """Return one predictor's figures; KeyError if it was not evaluated on that subset."""
        return {(row.subset, row.predictor): row for row in self.results}[subset, predictor]

    def of(self, rows: Iterable[_Row], predictor: str) -> list[_Row]:
        """Return those of the rows that are of one predictor."""
        return [row for row in rows if row.predictor == predictor]

    def object_segments(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that are judged: by columns, groups or cohorts, with rows enough.

        Those by the label are left out: a prediction sees the object alone, so that even where
        coverage is CL for every object it is not CL for every label. None where all rows together
        say too little.
        """
        rows = self.of(self.segments, predictor) if self.coverage(predictor).is_known else []
        return [row for row in rows if row.family in levels.GROUPS]

    def coverage(self, predictor: str) -> Coverage:
        """Return a predictor's coverage of all test rows, beside what was promised."""
        drift = self.drift
        return Coverage(
            level=self.settings["cl"],
            share=self.row("test", predictor).accuracy,
            least=drift.accuracy_low,
            most=drift.accuracy_high,
            effective=drift.rows_effective,
        )

    def too_low(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that are clearly under-covered, most rows missed first."""
        level: float = self.settings["cl"]
        low = [row for row in self.of(self.segments, predictor) if row.status in TOO_LOW]
        return sorted(low, key=lambda row: row.counted * (level - row.accuracy), reverse=True)

    def rules_too_low(self, predictor: str) -> list[WorstSegmentRow]:
        """Return the rules under which rows are clearly under-covered, in the search's order."""
        low = (row for row in self.of(self.worst_segments, predictor) if row.status in TOO_LOW)
        return sorted(low, key=lambda row: row.rank)

    def change(self, predictor: str, group: tuple[str, str] = (ALL_ROWS, ALL_ROWS)) -> ChangeRow:
        """Return what an adjustment changes in a group; KeyError if it is not known."""
        return self._changes[predictor, group]

    @cached_property
    def _changes(self) -> dict[tuple[str, tuple[str, str]], ChangeRow]:
        return {(row.predictor, row.group): row for row in self.changes}

    def comparison(self, predictor: str) -> AdjustmentRow:
        """Return what an adjustment changes over all rows; KeyError if it is none."""
        return {row.predictor: row for row in self.comparisons}[predictor]

    def judged(self) -> Self:
        """Return the same with the statuses of its groups."""
        coverage = {name: self.coverage(name) for name in self.names}
        segments, rules, changes = self.segments, self.worst_segments, self.changes
        return replace(
            self,
            segments=with_statuses(segments, coverage, changes),
            worst_segments=with_statuses(rules, coverage, changes),
        )
