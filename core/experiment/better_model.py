"""Whether boosted trees predict clearly better than the linear model that was fitted."""

from collections.abc import Iterator

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator

from ..arrays import FloatArray
from ..conformal.label_measures import ScoringMeasure
from ..conformal.measures import ConformityMeasure
from ..conformal.models import boosted, fitted, predicted
from ..preparation.hint import Hint, hint
from ..rows.examples import Examples
from ..rows.folds import folds, some_rows
from ..rows.weights import mean_and_error, weighted_mean
from .predictors import Fitting

_MOST_ROWS, _MANY_ROWS, _FEW_ROWS, _LEAST_GAIN, _ERROR = 20_000, 1_000, 300, 0.05, 0.001
_BETTER = (
    "Boosted trees predict label {columns} clearly better than straight lines: on training rows "
    "that they had not seen, their squared error{of} is {percent:.0f} % lower (chance alone makes "
    "a difference so sure in less than 1 of 1,000 cases)."
)


def better_model(fitting: Fitting) -> Iterator[Hint]:
    """Hint at boosted trees where the model is linear, and these are clearly better than it.

    On a sample of training rows, by other folds of it: of many rows two fifths are predicted,
    which is enough to tell; of fewer than 300 trees seldom are. The linear model has seen them all,
    which speaks for it, if anything.
    """
    data, seed, is_own = fitting.data, fitting.settings.seed, fitting.own.measure is not None
    if is_own or fitting.settings.outputs is not None or fitting.base_measure.get_params()["model"]:
        return
    measure = fitting.base_measure
    linear = getattr(measure, "location_", getattr(measure, "model_", None))
    if linear is None or len(data.train) < _FEW_ROWS:
        return
    labels = getattr(measure, "n_labels_", 2)  # for each of more than two there are trees
    most = 2 * _MOST_ROWS // labels
    rows = data.train.part(some_rows(len(data.train), data.train.X.shape[1], most))
    # in a third of the time, and nearly as good
    trees = boosted(data.label.task, seed)["model"].set_params(max_iter=30, learning_rate=0.3)
    before, is_told = _losses(measure, linear, rows), np.zeros(len(rows), dtype=bool)
    after = before.copy()
    for inside in folds(rows.y, rows.clusters)[: None if len(rows) <= _MANY_ROWS else 2]:
        model = fitted(trees, rows.part(~inside), rows.y[~inside])
        after[inside] = _losses(measure, model, rows.part(inside))
        is_told |= inside
    if not is_told.any():
        return
    told, gains = rows.part(is_told), (before - after)[is_told]
    gain, error, freedom = mean_and_error(gains, told.weights, told.clusters)
    share = gain / weighted_mean(before[is_told], told.weights)
    if freedom >= 1 and share >= _LEAST_GAIN and gain > error * stats.t.isf(_ERROR, freedom):
        of = "" if data.label.task == "regression" else " in the classes' probabilities"
        columns, change = [fitting.settings.target], {"model": "boosting"}
        yield hint("model", columns, _BETTER, change, percent=100.0 * share, of=of)


def _losses(measure: ConformityMeasure, model: BaseEstimator, rows: Examples) -> FloatArray:
    """Return squared errors, shape (n,): of classes those of all their probabilities together."""
    if not isinstance(measure, ScoringMeasure):
        return np.asarray((rows.y - predicted(model, rows)) ** 2)
    errors = np.exp(measure.log_probabilities(model, rows))
    errors[np.arange(len(rows)), rows.y] -= 1.0
    return np.asarray((errors**2).sum(axis=1))
