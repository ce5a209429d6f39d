"""Excess risk of the target coverage: how much better p(x) predicts correctness than CL does."""

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class ExcessRisk:
    """Excess risks of predicting CL for all, by the measure of loss.

    Each estimates from below, and is 0 on average where coverage is CL for all; estimation noise
    makes it negative.

    Attributes
    ----------
    l1
        By absolute deviation: estimates ``E|p(x) - CL|``.
    over, under
        Its parts, from objects with more coverage than CL and with less.
    l2
        By squared error: estimates ``E (p(x) - CL)**2``, the square of DCV.
    log
        By log-loss: estimates the mean Kullback-Leibler divergence, in nats.
    """

    l1: float
    over: float
    under: float
    l2: float
    log: float


UNKNOWN = ExcessRisk(*[math.nan] * 5)


def excess_risk(probability: FloatArray, correct: BoolArray, confidence_level: float) -> ExcessRisk:
    """Return the excess risks by p(x) of rows it was not fitted on, and outcomes, shape (n,).

    References
    ----------
    arXiv 2512.11779, for its name and the choice of losses.
    """
    if np.isnan(probability).any():
        return UNKNOWN
    surplus = correct - confidence_level
    above = np.where(probability > confidence_level, surplus, 0.0)
    below = np.where(probability < confidence_level, -surplus, 0.0)
    squares = surplus**2 - (correct - probability) ** 2
    logs = _log_loss(np.full_like(probability, confidence_level), correct) - _log_loss(
        probability, correct
    )
    over, under = float(above.mean()), float(below.mean())
    return ExcessRisk(over + under, over, under, float(squares.mean()), float(logs.mean()))


def _log_loss(probability: FloatArray, correct: BoolArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # what is sure and wrong has lost without bound
        loss: FloatArray = -np.log(np.where(correct, probability, 1.0 - probability))
    return loss
