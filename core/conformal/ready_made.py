"""Intervals or sets of labels that stand in the table, whoever made them."""

import math

from ..weights import weighted_mean
from .examples import Examples
from .prediction_sets import IntervalSets, LabelSets, Outcomes, PredictionSets
from .predictor import Prediction, Predictor


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
        held, weights = sets.contain(examples.labels), examples.weights
        outcomes = Outcomes(held, sets.sizes, largest, weights)
        return Prediction(sets, outcomes, weighted_mean(sets.sizes, weights))


def _given_sets(examples: Examples) -> tuple[PredictionSets, float]:
    said = examples.said
    if said.members is not None:
        return LabelSets(said.members), float(said.members.shape[1])
    if said.lower is None or said.upper is None:
        raise ValueError("there are neither intervals nor sets among what the model said")
    return IntervalSets(said.lower, said.upper), math.inf
