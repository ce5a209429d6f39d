"""Estimators of p(x), and the names by which they are chosen.

A new estimator is one class in one file of this folder and one line in the registry.
"""

from .base import ProbabilityEstimator
from .logistic import LogisticEstimator

ESTIMATORS: dict[str, type[ProbabilityEstimator]] = {"logistic": LogisticEstimator}

__all__ = ["ESTIMATORS", "LogisticEstimator", "ProbabilityEstimator"]
