"""The audit's one result, and its form as JSON.

The command line, the dashboard and reports are views of :class:`AuditResult`.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from ..coverage.exchangeability import Drift
from ..coverage.histogram import ProbabilityBin
from ..events import LayerAccepted
from ..preparation.settings import AuditSettings
from ..segments.binning import OUTSIDE
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_segment import SegmentRow
from ..segments.by_set_size import SizeStratumRow
from ..segments.gaps import GapRow
from ..segments.search.worst_segments import When, WorstSegmentRow
from ..segments.statistics import SIZE
from ..segments.test_rows import AuditedObjects
from ..segments.under_coverage import Coverage, clearly_low
from .result_json import plain_sections

SegmentName = Literal["training", "test"]


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

    segment: SegmentName
    algorithm: str
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
    segment: SegmentName
    algorithm: str
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
    """Wall-clock time by stage."""

    read: float
    base_model: float
    ifacm: float
    audit: float
    total: float


@dataclass(frozen=True)
class Repeats:
    """Mean and spread of every figure over audits with different seeds.

    Attributes
    ----------
    seeds
        Of the audits.
    layers_mean, layers_sd
        Of the number of IFACM layers.
    results, coefficients, segments
        A dict for each row of the table of that name: its keys, ``repeats`` (how many audits
        have it), and ``FIGURE_mean`` and ``FIGURE_sd`` (with n - 1) of every figure.
    """

    seeds: list[int]
    layers_mean: float
    layers_sd: float
    results: list[dict[str, Any]]
    coefficients: list[dict[str, Any]]
    segments: list[dict[str, Any]]


@dataclass(frozen=True)
class AuditResult:
    """Everything an audit found; lists hold one entry for each row of the table they show."""

    settings: dict[str, Any]
    data: DataSummary
    results: list[ResultRow]
    iterations: list[LayerAccepted]
    coefficients: list[CoefficientRow]
    segments: list[SegmentRow]
    drift: Drift
    seconds: Seconds
    notes: list[str]
    findings: list[str] = dataclasses.field(default_factory=list)
    """What the test rows say, in words that need no statistics."""
    stopped: bool = False
    """Whether the remedy's fit, the permutations or the repeats were ended before their end."""
    repeats: Repeats | None = None
    gaps: list[GapRow] = dataclasses.field(default_factory=list)
    """How unequal coverage is over the segments of each variable."""
    size_strata: list[SizeStratumRow] = dataclasses.field(default_factory=list)
    """Accuracy by the size of the prediction set."""
    worst_segments: list[WorstSegmentRow] = dataclasses.field(default_factory=list)
    """Rules of low coverage, searched for on one half of the test rows, judged on the other."""
    audit_only: list[AuditOnlyRow] = dataclasses.field(default_factory=list)
    """DCV with respect to the audit-only columns."""
    headline: list[str] = dataclasses.field(default_factory=list)
    """For whom coverage is too low, by how much, and what the adjustment makes of it."""
    probabilities: list[ProbabilityBin] = dataclasses.field(default_factory=list)
    """A histogram of the test rows' p(x) before and after."""
    asked: AuditSettings | None = dataclasses.field(default=None, repr=False, compare=False)
    """The settings as they were asked for; not in the JSON, where they are as used."""
    objects: AuditedObjects | None = dataclasses.field(default=None, repr=False, compare=False)
    """The test rows themselves, for a closer look; in memory alone."""

    def row(self, segment: SegmentName, algorithm: str) -> ResultRow:
        """Return the figures of one predictor on one set."""
        return next(
            row for row in self.results if (row.segment, row.algorithm) == (segment, algorithm)
        )

    def object_segments(self) -> list[SegmentRow]:
        """Return the segments that go by columns or cohorts and hold test rows.

        Those by the label are left out: a prediction sees the object alone, so that even where
        coverage is CL for every object it is not CL for every label. So are the rows outside of
        a cohort, which nobody asked about.
        """
        return [
            row
            for row in self.segments
            if row.n > 0
            and row.kind != "label"
            and not (row.kind == "cohort" and row.value == OUTSIDE)
        ]

    def failing_segments(self, when: When = "base") -> list[SegmentRow]:
        """Return the segments whose accuracy's interval excludes CL, most rows concerned first.

        Of :meth:`object_segments`, so of those that do not go by the label.

        Rows concerned are those by which the segment's correct sets are fewer, or more, than
        promised: n times the distance of its accuracy from CL. Each interval misses its
        segment's coverage in about one of twenty segments by chance alone, so among many
        segments a few of these mean nothing.
        """
        level: float = self.settings["cl"]

        def excludes_level(row: SegmentRow) -> bool:
            low, high = getattr(row, f"low_{when}"), getattr(row, f"high_{when}")
            return bool(level < low or level > high)

        def rows_concerned(row: SegmentRow) -> float:
            return float(row.n * abs(getattr(row, f"accuracy_{when}") - level))

        return sorted(
            filter(excludes_level, self.object_segments()), key=rows_concerned, reverse=True
        )

    def coverage(self) -> Coverage:
        """Return the coverage of all test rows, before and after, beside what was promised."""
        shares = {row.algorithm: row.accuracy for row in self.results if row.segment == "test"}
        base = shares.pop("base")
        return Coverage(
            level=self.settings["cl"],
            n=self.data.test,
            base=base,
            adjusted=next(iter(shares.values())),
            least=self.drift.accuracy_low,
            most=self.drift.accuracy_high,
        )

    def too_low(self, when: When = "base") -> list[SegmentRow]:
        """Return the segments that are clearly under-covered, most rows missed first.

        Of :meth:`object_segments`; see :func:`clearly_low`.
        """
        coverage = self.coverage()

        def rows_missed(row: SegmentRow) -> float:
            return float(row.n * (coverage.level - getattr(row, f"accuracy_{when}")))

        return sorted(
            clearly_low(self.object_segments(), when, coverage), key=rows_missed, reverse=True
        )

    def surely_off(self, when: When) -> int:
        """Return how many failing segments differ from the overall coverage, with q up to 0.05."""
        return sum(getattr(row, f"q_value_{when}") <= SIZE for row in self.failing_segments(when))

    def worst_found(self, when: When = "base") -> list[WorstSegmentRow]:
        """Return the rules under which rows are clearly under-covered, see :func:`clearly_low`."""
        return clearly_low(self.worst_segments, when, self.coverage())

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain dicts and lists that JSON can hold.

        Infinities and NaN become None, with a sentence in ``notes`` that says where.
        """
        sections = dataclasses.asdict(dataclasses.replace(self, asked=None, objects=None))
        for name in _IN_MEMORY:
            del sections[name]
        plain, told = plain_sections(sections)
        plain["notes"] += told
        return plain


_IN_MEMORY = ("asked", "objects")
