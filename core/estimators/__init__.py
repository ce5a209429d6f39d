"""Estimators of p(x), and the names by which they are chosen.

A new estimator is one class in one file of this folder and one line in the registry.
"""

from .base import ProbabilityEstimator
from .lasso import LassoEstimator
from .logistic import LogisticEstimator
from .neighbours import NeighboursEstimator
from .ridge import RidgeEstimator
from .trees import TreesEstimator

ESTIMATORS: dict[str, type[ProbabilityEstimator]] = {
    "logistic": LogisticEstimator,
    "ridge": RidgeEstimator,
    "lasso": LassoEstimator,
    "knn": NeighboursEstimator,
    "trees": TreesEstimator,
}

IFACM_ESTIMATORS = ("logistic", "ridge", "lasso", "knn", "trees")

__all__ = [
    "ESTIMATORS",
    "IFACM_ESTIMATORS",
    "LassoEstimator",
    "LogisticEstimator",
    "NeighboursEstimator",
    "ProbabilityEstimator",
    "RidgeEstimator",
    "TreesEstimator",
]
