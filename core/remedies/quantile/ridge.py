"""How strongly slopes of a quantile regression are held back: as predicts other rows best."""

import numpy as np

from ...arrays import FloatArray
from ...coverage.estimators.base import FOLDS, fold_numbers
from ...coverage.estimators.design_matrix import Design
from ...events import StopRequest, never
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
) -> float:
    """Return the strength whose fits, on four fifths of the rows each, predict the others best.

    By the check loss; of equals, the strongest. ``unit`` is the scores' scale.
    """
    if share * len(X) >= FEW_MISSES * (1 + X.shape[1]):
        return WEAKEST
    losses, fold = np.zeros(len(STRENGTHS)), fold_numbers(len(X))
    for number in range(FOLDS):
        inside = fold != number
        if should_stop() or len(np.unique(fold[inside])) < FOLDS - 1:
            break
        design, known = Design(X[inside]), scores[inside]
        beta, widths = start(known, share, design.size), WIDTHS
        for place, strength in enumerate(STRENGTHS):
            loss = CheckLoss(design, known, share, ridge(design, known, share, unit, strength))
            beta, widths = Descent(unit).run(loss, beta, widths), WIDTHS[-1:]
            intercept, slopes = design.coefficients(beta)
            residuals = scores[~inside] - X[~inside] @ slopes - intercept
            losses[place] += check_loss(residuals, share) * len(residuals)
    return STRENGTHS[int(np.argmin(losses))]


def start(scores: FloatArray, share: float, size: int) -> FloatArray:
    """Return parameters of one quantile for all, shape (size,)."""
    beta = np.zeros(size)
    beta[0] = np.quantile(scores, share)
    return beta


def ridge(design: Design, scores: FloatArray, share: float, unit: float, strength: float) -> float:
    """Return the weight of a strength: that times the curvature where one quantile is for all."""
    here = CheckLoss(design, scores, share, 0.0).at(start(scores, share, design.size), unit)
    return strength * float(np.mean(here.below * (1.0 - here.below))) / unit
