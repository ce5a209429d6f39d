"""Logistic regressions whose slopes are held back as far as that predicts other rows better."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit, xlogy
from sklearn.base import clone

from ...arrays import BoolArray, FloatArray, as_matrix
from ..folds import FOLDS, fold_numbers
from .base import FitAgain, ProbabilityEstimator, common_outcome
from .design_matrix import Design


@dataclass(frozen=True)
class LinearFit:
    """A logistic regression as fitted: intercept, slopes of shape (d,), and how it ended."""

    intercept: float
    slopes: FloatArray
    converged: bool

    def predict(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        probability: FloatArray = expit(X @ self.slopes + self.intercept)
        return probability


FitAtStrength = Callable[[BoolArray, float], LinearFit]
"""Fits outcomes, shape (n,), with a penalty of that strength, per row."""


class PenalisedEstimator(ProbabilityEstimator):
    """Minimises the mean log-loss and a penalty on the slopes, whose strength is cross-validated.

    Of a grid of strengths it takes the one whose fits, on four fifths of the rows each, predict
    the other rows with the smallest log-loss; of equals, the strongest. The folds are always the
    same. A fold without which all outcomes are equal is not judged on; where none can be, the
    strongest penalty is taken. Predictors are meant to be standardised.

    Attributes
    ----------
    strength_ : float
        The strength chosen, per row; NaN when all outcomes are equal.
    intercept_ : float
    coef_ : ndarray of shape (d,)
        NaN when all outcomes are equal.
    converged_ : bool
        Whether the fit to all rows reached its optimum.
    """

    strength_: float
    intercept_: float
    coef_: FloatArray

    @abstractmethod
    def _strengths(self, design: Design, correct: BoolArray) -> FloatArray:
        """Return the grid of strengths, the strongest first."""

    @abstractmethod
    def _fit_at_strength(self, design: Design) -> FitAtStrength:
        """Return what fits the objects of a design at any strength."""

    def fit(self, X: FloatArray, correct: BoolArray) -> Self:
        """Fit on objects X, shape (n, d), and outcomes ``correct``, shape (n,)."""
        _Choice(self, as_matrix(X)).fit(self, correct)
        return self

    def fits(self, X: FloatArray) -> FitAgain:
        """Return what fits estimators like this one on the same objects, again and again.

        The folds are divided once.
        """
        X = as_matrix(X)
        choice = _Choice(self, X)

        def fit_again(correct: BoolArray) -> tuple[ProbabilityEstimator, FloatArray]:
            fitted = clone(self)
            choice.fit(fitted, correct)
            return fitted, fitted.predict(X)

        return fit_again

    def predict(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        return LinearFit(self.intercept_, self.coef_, self.converged_).predict(as_matrix(X))


class _Choice:
    """The choice of the strength, and the fit with it, for the same objects again and again."""

    def __init__(self, estimator: PenalisedEstimator, X: FloatArray) -> None:
        self._X = X
        self._design = Design(X)
        self._fit_all = estimator._fit_at_strength(self._design)  # noqa: SLF001 - its other half
        fold = fold_numbers(len(X))
        held_out = [fold == number for number in range(FOLDS)] if len(X) >= FOLDS else []
        self._folds = [
            (rows, estimator._fit_at_strength(Design(X[~rows])))  # noqa: SLF001
            for rows in held_out
        ]

    def fit(self, estimator: PenalisedEstimator, correct: BoolArray) -> None:
        estimator.constant_ = common_outcome(correct)
        if estimator.constant_ is not None:
            estimator.strength_ = estimator.intercept_ = np.nan
            estimator.coef_ = np.full(self._X.shape[1], np.nan)
            estimator.converged_ = True
            return
        strengths = estimator._strengths(self._design, correct)  # noqa: SLF001
        losses = [self._loss_elsewhere(float(strength), correct) for strength in strengths]
        estimator.strength_ = float(strengths[int(np.argmin(losses))])
        found = self._fit_all(correct, estimator.strength_)
        estimator.intercept_, estimator.coef_ = found.intercept, found.slopes
        estimator.converged_ = found.converged

    def _loss_elsewhere(self, strength: float, correct: BoolArray) -> float:
        """Return the log-loss, summed over the rows that are held out in turn."""
        total = 0.0
        for rows, fit in self._folds:
            if common_outcome(correct[~rows]) is None:
                probability = fit(correct[~rows], strength).predict(self._X[rows])
                outcome = correct[rows]
                total -= float(np.sum(xlogy(outcome, probability)))
                total -= float(np.sum(xlogy(~outcome, 1.0 - probability)))
        return total
