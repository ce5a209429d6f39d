"""DCV and excess risk, judged on rows that the probability estimates have not seen."""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray
from .estimators import ProbabilityEstimator
from .estimators.base import FOLDS, fold_numbers


@dataclass(frozen=True)
class ExcessRisk:
    """Excess risks of predicting CL for all, by the measure of loss.

    Each estimates from below, and is 0 on average where coverage is CL for all; estimation noise
    makes it negative.
    """

    l1: float  # by absolute deviation: estimates E|p(x) - CL|
    over: float  # its part from objects with more coverage than CL
    under: float  # its part from those with less
    l2: float  # by squared error: estimates E (p(x) - CL)**2, the square of DCV
    log: float  # by log-loss: estimates the mean Kullback-Leibler divergence, in nats


UNKNOWN = ExcessRisk(*[math.nan] * 5)


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


def excess_risk(probability: FloatArray, correct: BoolArray, confidence_level: float) -> ExcessRisk:
    """Return the excess risks, as in arXiv 2512.11779, by out-of-fold p(x) and outcomes, (n,)."""
    if np.isnan(probability).any():
        return UNKNOWN
    surplus = correct - confidence_level
    over = float(np.where(probability > confidence_level, surplus, 0.0).mean())
    under = float(np.where(probability < confidence_level, -surplus, 0.0).mean())
    squares = surplus**2 - (correct - probability) ** 2
    constant = np.full_like(probability, confidence_level)
    logs = _log_loss(constant, correct) - _log_loss(probability, correct)
    return ExcessRisk(over + under, over, under, float(squares.mean()), float(logs.mean()))


def _log_loss(probability: FloatArray, correct: BoolArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # what is sure and wrong has lost without bound
        loss: FloatArray = -np.log(np.where(correct, probability, 1.0 - probability))
    return loss
