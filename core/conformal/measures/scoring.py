"""The scoring conformity measure for classification."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from ...arrays import linear_predictor
from ...errors import InputError
from ...inputs import as_codes
from ...messages import Sentence
from ..examples import Objects, checked_examples
from ..scores import LabelScores
from .base import ConformityMeasure


class ScoringMeasure(ConformityMeasure):
    """``A(x, y) = log P(y | x)`` by multinomial logistic regression.

    The paper's scoring measure with normalised scores, which reproduce its covtype figures
    where un-normalised linear scores do not. Labels are codes 0 .. K-1. A label that no
    training example has scores ``-inf``: it is only kept when every label is. ``n_labels`` is K,
    by default one more than the largest code in training.

    ``ridge``, the weight of ``0.5 * sum(coefficients**2)`` beside the sum of log-losses, makes the
    optimum exist where a feature separates a class perfectly; predictors are meant to be
    standardised. A fit that ``max_iter`` stops has valid scores, but less efficient ones.
    """

    task = "classification"

    def __init__(
        self, n_labels: int | None = None, *, ridge: float = 1.0, max_iter: int = 2000
    ) -> None:
        self.n_labels = n_labels
        self.ridge = ridge
        self.max_iter = max_iter

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
        self.n_labels_ = int(codes.max()) + 1 if self.n_labels is None else self.n_labels
        self.model_ = LogisticRegression(C=1.0 / self.ridge, max_iter=self.max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            self.model_.fit(examples.X, codes, examples.weights)
        self.converged_ = bool(self.model_.n_iter_.max() < self.max_iter)
        return self

    def score_functions(self, X: Objects) -> LabelScores:
        """Return the scores of the objects as functions of the label."""
        X, model = checked_examples(self, X).X, self.model_
        linear = [
            linear_predictor(X, slopes, intercept)
            for slopes, intercept in zip(model.coef_, model.intercept_, strict=True)
        ]
        if len(linear) == 1:  # two labels: scikit-learn has the log-odds of the second
            linear.insert(0, np.zeros(len(X)))
        matrix = np.full((len(X), self.n_labels_), -np.inf)
        matrix[:, self.model_.classes_] = log_softmax(np.column_stack(linear), axis=1)
        return LabelScores(matrix, shift=np.zeros(len(X)))

    def fit_notes(self) -> list[Sentence]:
        """Return whether the optimiser ended short of its optimum."""
        unconverged = Sentence(
            "base-model.unconverged",
            "The base model's optimiser ended at its bound of iterations, short of its optimum.",
        )
        return [] if self.converged_ else [unconverged]
