"""How strongly slopes of a quantile regression are held back: as predicts other rows best."""

import numpy as np

from ...arrays import FloatArray
from ...coverage.estimators.base import FOLDS, fold_numbers
from ...coverage.estimators.design_matrix import Design
from ...events import StopRequest, never
from ...weights import Weights, effective_size, total, weighted_mean, weighted_quantiles, weights_of
from .check_loss import CheckLoss, check_loss
from .newton import WIDTHS, Descent

STRENGTHS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.01, 1e-4)
"""In units of the loss's curvature: the first leaves a tenth of the slopes, the last nearly all."""

WEAKEST = STRENGTHS[-1]

FEW_MISSES = 50.0
"""Rows below the quantile for each parameter: with fewer, the training rows' noise is a good part
of the slopes, and a strength is chosen."""


def chosen_strength(
    X: FloatArray,
    scores: FloatArray,
    share: float,
    unit: float,
    should_stop: StopRequest = never,
    weights: Weights = None,
) -> float:
    """Return the strength whose fits, on four fifths of the rows each, predict the others best.

    By the check loss; of equals, the strongest. ``unit`` is the scores' scale.
    """
    if share * effective_size(weights, len(X)) >= FEW_MISSES * (1 + X.shape[1]):
        return WEAKEST
    losses, fold = np.zeros(len(STRENGTHS)), fold_numbers(len(X))
    for number in range(FOLDS):
        inside = fold != number
        if should_stop() or len(np.unique(fold[inside])) < FOLDS - 1:
            break
        design, known, of_known = Design(X[inside]), scores[inside], weights_of(weights, inside)
        of_others = weights_of(weights, ~inside)
        beta, widths = start(known, share, design.size, of_known), WIDTHS
        for place, strength in enumerate(STRENGTHS):
            weight = ridge(design, known, share, unit, strength, of_known)
            loss = CheckLoss(design, known, share, weight, of_known)
            beta, widths = Descent(unit).run(loss, beta, widths), WIDTHS[-1:]
            intercept, slopes = design.coefficients(beta)
            residuals = scores[~inside] - X[~inside] @ slopes - intercept
            lost = check_loss(residuals, share, of_others)
            losses[place] += lost * total(of_others, len(residuals))
    return STRENGTHS[int(np.argmin(losses))]


def start(scores: FloatArray, share: float, size: int, weights: Weights = None) -> FloatArray:
    """Return parameters of one quantile for all, shape (size,)."""
    beta = np.zeros(size)
    beta[0] = weighted_quantiles(scores, share, weights)
    return beta


def ridge(
    design: Design,
    scores: FloatArray,
    share: float,
    unit: float,
    strength: float,
    weights: Weights = None,
) -> float:
    """Return the weight of a strength: that times the curvature where one quantile is for all."""
    beta = start(scores, share, design.size, weights)
    here = CheckLoss(design, scores, share, 0.0, weights).at(beta, unit)
    return strength * weighted_mean(here.below * (1.0 - here.below), weights) / unit
