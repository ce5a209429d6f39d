"""Conformity measures, and the names by which they are chosen.

A new measure is one class in this folder and one line here.
"""

from dataclasses import dataclass
from typing import Literal

from .base import ConformityMeasure
from .normalized import NormalizedMeasure
from .scoring import ScoringMeasure
from .standard import StandardMeasure

Task = Literal["regression", "classification"]


@dataclass(frozen=True)
class MeasureEntry:
    """A measure's class and the task it serves."""

    measure: type[ConformityMeasure]
    task: Task


MEASURES: dict[str, MeasureEntry] = {
    "normalized": MeasureEntry(NormalizedMeasure, "regression"),
    "standard": MeasureEntry(StandardMeasure, "regression"),
    "scoring": MeasureEntry(ScoringMeasure, "classification"),
}
"""By name; the first entry of a task is its default."""

__all__ = [
    "MEASURES",
    "ConformityMeasure",
    "MeasureEntry",
    "NormalizedMeasure",
    "ScoringMeasure",
    "StandardMeasure",
    "Task",
]
