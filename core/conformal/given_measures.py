"""Conformity measures of what a model of the user's own said."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..rows.examples import Objects, as_examples, checked_examples
from .measures import ConformityMeasure
from .scores import IntervalScores, LabelScores, QuantileScores


class _GivenMeasure(ConformityMeasure):
    """Of outputs of a user's own model, which examples have and bare matrices do not.

    Nothing is fitted; what is noted are the features that objects are to have.
    """

    takes_weights = True

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Note the features."""
        checked_examples(self, X, y, fitting=True)
        return self

    def _outputs(self, X: Objects, *names: str) -> list[FloatArray]:
        outputs = checked_examples(self, X).model_outputs
        found = [getattr(outputs, name) for name in names]
        if any(values is None for values in found):
            raise ValueError("the model said other things than this measure needs")
        return found


class GivenPrediction(_GivenMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|`` with a model's own yhat and sigma.

    The normalised measure; without a sigma the standard one, of one width for all.
    """

    task = "regression"

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        (center,), zeros = self._outputs(X, "prediction"), np.zeros(len(as_examples(X)))
        sigma = as_examples(X).model_outputs.sigma
        return IntervalScores(center, zeros if sigma is None else np.log(sigma), shift=zeros)


class GivenQuantiles(_GivenMeasure):
    """``A(x, y) = min(y - lower(x), upper(x) - y)`` with a model's own quantiles."""

    task = "regression"

    def score_functions(self, X: Objects) -> QuantileScores:
        """Return the scores of the objects as functions of the label."""
        lower, upper = self._outputs(X, "lower", "upper")
        return QuantileScores(lower, upper, shift=np.zeros(len(lower)))


class GivenProbabilities(_GivenMeasure):
    """``A(x, y) = log P(y | x)`` with a model's own probabilities; -inf where one is 0."""

    task = "classification"

    def score_functions(self, X: Objects) -> LabelScores:
        """Return the scores of the objects as functions of the label."""
        (probabilities,) = self._outputs(X, "probabilities")
        with np.errstate(divide="ignore"):
            return LabelScores(np.log(probabilities), shift=np.zeros(len(probabilities)))
