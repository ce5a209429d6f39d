"""An adjustment applied only as far as the training rows prove that it helps."""

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..conformal.measures import Fit
from ..conformal.rank import exact_significance
from ..conformal.scores import ScoredExamples
from ..coverage.null_model import score_test
from ..events import Listener, StopRequest
from ..messages import Sentence
from ..rows.examples import Examples, Objects, checked_examples
from ..rows.folds import fold_numbers
from ..rows.outcomes import Outcomes
from ..rows.weights import weighted_quantiles
from .base import HOLDS_ALL, ScoreAdjustment, Wanted, fitted_base, fitted_elsewhere
from .quantile import finite
from .quantile_regression import as_good_as_best, check_losses

STRENGTHS = tuple(np.linspace(0.0, 1.0, 21).tolist())

_EVEN = (
    "The training rows do not show that coverage depends on the features (p = {p_value:#.2g}), so "
    "that the {title} is not applied: after is as before."
)
_STRENGTH = (
    "The {title} is applied with strength {strength:g} of 1, the greatest with which coverage is "
    "as even as with any, but for chance, on training rows that it was not fitted on."
)
_STOPPED = "The {title} was stopped before its strength was known: after is as before."


class Guarded(ScoreAdjustment):
    """An adjustment with a strength between 0 and 1, 0 unless coverage is known to be uneven.

    First the score test asks whether the correctness of the base measure's sets on the training
    rows, which are their own calibration rows, depends on the features at all: at more than
    ``level`` nothing is adjusted. Then the adjustment is fitted on four fifths of the rows at a
    time, and a strength is judged by how little the eps-quantile of the other rows' scores depends
    on the object: by their check loss about one quantile for all. Of the strengths within one
    standard error of the best the greatest is taken: unevenness is shown by then, a fit to all rows
    is better than one to a part, and few rows tell strengths apart poorly.

    Parameters
    ----------
    inner
        The adjustment, over a base measure that is wrapped in ``sklearn.frozen.FrozenEstimator`` if
        it is fitted.
    level
        Of the score test: at a larger p-value nothing is adjusted.

    Attributes
    ----------
    strength_
        The strength.
    p_value_
        That of the test; NaN where all sets are right.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import Guarded, QuantileAdjustment, StandardMeasure
    >>> X = np.linspace(-1.0, 1.0, 400)[:, None]
    >>> y = np.exp(2.0 * X[:, 0]) * np.tile([-1.0, 0.5, 2.0, -3.0], 100)
    >>> Guarded(QuantileAdjustment(StandardMeasure())).fit(X, y).strength_ > 0.5
    True
    """

    title: ClassVar[str] = "guarded"
    wants: ClassVar[Wanted] = "adjustment"
    takes_weights: ClassVar[bool] = True
    strength_: float
    p_value_: float

    def __init__(self, inner: ScoreAdjustment, *, level: float = 0.05) -> None:
        self.inner = inner
        self.level = level

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:
        """Fit the adjustment, and find the strength; ``on_event`` hears of the fit on all rows."""
        self.base_ = fitted_base(self.inner.base, examples)
        self.inner_ = clone(self.inner).set_params(base=FrozenEstimator(self.base_))
        self.strength_, fit = 0.0, Fit()
        scored = ScoredExamples.of(examples, self.base_.learning_functions(examples))
        correct = scored.held(scored.threshold(self.inner.confidence_level))
        regressors = self.inner_.regressors(examples.X)
        self.p_value_ = score_test(regressors, Outcomes(correct, weights=examples.weights))
        if self.p_value_ <= self.level:
            self.inner_.fit(examples, on_event=on_event, should_stop=should_stop)
            fit = Fit(stopped=self.inner_.fit_.stopped)
            if self.inner_.fit_.terms != 0:
                fit = self._with_strength(examples, finite(scored.scores), should_stop, fit)
        return replace(fit, notes=self._notes(len(examples), stopped=fit.stopped))

    def adjustment(self, X: Objects) -> FloatArray:
        """Return the adjustment times its strength, shape (n,)."""
        examples = checked_examples(self, X)
        if self.strength_ == 0.0:
            return np.zeros(len(examples))
        whole: FloatArray = self.inner_.adjustment(examples)
        return self.strength_ * whole

    def steps(self, X: Objects, first: int = 0) -> FloatArray:
        """Return the terms of :meth:`adjustment`, if it has layers, shape (layers, n)."""
        examples = checked_examples(self, X)
        if self.strength_ == 0.0:
            return super().steps(examples)
        whole: FloatArray = self.inner_.steps(examples, first)
        return self.strength_ * whole

    def _with_strength(
        self, examples: Examples, scores: FloatArray, should_stop: StopRequest, fit: Fit
    ) -> Fit:
        """Find the strength, and return what the fit is with it."""
        fold, losses = fold_numbers(len(examples)), np.zeros((len(STRENGTHS), len(examples)))
        share = float(exact_significance(self.inner.confidence_level))
        fits = fitted_elsewhere(self.inner_, examples, fold, should_stop)
        for number, fitted in enumerate(fits):
            judging = fold == number
            others = examples.part(judging)
            shift = fitted.adjustment(others)
            for place, strength in enumerate(STRENGTHS):
                shifted = scores[judging] + strength * shift
                quantile = weighted_quantiles(shifted, share, others.weights)
                losses[place, judging] = check_losses(shifted - quantile, share)
        if should_stop():
            return Fit(stopped=True)
        good = np.flatnonzero(as_good_as_best(losses, examples.weights))
        self.strength_ = STRENGTHS[int(good[-1])]
        if self.strength_ == 0.0:
            return fit
        layers = self.inner_.weakened(examples, self.strength_)
        terms = self.inner_.fit_.terms  # None of an estimator without a number of them
        terms = None if terms is None else terms * self.strength_**2
        return replace(fit, terms=terms, layers=layers)

    def _notes(self, n: int, *, stopped: bool) -> list[Sentence]:
        about = {
            "n": n,
            "level": self.inner.confidence_level,
            "title": f"{self.title} {self.inner.title}",
            "p_value": self.p_value_,
            "strength": self.strength_,
        }
        if stopped:
            return [Sentence("guard.stopped", _STOPPED, **about)]
        if math.isnan(self.p_value_):
            return [Sentence("guard.holds-all", HOLDS_ALL, **about)]
        if self.p_value_ > self.level:
            return [Sentence("guard.even", _EVEN, **about)]
        inner = [note.with_values(**about) for note in self.inner_.fit_.notes]
        if self.inner_.fit_.terms == 0:
            return inner
        return [Sentence("guard.strength", _STRENGTH, **about), *inner]
