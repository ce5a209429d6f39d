"""Conformity measures, and the names by which they are chosen.

A new measure is one class and one line in MEASURES.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils.validation import has_fit_parameter

from ..arrays import FloatArray, IndexArray, linear_predictor
from ..events import LayerAccepted
from ..inputs import as_codes, as_matrix, as_numbers
from ..messages import InputError, Sentence
from ..rows.examples import Examples, Objects, as_examples, checked_examples
from ..rows.weights import weighted_deviation, weighted_mean
from .scores import IntervalScores, LabelScores, QuantileScores, ScoreFunctions
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
    is_adjustment: ClassVar[bool] = False  # whether it is made from another one, to mend it
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

    def score(self, X: Objects, y: NDArray[Any] | None = None) -> FloatArray:
        """Return the conformity scores A(x_i, y_i), shape (n,)."""
        examples = as_examples(X, y)
        return self.score_functions(examples).at(examples.labels)

    def steps(self, X: Objects, first: int = 0) -> FloatArray:  # noqa: ARG002
        """Return what each layer from the ``first`` on adds to scores, shape (layers, n)."""
        return np.empty((0, len(checked_examples(self, X))))


def _fitted(chosen: BaseEstimator | None, examples: Examples, y: NDArray[Any]) -> BaseEstimator:
    """Return a clone, or least squares, fitted by weights if there are any; TypeError if unable."""
    if chosen is None:
        return LinearRegression().fit(examples.X, y, examples.weights)
    model = clone(chosen)
    if examples.weights is None or isinstance(model, FrozenEstimator):
        return model.fit(examples.given, y)
    if not has_fit_parameter(model, "sample_weight"):
        raise TypeError(f"model {type(model).__name__} takes no weights (sample_weight)")
    return model.fit(examples.given, y, sample_weight=examples.weights)


RESIDUAL_FLOOR = 1e-6
"""Residuals below this share of their root mean square are raised to it before the log."""


class StandardMeasure(ConformityMeasure):
    """``A(x, y) = -log|y - yhat(x)|``: one width for all.

    The logarithm of the paper's standard measure (eq. ncm with sigma = 1): the same ranks, on
    a scale where IFACM's additive layers multiply the interval. ``yhat`` is by ordinary least
    squares, or by any ``model`` of scikit-learn's kind, a pipeline too. One that is fitted already
    is used as it is within ``sklearn.frozen.FrozenEstimator``; the rows that the measure is then
    fitted on should not be those of the model, whose errors there are too small.

    >>> import numpy as np
    >>> from evencover.core import StandardMeasure
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 0.0, 3.0, 2.0])
    >>> StandardMeasure().fit(X, y).score_functions(X).center.round(1).tolist()
    [0.6, 1.2, 1.8, 2.4]
    """

    task = "regression"
    takes_weights = True

    def __init__(self, model: BaseEstimator | None = None) -> None:
        self.model = model

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the model; InputError if it predicts the label without any error."""
        examples = checked_examples(self, X, y, fitting=True)
        self.location_, _ = _located(self.model, examples)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        examples = checked_examples(self, X)
        zeros = np.zeros(len(examples))
        return IntervalScores(_predict(self.location_, examples), log_scale=zeros, shift=zeros)


class NormalizedMeasure(ConformityMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|``, the paper's eq. (ncm) in logarithms.

    ``yhat`` is an ordinary least squares fit of the label, ``log sigma`` one of
    ``log|residual|`` on the same training examples (Papadopoulos et al., 2002).

    Parameters
    ----------
    model, scale_model
        Of scikit-learn's kind, in the places of these two; of a fitted one see
        :class:`StandardMeasure`.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import NormalizedMeasure
    >>> X = np.linspace(0.0, 1.0, 100)[:, None]
    >>> y = np.exp(3.0 * X[:, 0]) * np.tile([-1.0, 1.0], 50)
    >>> scores = NormalizedMeasure().fit(X, y).score_functions(X)
    >>> scores.log_scale[-1] > scores.log_scale[0]  # wider where prediction is harder
    np.True_
    """

    task = "regression"
    takes_weights = True

    def __init__(
        self, model: BaseEstimator | None = None, *, scale_model: BaseEstimator | None = None
    ) -> None:
        self.model = model
        self.scale_model = scale_model

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit both models; InputError if the first predicts the label without any error."""
        examples = checked_examples(self, X, y, fitting=True)
        self.location_, residuals = _located(self.model, examples)
        floor = RESIDUAL_FLOOR * np.sqrt(weighted_mean(residuals**2, examples.weights))
        log_residuals = np.log(np.maximum(residuals, floor))
        self.log_scale_ = _fitted(self.scale_model, examples, log_residuals)
        return self

    def score_functions(self, X: Objects) -> IntervalScores:
        """Return the scores of the objects as functions of the label."""
        examples = checked_examples(self, X)
        center, log_scale = (_predict(m, examples) for m in (self.location_, self.log_scale_))
        return IntervalScores(center, log_scale, shift=np.zeros(len(examples)))


def _located(chosen: BaseEstimator | None, examples: Examples) -> tuple[BaseEstimator, FloatArray]:
    """Return the model of the label, and its absolute residuals, shape (n,)."""
    y = as_numbers(examples.labels)
    model = _fitted(chosen, examples, y)
    residuals = np.abs(y - _predict(model, examples))
    if residuals.max() <= 1e-10 * weighted_deviation(y, examples.weights):
        raise InputError(
            "label.determined",
            "the features determine the label exactly in the training rows, so there is no "
            "uncertainty to audit; drop the feature that copies the label",
        )
    return model, residuals


def _predict(model: BaseEstimator, examples: Examples) -> FloatArray:
    if isinstance(model, LinearRegression):  # the same for a row whatever others are beside it
        return linear_predictor(examples.X, model.coef_, model.intercept_)
    return as_numbers(model.predict(examples.given))


_UNCONVERGED = Sentence(
    "base-model.unconverged",
    "The base model's optimiser ended at its bound of iterations, short of its optimum.",
)


class ScoringMeasure(ConformityMeasure):
    """``A(x, y) = log P(y | x)`` by multinomial logistic regression, or by any classifier.

    The paper's scoring measure with normalised scores, which reproduce its covtype figures
    where un-normalised linear scores do not. Labels are codes 0 .. K-1. A label that no
    training example has scores ``-inf``: it is only kept when every label is.

    Parameters
    ----------
    n_labels
        K, by default one more than the largest code in training.
    ridge
        The weight of ``0.5 * sum(coefficients**2)`` beside the sum of log-losses. It makes the
        optimum exist where a feature separates a class perfectly; predictors are meant to be
        standardised.
    max_iter
        A fit that it stops has valid scores, but less efficient ones.
    model
        Another classifier of scikit-learn's kind that tells probabilities, a pipeline too; one that
        is fitted already is used as it is within ``sklearn.frozen.FrozenEstimator``. If it was
        fitted on text, or on -1 and 1, the code k stands for the k-th of its ``classes_``.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import ScoringMeasure
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> ScoringMeasure().fit(X, y).score_functions(X).all().argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """

    task = "classification"
    takes_weights = True

    def __init__(
        self,
        n_labels: int | None = None,
        *,
        ridge: float = 1.0,
        max_iter: int = 2000,
        model: BaseEstimator | None = None,
    ) -> None:
        self.n_labels = n_labels
        self.ridge = ridge
        self.max_iter = max_iter
        self.model = model

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:
        """Fit the model; InputError if the examples have fewer than two different labels."""
        examples = checked_examples(self, X, y, fitting=True)
        codes = as_codes(examples.labels, self.n_labels)
        if len(np.unique(codes)) < 2:  # noqa: PLR2004
            raise InputError(
                "label.one_class",
                "the training rows hold a single class of the label; enlarge the training set "
                "or choose another label",
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            if self.model is None:
                self.model_ = LogisticRegression(C=1.0 / self.ridge, max_iter=self.max_iter)
                self.model_.fit(examples.X, codes, examples.weights)
            else:
                self.model_ = _fitted(self.model, examples, codes)
        stopped = self.model is None and bool(self.model_.n_iter_.max() >= self.max_iter)
        self.fit_ = Fit(notes=[_UNCONVERGED]) if stopped else Fit()
        self._codes = _codes_of(self.model_)
        self.n_labels_ = self.n_labels or int(max(codes.max(), self._codes.max())) + 1
        return self

    def score_functions(self, X: Objects) -> LabelScores:
        """Return the scores of the objects as functions of the label."""
        examples = checked_examples(self, X)
        # label by label: a number for each object is added, and compared, along long lines
        matrix = np.full((len(examples), self.n_labels_), -np.inf, order="F")
        matrix[:, self._codes] = self._log_probabilities(examples)
        return LabelScores(matrix, shift=np.zeros(len(examples)))

    def _log_probabilities(self, examples: Examples) -> FloatArray:
        """Return those of the model's classes, shape (n, number of classes)."""
        X, model = examples.X, self.model_
        if self.model is not None:
            with np.errstate(divide="ignore"):
                return np.log(as_matrix(model.predict_proba(examples.given)))
        linear = [
            linear_predictor(X, slopes, intercept)
            for slopes, intercept in zip(model.coef_, model.intercept_, strict=True)
        ]
        if len(linear) == 1:  # two labels: scikit-learn has the log-odds of the second
            linear.insert(0, np.zeros(len(X)))
        return np.asarray(log_softmax(np.column_stack(linear), axis=1))


def _codes_of(model: BaseEstimator) -> IndexArray:
    """Return the codes of a fitted model's classes; refused if it tells no probabilities."""
    if not hasattr(model, "predict_proba"):
        name = type(getattr(model, "estimator", model)).__name__
        raise TypeError(f"model {name} tells no probabilities, by predict_proba; choose another")
    classes = np.asarray(model.classes_)
    try:
        return as_codes(classes)
    except (TypeError, ValueError):
        return np.arange(len(classes))


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


MEASURES: dict[str, type[ConformityMeasure]] = {
    "normalized": NormalizedMeasure,
    "standard": StandardMeasure,
    "scoring": ScoringMeasure,
}
"""By name; the first entry of a task is its default."""
