"""What every conformity measure offers."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import has_fit_parameter

from ...arrays import FloatArray
from ...messages import Sentence
from ...rows.examples import Examples, Objects, as_examples
from ..scores import ScoreFunctions
from ..thresholds import SingleThresholdRule, ThresholdRule

Task = Literal["regression", "classification"]


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

    @property
    def threshold_rule(self) -> ThresholdRule:
        """What learns thresholds of its scores: by default one for all."""
        return SingleThresholdRule()

    @abstractmethod
    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the underlying model on training examples."""

    @abstractmethod
    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of the objects as functions of the label."""

    def score(self, X: Objects, y: NDArray[Any] | None = None) -> FloatArray:
        """Return the conformity scores A(x_i, y_i), shape (n,)."""
        examples = as_examples(X, y)
        return self.score_functions(examples).at(examples.labels)

    def fit_notes(self) -> list[Sentence]:
        """Return what a user should know of how the fit went."""
        return []


def fitted_by_weight(model: BaseEstimator, examples: Examples, y: NDArray[Any]) -> BaseEstimator:
    """Return a model of scikit-learn's kind fitted on examples, by their weights if they have any.

    TypeError if it takes none then. A frozen one is as it was.
    """
    if examples.weights is None or isinstance(model, FrozenEstimator):
        return model.fit(examples.given, y)
    if not has_fit_parameter(model, "sample_weight"):
        raise TypeError(f"model {type(model).__name__} takes no weights (sample_weight)")
    return model.fit(examples.given, y, sample_weight=examples.weights)
