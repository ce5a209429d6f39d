"""A conformity measure examined on the training and on the test set of an audit."""

from dataclasses import dataclass, replace

from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..conformal.icp import InductiveConformalPredictor
from ..conformal.measures import ConformityMeasure
from ..conformal.prediction_sets import PredictionSets
from ..coverage.dcv import adjusted_floor, noise_floor
from ..coverage.diagnosis import Diagnosis, diagnose
from ..coverage.estimators import ESTIMATORS, ProbabilityEstimator
from ..coverage.worst_slab import worst_slab_coverage
from ..findings.result import CoefficientRow, ResultRow, SegmentName
from ..preparation.prepare import Examples, PreparedData
from ..preparation.settings import AuditSettings
from ..segments.by_set_size import SizeStratumRow, size_strata, size_stratified_coverage
from ..segments.outcomes import Judged

_FLOOR_RATIO = 10.0
"""The floor's formula is close where n CL (1 - CL) is this many times the parameters; simulated
without any fault, DCV was 1.03 times the floor at a ratio of 2.8, twice it at 0.3 and 3 at 0.3."""

NORMAL_95 = 1.96

_Floors = tuple[float | None, float | None]


@dataclass(frozen=True)
class Examination:
    """One predictor on one set: its figures, its sets as judged, and accuracy by their size.

    Attributes
    ----------
    sets
        The prediction sets in the label's own units.
    probability
        The estimated p(x) of each row, shape (n,).
    """

    row: ResultRow
    coefficients: list[CoefficientRow]
    judged: Judged
    sets: PredictionSets
    probability: FloatArray
    strata: list[SizeStratumRow]
    confidence_level: float
    estimator: ProbabilityEstimator

    def of(self, algorithm: str) -> "Examination":
        """Return the examination of another predictor that has the same sets."""
        return replace(
            self,
            row=replace(self.row, algorithm=algorithm),
            coefficients=[replace(row, algorithm=algorithm) for row in self.coefficients],
            strata=[replace(row, algorithm=algorithm) for row in self.strata],
        )

    def notes(self) -> list[str]:
        """Return what a user should know of the figures."""
        where = f"{self.row.algorithm} on {self.row.segment} rows"
        notes = []
        correct = self.judged.correct
        if correct.all() or not correct.any():
            word = "right" if correct.all() else "wrong"
            notes.append(f"Every prediction set is {word} for {where}: no dependence to estimate.")
        has_floor = self.row.dcv_floor is not None
        if self.row.algorithm == "base" and has_floor and self._floor_is_rough():
            notes.append(
                f"The {self.row.segment} rows have too few wrong prediction sets for "
                f"{self.row.parameters} parameters: DCV then exceeds its floor even without any "
                "fault. Use more rows, fewer features or a lower confidence level."
            )
        if not self.row.converged:
            what = "logistic regression of correctness"
            if not self.estimator.maximum_likelihood:
                what = f"estimate of p(x) by {self.estimator.title}, or the {what},"
            notes.append(f"The {what} did not converge for {where}.")
        return notes

    def _floor_is_rough(self) -> bool:
        level = self.confidence_level
        return len(self.judged.correct) * level * (1.0 - level) < _FLOOR_RATIO * self.row.parameters


def examine(
    algorithm: str,
    measure: ConformityMeasure,
    data: PreparedData,
    settings: AuditSettings,
    *,
    terms: int | None = 0,
) -> dict[SegmentName, Examination]:
    """Examine a fitted measure on the training set (as Algorithm 1 does) and on the test set.

    ``terms`` is the number of fitted terms by which it adjusts a base measure; None where it
    adjusts it by something that has no such number.
    """
    confidence_level = settings.confidence_level
    estimator = ESTIMATORS[settings.estimator]()
    icp = InductiveConformalPredictor(FrozenEstimator(measure), confidence_level=confidence_level)
    icp.fit(data.train.X, data.train.y)
    sets: dict[SegmentName, tuple[Examples, Examples]] = {
        "training": (data.train, data.train),
        "test": (data.calibration, data.test),
    }
    examinations: dict[SegmentName, Examination] = {}
    for segment, (calibration, examples) in sets.items():
        icp.calibrate(calibration.X, calibration.y)
        functions = measure.score_functions(examples.X)
        correct = functions.at(examples.y) >= icp.threshold_
        columns = examples.independent_columns
        diagnosis = diagnose(examples.X, correct, confidence_level, columns, estimator)
        floors: _Floors = (None, None)
        if estimator.maximum_likelihood:
            floors = _floors(segment, diagnosis.parameters, data, confidence_level, terms)
        found = functions.sets(icp.threshold_)
        judged = Judged(correct, found.sizes, functions.largest_size)
        on_test = segment == "test"
        strata = size_strata(algorithm, judged) if on_test else []
        row = ResultRow(
            segment,
            algorithm,
            accuracy=float(correct.mean()),
            inefficiency=functions.mean_size(icp.threshold_),
            inefficiency_original_units=data.label.original_inefficiency(found),
            dcv=diagnosis.deviation.value,
            dcv_level=diagnosis.deviation.level,
            dcv_spread=diagnosis.deviation.spread,
            dcv_floor=floors[0],
            dcv_floor_unadjusted=floors[1],
            worst_slab_coverage=worst_slab_coverage(examples.X, correct) if on_test else None,
            size_stratified_coverage=size_stratified_coverage(strata) if on_test else None,
            **_certainty(diagnosis, optimised=not on_test and terms != 0),
            parameters=diagnosis.parameters,
            converged=diagnosis.converged,
            **_noise_band(floors[1], confidence_level),
        )
        coefficients = _coefficient_rows(row, diagnosis, data.encoder.names_)
        examinations[segment] = Examination(
            row,
            coefficients,
            judged,
            data.label.in_units(found),
            diagnosis.probability,
            strata,
            confidence_level,
            estimator,
        )
    return examinations


def _coefficient_rows(
    row: ResultRow, diagnosis: Diagnosis, names: list[str]
) -> list[CoefficientRow]:
    return [
        CoefficientRow(name, row.segment, row.algorithm, float(coefficient), float(error))
        for name, coefficient, error in zip(
            names, diagnosis.coefficients, diagnosis.standard_errors, strict=True
        )
    ]


def _certainty(diagnosis: Diagnosis, *, optimised: bool) -> dict[str, float | None]:
    """Return how sure the deviation is; nothing of a predictor on rows it was optimised on."""
    evidence = diagnosis.evidence
    values = {
        "dcv_corrected": evidence.corrected,
        "dcv_corrected_low": evidence.low,
        "dcv_corrected_high": evidence.high,
        "dcv_crossfitted": diagnosis.crossfitted,
        "p_value": evidence.p_value,
        "ert_l1": diagnosis.excess.l1,
        "ert_over": diagnosis.excess.over,
        "ert_under": diagnosis.excess.under,
        "ert_l2": diagnosis.excess.l2,
        "ert_log": diagnosis.excess.log,
    }
    return {name: None if optimised else value for name, value in values.items()}


def _noise_band(floor: float | None, confidence_level: float) -> dict[str, float | None]:
    """Return where 95 % of p(x) lie if a faultless predictor's DCV is its floor, if that is known.

    DCV is the root mean square of p(x) - CL, which estimation noise alone makes about normal.
    """
    if floor is None:
        return {"noise_low": None, "noise_high": None}
    reach = NORMAL_95 * floor
    return {
        "noise_low": max(0.0, confidence_level - reach),
        "noise_high": min(1.0, confidence_level + reach),
    }


def _floors(
    segment: SegmentName,
    parameters: int,
    data: PreparedData,
    confidence_level: float,
    terms: int | None,
) -> _Floors:
    """Return the DCV by noise alone, for this predictor and for one that is not adjusted."""
    n_train, n_test = len(data.train.y), len(data.test.y)
    n = n_train if segment == "training" else n_test
    plain = noise_floor(parameters, n, confidence_level)
    if terms == 0:
        return plain, plain
    if segment == "training":  # optimised on these very rows: no noise is left to speak of
        return None, None
    if terms is None:
        return None, plain
    return adjusted_floor(terms, n_train, n_test, confidence_level), plain
