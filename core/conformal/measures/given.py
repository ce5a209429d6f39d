"""Conformity measures of outputs of a user's own model for the objects: nothing is fitted.

They take :class:`Examples` with ``outputs``; bare matrices hold no such thing.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...rows.examples import ModelOutputs, Objects, checked_examples
from ..scores import IntervalScores, LabelScores, QuantileScores
from .base import ConformityMeasure


class _GivenMeasure(ConformityMeasure):
    """Has nothing to fit but the features that objects are to have."""

    takes_weights = True

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Note the features."""
        checked_examples(self, X, y, fitting=True)
        return self

    def _outputs(self, X: Objects) -> ModelOutputs:
        return checked_examples(self, X).model_outputs


class GivenPrediction(_GivenMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|`` with a model's own yhat and sigma.

    The normalised measure; without a sigma the standard one, of one width for all.
    """

    task = "regression"

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        given = self._outputs(X)
        center = _known(given.prediction)
        zeros = np.zeros(len(center))
        log_scale = zeros if given.sigma is None else np.log(given.sigma)
        return IntervalScores(center, log_scale, shift=zeros)


class GivenQuantiles(_GivenMeasure):
    """``A(x, y) = min(y - lower(x), upper(x) - y)`` with a model's own quantiles."""

    task = "regression"

    def score_functions(self, X: Objects) -> QuantileScores:
        """Return the scores of the objects as functions of the label."""
        given = self._outputs(X)
        lower, upper = _known(given.lower), _known(given.upper)
        return QuantileScores(lower, upper, shift=np.zeros(len(lower)))


class GivenProbabilities(_GivenMeasure):
    """``A(x, y) = log P(y | x)`` with a model's own probabilities; -inf where one is 0."""

    task = "classification"

    def score_functions(self, X: Objects) -> LabelScores:
        """Return the scores of the objects as functions of the label."""
        with np.errstate(divide="ignore"):
            matrix = np.log(_known(self._outputs(X).probabilities))
        return LabelScores(matrix, shift=np.zeros(len(matrix)))


def _known(values: FloatArray | None) -> FloatArray:
    if values is None:
        raise ValueError("the model said other things than this measure needs")
    return values
