"""The scoring conformity measure for classification."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from ...arrays import FloatArray, IndexArray, linear_predictor
from ...errors import InputError
from ...inputs import as_codes, as_matrix
from ...messages import Sentence
from ...rows.examples import Examples, Objects, checked_examples
from ..scores import LabelScores
from .base import ConformityMeasure, fitted_by_weight


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
        own = LogisticRegression(C=1.0 / self.ridge, max_iter=self.max_iter)
        self.model_ = own if self.model is None else clone(self.model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            if self.model is None:
                self.model_.fit(examples.X, codes, examples.weights)
            else:
                fitted_by_weight(self.model_, examples, codes)
        self.converged_ = self.model is not None or bool(own.n_iter_.max() < self.max_iter)
        self._codes = _codes_of(self.model_)
        most = max(int(codes.max()), int(self._codes.max())) + 1
        self.n_labels_ = most if self.n_labels is None else self.n_labels
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
        logs: FloatArray = log_softmax(np.column_stack(linear), axis=1)
        return logs

    def fit_notes(self) -> list[Sentence]:
        """Return whether the optimiser ended short of its optimum."""
        unconverged = Sentence(
            "base-model.unconverged",
            "The base model's optimiser ended at its bound of iterations, short of its optimum.",
        )
        return [] if self.converged_ else [unconverged]


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
