"""What every conformity measure offers, a remedy, too.

A new measure is one class, over models derived from :class:`ModelMeasure`, and one line in
``names.py``.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays import FloatArray
from ..events import LayerAccepted
from ..messages import InputError, Sentence
from ..rows.examples import ModelOutputs, Objects, as_examples, checked_examples
from ..scoring.forms import Form, IntervalForm, QuantileForm
from .scores import IntervalScores, QuantileScores, ScoreFunctions
from .thresholds import ThresholdRule

Task = Literal["regression", "classification"]

MARGINAL = (
    "On average over all rows its sets hold the label with the promised probability, if "
    "calibration rows and new rows are exchangeable; for no group by itself."
)

NoLayerReason = Literal["", "holds-all", "stopped", "penalty", "stalled", "even"]
"""Why an adjustment by layers has none: every training row's set holds its label; its fit was
stopped before the first; only a smaller penalty C lets it have one; the search misses one that is
found from other starts; or none makes coverage of the training rows more even, whatever it costs.
"""


_NOT_WRITTEN = (
    "measure {measure} says not how it is written down, so that it cannot be saved; give it a "
    "method written, which returns a form of evencover.core.scoring"
)


@dataclass(frozen=True)
class CandidateFigures:
    """Figures of a remedy that may be chosen, on training rows that it was not fitted on.

    ``ert_l2`` is by the mean of p(x) by straight lines and by trees, ``ert_l2_trees`` by these
    alone. ``interval_score`` is the mean of widths and 2 / eps times what labels lie outside, in
    their units (Gneiting and Raftery 2007); NaN of sets of labels.
    """

    remedy: str
    ert_l2: float
    ert_l2_trees: float
    inefficiency: float
    interval_score: float


@dataclass(frozen=True)
class Choice:
    """The name of the remedy that was chosen of candidates; "none" where none is."""

    remedy: str
    candidates: Sequence[CandidateFigures]


@dataclass(frozen=True)
class Fit:
    """What the fit of a measure did, beyond that of the measure that it adjusts.

    ``terms`` counts the fitted parameters by which sets depend on the object, those that a penalty
    holds back in part; 0 where it adjusts nothing, None where it does so by something without such
    a number.
    """

    terms: float | None = 0
    layers: Sequence[LayerAccepted] = ()  # in order, if it came about by layers
    no_layer_reason: NoLayerReason = ""
    suggested_penalty: float | None = None  # the C that would let it have one, for "penalty"
    stopped: bool = False  # whether it was ended before its end
    notes: Sequence[Sentence] = ()  # what a user should know of it
    choice: Choice | None = None  # of several, where one was chosen


class ConformityMeasure(BaseEstimator, ABC):  # type: ignore[misc]
    """A conformity measure A(x, y): the higher the score, the more typical the example.

    Scores are on a scale where adding a constant multiplies an interval or the odds-like
    weight of a label, or moves an interval's ends, so that additive adjustments have a meaning.

    Objects come as a matrix of encoded features, shape (n, d), with labels beside it, shape
    (n,), or as :class:`Examples`, which hold the rows of the table, too.

    A measure of your own has a ``task``, fits and gives scores, and says by ``takes_weights``
    whether its fit and its scores go by the weights of examples.
    """

    task: ClassVar[Task]
    takes_weights: ClassVar[bool] = False
    guarantee: ClassVar[str] = MARGINAL  # what its sets promise, in one sentence
    fit_: Fit = Fit()

    @property
    def threshold_rule(self) -> ThresholdRule:
        """What learns thresholds of its scores: by default one for all."""
        return ThresholdRule()

    @abstractmethod
    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the underlying model on training examples."""

    @abstractmethod
    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of the objects as functions of the label."""

    def learning_functions(self, X: Objects) -> ScoreFunctions:
        """Return the same of examples that a remedy, or Algorithm 1, learns from.

        For those that a flexible model was fitted on they are by a fit without them; by default,
        as in the paper, by the fit that has seen them.
        """
        return self.score_functions(X)

    def written(self) -> Form:
        """Return the fitted measure as plain values, which need no code of its own."""
        raise InputError("saved.measure", _NOT_WRITTEN, measure=type(self).__name__)

    def score(self, X: Objects, y: NDArray[Any] | None = None) -> FloatArray:
        """Return the conformity scores A(x_i, y_i), shape (n,)."""
        examples = as_examples(X, y)
        return self.score_functions(examples).at(examples.labels)

    def steps(self, X: Objects, first: int = 0) -> FloatArray:  # noqa: ARG002
        """Return what each layer from the ``first`` on adds to scores, shape (layers, n)."""
        return np.empty((0, len(checked_examples(self, X))))


class _GivenMeasure(ConformityMeasure):
    """Of outputs of a user's own model, which examples have and bare matrices do not.

    Nothing is fitted; what is noted are the features that objects are to have.
    """

    takes_weights = True

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Note the features."""
        self.fitted_on_ = checked_examples(self, X, y, fitting=True).outputs or ModelOutputs()
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

    def written(self) -> IntervalForm:
        """Return the measure as plain values, by columns of outputs."""
        column_of, has_sigma = self.fitted_on_.column_of, self.fitted_on_.sigma is not None
        scale = column_of("log_sigma") if has_sigma else None
        return IntervalForm((), column_of("prediction"), scale)


class GivenQuantiles(_GivenMeasure):
    """``A(x, y) = min(y - lower(x), upper(x) - y)`` with a model's own quantiles."""

    task = "regression"

    def score_functions(self, X: Objects) -> QuantileScores:
        """Return the scores of the objects as functions of the label."""
        lower, upper = self._outputs(X, "lower", "upper")
        return QuantileScores(lower, upper, shift=np.zeros(len(lower)))

    def written(self) -> QuantileForm:
        """Return the measure as plain values, by columns of outputs."""
        return QuantileForm((), *map(self.fitted_on_.column_of, ("lower", "upper")))
