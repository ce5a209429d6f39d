"""Conditional coverage of conformal predictors: measured, and mended by IFACM.

The way through: table -> roles -> encoded data -> split -> base conformity measure -> ICP, and
IFACM over it -> audit result. :func:`audit` goes all of it; every step can be used alone. A measure
or remedy of your own derives from :class:`ConformityMeasure`, :class:`Remedy` or
:class:`ScoreAdjustment`, an estimator of p(x) from :class:`ProbabilityEstimator`.
"""

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
from .tables.reading import parse_table, read_table

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
    "parse_table",
    "read_table",
    "to_json",
]
