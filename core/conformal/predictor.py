"""Predictors: whatever gives prediction sets for objects, and can be audited."""

import math
from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..rows.examples import Examples
from ..rows.outcomes import IntervalSets, LabelSets, Outcomes, PredictionSets
from ..rows.weights import weighted_mean
from .icp import InductiveConformalPredictor, Prediction
from .measures import ConformityMeasure, Fit


class Predictor(ABC):
    """Something with a name that gives prediction sets; it knows nothing of how it is judged.

    Sets that do not hang on calibration examples have nothing to learn on training rows either,
    and these are not audited.
    """

    name: str  # in data, such as "base" or "mondrian:region"
    title: str  # for a reader, such as "IFACM"
    guarantee: str  # what it promises, in one sentence
    is_calibrated: bool = True
    is_adjustment: bool = False  # whether it is made from the first of those audited, to mend it
    fit_: Fit = Fit()

    @abstractmethod
    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets for examples with labels, calibrated on others (or on the same)."""

    def steps(self, examples: Examples) -> FloatArray:
        """Return what each layer adds to the scores of the examples, shape (layers, n)."""
        return np.empty((0, len(examples)))


class MeasurePredictor(Predictor):
    """The inductive conformal predictor of a fitted measure, with its threshold rule.

    Notes of a remedy's fit hold its name as the value ``remedy``.
    """

    def __init__(
        self, name: str, title: str, measure: ConformityMeasure, confidence_level: float
    ) -> None:
        self.name, self.title, self.guarantee = name, title, measure.guarantee
        self.measure, self.confidence_level = measure, confidence_level
        self.is_adjustment = measure.is_adjustment
        self.fit_ = measure.fit_
        if measure.is_adjustment:
            notes = [note.with_values(remedy=name) for note in measure.fit_.notes]
            self.fit_ = replace(measure.fit_, notes=notes)

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets of an inductive conformal predictor with the measure's rule."""
        frozen, level = FrozenEstimator(self.measure), self.confidence_level
        icp = InductiveConformalPredictor(frozen, confidence_level=level)
        return icp.fit(calibration, calibration.labels).calibrate(calibration).judged(examples)

    def steps(self, examples: Examples) -> FloatArray:
        """Return what each layer of the measure adds."""
        return self.measure.steps(examples)


class ReadyMade(Predictor):
    """The sets that a user's model gave, taken as they are: nothing is fitted or calibrated."""

    name = "given"
    guarantee = "Whatever the maker of its sets promises: they are taken as they are."
    is_calibrated = False

    def __init__(self, title: str) -> None:
        self.title = title

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:  # noqa: ARG002
        """Return the sets that were given; ValueError if there are none."""
        given = examples.model_outputs
        sets: PredictionSets
        if given.members is not None:
            sets, largest = LabelSets(given.members), float(given.members.shape[1])
        elif given.lower is not None and given.upper is not None:
            sets, largest = IntervalSets(given.lower, given.upper), math.inf
        else:
            raise ValueError("there are neither intervals nor sets among what the model said")
        held, rows = sets.contain(examples.labels), (examples.weights, examples.clusters)
        outcomes = Outcomes(held, sets.sizes, largest, *rows)
        return Prediction(sets, outcomes, weighted_mean(sets.sizes, examples.weights))
