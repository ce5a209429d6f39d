"""What every estimator of p(x), the probability that a prediction set is correct, offers."""

from abc import ABC, abstractmethod
from typing import Self

from sklearn.base import BaseEstimator

from ..prediction_sets import BoolArray, FloatArray


class ProbabilityEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Estimates p(x) = P(the prediction set of x holds its label), the paper's eq. (probest).

    Attributes
    ----------
    converged_ : bool
        Whether the fit reached its optimum.
    """

    converged_: bool

    @abstractmethod
    def fit(self, X: FloatArray, correct: BoolArray, *, start: Self | None = None) -> Self:
        """Fit on objects X, shape (n, d), and the correctness of their sets, shape (n,).

        ``start`` is a fitted estimator of the same kind for the same columns from which an
        iterative fit may set out; it must not change the answer.
        """

    @abstractmethod
    def predict(self, X: FloatArray) -> FloatArray:
        """Return p(x) for the objects X, shape (n,)."""
