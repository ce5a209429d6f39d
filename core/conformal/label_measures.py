"""Conformity measures of classes, whose sets are sets of labels."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from ..arrays import FloatArray, IndexArray, linear_predictor
from ..inputs import as_codes, as_matrix
from ..messages import InputError, Sentence
from ..rows.examples import Examples
from ..tables.columns import level_name
from ..threads import single_openmp_thread
from .measures import Fit
from .models import ModelMeasure, learned
from .scores import LabelScores

_MOST_STEPS = 2000
"""A fit that they stop has valid scores, but less efficient ones."""

_UNCONVERGED = Sentence(
    "base-model.unconverged",
    "The base model's optimiser ended at its bound of iterations, short of its optimum.",
)


class ScoringMeasure(ModelMeasure):
    """``A(x, y) = log P(y | x)`` by multinomial logistic regression, or by any classifier.

    The paper's scoring measure with normalised scores, which reproduce its covtype figures
    where un-normalised linear scores do not. Labels are codes 0 .. K-1, or texts. One that no
    training example has scores ``-inf``: it is only kept when every label is.

    Parameters
    ----------
    model
        Another classifier of scikit-learn's kind that tells probabilities, a pipeline too; one that
        is fitted already is used as it is within ``sklearn.frozen.FrozenEstimator``. If the labels
        here are not among its ``classes_``, the code k stands for the k-th of them.
    n_labels, names
        K, by default one more than the largest code in training, and what the codes stand for.
    never_empty
        Whether every set holds the likeliest label, whose score is then infinite.

    ``classes_`` are the K labels in the order of sets' columns.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import ScoringMeasure
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
    >>> measure = ScoringMeasure().fit(X, y)
    >>> measure.classes_[measure.score_functions(X).all().argmax(axis=1)].tolist()
    ['no', 'no', 'yes', 'yes']
    """

    task = "classification"

    def __init__(
        self,
        model: BaseEstimator | None = None,
        *,
        n_labels: int | None = None,
        names: Sequence[str] | None = None,
        never_empty: bool = False,
    ) -> None:
        self.model, self.never_empty = model, never_empty
        self.n_labels, self.names = n_labels, names

    def _fit(self, examples: Examples) -> LabelScores:
        labels = self._learn_classes(examples.labels)
        if len(np.unique(labels)) < 2:  # noqa: PLR2004
            raise InputError(
                "label.one_class",
                "the training rows hold a single class of the label; enlarge the training set "
                "or choose another label",
            )
        chosen = self.model
        if chosen is None:  # its ridge serves where a feature separates a class perfectly
            chosen = LogisticRegression(max_iter=_MOST_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            self.model_, said = learned(chosen, examples, labels, self.log_probabilities)
        stopped = self.model is None and bool(self.model_.n_iter_.max() >= _MOST_STEPS)
        self.fit_ = Fit(notes=[_UNCONVERGED]) if stopped else Fit()
        return self._of(examples, said)

    def _functions(self, examples: Examples) -> LabelScores:
        return self._of(examples, self.log_probabilities(self.model_, examples))

    def _learn_classes(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Set ``classes_`` by training labels, and return these as a model is fitted on them."""
        is_frozen = isinstance(self.model, FrozenEstimator) and self.n_labels is None
        known = np.asarray(getattr(self.model, "classes_", ()) if is_frozen else ())
        if len(known) and np.isin(labels, known).all():
            self.classes_ = known
        elif pd.api.types.is_numeric_dtype(labels):
            labels = as_codes(labels, self.n_labels)
            self.classes_ = np.arange(self.n_labels or labels.max() + 1)
        elif pd.isna(labels).any():
            raise ValueError("y contains missing values")
        else:
            self.classes_ = np.unique(labels)
        self.n_labels_ = len(self.classes_)
        return labels

    def _columns(self, model: BaseEstimator) -> IndexArray:
        """Return which of the classes those of a fitted model are; refused if that is unclear."""
        if not hasattr(model, "predict_proba"):
            name = type(getattr(model, "estimator", model)).__name__
            raise TypeError(f"model {name} tells no probabilities; choose one with predict_proba")
        ways: list[tuple[Any, Any]] = [(self.classes_, model.classes_)]
        if isinstance(model, FrozenEstimator) and self.names is not None:
            ways.insert(0, (self.names, [level_name(each) for each in model.classes_]))
        found = (pd.Index(of).get_indexer(pd.Index(told)) for of, told in ways)
        columns = next((each for each in found if (each >= 0).all()), None)
        if columns is None and len(model.classes_) != len(self.classes_):
            known = f"the model tells classes {model.classes_}"
            raise ValueError(f"{known}, and the labels are {self.classes_}")
        return np.arange(self.n_labels_) if columns is None else np.asarray(columns)

    def _of(self, examples: Examples, said: FloatArray) -> LabelScores:
        """Return the scores that follow from log-probabilities of the labels, shape (n, K)."""
        matrix = self._matrix(examples, said)
        if self.never_empty:
            matrix[np.arange(len(said)), said.argmax(axis=1)] = np.inf
        are_codes = np.array_equal(self.classes_, np.arange(self.n_labels_))
        return LabelScores(matrix, None if are_codes else self.classes_, shift=np.zeros(len(said)))

    def _matrix(self, examples: Examples, said: FloatArray) -> FloatArray:  # noqa: ARG002
        return said

    def log_probabilities(self, model: BaseEstimator, examples: Examples) -> FloatArray:
        """Return those of all labels, shape (n, K), -inf for one that the model does not know."""
        columns = self._columns(model)
        # label by label: a number for each object is added, and compared, along long lines
        matrix = np.full((len(examples), self.n_labels_), -np.inf, order="F")
        if self.model is not None or not isinstance(model, LogisticRegression):
            with np.errstate(divide="ignore"), single_openmp_thread():
                told = model.predict_proba(examples.given_to(model))
                matrix[:, columns] = np.log(as_matrix(told))
            return matrix
        linear = [
            linear_predictor(examples.X, slopes, intercept)
            for slopes, intercept in zip(model.coef_, model.intercept_, strict=True)
        ]
        if len(linear) == 1:  # two labels: scikit-learn has the log-odds of the second
            linear.insert(0, np.zeros(len(examples)))
        matrix[:, columns] = log_softmax(np.column_stack(linear), axis=1)
        return matrix


class AdaptiveMeasure(ScoringMeasure):
    """Adaptive prediction sets: the likeliest labels, until their probabilities add up to enough.

    ``A(x, y) = log(sum of P(k | x) over labels k less likely than y + u(x) P(y | x))`` (Romano,
    Sesia and Candes, 2020, "Classification with valid and adaptive coverage"); of equally likely
    ones the first is the likelier. The number u(x) in [0, 1), without which sets were too large, is
    made of the object, as if drawn at random: the same object has the same set, always.

    >>> import numpy as np
    >>> from evencover.core import AdaptiveMeasure
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> AdaptiveMeasure(never_empty=True).fit(X, y).score_functions(X).sets(0.0).sizes.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    def _matrix(self, examples: Examples, said: FloatArray) -> FloatArray:
        order = np.argsort(-said, axis=1, kind="stable")
        own = np.exp(np.take_along_axis(said, order, axis=1))
        left = np.zeros_like(own)
        left[:, :-1] = np.cumsum(own[:, :0:-1], axis=1)[:, ::-1]
        left += self._uniform(examples)[:, None] * own
        matrix = np.empty_like(said)
        with np.errstate(divide="ignore"):
            np.put_along_axis(matrix, order, np.log(left), axis=1)
        return matrix

    def _uniform(self, examples: Examples) -> FloatArray:
        """Return a number in [0, 1) for each object, shape (n,), to copies of it the same."""
        return np.asarray((examples.digests() >> np.uint64(11)) * 2.0**-53)
