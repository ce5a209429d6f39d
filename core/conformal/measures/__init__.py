"""Conformity measures, and the names by which they are chosen.

A new measure is one class in this folder and one line here.
"""

from .base import ConformityMeasure, Task
from .given import GivenPrediction, GivenProbabilities, GivenQuantiles
from .regression import NormalizedMeasure, StandardMeasure
from .scoring import ScoringMeasure

MEASURES: dict[str, type[ConformityMeasure]] = {
    "normalized": NormalizedMeasure,
    "standard": StandardMeasure,
    "scoring": ScoringMeasure,
}
"""By name; the first entry of a task is its default."""

__all__ = [
    "MEASURES",
    "ConformityMeasure",
    "GivenPrediction",
    "GivenProbabilities",
    "GivenQuantiles",
    "NormalizedMeasure",
    "ScoringMeasure",
    "StandardMeasure",
    "Task",
]
