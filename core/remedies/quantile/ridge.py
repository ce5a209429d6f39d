"""How strongly slopes of a quantile regression are held back: as predicts other rows best."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...coverage.estimators.base import FOLDS, fold_numbers
from ...coverage.estimators.design_matrix import Design
from ...events import StopRequest, never
from ...rows.weights import (
    Weights,
    effective_size,
    total,
    weighted_mean,
    weighted_quantiles,
    weights_of,
)
from .check_loss import WIDTHS, CheckLoss, Descent, check_loss

STRENGTHS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 1e-4)
"""In units of the loss's curvature: the first leaves few of the slopes, the last nearly all."""

WEAKEST = STRENGTHS[-1]

FIRST = 0.1
"""The strength of the fit that tells columns apart: the least at which it is known to exist."""

FEW_MISSES = 50.0
"""Rows below the quantile for each parameter: with fewer, the training rows' noise is a good part
of the slopes, and a strength is chosen."""


@dataclass(frozen=True)
class QuantileFit:
    """A linear quantile, its slopes of shape (d,), with the descent that led there."""

    intercept: float
    slopes: FloatArray
    descent: Descent


@dataclass(frozen=True)
class Regression:
    """The regression of a share's quantile of scores, shape (n,), on columns X, shape (n, d).

    ``unit`` is the scores' scale.
    """

    X: FloatArray
    scores: FloatArray
    share: float
    unit: float
    weights: Weights = None

    @property
    def has_few_misses(self) -> bool:
        """Whether rows below the quantile are few for the parameters."""
        n, d = self.X.shape
        return bool(self.share * effective_size(self.weights, n) < FEW_MISSES * (1 + d))

    def part(self, rows: BoolArray) -> "Regression":
        """Return that of some of the rows."""
        weights = weights_of(self.weights, rows)
        return replace(self, X=self.X[rows], scores=self.scores[rows], weights=weights)

    def fits(
        self,
        strengths: Sequence[float],
        scale: FloatArray | None = None,
        should_stop: StopRequest = never,
    ) -> Iterator[QuantileFit]:
        """Yield a fit with each strength, each starting the next, to columns times a scale."""
        design = Design(self.X if scale is None else self.X * scale)
        beta, widths = np.zeros(design.size), WIDTHS
        beta[0] = weighted_quantiles(self.scores, self.share, self.weights)
        loss = CheckLoss(design, self.scores, self.share, 0.0, self.weights)
        below = loss.at(beta, self.unit).below
        curvature = weighted_mean(below * (1.0 - below), self.weights) / self.unit
        for strength in strengths:
            descent, held = Descent(self.unit), replace(loss, ridge=strength * curvature)
            beta, widths = descent.run(held, beta, widths, should_stop), WIDTHS[-1:]
            intercept, slopes = design.coefficients(beta)
            yield QuantileFit(intercept, slopes if scale is None else slopes * scale, descent)

    def scale(self) -> FloatArray:
        """Return the size of each slope in a first fit, shape (d,), their mean square 1.

        A ridge for columns times these holds back most what seemed not to matter: where many
        columns are rare and few of them matter, slopes of the others are noise. It is the adaptive
        ridge of Grandvalet (1998), "Least absolute shrinkage is equivalent to quadratic
        penalization", after one step; Zou (2006), "The adaptive lasso and its oracle properties".
        """
        sizes = np.abs(next(self.fits((FIRST,))).slopes)
        norm = float(np.linalg.norm(sizes))
        return sizes * (math.sqrt(len(sizes)) / norm) if norm > 0.0 else np.ones(len(sizes))

    def chosen_strength(self, should_stop: StopRequest = never) -> float:
        """Return the strength whose fits, on four fifths of the rows each, predict the others best.

        By the check loss; of equals, the strongest.
        """
        losses, fold = np.zeros(len(STRENGTHS)), fold_numbers(len(self.X))
        for number in range(FOLDS):
            inside = fold != number
            if should_stop() or len(np.unique(fold[inside])) < FOLDS - 1:
                break
            known, others = self.part(inside), self.part(~inside)
            for place, fit in enumerate(known.fits(STRENGTHS, known.scale())):
                residuals = others.scores - others.X @ fit.slopes - fit.intercept
                lost = check_loss(residuals, self.share, others.weights)
                losses[place] += lost * total(others.weights, len(residuals))
        return STRENGTHS[int(np.argmin(losses))]
