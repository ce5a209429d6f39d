"""What the sets of a remedy with layers are like after each of them, told while it is fitted."""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..conformal.scores import ScoredExamples
from ..conformal.thresholds import ThresholdRule
from ..coverage.dcv import deviation
from ..coverage.diagnosis import Regressions
from ..events import BaseMeasured, Event, LayerAccepted, LayerMeasured, LayerTried, Listener
from ..remedies.base import Remedy, ScoreAdjustment
from ..rows.outcomes import Outcomes
from ..rows.weights import weighted_mean, weights_of
from ..segments.tally import ColumnSegments
from .evaluation import Evaluator
from .result import ChangedRows, ReplayStep, SubsetName

BINS = 200  # of p(x) from 0 to 1
_ROUNDING = 1e-6  # a width that changed by a smaller share did not change


@dataclass
class Replay:
    """Listens to the fit of a remedy, and tells after each layer what the sets are like with it.

    ``steps`` are what it told of, the base measure's first; of a remedy without layers none.
    """

    name: str
    remedy: Remedy
    evaluator: Evaluator
    groups: ColumnSegments
    on_event: Listener
    steps: list[ReplayStep] = field(default_factory=list)
    _parts: list[ScoredExamples] = field(default_factory=list)  # with the layers so far
    _outcomes: Outcomes | None = None  # of the last step, on test rows
    _tried: dict[int, list[LayerTried]] = field(default_factory=dict)

    @cached_property
    def _on(self) -> dict[SubsetName, Regressions]:
        by = self.evaluator.estimator
        return {name: Regressions(rows, by) for name, rows in self.evaluator.subsets.items()}

    def listen(self, event: Event) -> None:
        """Pass an event on and, after a layer, what has become of the sets."""
        self.on_event(event)
        match event:
            case LayerTried():
                self._tried.setdefault(event.iteration, []).append(event)
            case BaseMeasured() if isinstance(self.remedy, ScoreAdjustment):
                data, base = self.evaluator.data, self.remedy.base_
                functions = [base.learning_functions(data.train)]
                functions += map(base.score_functions, (data.calibration, data.test))
                subsets = (data.train, data.calibration, data.test)
                self._parts = list(map(ScoredExamples.of, subsets, functions))
                self._tell(None)
            case LayerAccepted():
                done = len(self.steps) - 1
                found = [self.remedy.steps(part.examples, done) for part in self._parts]
                for shifts in zip(*found, strict=True):  # none where the layer is another's
                    self._parts = [p.shifted(s) for p, s in zip(self._parts, shifts, strict=True)]
                    self._tell(event)

    def _tell(self, layer: LayerAccepted | None) -> None:
        level, number = self.evaluator.settings.confidence_level, len(self.steps)
        before, (train, calibration, test) = self._outcomes, self._parts
        on_training = train.threshold(level)
        learned = ThresholdRule().learn(calibration.scores, calibration.examples, level)
        threshold = learned.at(test.examples)
        _, self._outcomes = test.outcomes(threshold)
        of_training = self._on["training"](train.held(on_training))
        of_test = self._on["test"](self._outcomes.correct)
        step = ReplayStep(
            predictor=self.name,
            layers=number,
            training_dcv=deviation(of_training.probability, level, train.examples.weights).value,
            training_inefficiency=train.mean_size(on_training),
            dcv=deviation(of_test.probability, level, test.examples.weights).value,
            inefficiency=test.mean_size(threshold),
            coverage=self._outcomes.accuracy,
            probabilities=tuple(np.histogram(of_test.probability, BINS, (0.0, 1.0))[0].tolist()),
            worst=self.groups.worst(self._outcomes),
            are_intervals=self._outcomes.are_intervals,
            held=self._outcomes.correct,
            gamma=None if layer is None else layer.gamma,
            delta=None if layer is None else layer.delta,
            tried=tuple(self._tried.pop(number, ())),
            **({} if before is None else _changed(before, self._outcomes, self.groups)),
        )
        self.steps.append(step)
        self.on_event(LayerMeasured(step))


def _changed(before: Outcomes, after: Outcomes, groups: ColumnSegments) -> dict[str, ChangedRows]:
    """Return which sets became larger or smaller, and by how much on average."""
    least = _ROUNDING * before.sizes
    with np.errstate(invalid="ignore"):  # both infinite: neither
        grown = after.sizes - before.sizes
        found = {"wider": grown > least, "narrower": -grown > least}
    changed = {}
    for name, rows in found.items():
        old, new, weights = before.sizes[rows], after.sizes[rows], weights_of(after.weights, rows)
        change = None
        if len(old) and math.isfinite(old.sum() + new.sum()):
            first = weighted_mean(old, weights)
            by = weighted_mean(new, weights) - first
            change = by / first if before.are_intervals and old.any() else by
        changed[name] = ChangedRows(len(old), change, groups.most_in_excess(rows))
    return changed
