"""What every estimator of p(x), the probability that a prediction set is correct, offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from ...arrays import BoolArray, FloatArray
from ...inputs import as_matrix, as_outcomes, check_features
from ...messages import InputError
from ...rows.weights import Weights
from ...scoring.functions import Constant, Function

FitAgain = Callable[[BoolArray], tuple["ProbabilityEstimator", FloatArray]]
"""Returns an estimator fitted on outcomes, shape (n,), and its p(x) for the objects, shape (n,)."""


class ProbabilityEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimates p(x) = P(the prediction set of x holds its label), the paper's eq. (probest).

    ``maximum_likelihood`` says whether it fits one parameter for each feature, and an intercept,
    by maximum likelihood: the DCV of estimation noise is known by formula only then.
    """

    title: ClassVar[str]
    maximum_likelihood: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False
    constant_: float | None  # the common outcome when all are equal: p is then that constant
    converged_: bool

    def fit(
        self, X: FloatArray | pd.DataFrame, y: BoolArray, sample_weight: Weights = None
    ) -> Self:
        """Fit on objects X, shape (n, d), and the correctness of their sets, shape (n,).

        ValueError if the rows have weights, of which the estimator can make no use.
        """
        matrix = as_matrix(X, least_features=0)
        check_features(self, X, fitting=True)
        if sample_weight is not None and not self.takes_weights:
            raise ValueError(f"p(x) by {self.title} takes no weights")
        correct = as_outcomes(y, len(matrix))
        self.constant_, self.converged_ = common_outcome(correct), True
        self._fit(matrix, correct, sample_weight)
        return self

    def predict(self, X: FloatArray | pd.DataFrame) -> FloatArray:
        """Return p(x) for the objects X, shape (n,)."""
        matrix = as_matrix(X, least_features=0)
        check_features(self, X)
        return self.probabilities(matrix)

    @abstractmethod
    def _fit(self, X: FloatArray, correct: BoolArray, weights: Weights) -> None:
        """Fit on arrays that have been checked; rows have weights only if it takes them."""

    @abstractmethod
    def _probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x), shape (n,), where outcomes were not all equal."""

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Return p(x) for objects that have been checked, without another look: shape (n,)."""
        if self.constant_ is not None:
            return np.full(len(X), self.constant_)
        return self._probabilities(X)

    def written(self) -> Function:
        """Return p(x) as a function of plain values; InputError where it takes rows, or code."""
        if self.constant_ is not None:
            return Constant(self.constant_)
        return self._written()

    def _written(self) -> Function:
        sentence = "a predictor whose p(x) is by {title} cannot be saved; choose another estimator"
        raise InputError("saved.estimator", sentence, title=self.title)

    def fits(self, X: FloatArray, weights: Weights = None) -> FitAgain:
        """Return what fits new estimators like this one on the same objects, again and again.

        IFACM fits hundreds of times to outcomes that differ little. An estimator that can make
        use of that overrides this; it must not change the answers.
        """

        def fit_again(correct: BoolArray) -> tuple[ProbabilityEstimator, FloatArray]:
            fitted: ProbabilityEstimator = clone(self).fit(X, correct, weights)
            return fitted, fitted.probabilities(X)

        return fit_again


def common_outcome(correct: BoolArray) -> float | None:
    """Return the outcome that all rows, shape (n,), have in common; None if there is none."""
    share = float(correct.mean())
    return share if share in (0.0, 1.0) else None
