"""The quantile adjustment: scores less their linear quantile given the object."""

from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ...arrays import FloatArray, linear_predictor
from ...conformal.measures import ConformityMeasure
from ...conformal.rank import conformal_threshold, exact_significance
from ...events import Listener, StopRequest, ignore, never
from ...messages import Sentence
from ...rows.examples import Objects, checked_examples
from ...rows.weights import Weights, weighted_deviation, weighted_median
from ...threads import single_blas_thread
from ..base import ScoreAdjustment
from .ridge import WEAKEST, Regression

_NOTHING = "There is nothing for the {title} to adjust: after is as before."
_UNCONVERGED = "The {title}'s fit ended short of its optimum."


class QuantileSettings(Protocol):
    """What of an audit's settings concerns the quantile adjustment."""

    confidence_level: float


class QuantileAdjustment(ScoreAdjustment):
    """Subtracts from the scores their linear eps-quantile given the object.

    The first-order conditions of the quantile regression, that misses are uncorrelated with every
    feature, are those at which a logistic regression of correctness has no slopes. So one convex
    fit to the training scores does what IFACM's layers approach: its DCV on training rows is nearly
    0. A small ridge makes the optimum exist; where wrong sets are few for the features, its
    strength is cross-validated, and it is an adaptive one, which holds back most the features that
    matter least. Features are meant to be standardised.

    Wrap a fitted base measure in ``sklearn.frozen.FrozenEstimator``. ``strength`` between 0 and 1
    is the share of the adjustment that is applied. ``coef_`` are the quantile's slopes, one for
    each of the regressors, ``ridge_strength_`` the ridge's strength in units of the curvature, and
    ``n_steps_`` the number of Newton steps of the last fit.

    References
    ----------
    Koenker and Bassett (1978), "Regression quantiles"; for smoothing by a kernel, He, Pan, Tan and
    Zhou (2023), "Smoothed quantile regression with large-scale inference".
    """

    title: ClassVar[str] = "quantile adjustment"

    def __init__(
        self, base: ConformityMeasure, *, confidence_level: float = 0.9, strength: float = 1.0
    ) -> None:
        self.base = base
        self.confidence_level = confidence_level
        self.strength = strength

    @classmethod
    def from_settings(
        cls,
        base: ConformityMeasure,
        settings: QuantileSettings,
        of: None = None,  # noqa: ARG003
    ) -> Self:
        """Return it over a fitted base measure, with an audit's settings."""
        return cls(FrozenEstimator(base), confidence_level=settings.confidence_level)

    def fit(
        self,
        X: Objects,
        y: NDArray[Any] | None = None,
        *,
        on_event: Listener = ignore,  # noqa: ARG002
        should_stop: StopRequest = never,
    ) -> Self:
        """Fit base measure and quantile on training examples, X (n, d) and y (n,)."""
        examples = checked_examples(self, X, y, fitting=True)
        self.base_ = clone(self.base).fit(examples, examples.labels)
        scores = finite(self.base_.score(examples))
        unit = _scale(scores, examples.weights)
        columns = self.regressors(examples.X)
        self.coef_, self.n_terms_, self.n_steps_ = np.zeros(columns.shape[1]), 0, 0
        self.notes_: list[Sentence] = []
        threshold = conformal_threshold(scores, self.confidence_level, examples.weights)
        if threshold == -np.inf or unit == 0.0:
            self.notes_ = [Sentence("quantile.nothing", _NOTHING, title=self.title)]
            return self
        share = float(exact_significance(self.confidence_level))
        with single_blas_thread():
            regression = Regression(columns, scores, share, unit, examples.weights)
            self._fit(regression, should_stop)
        return self

    def adjustment(self, X: Objects) -> FloatArray:
        """Return the share of the quantile, but for its intercept, that is subtracted, negative."""
        X = checked_examples(self, X).X
        return linear_predictor(self.regressors(X), -self.strength * self.coef_, 0.0)

    def _fit(self, regression: Regression, should_stop: StopRequest) -> None:
        self.ridge_strength_, scale = WEAKEST, None
        if regression.has_few_misses:
            scale = regression.scale()
            self.ridge_strength_ = regression.chosen_strength(should_stop)
        fit = next(regression.fits((self.ridge_strength_,), scale, should_stop))
        self.coef_, self.n_terms_ = fit.slopes, 1 + len(fit.slopes)
        self.n_steps_, self.converged_ = fit.descent.steps, fit.descent.converged
        self.stopped_ = should_stop()
        if not self.converged_:
            self.notes_.append(Sentence("quantile.unconverged", _UNCONVERGED, title=self.title))


def finite(scores: FloatArray) -> FloatArray:
    """Return scores with infinite ones at the finite ones' ends."""
    finite = scores[np.isfinite(scores)]
    return np.clip(scores, finite.min(initial=0.0), finite.max(initial=0.0))


def _scale(scores: FloatArray, weights: Weights) -> float:
    """Return the median absolute deviation; where half the scores are equal, the standard one."""
    off = np.abs(scores - weighted_median(scores, weights))
    return weighted_median(off, weights) or weighted_deviation(scores, weights)
