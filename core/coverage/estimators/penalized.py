"""Logistic regressions with a penalty on the slopes, as strong as predicts other rows best."""

import warnings
from abc import abstractmethod

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from ...arrays import BoolArray, FloatArray
from ...rows.weights import Weights, total, weighted_mean, weights_of
from .base import FOLDS, ProbabilityEstimator, common_outcome, fold_numbers, with_a_column

RIDGE_STRENGTHS = (10.0, 1.0, 0.1, 0.01, 0.001, 0.0001)
"""Per row. The log-loss has a curvature of CL (1 - CL) a row, 0.09 at 0.9: the first leaves a
hundredth of the slopes, the last all of them."""

LASSO_SHARES = np.array([1.0001, *np.geomspace(1.0, 1e-3, 7)[1:]])
"""Of the smallest strength that leaves no feature; the first leaves none, however it rounds."""

_LEAST_STRENGTH = 1e-12
"""Where no feature varies, any strength will do but 0."""

_ENOUGH_TO_CHOOSE = 1e-6
"""Tolerance of the fits that only choose a strength: they are 30 times as many as the last."""


class PenalizedEstimator(ProbabilityEstimator):
    """Minimises the mean log-loss and a penalty on the slopes, whose strength is cross-validated.

    Of a grid of strengths it takes the one whose fits, on four fifths of the rows each, predict
    the other rows with the smallest log-loss; of equals, the strongest. A fold without which all
    outcomes are equal is not judged on; where none can be, the strongest penalty is taken.
    Predictors are meant to be standardised.

    ``strength_`` is the one chosen, per row; it and ``coef_``, shape (d,), are NaN when all
    outcomes are equal.
    """

    takes_weights = True
    strength_: float
    coef_: FloatArray

    @abstractmethod
    def _strengths(self, X: FloatArray, correct: BoolArray, weights: Weights) -> FloatArray:
        """Return the grid of strengths, the strongest first."""

    @abstractmethod
    def _model(self) -> LogisticRegression:
        """Return the regression, whose ``C`` will be set by the strength."""

    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        self.constant_, self.converged_ = common_outcome(correct), True
        if self.constant_ is not None:
            self.strength_, self.coef_ = np.nan, np.full(X.shape[1], np.nan)
            return
        objects = with_a_column(X)
        self.strength_ = self._chosen_strength(objects, correct, weights)
        self._fitted = self._fit_at(self._model(), self.strength_, objects, correct, weights)
        self.coef_ = self._fitted.coef_[0, : X.shape[1]]
        self.converged_ = bool(self._fitted.n_iter_[0] < self._fitted.max_iter)

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n, d)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        probability: FloatArray = self._fitted.predict_proba(with_a_column(X))[:, 1]
        return probability

    def _chosen_strength(self, X: FloatArray, correct: BoolArray, weights: Weights) -> float:
        strengths = np.maximum(self._strengths(X, correct, weights), _LEAST_STRENGTH)
        losses, fold = np.zeros(len(strengths)), fold_numbers(len(X))
        for number in range(FOLDS if len(X) >= FOLDS else 0):
            rows, model = fold == number, self._model().set_params(tol=_ENOUGH_TO_CHOOSE)
            if common_outcome(correct[~rows]) is None:
                of_others = weights_of(weights, ~rows)
                for i, strength in enumerate(strengths):
                    self._fit_at(model, strength, X[~rows], correct[~rows], of_others)
                    linear = model.decision_function(X[rows])
                    lost = np.logaddexp(0.0, linear) - correct[rows] * linear
                    losses[i] += np.sum(lost if weights is None else weights[rows] * lost)
        return float(strengths[np.argmin(losses)])

    def _fit_at(
        self,
        model: LogisticRegression,
        strength: float,
        X: FloatArray,
        correct: BoolArray,
        weights: Weights,
    ) -> LogisticRegression:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # ``converged_`` says so
            regression = model.set_params(C=1.0 / (strength * total(weights, len(X))))
            return regression.fit(X, correct, weights)


class RidgeEstimator(PenalizedEstimator):
    """Minimises ``mean log-loss + 0.5 * strength * sum(slopes**2)``, intercept free."""

    title = "ridge regression"

    def _strengths(
        self,
        X: FloatArray,  # noqa: ARG002
        correct: BoolArray,  # noqa: ARG002
        weights: Weights,  # noqa: ARG002
    ) -> FloatArray:
        return np.array(RIDGE_STRENGTHS)

    def _model(self) -> LogisticRegression:
        return LogisticRegression(solver="newton-cholesky", tol=1e-10, warm_start=True)


class LassoEstimator(PenalizedEstimator):
    """Minimises ``mean log-loss + strength * sum(abs(slopes))``, intercept free."""

    title = "lasso regression"

    def _strengths(self, X: FloatArray, correct: BoolArray, weights: Weights) -> FloatArray:
        error = correct - weighted_mean(correct, weights)
        slopes = X.T @ (error if weights is None else weights * error) / total(weights, len(X))
        strengths: FloatArray = LASSO_SHARES * np.abs(slopes).max()
        return strengths

    def _model(self) -> LogisticRegression:
        # its penalty falls on the intercept too, but a thousandth of a per mille of it only; saga,
        # which spares it, takes minutes where a feature has a long tail
        return LogisticRegression(
            solver="liblinear",
            l1_ratio=1.0,
            intercept_scaling=1e5,
            tol=1e-9,
            max_iter=1000,
            random_state=0,
        )
