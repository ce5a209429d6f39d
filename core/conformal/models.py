"""Models behind conformity measures: fitted, cross-fitted where they are flexible, and boosted."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..arrays import FloatArray
from ..inputs import as_numbers
from ..rows.examples import Examples, Labels, Objects, as_examples, checked_examples
from ..rows.folds import folds
from ..scoring.arithmetic import linear_predictor
from ..scoring.functions import Function, Linear, Several, Through, Trees
from ..scoring.outputs import Output
from ..threads import single_openmp_thread
from .measures import ConformityMeasure, Task
from .scores import ScoreFunctions

_BY_LOGS = ("gamma", "poisson")  # losses by which trees add up to a logarithm

Tell = Callable[[BaseEstimator, Examples], FloatArray]
"""Returns what a fitted model says of n examples, shape (n,) or (n, K)."""


def is_flexible(chosen: BaseEstimator | None) -> bool:
    """Say whether a model may follow single rows: it is fitted here, and by no straight lines."""
    straight = LinearRegression | LogisticRegression
    return chosen is not None and not isinstance(chosen, FrozenEstimator | straight)


def weight_argument(model: BaseEstimator) -> str | None:
    """Return the name by which a model's fit takes weights of rows; None if it takes none."""
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if isinstance(model, Pipeline):
        name, last = model.steps[-1]
        inner = weight_argument(last)
        return None if inner is None else f"{name}__{inner}"
    # a forest that is not fitted has no truth value
    inside = getattr(model, "regressor", getattr(model, "estimator", None))
    return None if inside is None or isinstance(model, FrozenEstimator) else weight_argument(inside)


def fitted(chosen: BaseEstimator | None, examples: Examples, y: NDArray[Any]) -> BaseEstimator:
    """Return a clone, or least squares, fitted by weights if there are any; TypeError if unable."""
    if chosen is None:
        return LinearRegression().fit(examples.X, y, examples.weights)
    model = clone(chosen)
    if isinstance(model, FrozenEstimator):
        return model
    name = None if examples.weights is None else weight_argument(model)
    if examples.weights is not None and name is None:
        raise TypeError(f"model {type(model).__name__} takes no weights (sample_weight)")
    with single_openmp_thread():
        by_weight = {} if name is None else {name: examples.weights}
        return model.fit(examples.given_to(model), y, **by_weight)


def predicted(model: BaseEstimator, examples: Examples) -> FloatArray:
    """Return a regression model's predictions, shape (n,)."""
    if isinstance(model, LinearRegression):  # the same for a row whatever others are beside it
        return linear_predictor(examples.X, model.coef_, model.intercept_)
    with single_openmp_thread():
        return as_numbers(model.predict(examples.given_to(model)))


def learned(
    chosen: BaseEstimator | None, examples: Examples, y: NDArray[Any], tell: Tell = predicted
) -> tuple[BaseEstimator, FloatArray]:
    """Return a fitted model, and what it says of the same examples, to learn more from that.

    A flexible one has seen them too closely, so that each fold, with clusters whole, is told of by
    a fit to the others; where these are of one label, by the model.
    """
    model = fitted(chosen, examples, y)
    said = tell(model, examples)
    for rows in folds(y, examples.clusters) if is_flexible(chosen) else ():
        others = fitted(chosen, examples.part(~rows), y[~rows])
        said[rows] = tell(others, examples.part(rows))
    return model, said


def written(model: BaseEstimator, column: str) -> Function:
    """Return a linear model or boosted trees, fitted to encoded features, as plain values.

    Of a classifier it is the log-odds. Of any other, whose code would have to come with it, it is a
    column by this name of what it says, and which model that is.
    """
    if isinstance(model, FrozenEstimator):
        return written(model.estimator, column)
    if isinstance(model, LinearRegression):
        return Linear(model.coef_, float(model.intercept_))
    if isinstance(model, LogisticRegression):
        by_label = zip(model.coef_, model.intercept_.tolist(), strict=True)
        each = [Linear(slopes, intercept) for slopes, intercept in by_label]
        return each[0] if len(each) == 1 else Several((*each,))
    if isinstance(model, TransformedTargetRegressor) and model.inverse_func is np.log:
        return Through(written(model.regressor_, column), ("log",))
    trees = HistGradientBoostingRegressor | HistGradientBoostingClassifier
    if isinstance(model, trees) and model.is_categorical_ is None:
        made = written_trees(model)
        return Through(made, ("exp",)) if model.loss in _BY_LOGS else made
    return Output(column, 0.0, 1.0, logarithmic=False, by=described(model))


def described(model: BaseEstimator) -> str:
    """Return a model's name, library and version, and the features that it takes by name."""
    library = type(model).__module__.partition(".")[0]
    with suppress(PackageNotFoundError):
        library += f" {version(packages_distributions().get(library, [library])[0])}"
    names = getattr(model, "feature_names_in_", ())
    return f"{type(model).__name__} of {library}" + f", by {', '.join(names)}" * (len(names) > 0)


def written_trees(model: HistGradientBoostingRegressor | HistGradientBoostingClassifier) -> Trees:
    """Return boosted trees of numbers as plain arrays."""
    nodes = [tree.nodes for trees in model._predictors for tree in trees]  # noqa: SLF001 - no other way
    whole = np.concatenate(nodes)
    is_leaf = whole["is_leaf"].astype(bool)
    names = "feature_idx", "left", "right"
    return Trees(
        np.ravel(model._baseline_prediction).astype(np.float64),  # noqa: SLF001
        np.cumsum([0, *map(len, nodes[:-1])]).astype(np.int32),
        np.where(is_leaf, whole["value"], whole["num_threshold"]),
        *(np.where(is_leaf, 0, whole[name]).astype(np.int32) for name in names),
    )


class ModelMeasure(ConformityMeasure):
    """A measure over models, which remembers the scores to learn from where one is flexible.

    Of a frame these may take other columns than numbers, too.
    """

    takes_weights = True
    is_flexible: ClassVar[bool] = False  # whatever models are given
    _digests: NDArray[np.uint64] | None = None  # of the examples that it was fitted on, ascending
    _held_out: ScoreFunctions  # of the same, by fits without them

    def fit(self, X: Objects, y: Labels = None, sample_weight: Labels = None) -> Self:
        """Fit the models; InputError if the training examples leave nothing to learn."""
        models = [m for m in self.get_params(deep=False).values() if isinstance(m, BaseEstimator)]
        self._takes_columns, self._digests = bool(models), None
        given = (X, y, sample_weight)
        examples = checked_examples(self, *given, fitting=True, any_columns=bool(models))
        functions = self._fit(examples)
        if any(map(is_flexible, models)) or self.is_flexible:
            digests = examples.digests(with_labels=True)
            order = np.argsort(digests, kind="stable")
            self._digests, self._held_out = digests[order], functions.part(order)
        return self

    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of the objects as functions of the label."""
        check_is_fitted(self)
        return self._functions(checked_examples(self, X, any_columns=self._takes_columns))

    def learning_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of examples, for those fitted on by a flexible model without them.

        They are known again by what they hold, wherever they stand.
        """
        examples, functions = as_examples(X), self.score_functions(X)
        if self._digests is None:
            return functions
        wanted = examples.digests(with_labels=True)
        places = np.minimum(np.searchsorted(self._digests, wanted), len(self._digests) - 1)
        known = np.flatnonzero(self._digests[places] == wanted)
        return functions.with_those(known, self._held_out.part(places[known]))

    @abstractmethod
    def _fit(self, examples: Examples) -> ScoreFunctions:
        """Fit, and return the scores of the examples by :func:`learned`."""

    @abstractmethod
    def _functions(self, examples: Examples) -> ScoreFunctions:
        """Return the scores of checked examples."""


def boosted(task: Task, seed: int) -> dict[str, BaseEstimator]:
    """Return boosted trees by the parameters of measures that they are for.

    The spread is that of a gamma law, whose logarithm is boosted: it is never negative, and few
    large residuals do not rule it. Its trees are small, as residuals are mostly noise. Without a
    ridge, probabilities of several classes run away where one of them is rare.
    """
    fixed = {"early_stopping": False, "random_state": seed}
    if task == "classification":
        return {"model": HistGradientBoostingClassifier(l2_regularization=5.0, **fixed)}
    small = {"loss": "gamma", "max_leaf_nodes": 8, "min_samples_leaf": 50}
    spread = HistGradientBoostingRegressor(**fixed, **small)
    in_logs = TransformedTargetRegressor(spread, func=np.exp, inverse_func=np.log)
    return {"model": HistGradientBoostingRegressor(**fixed), "scale_model": in_logs}


MODELS: Mapping[str, Callable[[Task, int], Mapping[str, BaseEstimator]]] = {
    "linear": lambda *_: {},
    "boosting": boosted,
}
"""By name; the first is the paper's. Each returns, for a task and seed, models by the parameters of
measures that they are for; what is not named is linear."""
