"""A predictor evaluated on the training rows and on the test rows of an audit."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..conformal.predictor import Prediction, Predictor
from ..conformal.rank import CoverageLaw, capped, smallest_calibration_size, threshold_rank
from ..conformal.thresholds import ThresholdRule
from ..coverage.dcv import Deviation, floor_by_formula, noise_floor
from ..coverage.diagnosis import Diagnosis, diagnose, in_worst_slab, out_of_fold
from ..coverage.estimators import ESTIMATORS, ProbabilityEstimator
from ..coverage.evenness import JUDGES, by_trees, class_shares, evenness
from ..coverage.null_model import Chance, NullModel, draws_at_once, simulate_chance
from ..events import Listener, StopRequest, ignore, never
from ..messages import Sentence
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.target import ClassLabel
from ..rows.examples import Examples
from ..rows.folds import some_rows
from ..rows.outcomes import IntervalSets, Outcomes, PredictionSets
from ..rows.weights import weighted_mean
from ..segments.by_segment import (
    SizeStratumRow,
    lowest_by_chance,
    size_strata,
    size_stratified_coverage,
)
from ..segments.tally import ByGroup, Tally
from .result import CoefficientRow, ResultRow, SubsetName

NORMAL_95 = 1.96
REACH = 2.24  # deviations within which two things, either way, are in 95 % of cases or more
_MOST_JUDGED = 20_000  # rows

_ALL_ALIKE = (
    "Every prediction set is {word} for {predictor} on {subset} rows: no dependence to estimate."
)
_ROUGH = (
    "The {subset} rows have too few wrong prediction sets{clusters} for {parameters} parameters: "
    "DCV is large then even without any fault, by what no formula tells. Use more rows, fewer "
    "features or a lower confidence level."
)
_CLUSTERS = ", or too few clusters of rows with some,"
_EMPTY = (
    "{count} of {n} prediction sets of {predictor} are empty: they hold no class, count as misses, "
    "and are no stratum by size."
)
_WIDE = (
    "Intervals of {predictor} that are wider than the range of the training labels: {count} of "
    "{n}, the widest {widest} ({times:,.3g} times that range). The mean width hangs on them; a cap "
    "on widths ends them there."
)
_CAPPED = (
    "Intervals of {predictor} that are cut {times:g} times the range of the training labels beyond "
    "these: {count} of {n}. Labels beyond are missed; of exchangeable rows they are at most 2 in "
    "{rows} on average."
)
_UNCONVERGED = "The {what} did not converge for {predictor} on {subset} rows."
_TOO_FEW = (
    "{n} calibration rows are too few for confidence level {level}, which needs {needed}: every "
    "label is kept and every interval is infinite{capped}."
)
_NO_FORMULA = (
    "DCV is measured by {estimator}, for which no formula tells the part of estimation noise: "
    "there is neither floor nor correction. Read {instead}. Coefficients and the score test are "
    "those of the logistic regression."
)
_READ_ASKED = "the cross-fitted DCV, the simulated floor and the permuted p-value"
_READ_UNASKED = "the cross-fitted DCV, or ask for permutations, which simulate the floor"
_SAMPLE = "Boosted trees judge coverage by {n} of {all} test rows, drawn at random."
_NO_SLAB = "Worst-slab coverage does not go by weights, and is left out."
_NO_FORMULA_INSIDE = (
    "IFACM estimated p(x) by {estimator}: no formula tells the noise of the training rows that it "
    "carries, so that DCV after it has no floor of its own."
)


@dataclass(frozen=True)
class Evaluation:
    """One predictor on one subset: its sets, and what is seen of the dependence on the features.

    ``sets`` are in the label's own units; ``strata`` are accuracy by their size, on test rows.
    ``floor`` is the DCV of a predictor without fault that was not adjusted; None where no formula
    tells it, or the predictor was ``optimised`` on these rows.
    """

    subset: SubsetName
    predictor: Predictor
    outcomes: Outcomes
    sets: PredictionSets
    diagnosis: Diagnosis
    optimised: bool
    floor: Deviation | None
    strata: list[SizeStratumRow]
    coefficients: list[CoefficientRow]
    notes: Sequence[Sentence]
    tied: float  # see Prediction
    missed_below: float | None  # the share of labels below their intervals

    @property
    def wants_draws(self) -> bool:
        """Whether it can have a floor, but none that a formula tells."""
        has_some = self.diagnosis.evidence.dcv_formula != "none" and not self.optimised
        return self.subset == "test" and self.floor is None and has_some


@dataclass
class Evaluator:
    """Evaluates predictors of an audit's data, all in the same way."""

    data: PreparedData
    settings: AuditSettings
    _diagnoses: dict[tuple[str, bytes], Diagnosis] = field(default_factory=dict)
    _seen: dict[tuple[str, bytes], FloatArray] = field(default_factory=dict)

    @cached_property
    def subsets(self) -> dict[SubsetName, Examples]:
        """The training rows, and the test rows."""
        return {"training": self.data.train, "test": self.data.test}

    @cached_property
    def estimator(self) -> ProbabilityEstimator:
        """The estimator of p(x) behind DCV."""
        return ESTIMATORS[self.settings.estimator]()

    def evaluate(self, predictor: Predictor) -> dict[SubsetName, Evaluation]:
        """Return the evaluations of a predictor by subset; without training rows if it has none."""
        return {
            name: self._on(name, predictor)
            for name in self.subsets
            if predictor.is_calibrated or name == "test"
        }

    def _on(self, subset: SubsetName, predictor: Predictor) -> Evaluation:
        examples, on_test = self.subsets[subset], subset == "test"
        # training rows are their own calibration rows, as in Algorithm 1
        calibration = self.data.calibration if on_test else examples
        prediction = self._capped(predictor, predictor.predict(examples, calibration), examples)
        outcomes, label = prediction.outcomes, self.data.label
        key = subset, outcomes.correct.tobytes()
        if key not in self._diagnoses:  # an adjustment may change no outcome
            level = self.settings.confidence_level
            self._diagnoses[key] = diagnose(examples, outcomes, level, self.estimator)
        diagnosis, floor = self._diagnoses[key], None
        optimised = not on_test and predictor.fit_.terms != 0
        if diagnosis.evidence.dcv_formula == "good" and not optimised:
            null_model = self.null_model(predictor, outcomes, subset)
            floor = floor_by_formula(diagnosis.parameters, len(examples), null_model.law)
            floor = null_model.widened(floor, examples.determined)
        figures = diagnosis.coefficients.tolist(), diagnosis.standard_errors.tolist()
        sets, below = prediction.sets, None
        if isinstance(sets, IntervalSets):
            missed = ~outcomes.correct & (examples.labels < sets.upper)
            below = weighted_mean(missed, outcomes.weights)
        return Evaluation(
            subset,
            predictor,
            outcomes,
            label.in_units(prediction.sets),
            diagnosis,
            optimised,
            floor,
            strata=size_strata(predictor.name, outcomes) if on_test else [],
            coefficients=[
                CoefficientRow(name, subset, predictor.name, *of_name)
                for name, *of_name in zip(self.data.encoder.names_, *figures, strict=True)
            ],
            notes=prediction.notes if on_test else (),
            tied=prediction.tied,
            missed_below=below,
        )

    def _capped(self, by: Predictor, prediction: Prediction, examples: Examples) -> Prediction:
        """Return sets that end where they are to, with a note; or one on any that are very wide."""
        sets, label, times = prediction.sets, self.data.label, self.settings.cap_width
        is_given = not by.is_calibrated  # as it is
        if is_given or not isinstance(sets, IntervalSets) or isinstance(label, ClassLabel):
            return prediction
        known = self.data.train.y if len(self.data.train) else self.data.calibration.y
        about: dict[str, Any] = {"predictor": by.name, "n": len(examples), "rows": len(known) + 1}
        if times is None:
            text, sizes = ("sets.wide", _WIDE), label.in_units(sets).sizes
            known_size, widest = float(label.range_of(known).sizes[0]), float(sizes.max())
            are_told, times = sizes > known_size, widest / known_size if known_size else math.inf
            shown = f"{widest:,.0f}" if 1e4 <= widest < 1e15 else f"{widest:.4g}"  # noqa: PLR2004
            about["widest"] = shown.replace("inf", "infinite")
        else:
            text, (low, high) = ("sets.capped", _CAPPED), label.beyond(known, times)
            cut, y = sets.within(low, high), examples.labels
            are_told = (cut.lower > sets.lower) | (cut.upper < sets.upper)
            correct = prediction.outcomes.correct & (low <= y) & (y <= high)
            outcomes = replace(prediction.outcomes, correct=correct, sizes=cut.sizes)
            prediction = replace(prediction, sets=cut, outcomes=outcomes)
        note = Sentence(*text, **about, times=times, count=int(are_told.sum()))
        return replace(prediction, notes=[*prediction.notes, *[note] * bool(are_told.any())])

    def row(self, evaluation: Evaluation, chance: Chance | None = None) -> ResultRow:
        """Return the figures of an evaluation, on test rows with what was simulated."""
        diagnosis, floor = evaluation.diagnosis, evaluation.floor
        label, outcomes = self.data.label, evaluation.outcomes
        # ends in units far from 0 lose digits, so widths are scaled instead where they can be
        with np.errstate(over="ignore"):  # wider than any number
            sizes = evaluation.sets.sizes if label.logarithmic else outcomes.sizes * label.scale
        if evaluation.wants_draws and chance is not None:
            floor = chance.floor
        certainty = {
            **vars(diagnosis.evidence),
            "dcv_crossfitted": diagnosis.crossfitted,
            **{f"ert_{loss}": excess for loss, excess in vars(diagnosis.excess).items()},
        }
        return ResultRow(
            evaluation.subset,
            evaluation.predictor.name,
            accuracy=evaluation.outcomes.accuracy,
            inefficiency=weighted_mean(outcomes.sizes, outcomes.weights),
            inefficiency_original_units=weighted_mean(sizes, outcomes.weights),
            dcv=diagnosis.deviation.value,
            dcv_level=diagnosis.deviation.level,
            dcv_spread=diagnosis.deviation.spread,
            parameters=diagnosis.parameters,
            converged=diagnosis.converged,
            **({} if floor is None else self._floors(floor, evaluation.predictor)),
            **({"dcv_formula": certainty["dcv_formula"]} if evaluation.optimised else certainty),
            **(self._on_test_rows(evaluation, chance) if evaluation.subset == "test" else {}),
        )

    def cost(self, predictor: Predictor) -> float | None:
        """Return the noise that an adjustment carries, ``sqrt(k w / n)``; None if k has no number.

        That of n training rows by its k terms, or of n calibration rows by its k thresholds.
        """
        rule, rows, terms = predictor.rule, self.data.train, predictor.fit_.terms
        if rule != ThresholdRule():
            rows = self.data.calibration
            terms = rule.count(rows)
        if not terms:
            return None if terms is None else 0.0
        return noise_floor(terms, rows.effective, self.settings.confidence_level)

    def evenness(self, before: Evaluation, after: Evaluation) -> dict[str, float]:
        """Return how far coverage spreads before and after an adjustment, on the test rows.

        Of more than 20,000 on so many, drawn by the same seed always: of 200,000 rows with 54
        columns the trees of one predictor take half a minute, of these three seconds.
        """
        rows = before.outcomes.part(self._judging), after.outcomes.part(self._judging)
        judges = ["classes"] if after.predictor.rule.classes is not None else [*JUDGES]
        was, now = (np.mean([self._judged(each, by) for by in judges], axis=0) for each in rows)
        return evenness(was, now, rows)

    @cached_property
    def _judging(self) -> IndexArray:
        test = self.data.test
        return some_rows(len(test), test.X.shape[1], _MOST_JUDGED)

    def _judged(self, outcomes: Outcomes, by: str) -> FloatArray:
        """Return p(x) of the rows that are judged, shape (n,), by one of JUDGES or by classes."""
        key = by, outcomes.correct.tobytes()
        if key not in self._seen:  # before is before each adjustment
            test, rows = self.data.test, self._judging
            self._seen[key] = (
                class_shares(test.labels[rows], outcomes)
                if by == "classes"
                else out_of_fold(test.determined[rows], outcomes, JUDGES[by]())
            )
        return self._seen[key]

    def _by_trees(self, outcomes: Outcomes) -> dict[str, float]:
        judged = outcomes.part(self._judging)
        X, seen = self.data.test.determined[self._judging], self._judged(judged, "trees")
        return by_trees(X, judged, seen, self.settings.confidence_level)

    def _floors(self, floor: Deviation, predictor: Predictor) -> dict[str, Any]:
        """Return what DCV is by chance alone, by that of a valid predictor not adjusted."""
        level = self.settings.confidence_level
        # a DCV is the root mean square of p(x) - CL, which noise alone makes about normal
        reach = NORMAL_95 * floor.value
        floors = {
            "dcv_floor_unadjusted": floor.value,
            "noise_low": max(0.0, level - reach),
            "noise_high": min(1.0, level + reach),
        }
        if predictor.fit_.terms is None:
            return floors
        own = Deviation(floor.level, math.hypot(floor.spread, self.cost(predictor) or 0.0))
        return floors | {"dcv_floor": own.value, "dcv_spread_floor": own.spread}

    def _on_test_rows(self, evaluation: Evaluation, chance: Chance | None) -> dict[str, Any]:
        examples, outcomes = self.data.test, evaluation.outcomes
        strata, excess = evaluation.strata, evaluation.diagnosis.excess
        law = self.null_model(evaluation.predictor, outcomes).law
        drawn, of_one = REACH**2 * law.variance, 2.0 * law.level * (1.0 - law.level)
        figures: dict[str, Any] = {
            "missed_below": evaluation.missed_below,
            "size_stratified_coverage": size_stratified_coverage(strata),
            "size_stratified_by_chance": lowest_by_chance(strata, law, outcomes.design_effect),
            # an error over all rows, that of the draw of calibration rows, is no dependence
            "ert_l1_by_chance": math.hypot(REACH * excess.l1_error, math.sqrt(drawn)),
            "ert_l2_by_chance": REACH * excess.l2_error + drawn,
            "ert_log_by_chance": REACH * excess.log_error + drawn / of_one,
        }
        if examples.weights is None:
            inside = outcomes.part(in_worst_slab(examples.X, outcomes.correct))
            (slab,) = ByGroup(Tally.of(inside), np.zeros(len(inside.correct), dtype=int), 1).lines()
            figures["worst_slab_coverage"] = slab["accuracy"]
            figures |= {"worst_slab_low": slab["low"], "worst_slab_high": slab["high"]}
        if chance is not None:
            figures["dcv_floor_simulated"] = None if chance.floor is None else chance.floor.value
            figures["p_value_permuted"] = chance.p_values[evaluation.predictor.name]
            figures |= self._by_trees(outcomes)
        return figures

    def null_model(
        self, predictor: Predictor, outcomes: Outcomes, name: SubsetName = "test"
    ) -> NullModel:
        """Return what a subset's outcomes are like without any fault, by a predictor and its own.

        Training rows are their own calibration rows, which leaves nothing to their draw.
        """
        level, calibration = self.settings.confidence_level, self.data.calibration
        if name == "training" or not predictor.is_calibrated:
            return NullModel(CoverageLaw(level), outcomes)
        effect = 1.0
        if calibration.clusters is not None or calibration.weights is not None:
            drawn = predictor.predict(calibration, calibration).outcomes
            if drawn.weights is not None:  # as they count in thresholds
                drawn = replace(drawn, weights=capped(drawn.weights, level))
            effect = replace(drawn, beside=outcomes).design_effect
            outcomes = replace(outcomes, beside=drawn)
        return NullModel(CoverageLaw.of_calibration(len(calibration), level, effect), outcomes)

    def chance(
        self,
        on_test: Mapping[str, Evaluation],
        null_model: NullModel,
        on_event: Listener = ignore,
        should_stop: StopRequest = never,
    ) -> Chance:
        """Simulate what chance makes of test rows, if that is asked for, or told by no formula."""
        draws = self.settings.permutations
        if not draws and any(evaluation.wants_draws for evaluation in on_test.values()):
            draws = draws_at_once(next(iter(on_test.values())).diagnosis.parameters)
        return simulate_chance(
            self.data.test.determined,
            {name: evaluation.outcomes for name, evaluation in on_test.items()},
            self.estimator,
            null_model,
            floor_draws=draws,
            permutations=self.settings.permutations,
            on_event=on_event,
            should_stop=should_stop,
        )

    def notes(self, evaluations: Sequence[Evaluation]) -> list[Sentence]:
        """Return what a user should know of the figures, in the evaluations' order."""
        n, judged = len(self.data.test), len(self._judging)
        notes = [Sentence("trees.sample", _SAMPLE, n=judged, all=n)] if n > judged else []
        for evaluation in evaluations:
            diagnosis, correct = evaluation.diagnosis, evaluation.outcomes.correct
            where = {"predictor": evaluation.predictor.name, "subset": evaluation.subset}
            notes += evaluation.notes
            empty = int((evaluation.outcomes.sizes == 0.0).sum())
            if empty and not evaluation.outcomes.are_intervals and evaluation.subset == "test":
                values = {"count": empty, "n": len(correct), "predictor": evaluation.predictor.name}
                notes.append(Sentence("sets.empty", _EMPTY, **values))
            if correct.all() or not correct.any():
                word = "right" if correct.all() else "wrong"
                notes.append(Sentence("outcomes.all-alike", _ALL_ALIKE, word=word, **where))
            elif diagnosis.evidence.dcv_formula == "rough" and diagnosis.converged:
                clusters = "" if evaluation.outcomes.clusters is None else _CLUSTERS
                values = {"parameters": diagnosis.parameters, "clusters": clusters, **where}
                notes.append(Sentence("floor.rough", _ROUGH, **values))
            if not diagnosis.converged:
                what = "logistic regression of correctness"
                if not self.estimator.maximum_likelihood:
                    what = f"estimate of p(x) by {self.estimator.title}, or the {what},"
                notes.append(Sentence("diagnosis.unconverged", _UNCONVERGED, what=what, **where))
        return list(dict.fromkeys(notes))  # one may hold for several predictors


def size_notes(n: int, settings: AuditSettings, predictors: Iterable[Predictor]) -> list[Sentence]:
    """Return what is to be said of n calibration rows, if a predictor hangs on them."""
    level = settings.confidence_level
    calibrated = any(predictor.is_calibrated for predictor in predictors)
    if not calibrated or threshold_rank(n, level) > 0:
        return []
    capped = "" if settings.cap_width is None else ", but for the cap on widths"
    about = {"n": n, "level": level, "needed": smallest_calibration_size(level), "capped": capped}
    return [Sentence("calibration.too-few", _TOO_FEW, **about)]


def estimator_notes(settings: AuditSettings, *, weighted: bool) -> list[Sentence]:
    """Return which figures the chosen estimators of p(x) do not have, and what to read instead."""
    estimator, inside = ESTIMATORS[settings.estimator], ESTIMATORS[settings.ifacm_estimator]
    notes = [Sentence("worst-slab.no-weights", _NO_SLAB)] if weighted else []
    if not estimator.maximum_likelihood:
        instead = _READ_ASKED if settings.permutations else _READ_UNASKED
        values = {"estimator": estimator.title, "instead": instead}
        notes.append(Sentence("estimator.no-formula", _NO_FORMULA, **values))
    if not inside.maximum_likelihood:
        values = {"estimator": inside.title}
        notes.append(Sentence("ifacm-estimator.no-formula", _NO_FORMULA_INSIDE, **values))
    return notes
