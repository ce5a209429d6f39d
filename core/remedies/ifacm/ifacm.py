"""The iterative feedback-adjusted conformity measure: Algorithm 2 of the paper."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ...arrays import FloatArray
from ...conformal.measures import ConformityMeasure, Fit, NoLayerReason
from ...coverage.estimators import LogisticEstimator, ProbabilityEstimator
from ...events import BaseMeasured, Listener, StopRequest, ignore, never
from ...messages import InputError, Sentence, check_whole, counted
from ...rows.examples import Examples, Objects, checked_examples
from ...scoring.arithmetic import UPDATES, log_odds_update, sign_update
from ...scoring.functions import Function, Layer, Layers
from ...threads import single_blas_thread
from ..base import ScoreAdjustment, fitted_base
from . import choices
from .layer_search import (
    KnownFits,
    LayerSearch,
    Round,
    StopRequestedError,
    TrainingFigures,
    TrainingICP,
    penalty_with_layer,
)

BLOCK_ROWS = 2048
"""New objects that stay in the cache while one layer after the other looks at them."""

_AT_BOUND = (
    "The adjustment ({title}) ended at its bound of {layers}; more might lower {lowered} further."
)
_STOPPED = "The adjustment ({title}) was stopped after {layers}."
_UNCONVERGED = "{unconverged} of {fits} {what} within {title} did not converge."
_NO_LAYER: dict[NoLayerReason, str] = {
    "stopped": "The adjustment ({title}) was stopped before its first layer: after is as before.",
    "holds-all": "With {n} training rows at confidence level {level} every training row's set "
    "holds its label, so there is nothing for {title} to adjust: after is as before.",
    "penalty": "The adjustment ({title}) found no layer that is worth its wider sets at penalty "
    "C = {penalty:g}: after is as before. With C = {suggested:g} it finds one.",
    "stalled": "The search of {title} misses a first layer that is found from other starts: "
    "after is as before. Choose the search 'restarted'.",
    "even": "The adjustment ({title}) found no layer that lowers {lowered}, even where wider sets "
    "cost nothing (C = 0): after is as before.",
}


@dataclass(frozen=True)
class FittedLayer:
    """One adjustment: ``gamma * U(p(x); delta)``, p fitted with the layers before in place."""

    gamma: float
    delta: float
    estimator: ProbabilityEstimator


class IFACM(ScoreAdjustment):
    """Adds layers ``gamma_i U(x)`` to a base measure until its DCV falls no further.

    ``A**(x, y) = A(x, y) + sum_i gamma_i U(p_{i-1}(x); delta_i)``, the paper's eq. (ifacm):
    where the probability of being correct is estimated too low the scores are raised, where
    too high lowered. Each layer minimises ``DCV + C max(W - W_0, 0)`` (eq. opt1) on the
    training set over (log gamma, log delta) by Nelder-Mead, gamma no more than LARGEST_GAMMA. As it
    stands this is Algorithm 2 but for that bound; an audit searches on where it stalls.

    Parameters
    ----------
    base
        The measure that is adjusted; a fitted one within ``sklearn.frozen.FrozenEstimator``. An
        audit gives its own where it is None.
    confidence_level
        CL, strictly between 0 and 1.
    penalty
        C >= 0, the weight on the increase W - W_0 of the mean width (in the units of ``y``) or set
        size over the base measure's.
    estimator, penalty_form, search
        What p(x) is by, what an increase counts, and how layers are looked for (by PAPER_SEARCH or
        RESTARTED_SEARCH, of ``choices``); None: by logistic regression, and as the paper prints it.
    max_layers, max_evaluations
        Bounds: of layers, and of evaluations of the objective from each start of a search.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import IFACM, StandardMeasure
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 1))
    >>> y = np.exp(0.5 * np.abs(X[:, 0]) + 0.5 * X[:, 0]) * rng.normal(size=1000)
    >>> ifacm = IFACM(StandardMeasure(), confidence_level=0.8, penalty=0.0).fit(X, y)
    >>> ifacm.fit_.layers[-1].dcv < 0.5 * ifacm.base_figures_.dcv
    True

    References
    ----------
    Bellotti (2021), "Approximation to object conditional validity with inductive conformal
    predictors", Algorithms 1 and 2.
    """

    title: ClassVar[str] = "IFACM"
    takes_weights: ClassVar[bool] = True
    update = staticmethod(sign_update)
    stopping: ClassVar[choices.Stopping] = choices.Stopping()

    def __init__(
        self,
        base: ConformityMeasure | None = None,
        *,
        confidence_level: float = 0.9,
        penalty: float = 0.5,
        estimator: ProbabilityEstimator | None = None,
        penalty_form: choices.Penalty | None = None,
        search: choices.Search | None = None,
        max_layers: int = 20,
        max_evaluations: int = 100,
    ) -> None:
        self.base = base
        self.confidence_level = confidence_level
        self.penalty = penalty
        self.estimator, self.penalty_form, self.search = estimator, penalty_form, search
        self.max_layers, self.max_evaluations = max_layers, max_evaluations

    def path(
        self,
        X: Objects,
        y: NDArray[Any] | None,
        penalties: Iterable[float],
        *,
        should_stop: StopRequest = never,
    ) -> Iterator[Self]:
        """Yield fits with these penalties, each found as by itself but in a part of the time.

        They share the base measure, and the fits to outcomes that the searches have in common.
        """
        examples = checked_examples(self, X, y, fitting=True)
        base = fitted_base(self.base, examples)
        known: KnownFits = {}
        for penalty in penalties:
            one = clone(self).set_params(base=FrozenEstimator(base), penalty=penalty)
            own = checked_examples(one, examples, fitting=True)
            with single_blas_thread():
                one.fit_ = one.adjust(own, ignore, should_stop, known)
            yield one

    def adjust(
        self,
        examples: Examples,
        on_event: Listener,
        should_stop: StopRequest,
        known: KnownFits | None = None,
    ) -> Fit:
        """Fit the layers.

        ``on_event`` hears every evaluation and every accepted layer; when ``should_stop`` says so
        between two evaluations, the fit ends with the layers accepted so far.
        """
        check_penalty(self.penalty)
        check_whole("max_layers", self.max_layers, 0)
        check_whole("max_evaluations", self.max_evaluations, 1)
        # before the base is replaced: layers of another one must not outlive it
        self.layers_: list[FittedLayer] = []
        self.fit_ = Fit()
        self.base_ = fitted_base(self.base, examples)
        self._estimator = LogisticEstimator() if self.estimator is None else self.estimator
        self._penalty = self.penalty_form or choices.Penalty()
        self._search = self.search or choices.PAPER_SEARCH
        functions = self.base_.learning_functions(examples)
        icp = TrainingICP(examples, functions, self._estimator, self.confidence_level, known)
        self._largest_size = icp.scored.functions.largest_size
        figures = icp.run(np.zeros(len(examples)))  # Algorithm 1 on the base measure
        self.base_figures_ = figures
        most = self.max_layers, self._search.starts * self.max_evaluations
        on_event(BaseMeasured(figures.dcv, figures.inefficiency, *most))
        try:
            if figures.correct.all():
                self.fit_ = Fit(no_layer_reason="holds-all")
            else:
                self._search_layers(icp, examples, on_event, should_stop)
        except StopRequestedError:
            reason: NoLayerReason = "" if self.layers_ else "stopped"
            self.fit_ = replace(self.fit_, stopped=True, no_layer_reason=reason)
        return replace(self.fit_, notes=[*self._closing_notes(icp, len(examples))])

    def adjustment(self, X: Objects) -> FloatArray:
        """Return ``sum_i gamma_i U(p_{i-1}(x); delta_i)`` for the objects X, shape (n,)."""
        X = checked_examples(self, X).X
        shift = np.zeros(len(X))
        for _, rows, step in self._steps(X):
            shift[rows] += step
        return shift

    def steps(self, X: Objects, first: int = 0) -> FloatArray:
        """Return the terms of :meth:`adjustment`, one for each layer, shape (layers, n)."""
        X = checked_examples(self, X).X
        steps = np.empty((len(self.layers_) - first, len(X)))
        for number, rows, step in self._steps(X, first):
            steps[number, rows] = step
        return steps

    def _steps(
        self, X: FloatArray, first_layer: int = 0
    ) -> Iterator[tuple[int, slice, FloatArray]]:
        """Yield what each layer adds to the scores of a block of rows, in the layers' order."""
        for first in range(0, len(X), BLOCK_ROWS):
            rows = slice(first, first + BLOCK_ROWS)
            for number, layer in enumerate(self.layers_[first_layer:]):
                probability = layer.estimator.probabilities(X[rows])
                yield number, rows, self.step(probability, layer.gamma, layer.delta)

    def written_adjustment(self) -> Function:
        """Return the layers as plain values."""
        update = next(name for name, of in UPDATES.items() if of is self.update)
        made = (Layer(one.gamma, one.delta, one.estimator.written()) for one in self.layers_)
        return Layers(update, self.confidence_level, (*made,))

    def objective(self, figures: TrainingFigures, penalty: float | None = None) -> float:
        """Return DCV with the penalised increase in inefficiency, the paper's eq. (opt1)."""
        penalty = self.penalty if penalty is None else penalty
        if penalty == 0.0:  # 0 times an infinite width would be NaN
            return figures.dcv
        return figures.dcv + penalty * self._rise(figures.inefficiency)

    def _rise(self, inefficiency: float) -> float:
        """Return what an inefficiency counts in the objective, but for C."""
        increase = inefficiency - self.base_figures_.inefficiency
        return self._penalty(increase, self._largest_size) if increase > 0.0 else 0.0

    def step(self, probability: FloatArray, gamma: float, delta: float) -> FloatArray:
        """Return what one layer adds to the scores of objects with these p, shape (n,)."""
        step = self.update(probability, self.confidence_level, delta)
        step *= gamma  # in place, as below: new arrays of a million rows take longer than the sums
        return step

    def _search_layers(
        self, icp: TrainingICP, examples: Examples, on_event: Listener, should_stop: StopRequest
    ) -> None:
        X = examples.X
        search = LayerSearch(
            icp,
            self._search.rounds,
            step=self.step,
            objective=self.objective,
            unevenness=partial(self.stopping, examples, confidence_level=self.confidence_level),
            max_evaluations=self.max_evaluations,
            on_event=on_event,
            should_stop=should_stop,
        )
        terms = X.shape[1] + 1 if self._estimator.maximum_likelihood else None
        layers = search.layers(X, self.base_figures_)
        for accepted, estimator in islice(layers, self.max_layers):
            self.layers_.append(FittedLayer(accepted.gamma, accepted.delta, estimator))
            self.fit_ = Fit(terms, [*self.fit_.layers, accepted])
            on_event(accepted)
        if len(self.layers_) < min(1, self.max_layers):
            self._find_reason(search, X)

    def _find_reason(self, search: LayerSearch, X: FloatArray) -> None:
        """Say why there is no layer, by searches that are not told of as they add none."""

        def finds_layer(
            penalty: float, listener: Listener, rounds: tuple[Round, ...] = search.rounds
        ) -> bool:
            objective = partial(self.objective, penalty=penalty)
            other = replace(search, rounds=rounds, objective=objective, on_event=listener)
            return next(other.layers(X, self.base_figures_), None) is not None

        dcv = self.base_figures_.dcv
        suggested = penalty_with_layer(finds_layer, dcv, self._rise, self.penalty)
        reason: NoLayerReason = "penalty"
        if suggested is None:
            stalled = finds_layer(0.0, ignore, choices.RESTARTED_SEARCH.rounds)
            reason = "stalled" if stalled else "even"
        self.fit_ = Fit(no_layer_reason=reason, suggested_penalty=suggested)

    def _closing_notes(self, icp: TrainingICP, n: int) -> Iterator[Sentence]:
        note = partial(Sentence, title=self.title, layers=counted(len(self.layers_), "layer"))
        lowered, fit = self.stopping.lowered, self.fit_
        if fit.no_layer_reason:
            template, level = _NO_LAYER[fit.no_layer_reason], self.confidence_level
            penalty, suggested = self.penalty, fit.suggested_penalty
            values = {"n": n, "level": level, "penalty": penalty, "suggested": suggested}
            yield note("ifacm.no-layer", template, lowered=lowered, **values)
        elif fit.stopped:
            yield note("ifacm.stopped", _STOPPED)
        elif len(self.layers_) == self.max_layers:
            yield note("ifacm.at_bound", _AT_BOUND, lowered=lowered)
        if icp.unconverged:
            what = "logistic fits" if self._estimator.maximum_likelihood else "fits of p(x)"
            of = {"unconverged": icp.unconverged, "fits": icp.fits, "what": what}
            yield note("ifacm.unconverged", _UNCONVERGED, **of)


def check_penalty(penalty: float, written: str | None = None) -> None:
    """Raise :class:`InputError`, which quotes it as ``written``, if it is no C."""
    if not (math.isfinite(penalty) and penalty >= 0.0):
        sentence = "penalty C is {given}; give a number of 0 or more"
        raise InputError("ifacm.penalty", sentence, given=written or penalty)


class SmoothIFACM(IFACM):
    """IFACM whose layers go by the size of the gap in log-odds, and not by its sign alone."""

    title: ClassVar[str] = "smooth IFACM"
    update = staticmethod(log_odds_update)


class CrossFittedIFACM(IFACM):
    """IFACM whose layers end where cross-fitted DCV falls no further."""

    title: ClassVar[str] = "cross-fitted IFACM"
    stopping = choices.CrossFitted()


class FloorIFACM(IFACM):
    """IFACM whose layers end at the floor of DCV."""

    title: ClassVar[str] = "IFACM to the floor"
    stopping = choices.AtFloor()
