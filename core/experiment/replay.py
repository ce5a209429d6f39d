"""What the sets of a remedy with layers are like after each of them, told while it is fitted."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray
from ..conformal.scores import ScoredExamples
from ..coverage.dcv import deviation
from ..coverage.estimators import LogisticEstimator, ProbabilityEstimator
from ..events import BaseMeasured, Event, LayerAccepted, LayerMeasured, LayerTried, Listener
from ..remedies.base import Remedy, ScoreAdjustment
from ..rows.examples import Examples
from ..rows.outcomes import Outcomes
from ..rows.weights import weighted_mean, weights_of
from ..segments.tally import ColumnSegments, SegmentName
from .evaluation import Evaluator
from .figures import ChangedRows, Coefficients, ReplayStep

BINS = 200
"""Of p(x) from 0 to 1."""

_ROUNDING = 1e-6
"""A width that changed by a smaller share did not change."""


class Replay:
    """Listens to the fit of a remedy, and tells after each layer what the sets are like with it.

    ``steps`` are what it told of, the base measure's first; of a remedy without layers none.
    """

    def __init__(
        self,
        name: str,
        remedy: Remedy,
        evaluator: Evaluator,
        groups: ColumnSegments,
        on_event: Listener,
    ) -> None:
        self.steps: list[ReplayStep] = []
        self._name, self._remedy, self._evaluator = name, remedy, evaluator
        self._groups, self._on_event = groups, on_event
        self._tried: dict[int, list[LayerTried]] = {}

    def listen(self, event: Event) -> None:
        """Pass an event on and, after a layer, what has become of the sets."""
        self._on_event(event)
        match event:
            case LayerTried():
                self._tried.setdefault(event.iteration, []).append(event)
            case BaseMeasured() if isinstance(self._remedy, ScoreAdjustment):
                self._rows = _Rows(self._remedy, self._evaluator)
                self._tell(None)
            case LayerAccepted():
                self._add([event])

    def finished(self) -> Sequence[ReplayStep]:
        """Return the steps of the fitted remedy, with those that it did not apply at once."""
        if self.steps:
            self._add(self._remedy.fit_.layers[len(self.steps) - 1 :])
        return self.steps

    def _add(self, layers: Sequence[LayerAccepted]) -> None:
        """Add layers that the remedy applies by now."""
        done, rows = len(self.steps) - 1, self._rows
        found = [self._remedy.steps(part.examples, done) for part in rows.parts]
        for layer, *shifts in zip(layers, *found, strict=False):
            rows.parts = [p.shifted(s) for p, s in zip(rows.parts, shifts, strict=True)]
            self._tell(layer)

    def _tell(self, layer: LayerAccepted | None) -> None:
        step = self._measured(layer)
        self.steps.append(step)
        self._on_event(LayerMeasured(step))

    def _measured(self, layer: LayerAccepted | None) -> ReplayStep:
        number, first = len(self.steps), self.steps[0].worst if self.steps else None
        figures = self._rows.measure(self._groups, None if first is None else first.name)
        return ReplayStep(
            predictor=self._name,
            layers=number,
            features=tuple(self._evaluator.data.encoder.names_),
            gamma=None if layer is None else layer.gamma,
            delta=None if layer is None else layer.delta,
            tried=tuple(self._tried.pop(number, ())),
            **figures,
        )


class _Regression:
    """Regressions of correctness on one subset's rows, the logistic ones set out from the last."""

    def __init__(self, examples: Examples, estimator: ProbabilityEstimator) -> None:
        self._examples, self._estimator = examples, estimator
        self._X, self._weights = examples.determined, examples.weights
        self._fits = LogisticEstimator().fits(self._X, self._weights)

    def fit(self, correct: BoolArray) -> tuple[Coefficients, FloatArray]:
        """Return the coefficients, NaN of features that the rows do not determine, and p(x)."""
        fitted, p = self._fits(correct)
        columns = self._examples.independent_columns
        values, errors = np.full((2, self._examples.X.shape[1]), np.nan)
        values[columns], errors[columns] = fitted.coef_, self._fits.standard_errors(fitted, p)
        if not self._estimator.maximum_likelihood:
            p = clone(self._estimator).fit(self._X, correct, self._weights).predict(self._X)
        return Coefficients(tuple(values.tolist()), tuple(errors.tolist())), p


class _Rows:
    """All rows of an audit, with the layers so far."""

    def __init__(self, remedy: ScoreAdjustment, evaluator: Evaluator) -> None:
        data = evaluator.data
        self.parts = [
            ScoredExamples.of(rows, remedy.base_.score_functions(rows))
            for rows in (data.train, data.calibration, data.test)
        ]
        self._level = evaluator.settings.confidence_level
        of_subset, by = evaluator.subsets.items(), evaluator.estimator
        self._on = {name: _Regression(examples, by) for name, examples in of_subset}
        self.outcomes: Outcomes | None = None

    def measure(self, groups: ColumnSegments, followed: SegmentName | None) -> dict[str, Any]:
        """Return the figures of :class:`ReplayStep` that hang on the rows alone."""
        before, (train, calibration, test) = self.outcomes, self.parts
        on_training, threshold = (part.threshold(self._level) for part in (train, calibration))
        _, self.outcomes = test.outcomes(threshold)
        training_coefficients, q = self._on["training"].fit(train.held(on_training))
        coefficients, p = self._on["test"].fit(self.outcomes.correct)
        worst, same = groups.worst(self.outcomes, followed)
        return {
            "training_dcv": deviation(q, self._level, train.examples.weights).value,
            "training_inefficiency": train.mean_size(on_training),
            "training_coefficients": training_coefficients,
            "coefficients": coefficients,
            "dcv": deviation(p, self._level, test.examples.weights).value,
            "inefficiency": test.mean_size(threshold),
            "coverage": self.outcomes.accuracy,
            "probabilities": tuple(np.histogram(p, BINS, (0.0, 1.0))[0].tolist()),
            "worst": worst,
            "followed": same,
            "are_intervals": self.outcomes.are_intervals,
            **({} if before is None else _changed(before, self.outcomes, groups)),
        }


def _changed(before: Outcomes, after: Outcomes, groups: ColumnSegments) -> dict[str, ChangedRows]:
    """Return which sets became larger or smaller, and by how much on average."""
    least = _ROUNDING * before.sizes
    with np.errstate(invalid="ignore"):  # both infinite: neither
        grown = after.sizes - before.sizes
        found = {"wider": grown > least, "narrower": -grown > least}
    return {name: _change(rows, before, after, groups) for name, rows in found.items()}


def _change(
    rows: BoolArray, before: Outcomes, after: Outcomes, groups: ColumnSegments
) -> ChangedRows:
    old, new = before.sizes[rows], after.sizes[rows]
    weights = weights_of(after.weights, rows)
    change = None
    if len(old) and math.isfinite(old.sum() + new.sum()):
        first = weighted_mean(old, weights)
        by = weighted_mean(new, weights) - first
        change = by / first if before.are_intervals and old.any() else by
    return ChangedRows(len(old), change, groups.most_in_excess(rows))
