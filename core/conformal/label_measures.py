"""Conformity measures of classes, whose sets are sets of labels."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from ..arrays import FloatArray, IndexArray
from ..inputs import as_codes, as_matrix
from ..messages import InputError, Names, Sentence
from ..rows.examples import Examples, as_examples
from ..scoring.arithmetic import adaptive_scores, linear_predictor, uniform_of
from ..scoring.columns import level_name
from ..scoring.forms import LabelForm
from ..scoring.functions import Function, LogProbabilities, log_probabilities
from ..scoring.outputs import Output, OutputProbabilities
from ..threads import single_openmp_thread
from .measures import Fit
from .models import ModelMeasure, learned, written
from .scores import LabelScores

_MOST_STEPS = 2000
"""A fit that they stop has valid scores, but less efficient ones."""

_UNCONVERGED = Sentence(
    "base-model.unconverged",
    "The base model's optimiser ended at its bound of iterations, short of its optimum.",
)
_OTHER_LABELS = (
    "the model tells of classes {told}, and the labels are {named}; give them the same names, or "
    "fit it on the codes of the labels in this order, 0 for the first"
)
_BY_CODE = "The model's classes are taken for codes of the labels: {pairs}."

UNKNOWN_CLASS = "model.unknown_class"
_UNKNOWN = "Classes that the model does not know, which only sets of all classes hold: {classes}."


class ScoringMeasure(ModelMeasure):
    """``A(x, y) = log P(y | x)`` by multinomial logistic regression, or by any classifier.

    The paper's scoring measure with normalised scores, which reproduce its covtype figures
    where un-normalised linear scores do not. Labels are codes 0 .. K-1, or texts. One that no
    training example has scores ``-inf``: it is only kept when every label is.

    Parameters
    ----------
    model
        Another classifier of scikit-learn's kind that tells probabilities, a pipeline too; one that
        is fitted already is used as it is within ``sklearn.frozen.FrozenEstimator``. Where labels
        are codes without ``names``, and not its ``classes_``, the code k stands for the k-th of
        these. Otherwise these are the labels, or the names, or for names the codes, as a note says;
        InputError if they are none of that.
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
    is_adaptive: ClassVar[bool] = False

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
        self.fit_ = Fit(notes=[*[_UNCONVERGED] * stopped, *self._notes_on_classes()])
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
        named: Sequence[Any] | NDArray[Any] = self.classes_
        told = model.classes_
        if is_named := isinstance(model, FrozenEstimator) and self.names is not None:
            named, told = self.names or (), list(map(level_name, told))
        columns = np.asarray(pd.Index(named).get_indexer(pd.Index(told)))
        if (columns >= 0).all():
            return columns
        codes = np.arange(self.n_labels_)
        if len(told) == len(codes) and np.array_equal(model.classes_ if is_named else named, codes):
            return codes
        about = {"told": Names(map(str, told)), "named": Names(map(str, named))}
        raise InputError("model.other_labels", _OTHER_LABELS, **about)

    def _notes_on_classes(self) -> Iterator[Sentence]:
        """Yield how the classes of a fitted model were taken, if not by name, and what it lacks."""
        if not isinstance(self.model_, FrozenEstimator):
            return
        columns, told = self._columns(self.model_), list(map(level_name, self.model_.classes_))
        names = list(map(str, self.classes_ if self.names is None else self.names))
        if self.names is not None and told != [names[column] for column in columns]:
            pairs = (f"{one} for {names[k]}" for one, k in zip(told, columns, strict=True))
            yield Sentence("model.by_code", _BY_CODE, pairs=Names(pairs))
        if lacking := [name for k, name in enumerate(names) if k not in columns]:
            yield Sentence(UNKNOWN_CLASS, _UNKNOWN, classes=Names(lacking))

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
        with np.errstate(divide="ignore"), single_openmp_thread():
            if isinstance(model, HistGradientBoostingClassifier):
                odds = model.decision_function(examples.given_to(model))
            elif self.model is None and isinstance(model, LogisticRegression):
                by_label = zip(model.coef_, model.intercept_, strict=True)
                odds = np.column_stack([linear_predictor(examples.X, *of) for of in by_label])
                odds = odds if odds.shape[1] > 1 else odds[:, 0]  # of the second of two labels
            else:
                told = model.predict_proba(examples.given_to(model))
                matrix[:, columns] = np.log(as_matrix(told))
                return matrix
        matrix[:, columns] = log_probabilities(odds)
        return matrix

    def written(self) -> LabelForm:
        """Return the measure as plain values."""
        places, model = self._columns(self.model_).astype(np.int32), self.model_
        odds = written(model, "probability")
        said: Function = LogProbabilities(odds, places, self.n_labels_)
        if isinstance(odds, Output):  # not of ours
            names = (*(f"{odds.column}_{level_name(each)}" for each in model.classes_),)
            said = OutputProbabilities(names, places, self.n_labels_, odds.by)
        return LabelForm((), said, adaptive=self.is_adaptive, never_empty=self.never_empty)


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

    is_adaptive = True

    def _matrix(self, examples: Examples, said: FloatArray) -> FloatArray:
        return adaptive_scores(said, self._uniform(examples))

    def _uniform(self, examples: Examples) -> FloatArray:
        """Return a number in [0, 1) for each object, shape (n,), to copies of it the same."""
        return uniform_of(examples.digests())


class GivenProbabilities(AdaptiveMeasure):
    """``A(x, y) = log P(y | x)`` with a model's own probabilities; -inf where one is 0.

    Or ``adaptive`` sets by them, where u(x) is made of an object's probabilities. Examples have
    these, and bare matrices do not. Nothing is fitted.
    """

    def __init__(self, *, adaptive: bool = False, never_empty: bool = False) -> None:
        super().__init__(never_empty=never_empty)
        self.adaptive = adaptive

    def _fit(self, examples: Examples) -> LabelScores:
        self.n_labels_ = self._given(examples).shape[1]
        self.fitted_on_ = examples.model_outputs
        self.classes_ = np.arange(self.n_labels_)
        return self._functions(examples)

    def _functions(self, examples: Examples) -> LabelScores:
        with np.errstate(divide="ignore"):
            return self._of(examples, np.log(self._given(examples)))

    def written(self) -> LabelForm:
        """Return the measure as plain values, by columns of outputs."""
        said = self.fitted_on_.column_of("probabilities")
        return LabelForm((), said, adaptive=self.adaptive, never_empty=self.never_empty)

    def _matrix(self, examples: Examples, said: FloatArray) -> FloatArray:
        return super()._matrix(examples, said) if self.adaptive else said

    def _uniform(self, examples: Examples) -> FloatArray:
        return super()._uniform(as_examples(self._given(examples)))

    def _given(self, examples: Examples) -> FloatArray:
        if (said := examples.model_outputs.probabilities) is None:
            raise ValueError("the model said other things than this measure needs")
        return said
