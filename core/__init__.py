"""Conditional coverage of conformal predictors: measured, and mended by IFACM.

The way through: table -> roles -> encoded data -> split -> base conformity measure -> ICP, and
IFACM over it -> audit result. :func:`audit` goes all of it; every step can be used alone. A measure
or remedy of your own derives from :class:`ConformityMeasure`, :class:`Remedy` or
:class:`ScoreAdjustment`, an estimator of p(x) from :class:`ProbabilityEstimator`.

A name is loaded, with what it needs, when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conformal.interval_measures import NormalizedMeasure, QuantileMeasure, StandardMeasure
    from .conformal.label_measures import AdaptiveMeasure, GivenProbabilities, ScoringMeasure
    from .conformal.measures import ConformityMeasure, Fit, GivenPrediction, GivenQuantiles
    from .conformal.predictor import InductiveConformalPredictor
    from .conformal.scores import IntervalScores, LabelScores, QuantileScores
    from .coverage.estimators import (
        LassoEstimator,
        LogisticEstimator,
        NeighboursEstimator,
        ProbabilityEstimator,
        RidgeEstimator,
        TreesEstimator,
    )
    from .messages import InputError
    from .preparation.settings import AuditSettings
    from .remedies.auto import Auto
    from .remedies.base import Remedy, ScoreAdjustment
    from .remedies.ifacm.ifacm import IFACM, CrossFittedIFACM, FloorIFACM, SmoothIFACM
    from .remedies.mondrian import LabelConditional, Mondrian, OverlappingGroups
    from .remedies.quantile import PairsAdjustment, QuantileAdjustment, QuantileTrees
    from .remedies.two_sided import TwoSided
    from .report.audit import audit, audit_predictions
    from .report.gate import judge
    from .report.result import AuditResult, to_json
    from .rows.examples import Examples
    from .tables.predicting import load
    from .tables.reading import parse_table, read_table
    from .watching.report import watch

    __version__: str

__all__ = [
    "IFACM",
    "AdaptiveMeasure",
    "AuditResult",
    "AuditSettings",
    "Auto",
    "ConformityMeasure",
    "CrossFittedIFACM",
    "Examples",
    "Fit",
    "FloorIFACM",
    "GivenPrediction",
    "GivenProbabilities",
    "GivenQuantiles",
    "InductiveConformalPredictor",
    "InputError",
    "IntervalScores",
    "LabelConditional",
    "LabelScores",
    "LassoEstimator",
    "LogisticEstimator",
    "Mondrian",
    "NeighboursEstimator",
    "NormalizedMeasure",
    "OverlappingGroups",
    "PairsAdjustment",
    "ProbabilityEstimator",
    "QuantileAdjustment",
    "QuantileMeasure",
    "QuantileScores",
    "QuantileTrees",
    "Remedy",
    "RidgeEstimator",
    "ScoreAdjustment",
    "ScoringMeasure",
    "SmoothIFACM",
    "StandardMeasure",
    "TreesEstimator",
    "TwoSided",
    "audit",
    "audit_predictions",
    "judge",
    "load",
    "parse_table",
    "read_table",
    "to_json",
    "watch",
]

_HOMES = {
    "conformal.interval_measures": "NormalizedMeasure QuantileMeasure StandardMeasure",
    "conformal.label_measures": "AdaptiveMeasure GivenProbabilities ScoringMeasure",
    "conformal.measures": "ConformityMeasure Fit GivenPrediction GivenQuantiles",
    "conformal.predictor": "InductiveConformalPredictor",
    "conformal.scores": "IntervalScores LabelScores QuantileScores",
    "coverage.estimators": "LassoEstimator LogisticEstimator NeighboursEstimator RidgeEstimator "
    "ProbabilityEstimator TreesEstimator",
    "messages": "InputError",
    "preparation.settings": "AuditSettings",
    "remedies.auto": "Auto",
    "remedies.base": "Remedy ScoreAdjustment",
    "remedies.ifacm.ifacm": "IFACM CrossFittedIFACM FloorIFACM SmoothIFACM",
    "remedies.mondrian": "LabelConditional Mondrian OverlappingGroups",
    "remedies.quantile": "PairsAdjustment QuantileAdjustment QuantileTrees",
    "remedies.two_sided": "TwoSided",
    "report.audit": "audit audit_predictions",
    "report.gate": "judge",
    "report.result": "AuditResult to_json",
    "rows.examples": "Examples",
    "tables.predicting": "load",
    "tables.reading": "parse_table read_table",
    "watching.report": "watch",
}
"""By module, the names above that are defined there."""

if not TYPE_CHECKING:  # or any name would be there for a type checker

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("importlib.metadata").version("evencover")
        home = next((home for home, names in _HOMES.items() if name in names.split()), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f".{home}", __name__), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
