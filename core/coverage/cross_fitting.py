"""DCV judged on rows that its probability estimates have not seen."""

import math

import numpy as np
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray
from .estimators import ProbabilityEstimator
from .folds import FOLDS, fold_numbers


def out_of_fold(X: FloatArray, correct: BoolArray, estimator: ProbabilityEstimator) -> FloatArray:
    """Return p(x) of each row, shape (n,), by an estimator fitted on the other folds' rows.

    NaN where there are fewer rows than folds.
    """
    probability = np.full(len(X), np.nan)
    if len(X) < FOLDS:
        return probability
    fold = fold_numbers(len(X))
    for held_out in range(FOLDS):
        rows = fold == held_out
        fitted = clone(estimator).fit(X[~rows], correct[~rows])
        probability[rows] = fitted.predict(X[rows])
    return probability


def cross_fitted_dcv(probability: FloatArray, correct: BoolArray, confidence_level: float) -> float:
    """Return the DCV that out-of-fold p(x), shape (n,), can vouch for.

    The root of the mean of ``(p(x) - CL) (c - CL)``, 0 where that is negative. Its expectation is
    0 where coverage is CL for all, however the estimator overfits, and at most the squared
    deviation that it has found in truth: estimation noise lowers it.
    """
    product = float(np.mean((probability - confidence_level) * (correct - confidence_level)))
    return math.sqrt(max(0.0, product)) if math.isfinite(product) else math.nan
