"""Conformity measures by the names that they are asked for by."""

from .interval_measures import NormalizedMeasure, QuantileMeasure, StandardMeasure
from .label_measures import AdaptiveMeasure, ScoringMeasure
from .measures import ConformityMeasure

MEASURES: dict[str, type[ConformityMeasure]] = {
    "normalized": NormalizedMeasure,
    "standard": StandardMeasure,
    "quantiles": QuantileMeasure,
    "scoring": ScoringMeasure,
    "aps": AdaptiveMeasure,
}
"""By name; the first entry of a task is its default."""
