"""The audit's one result: the command line, the dashboard and reports are views of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from ..coverage.exchangeability import Drift
from ..coverage.histogram import ProbabilityBin
from ..events import LayerAccepted
from ..messages import Sentence
from ..preparation.settings import AuditSettings
from ..segments.binning import OUTSIDE
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_segment import SegmentRow
from ..segments.by_set_size import SizeStratumRow
from ..segments.gaps import GapRow
from ..segments.search.worst_segments import WorstSegmentRow
from ..segments.statistics import SIZE
from ..segments.test_rows import AuditedObjects
from ..segments.under_coverage import Coverage, clearly_low
from .finding import Finding

SubsetName = Literal["training", "test"]


class _OfPredictor(Protocol):
    @property
    def predictor(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfPredictor)
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)


@dataclass(frozen=True)
class ResultRow:
    """Figures of one predictor on one set.

    The training figures are those of an ICP with the training set as its own calibration set
    (Algorithm 1), the test figures those of one calibrated on the calibration set.

    Attributes
    ----------
    accuracy
        Share of prediction sets that hold their label.
    inefficiency
        Mean set size, or mean interval width with the label standardised by the training rows.
    inefficiency_original_units
        The same in the label's own units.
    dcv, dcv_level, dcv_spread
        Deviation from conditional validity, and its parts: mean p - CL, and deviation of p.
    dcv_floor
        What ``dcv`` is by estimation noise alone: for the base, if it were perfectly valid;
        for an adjusted predictor on test rows, with the training noise it carries. None for an
        adjusted predictor on the training rows it was optimised on. None, like the next, where it
        is known by no formula: by another estimator than the logistic regression.
    dcv_floor_unadjusted
        The floor of a perfectly valid predictor that was not adjusted.
    dcv_floor_simulated
        What ``dcv`` is by estimation noise alone for a perfectly valid predictor that was not
        adjusted, by drawing outcomes; None unless permutations are asked for, and on training rows.
    dcv_corrected, dcv_corrected_low, dcv_corrected_high
        DCV without the part that estimation noise adds on average, and a 95 % interval for the
        DCV in the population. None, as the next two, for an adjusted predictor on the training
        rows it was optimised on; None too by another estimator than the logistic regression.
    dcv_crossfitted
        DCV by estimates that are judged on other rows than they were fitted on.
    p_value
        Of the score test that coverage does not depend on the features, each taken as a straight
        line; whatever the estimator.
    p_value_permuted
        Of the same, by permuting outcomes: as the estimator sees dependence. None unless
        permutations are asked for, and on training rows.
    ert_l1, ert_over, ert_under, ert_l2, ert_log
        Excess risk of the target coverage, cross-fitted, by several losses: see ``ExcessRisk``.
    worst_slab_coverage
        Coverage between the two planes where it looked worst on one half of the test rows, on the
        other half; None for training rows.
    size_stratified_coverage
        The lowest accuracy among prediction sets of one size, of those sizes that 30 test rows or
        more have: see ``SizeStratumRow``. None for training rows.
    parameters
        Fitted parameters of the logistic regression of correctness, intercept included.
    converged
        Whether that regression, and the estimator behind ``dcv``, reached their optimum.
    noise_low, noise_high
        Where about 95 % of p(x) lie by estimation noise alone for a perfectly valid predictor
        that was not adjusted; None where ``dcv_floor_unadjusted`` is.
    """

    subset: SubsetName
    predictor: str
    accuracy: float
    inefficiency: float
    inefficiency_original_units: float
    dcv: float
    dcv_level: float
    dcv_spread: float
    dcv_floor: float | None
    dcv_floor_unadjusted: float | None
    dcv_corrected: float | None
    dcv_corrected_low: float | None
    dcv_corrected_high: float | None
    dcv_crossfitted: float | None
    p_value: float | None
    ert_l1: float | None
    ert_over: float | None
    ert_under: float | None
    ert_l2: float | None
    ert_log: float | None
    worst_slab_coverage: float | None
    parameters: int
    converged: bool
    dcv_floor_simulated: float | None = None
    p_value_permuted: float | None = None
    size_stratified_coverage: float | None = None
    noise_low: float | None = None
    noise_high: float | None = None


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


@dataclass(frozen=True)
class DroppedColumn:
    """A column, or encoded column, left out of the model, and why."""

    column: str
    reason: str


@dataclass(frozen=True)
class DataSummary:
    """What was made of the table.

    Attributes
    ----------
    rows
        Rows of the table, those without a label included.
    features
        Columns of the table that the model uses.
    encoded_features
        Columns of the design matrix, to which the coefficients belong.
    fingerprint
        "sha256:" and the digest of the file's bytes, or "rows-sha256:" and that of a frame's
        values.
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
class Repeats:
    """Mean and spread of every figure over audits with different seeds.

    Attributes
    ----------
    seeds
        Of the audits.
    layers_mean, layers_sd
        Of the number of layers.
    results, coefficients, segments
        A dict for each row of the table of that name in the JSON form: its keys, ``repeats`` (how
        many audits have it), and ``FIGURE_mean`` and ``FIGURE_sd`` (with n - 1) of every figure.
    """

    seeds: list[int]
    layers_mean: float
    layers_sd: float
    results: list[dict[str, Any]]
    coefficients: list[dict[str, Any]]
    segments: list[dict[str, Any]]


@dataclass(frozen=True)
class AuditedPredictor:
    """What was audited.

    Attributes
    ----------
    name
        In data.
    title
        For a reader.
    guarantee
        What it promises, in one sentence.
    is_calibrated
        Whether its sets hang on calibration rows; without, it is not audited on training rows.
    adjusts
        Whether it differs from the reference.
    """

    name: str
    title: str
    guarantee: str
    is_calibrated: bool = True
    adjusts: bool = True


@dataclass(frozen=True)
class AuditResult:
    """Everything an audit found; lists hold one entry for each row of the table they show.

    Figures are rows of one predictor each. The first predictor is the reference that the others
    adjust; nothing else is special about it.

    Attributes
    ----------
    layers
        Of the predictors that came about layer by layer.
    findings
        What the test rows say, as data.
    headline, explanations
        The same in words: for whom coverage is too low, by how much, and what adjustments make of
        it; and the rest.
    stopped
        Whether a fit, the permutations or the repeats were ended before their end.
    gaps
        How unequal coverage is over the segments of each variable.
    size_strata
        Accuracy by the size of the prediction set.
    worst_segments
        Rules of low coverage, searched for on one half of the test rows, judged on the other.
    audit_only
        DCV with respect to the audit-only columns.
    probabilities
        A histogram of the test rows' p(x).
    asked
        The settings as they were asked for; not in the JSON, where they are as used.
    objects
        The test rows themselves, for a closer look; in memory alone.
    """

    settings: dict[str, Any]
    data: DataSummary
    predictors: list[AuditedPredictor]
    results: list[ResultRow]
    layers: Mapping[str, Sequence[LayerAccepted]]
    coefficients: list[CoefficientRow]
    segments: list[SegmentRow]
    drift: Drift
    seconds: Seconds
    notes: list[Sentence]
    findings: list[Finding] = field(default_factory=list)
    headline: list[str] = field(default_factory=list)
    explanations: list[str] = field(default_factory=list)
    stopped: bool = False
    repeats: Repeats | None = None
    gaps: list[GapRow] = field(default_factory=list)
    size_strata: list[SizeStratumRow] = field(default_factory=list)
    worst_segments: list[WorstSegmentRow] = field(default_factory=list)
    audit_only: list[AuditOnlyRow] = field(default_factory=list)
    probabilities: list[ProbabilityBin] = field(default_factory=list)
    asked: AuditSettings | None = field(default=None, repr=False, compare=False)
    objects: AuditedObjects | None = field(default=None, repr=False, compare=False)

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
        return next((layers for layers in self.layers.values() if layers), ())

    def row(self, subset: SubsetName, predictor: str) -> ResultRow:
        """Return the figures of one predictor on one subset.

        Raises
        ------
        KeyError
            If it was not evaluated there.
        """
        for row in self.results:
            if (row.subset, row.predictor) == (subset, predictor):
                return row
        raise KeyError((subset, predictor))

    def of(self, rows: Iterable[_Row], predictor: str) -> list[_Row]:
        """Return those of the rows that are of one predictor."""
        return [row for row in rows if row.predictor == predictor]

    def object_segments(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that go by columns or cohorts and are not empty.

        Those by the label are left out: a prediction sees the object alone, so that even where
        coverage is CL for every object it is not CL for every label. So are the rows outside of
        a cohort, which nobody asked about.
        """
        return [
            row
            for row in self.of(self.segments, predictor)
            if row.n > 0
            and row.kind != "label"
            and not (row.kind == "cohort" and row.value == OUTSIDE)
        ]

    def failing_segments(self, predictor: str) -> list[SegmentRow]:
        """Return the segments whose accuracy's interval excludes CL, most rows concerned first.

        Of :meth:`object_segments`, so of those that do not go by the label.

        Rows concerned are those by which the segment's correct sets are fewer, or more, than
        promised: n times the distance of its accuracy from CL. Each interval misses its
        segment's coverage in about one of twenty segments by chance alone, so among many
        segments a few of these mean nothing.
        """
        level: float = self.settings["cl"]
        failing = [
            row for row in self.object_segments(predictor) if not row.low <= level <= row.high
        ]
        return sorted(failing, key=lambda row: row.n * abs(row.accuracy - level), reverse=True)

    def coverage(self, predictor: str) -> Coverage:
        """Return a predictor's coverage of all test rows, beside what was promised."""
        return Coverage(
            level=self.settings["cl"],
            n=self.data.test,
            share=self.row("test", predictor).accuracy,
            least=self.drift.accuracy_low,
            most=self.drift.accuracy_high,
        )

    def too_low(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that are clearly under-covered, most rows missed first.

        Of :meth:`object_segments`; see :func:`clearly_low`.
        """
        level: float = self.settings["cl"]
        low = self._clearly_low(self.object_segments, predictor)
        return sorted(low, key=lambda row: row.n * (level - row.accuracy), reverse=True)

    def worst_found(self, predictor: str) -> list[WorstSegmentRow]:
        """Return the rules under which rows are clearly under-covered, see :func:`clearly_low`."""
        return self._clearly_low(lambda name: self.of(self.worst_segments, name), predictor)

    def _clearly_low(self, rows: Callable[[str], list[_Group]], predictor: str) -> list[_Group]:
        before = self.reference
        found = clearly_low(rows(before), self.coverage(before))
        if predictor == before:
            return found
        low_before = {row.group for row in found}
        return clearly_low(rows(predictor), self.coverage(predictor), low_before)

    def surely_off(self, predictor: str) -> int:
        """Return how many failing segments differ from the overall coverage, with q up to 0.05."""
        return sum(row.q_value <= SIZE for row in self.failing_segments(predictor))
