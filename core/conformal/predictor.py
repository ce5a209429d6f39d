"""Predictors: whatever gives prediction sets for objects, and can be audited."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..events import LayerAccepted
from ..messages import Sentence
from .examples import Examples
from .icp import InductiveConformalPredictor
from .measures import ConformityMeasure
from .prediction_sets import Outcomes, PredictionSets

MARGINAL = (
    "On average over all rows its sets hold the label with the promised probability, if "
    "calibration rows and new rows are exchangeable; for no group by itself."
)


@dataclass(frozen=True, eq=False)
class Prediction:
    """The prediction sets for n examples, with a numeric label standardised."""

    sets: PredictionSets
    outcomes: Outcomes
    mean_size: float


class Predictor(ABC):
    """Something with a name that gives prediction sets; it knows nothing of how it is judged.

    Attributes
    ----------
    name, title
        In data, such as "base" or "mondrian:region"; for a reader, such as "IFACM".
    guarantee
        What it promises, in one sentence.
    is_calibrated
        Whether its sets hang on calibration examples. Without, there is nothing to be learned
        on training rows either, and these are not audited.
    terms
        Fitted parameters by which its sets depend on the object beyond those of the predictor it
        adjusts; 0 where it adjusts none, None where it does so by something without such a number.
    layers, stopped
        Layers of an adjustment, if any, and whether its fit was asked to stop.
    notes
        What a user should know of its fit.
    """

    name: str
    title: str
    guarantee: str
    is_calibrated: bool = True
    terms: int | None = 0
    layers: Sequence[LayerAccepted] = ()
    stopped: bool = False
    notes: Sequence[Sentence] = ()

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
        self.notes = measure.fit_notes()

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets of the ICP calibrated on ``calibration``."""
        icp = InductiveConformalPredictor(
            FrozenEstimator(self.measure), confidence_level=self.confidence_level
        )
        icp.fit(calibration).calibrate(calibration)
        threshold = icp.thresholds_.at(examples)
        functions = self.measure.score_functions(examples)
        sets = functions.sets(threshold)
        held = functions.held(examples.labels, threshold)
        outcomes = Outcomes(held, sets.sizes, functions.largest_size)
        return Prediction(sets, outcomes, functions.mean_size(threshold))
