"""What the sets of a remedy with layers are like after each of them, told while it is fitted."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray
from ..conformal.examples import Examples
from ..conformal.prediction_sets import Outcomes
from ..conformal.rank import conformal_threshold
from ..coverage.dcv import deviation
from ..coverage.estimators import ESTIMATORS, LogisticEstimator
from ..events import (
    AfterLayers,
    BaseMeasured,
    ChangedRows,
    Coefficients,
    Evaluation,
    Event,
    LayerAccepted,
    Listener,
)
from ..remedies.base import Remedy, ScoreAdjustment
from ..remedies.ifacm.training_icp import TrainingICP
from ..segments.group_coverage import Groups
from ..weights import weighted_mean, weights_of
from .evaluation import Evaluator, Subset

BINS = 200
"""Of p(x) from 0 to 1."""

_ROUNDING = 1e-6
"""A width that changed by a smaller share did not change."""


class Replay:
    """Listens to the fit of a remedy, and tells after each layer what the sets are like with it.

    ``steps`` are what it told of, the base measure's first; of a remedy without layers none.
    """

    def __init__(
        self, name: str, remedy: Remedy, evaluator: Evaluator, groups: Groups, on_event: Listener
    ) -> None:
        self.steps: list[AfterLayers] = []
        self._name, self._remedy, self._evaluator = name, remedy, evaluator
        self._groups, self._on_event = groups, on_event
        self._tried: dict[int, list[Evaluation]] = {}

    def listen(self, event: Event) -> None:
        """Pass an event on and, after a layer, what has become of the sets."""
        self._on_event(event)
        match event:
            case Evaluation():
                self._tried.setdefault(event.iteration, []).append(event)
            case BaseMeasured() if isinstance(self._remedy, ScoreAdjustment):
                self._rows = _Rows(self._remedy, self._evaluator)
                self._tell(None)
            case LayerAccepted():
                self._add([event])

    def finished(self) -> Sequence[AfterLayers]:
        """Return the steps of the fitted remedy, with those that it did not apply at once."""
        if self.steps:
            self._add(self._remedy.iterations_[len(self.steps) - 1 :])
        return self.steps

    def _add(self, layers: Sequence[LayerAccepted]) -> None:
        """Add layers that the remedy applies by now."""
        done = len(self.steps) - 1
        parts = self._rows.parts
        found = [self._remedy.steps(part.examples, done) for part in parts]
        for layer, *shifts in zip(layers, *found, strict=False):
            for part, shift in zip(parts, shifts, strict=True):
                part.shift += shift
            self._tell(layer)

    def _tell(self, layer: LayerAccepted | None) -> None:
        step = self._measured(layer)
        self.steps.append(step)
        self._on_event(step)

    def _measured(self, layer: LayerAccepted | None) -> AfterLayers:
        figures, number = self._rows.measure(self._groups), len(self.steps)
        first = self.steps[0].worst if self.steps else figures["worst"]
        return AfterLayers(
            predictor=self._name,
            layers=number,
            features=tuple(self._evaluator.data.encoder.names_),
            followed=self._groups.same(first, figures.pop("correct")),
            gamma=None if layer is None else layer.gamma,
            delta=None if layer is None else layer.delta,
            tried=tuple(self._tried.pop(number, ())),
            **figures,
        )


class _Part:
    """Rows with their scores by the base measure, and what the layers so far add to these."""

    def __init__(self, examples: Examples, remedy: ScoreAdjustment) -> None:
        self.examples = examples
        self.functions = remedy.base_.score_functions(examples)
        self.shift = np.zeros(len(examples))
        self._scores = self.functions.at(examples.labels)

    @property
    def scores(self) -> FloatArray:
        """Those of the labels with the layers so far, shape (n,)."""
        return self._scores + self.shift


class _Regression:
    """Logistic regressions of correctness on one subset's rows, each set out from the last."""

    def __init__(self, subset: Subset) -> None:
        self._subset, self._X = subset, subset.determined
        self._weights = subset.examples.weights
        self._fit_again = LogisticEstimator().fits(self._X, self._weights)

    def fit(self, correct: BoolArray) -> tuple[Coefficients, FloatArray]:
        """Return the coefficients, NaN of features that the rows do not determine, and p(x)."""
        fitted, probability = self._fit_again(correct)
        assert isinstance(fitted, LogisticEstimator)  # noqa: S101 - see above
        columns = self._subset.independent_columns
        values, errors = np.full((2, self._subset.examples.X.shape[1]), np.nan)
        values[columns], errors[columns] = (
            fitted.coef_,
            fitted.standard_errors(self._X, self._weights),
        )
        return Coefficients(tuple(values.tolist()), tuple(errors.tolist())), probability


class _Rows:
    """All rows of an audit, with the layers so far."""

    def __init__(self, remedy: ScoreAdjustment, evaluator: Evaluator) -> None:
        data, settings = evaluator.data, evaluator.settings
        self.parts = [_Part(rows, remedy) for rows in (data.train, data.calibration, data.test)]
        self.train, self._calibration, self._test = self.parts
        self._level, self._estimator = settings.confidence_level, evaluator.estimator
        self._X = evaluator.subsets["test"].determined
        self._icp = TrainingICP(
            self.train.functions,
            data.train.X,
            data.train.labels,
            estimator=ESTIMATORS[settings.ifacm_estimator](),
            confidence_level=self._level,
            weights=data.train.weights,
        )
        self._on = {name: _Regression(subset) for name, subset in evaluator.subsets.items()}
        self.outcomes: Outcomes | None = None

    def measure(self, groups: Groups) -> dict[str, Any]:
        """Return the figures of :class:`AfterLayers` that hang on the rows alone."""
        training, before = self._icp.run(self.train.shift), self.outcomes
        drawn, weights = self._calibration, self._test.examples.weights
        threshold = conformal_threshold(drawn.scores, self._level, drawn.examples.weights)
        functions = self._test.functions.shifted(self._test.shift)
        correct, sizes = self._test.scores >= threshold, functions.sets(threshold).sizes
        self.outcomes = Outcomes(correct, sizes, functions.largest_size, weights)
        coefficients, p = self._on["test"].fit(correct)
        if not self._estimator.maximum_likelihood:
            p = clone(self._estimator).fit(self._X, correct, weights).predict(self._X)
        return {
            "training_dcv": training.dcv,
            "training_inefficiency": training.inefficiency,
            "training_coefficients": self._on["training"].fit(training.correct)[0],
            "coefficients": coefficients,
            "dcv": deviation(p, self._level, weights).value,
            "inefficiency": functions.mean_size(threshold, weights),
            "coverage": self.outcomes.accuracy,
            "probabilities": tuple(np.histogram(p, BINS, (0.0, 1.0))[0].tolist()),
            "worst": groups.worst(correct),
            "correct": correct,
            "are_intervals": self.outcomes.are_intervals,
            **({} if before is None else _changed(before, self.outcomes, groups)),
        }


def _changed(before: Outcomes, after: Outcomes, groups: Groups) -> dict[str, ChangedRows]:
    """Return which sets became larger or smaller, and by how much on average."""
    least = _ROUNDING * before.sizes
    with np.errstate(invalid="ignore"):  # both infinite: neither
        grown = after.sizes - before.sizes
        found = {"wider": grown > least, "narrower": -grown > least}
    return {name: _change(rows, before, after, groups) for name, rows in found.items()}


def _change(rows: BoolArray, before: Outcomes, after: Outcomes, groups: Groups) -> ChangedRows:
    old, new = before.sizes[rows], after.sizes[rows]
    weights = weights_of(after.weights, rows)
    change = None
    if len(old) and math.isfinite(old.sum() + new.sum()):
        first = weighted_mean(old, weights)
        by = weighted_mean(new, weights) - first
        change = by / first if before.are_intervals and old.any() else by
    return ChangedRows(len(old), change, groups.mostly(rows))
