"""Conformity measures of numeric labels, whose sets are intervals."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from ..arrays import FloatArray
from ..inputs import as_numbers
from ..messages import InputError, Sentence
from ..rows.examples import Examples
from ..rows.weights import Weights, weighted_deviation, weighted_mean, weighted_quantiles
from ..scoring.forms import IntervalForm, QuantileForm
from .measures import Fit
from .models import ModelMeasure, boosted, is_flexible, learned, predicted, written
from .rank import exact_significance
from .scores import IntervalScores, QuantileScores

RESIDUAL_FLOOR = 1e-6
"""Residuals below this share of their root mean square are raised to it before the log."""

_SPREAD = (
    "Base intervals have {better}: on training rows that the model had not seen, their interval "
    "score is {first:.4g} with that, and {other:.4g} otherwise (the lower the better)."
)
_NO_QUANTILE = (
    "model {model} has no parameter quantile to be fitted with, or several; give one that has, "
    "such as QuantileRegressor or HistGradientBoostingRegressor, to which a pipeline may lead"
)


class StandardMeasure(ModelMeasure):
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
    log_scale_: BaseEstimator | None = None

    def __init__(self, model: BaseEstimator | None = None) -> None:
        self.model = model

    def _fit(self, examples: Examples) -> IntervalScores:
        center, zeros = self._located(examples)[0], np.zeros(len(examples))
        return IntervalScores(center, zeros, shift=zeros)

    def _functions(self, examples: Examples) -> IntervalScores:
        center, zeros = predicted(self.location_, examples), np.zeros(len(examples))
        log_scale = zeros if self.log_scale_ is None else predicted(self.log_scale_, examples)
        return IntervalScores(center, log_scale, shift=zeros)

    def written(self) -> IntervalForm:
        """Return the measure as plain values."""
        scale = None if self.log_scale_ is None else written(self.log_scale_, "log_scale")
        return IntervalForm((), written(self.location_, "prediction"), scale)

    def _located(self, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """Fit the model; return its predictions and absolute residuals to learn from, (n,) each."""
        y = as_numbers(examples.labels)
        self.location_, center = learned(self.model, examples, y)
        residuals = np.abs(y - center)
        if residuals.max() <= 1e-10 * weighted_deviation(y, examples.weights):
            raise InputError(
                "label.determined",
                "the features determine the label exactly in the training rows, so there is no "
                "uncertainty to audit; drop the feature that copies the label",
            )
        return center, residuals


class NormalizedMeasure(StandardMeasure):
    """``A(x, y) = log sigma(x) - log|y - yhat(x)|``, the paper's eq. (ncm) in logarithms.

    ``yhat`` is an ordinary least squares fit of the label, ``log sigma`` one of
    ``log|residual|`` on the same training examples (Papadopoulos et al., 2002).

    Of a flexible model, such as boosted trees, residuals are those of rows that it has not seen.

    Parameters
    ----------
    model, scale_model
        Of scikit-learn's kind, in the places of these two; of a fitted one see
        :class:`StandardMeasure`.
    confidence_level
        Of the sets to come; an audit tells its own. Where it is known, and the model flexible,
        sigma is one for all if interval scores on rows that models have not seen are better so.

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

    def __init__(
        self,
        model: BaseEstimator | None = None,
        *,
        scale_model: BaseEstimator | None = None,
        confidence_level: float | None = None,
    ) -> None:
        super().__init__(model)
        self.scale_model = scale_model
        self.confidence_level = confidence_level

    def _fit(self, examples: Examples) -> IntervalScores:
        center, residuals = self._located(examples)
        floor = RESIDUAL_FLOOR * np.sqrt(weighted_mean(residuals**2, examples.weights))
        logs = np.log(np.maximum(residuals, floor))
        # straight lines, for want of a model, see no text
        of_scale = self.scale_model
        if of_scale is None and not examples.is_encoded:
            of_scale = self.model
        self.log_scale_, log_scale = learned(of_scale, examples, logs)
        zeros, self.fit_ = np.zeros(len(examples)), Fit()
        if is_flexible(self.model) and self.confidence_level is not None:
            share = float(exact_significance(self.confidence_level))
            ways = {"a width by the features": log_scale, "one width for all": zeros}
            of_way = (_interval_score(residuals, w, share, examples.weights) for w in ways.values())
            (first, better), (other, _) = sorted(zip(of_way, ways, strict=True))
            about = {"better": better, "first": first, "other": other}
            self.fit_ = Fit(notes=[Sentence("base-model.spread", _SPREAD, **about)])
            log_scale = ways[better]
            self.log_scale_ = None if log_scale is zeros else self.log_scale_
        return IntervalScores(center, log_scale, shift=zeros)


class QuantileMeasure(ModelMeasure):
    """``A(x, y) = min(y - lower(x), upper(x) - y)``: conformalized quantile regression.

    ``lower`` and ``upper`` are the quantiles of the label given x that leave out half of
    1 - CL each; where they cross, a set may be empty (Romano, Patterson and Candes, 2019).

    Parameters
    ----------
    model
        Of scikit-learn's kind with one parameter ``quantile``, which may be that of a pipeline's
        step, or ``alpha`` beside the loss "quantile"; without it, boosted trees.
    confidence_level
        CL, by default 0.9; an audit tells its own.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import QuantileMeasure
    >>> X = np.repeat([[0.0], [1.0]], 500, axis=0)
    >>> y = np.tile(np.linspace(-1.0, 1.0, 500), 2) * (1.0 + X[:, 0])
    >>> functions = QuantileMeasure().fit(X, y).score_functions(X[[0, -1]])
    >>> functions.upper.round(1).tolist()
    [0.9, 1.8]
    """

    task = "regression"
    is_flexible = True

    def __init__(
        self, model: BaseEstimator | None = None, *, confidence_level: float | None = None
    ) -> None:
        self.model = model
        self.confidence_level = confidence_level

    def _fit(self, examples: Examples) -> QuantileScores:
        level = 0.9 if self.confidence_level is None else self.confidence_level
        tail, y = float(exact_significance(level)) / 2.0, as_numbers(examples.labels)
        chosen = clone(boosted(self.task, 0)["model"] if self.model is None else self.model)
        name = _quantile_of(chosen)
        both = [learned(chosen.set_params(**{name: q}), examples, y) for q in (tail, 1.0 - tail)]
        self.quantiles_, ends = zip(*both, strict=True)
        return QuantileScores(*ends, shift=np.zeros(len(examples)))

    def written(self) -> QuantileForm:
        """Return the measure as plain values."""
        return QuantileForm((), *map(written, self.quantiles_, ("lower", "upper")))

    def _functions(self, examples: Examples) -> QuantileScores:
        ends = (predicted(model, examples) for model in self.quantiles_)
        return QuantileScores(*ends, shift=np.zeros(len(examples)))


def _quantile_of(model: BaseEstimator) -> str:
    """Return the parameter that says the quantile, in a model or what it is made of."""
    given: dict[str, Any] = model.get_params()
    own = [name for name in given if name.rpartition("__")[2] == "quantile"]
    for name, of in () if own else given.items():
        alpha = f"{name.removesuffix('loss')}alpha"
        own += [alpha] * (name.endswith("loss") and of == "quantile" and alpha in given)
    if len(own) != 1:
        raise InputError("model.no_quantile", _NO_QUANTILE, model=type(model).__name__)
    loss = f"{own[0].removesuffix('quantile')}loss"
    if loss in given:
        model.set_params(**{loss: "quantile"})
    return own[0]


def _interval_score(
    residuals: FloatArray, log_scale: FloatArray, share: float, weights: Weights
) -> float:
    """Return the mean interval score, at level 1 - share, of widths in proportion to a scale.

    These hold that share of the residuals, shape (n,); Gneiting and Raftery (2007), "Strictly
    proper scoring rules, prediction, and estimation".
    """
    scale = np.exp(log_scale)
    half = scale * weighted_quantiles(residuals / scale, 1.0 - share, weights)
    return 2.0 * weighted_mean(half + np.maximum(residuals - half, 0.0) / share, weights)
