"""A predictor evaluated on the training rows and on the test rows of an audit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..arrays import BoolArray, FloatArray
from ..conformal.examples import Examples
from ..conformal.prediction_sets import Outcomes, PredictionSets
from ..conformal.predictor import Predictor
from ..coverage.dcv import adjusted_floor, noise_floor
from ..coverage.diagnosis import Diagnosis, diagnose, with_columns
from ..coverage.estimators import ESTIMATORS, ProbabilityEstimator
from ..coverage.worst_slab import worst_slab_coverage
from ..findings.result import CoefficientRow, ResultRow, SubsetName
from ..messages import Sentence
from ..preparation.collinearity import independent_columns
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..segments.by_set_size import SizeStratumRow, size_strata, size_stratified_coverage

_FLOOR_RATIO = 10.0
"""The floor's formula is close where n CL (1 - CL) is this many times the parameters; simulated
without any fault, DCV was 1.03 times the floor at a ratio of 2.8, twice it at 0.3 and 3 at 0.3."""

NORMAL_95 = 1.96


@dataclass(frozen=True, eq=False)
class Subset:
    """Rows that predictors are evaluated on, and those that they are calibrated on for it.

    The training rows are their own calibration rows, as in Algorithm 1.
    """

    name: SubsetName
    examples: Examples
    calibration: Examples

    @cached_property
    def independent_columns(self) -> list[int]:
        """Columns of X that are not constant or combinations of others in these rows."""
        return independent_columns(self.examples.X)

    @property
    def determined(self) -> FloatArray:
        """X with these columns alone."""
        return with_columns(self.examples.X, self.independent_columns)


@dataclass(frozen=True)
class Evaluation:
    """One predictor on one subset: its figures, its sets, and accuracy by their size.

    ``sets`` are in the label's own units; ``probability`` is the estimated p(x), shape (n,).
    """

    row: ResultRow
    coefficients: list[CoefficientRow]
    outcomes: Outcomes
    sets: PredictionSets
    probability: FloatArray
    strata: list[SizeStratumRow]


@dataclass
class Evaluator:
    """Evaluates predictors of an audit's data, all in the same way."""

    data: PreparedData
    settings: AuditSettings
    _diagnoses: dict[tuple[str, bytes], Diagnosis] = field(default_factory=dict)

    @cached_property
    def subsets(self) -> dict[SubsetName, Subset]:
        """The training rows, and the test rows."""
        data = self.data
        return {
            "training": Subset("training", data.train, data.train),
            "test": Subset("test", data.test, data.calibration),
        }

    @cached_property
    def estimator(self) -> ProbabilityEstimator:
        """The estimator of p(x) behind DCV."""
        return ESTIMATORS[self.settings.estimator]()

    def evaluate(self, predictor: Predictor) -> dict[SubsetName, Evaluation]:
        """Return the evaluations of a predictor by subset; without training rows if it has none."""
        return {
            name: self._on(subset, predictor)
            for name, subset in self.subsets.items()
            if predictor.is_calibrated or name == "test"
        }

    def _on(self, subset: Subset, predictor: Predictor) -> Evaluation:
        prediction = predictor.predict(subset.examples, subset.calibration)
        outcomes, label = prediction.outcomes, self.data.label
        diagnosis = self._diagnosis(subset, outcomes.correct)
        on_test = subset.name == "test"
        strata = size_strata(predictor.name, outcomes) if on_test else []
        correct = outcomes.correct
        slab = worst_slab_coverage(subset.examples.X, correct) if on_test else None
        row = ResultRow(
            subset.name,
            predictor.name,
            accuracy=float(correct.mean()),
            inefficiency=prediction.mean_size,
            inefficiency_original_units=label.original_inefficiency(prediction.sets),
            dcv=diagnosis.deviation.value,
            dcv_level=diagnosis.deviation.level,
            dcv_spread=diagnosis.deviation.spread,
            worst_slab_coverage=slab,
            size_stratified_coverage=size_stratified_coverage(strata) if on_test else None,
            parameters=diagnosis.parameters,
            converged=diagnosis.converged,
            **_certainty(diagnosis, optimised=not on_test and predictor.terms != 0),
            **self._floors(subset, diagnosis.parameters, predictor.terms),
        )
        return Evaluation(
            row,
            _coefficient_rows(row, diagnosis, self.data.encoder.names_),
            outcomes,
            label.in_units(prediction.sets),
            diagnosis.probability,
            strata,
        )

    def _diagnosis(self, subset: Subset, correct: BoolArray) -> Diagnosis:
        """Return the diagnosis, once for the same outcomes: an adjustment may change none."""
        key = subset.name, correct.tobytes()
        if key not in self._diagnoses:
            self._diagnoses[key] = diagnose(
                subset.examples.X,
                correct,
                self.settings.confidence_level,
                subset.independent_columns,
                self.estimator,
            )
        return self._diagnoses[key]

    def _floors(
        self, subset: Subset, parameters: int, terms: int | None
    ) -> dict[str, float | None]:
        on_test = subset.name == "test"
        if not self.estimator.maximum_likelihood or (terms != 0 and not on_test):
            # known by no formula; or optimised on these very rows, with no noise to speak of
            return dict.fromkeys(("dcv_floor", "dcv_floor_unadjusted", "noise_low", "noise_high"))
        level, n = self.settings.confidence_level, len(subset.examples)
        plain = noise_floor(parameters, n, level)
        floor: float | None = plain
        if terms != 0:
            n_train = len(self.data.train)
            floor = None if terms is None else adjusted_floor(terms, n_train, n, level)
        # a DCV is the root mean square of p(x) - CL, which noise alone makes about normal
        reach = NORMAL_95 * plain
        return {
            "dcv_floor": floor,
            "dcv_floor_unadjusted": plain,
            "noise_low": max(0.0, level - reach),
            "noise_high": min(1.0, level + reach),
        }

    def notes(self, evaluations: Sequence[Evaluation]) -> list[Sentence]:
        """Return what a user should know of the figures, in the evaluations' order."""
        notes = [note for evaluation in evaluations for note in self._notes(evaluation)]
        return list(dict.fromkeys(notes))  # one may hold for several predictors

    def _notes(self, evaluation: Evaluation) -> list[Sentence]:
        row, correct = evaluation.row, evaluation.outcomes.correct
        where = {"predictor": row.predictor, "subset": row.subset}
        notes = []
        if correct.all() or not correct.any():
            notes.append(
                Sentence(
                    "outcomes.all-alike",
                    "Every prediction set is {word} for {predictor} on {subset} rows: no "
                    "dependence to estimate.",
                    word="right" if correct.all() else "wrong",
                    **where,
                )
            )
        if row.dcv_floor == row.dcv_floor_unadjusted and self._floor_is_rough(row, len(correct)):
            notes.append(
                Sentence(
                    "floor.rough",
                    "The {subset} rows have too few wrong prediction sets for {parameters} "
                    "parameters: DCV then exceeds its floor even without any fault. Use more "
                    "rows, fewer features or a lower confidence level.",
                    parameters=row.parameters,
                    **where,
                )
            )
        if not row.converged:
            what = "logistic regression of correctness"
            if not self.estimator.maximum_likelihood:
                what = f"estimate of p(x) by {self.estimator.title}, or the {what},"
            notes.append(
                Sentence(
                    "diagnosis.unconverged",
                    "The {what} did not converge for {predictor} on {subset} rows.",
                    what=what,
                    **where,
                )
            )
        return notes

    def _floor_is_rough(self, row: ResultRow, n: int) -> bool:
        level = self.settings.confidence_level
        return row.dcv_floor is not None and n * level * (1.0 - level) < (
            _FLOOR_RATIO * row.parameters
        )


def _coefficient_rows(
    row: ResultRow, diagnosis: Diagnosis, names: list[str]
) -> list[CoefficientRow]:
    return [
        CoefficientRow(name, row.subset, row.predictor, float(coefficient), float(error))
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
