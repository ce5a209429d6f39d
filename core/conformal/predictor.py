"""Predictors: whatever gives prediction sets for objects, and can be audited."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..events import LayerAccepted
from ..messages import Sentence
from ..rows.examples import Examples
from ..rows.outcomes import IntervalSets, LabelSets, Outcomes, PredictionSets
from ..rows.weights import weighted_mean
from .icp import InductiveConformalPredictor, Prediction
from .measures import ConformityMeasure

MARGINAL = (
    "On average over all rows its sets hold the label with the promised probability, if "
    "calibration rows and new rows are exchangeable; for no group by itself."
)


NoLayerReason = Literal["", "holds-all", "stopped", "penalty", "stalled", "even"]
"""Why an adjustment that comes about by layers has none; empty where it has, or never does.

Every training row's set holds its label; its fit was stopped before the first; only a smaller
penalty C lets it have one; the search misses one that is found from other starts; or no layer makes
coverage of the training rows more even, whatever it costs.
"""


@dataclass(frozen=True)
class Fit:
    """What the fit of a predictor did, beyond that of the predictor that it adjusts.

    ``terms`` counts the fitted parameters by which sets depend on the object; 0 where it adjusts
    nothing, None where it does so by something without such a number.
    """

    terms: int | None = 0
    layers: Sequence[LayerAccepted] = ()  # in order, if it came about by layers
    no_layer_reason: NoLayerReason = ""
    suggested_penalty: float | None = None  # the C that would let it have one, for "penalty"
    stopped: bool = False  # whether it was ended before its end
    notes: Sequence[Sentence] = ()  # what a user should know of it


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
    """The inductive conformal predictor of a fitted measure, with its threshold rule."""

    def __init__(
        self,
        name: str,
        title: str,
        measure: ConformityMeasure,
        confidence_level: float,
        guarantee: str = MARGINAL,
    ) -> None:
        self.name, self.title, self.guarantee = name, title, guarantee
        self.measure = measure
        self.confidence_level = confidence_level
        self.fit_ = Fit(notes=measure.fit_notes())

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets of an inductive conformal predictor with the measure's rule."""
        frozen, level = FrozenEstimator(self.measure), self.confidence_level
        icp = InductiveConformalPredictor(frozen, confidence_level=level)
        return icp.fit(calibration, calibration.labels).calibrate(calibration).judged(examples)


class ReadyMade(Predictor):
    """The sets that a user's model gave, taken as they are: nothing is fitted or calibrated."""

    name = "given"
    guarantee = "Whatever the maker of its sets promises: they are taken as they are."
    is_calibrated = False

    def __init__(self, title: str) -> None:
        self.title = title

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:  # noqa: ARG002
        """Return the sets that were given; ValueError if there are none."""
        sets, largest = _given_sets(examples)
        held, rows = sets.contain(examples.labels), (examples.weights, examples.clusters)
        outcomes = Outcomes(held, sets.sizes, largest, *rows)
        return Prediction(sets, outcomes, weighted_mean(sets.sizes, examples.weights))


def _given_sets(examples: Examples) -> tuple[PredictionSets, float]:
    given = examples.model_outputs
    if given.members is not None:
        return LabelSets(given.members), float(given.members.shape[1])
    if given.lower is None or given.upper is None:
        raise ValueError("there are neither intervals nor sets among what the model said")
    return IntervalSets(given.lower, given.upper), math.inf
