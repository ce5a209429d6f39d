"""What every conformity measure offers."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ...arrays import FloatArray
from ..scores import ScoreFunctions


class ConformityMeasure(BaseEstimator, ABC):  # type: ignore[misc]
    """A conformity measure A(x, y): the higher the score, the more typical the example.

    Scores are on a scale where adding a constant multiplies an interval or the odds-like
    weight of a label, so that additive adjustments have a meaning.
    """

    @abstractmethod
    def fit(self, X: FloatArray, y: NDArray[Any]) -> Self:
        """Fit the underlying model on training examples, X of shape (n, d), y of shape (n,)."""

    @abstractmethod
    def score_functions(self, X: FloatArray) -> ScoreFunctions:
        """Return the scores of the objects X, shape (n, d), as functions of the label."""

    def score(self, X: FloatArray, y: NDArray[Any]) -> NDArray[np.float64]:
        """Return the conformity scores A(x_i, y_i), shape (n,)."""
        return self.score_functions(X).at(y)
