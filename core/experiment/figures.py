"""The rows of figures that a result has of its predictors, and what it says of its data.

A figure is declared here, where it is also said whether comparisons tell it; what computes it is in
``evaluation.py``, and its words on page, report and terminal are a line of ``columns.csv`` in
``dashboard/wording/``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ..coverage.dcv_inference import NoiseFormula
from ..events import LayerTried
from ..segments.audited_rows import Untested
from ..segments.tally import PartOfSegment, SegmentCoverage

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
    it looked worst on one half of the test rows, on the other half; ``size_stratified_coverage``
    the lowest among sets of one size that 20 test rows or more have. ``parameters`` of the logistic
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
    inefficiency_original_units: float = field(metadata=_OF_RUNS)
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
    parameters: int = field(kw_only=True)
    converged: bool = field(kw_only=True)
    dcv_floor_simulated: float | None = None
    p_value_permuted: float | None = None
    size_stratified_coverage: float | None = None
    noise_low: float | None = None
    noise_high: float | None = None
    dcv_spread_floor: float | None = None
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

    ``size_ratio_median`` and ``size_ratio_mean`` are of each row's own width after to that before,
    in the label's units, of rows where both are finite; None for sets of labels.
    ``unevenness_change`` is by how much the square of the cross-fitted DCV changes, with its
    standard error and p-value, two-sided, by the rows' paired differences.

    ``cost`` is the unevenness that fitting so many terms to so many training rows brings about,
    ``sqrt(k w / n_train)``; None where the terms have no number. ``found`` is the corrected DCV
    of the reference on the training rows, None where it is not known, and ``found_p_value`` that of
    the score test there: what there is to adjust.
    """

    predictor: str
    size_ratio_median: float | None
    size_ratio_mean: float | None
    unevenness_change: float
    unevenness_standard_error: float
    unevenness_p_value: float
    cost: float | None
    found: float | None
    found_p_value: float | None


@dataclass(frozen=True)
class DroppedColumn:
    """A column, or encoded column, left out of the model, and why."""

    column: str
    reason: str


@dataclass(frozen=True)
class DataSummary:
    """What was made of the table, whose ``rows`` include those without a label or output.

    ``features`` are columns of the table that the model uses, ``encoded_features`` those of the
    design matrix, to which the coefficients belong. The ``fingerprint`` is "sha256:" and the digest
    of the file's bytes, or "rows-sha256:" and that of a frame's values. Of the ``untested`` values
    no test row tells anything. Where rows have weights, ``weights`` are their sums by set, and
    ``effective`` says how many rows of one weight say as much.
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
class Coefficients:
    """Those of the logistic regression of correctness, with standard errors, by feature."""

    slopes: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class ReplayStep:
    """What the prediction sets of a predictor are like with its first layers alone.

    Figures are of the test rows unless their names say otherwise. ``probabilities`` counts p(x) in
    bins of equal width from 0 to 1; ``worst`` is the segment whose 95 % interval ends lowest,
    ``followed`` the one of which that holds without a layer, None where no segment has rows enough.
    ``tried`` are the evaluations that the last of the layers was chosen from.
    """

    predictor: str
    layers: int
    training_dcv: float
    training_inefficiency: float
    dcv: float
    inefficiency: float
    coverage: float
    features: tuple[str, ...]
    training_coefficients: Coefficients
    coefficients: Coefficients
    probabilities: tuple[int, ...]
    worst: SegmentCoverage | None
    followed: SegmentCoverage | None
    are_intervals: bool
    wider: ChangedRows | None = None
    narrower: ChangedRows | None = None
    gamma: float | None = None
    delta: float | None = None
    tried: tuple[LayerTried, ...] = ()
