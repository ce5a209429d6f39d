"""The search for IFACM's layers, and for the penalty with which there would be one."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from ...arrays import FloatArray
from ...coverage.estimators import ProbabilityEstimator
from ...events import LayerAccepted, LayerTried, Listener, StopRequest, ignore
from .choices import Round
from .training_icp import TrainingFigures, TrainingICP

SMALLEST_FALL = 1e-3
"""A layer must lower the training DCV by this share, or the layers end (no ties, no noise)."""

LARGEST_GAMMA = 3.0
"""Our own safeguard, which the paper does not have: a layer multiplies widths, or the odds of
labels, by at most e^3 = 20 either way; the paper's largest gamma is 0.644. Without it a layer that
moves all training rows but for a few costs nothing there, and a new row that it does not move gets
an interval wider by any factor."""

Step = Callable[[FloatArray, float, float], FloatArray]
"""What p(x), shape (n,), gamma and delta add to the scores, in a new array of shape (n,)."""


class StopRequestedError(Exception):
    """The search was asked to end."""


@dataclass(frozen=True)
class _Candidate:
    event: LayerTried
    shift: FloatArray
    figures: TrainingFigures


@dataclass
class LayerSearch:
    """Looks for one layer after the other, each to lower the ``unevenness``.

    In Algorithm 2 that is the training DCV. Once a round beyond the first has found a layer
    (``_restarted``), where Algorithm 2 would have ended, a layer is to lower the objective too.
    """

    icp: TrainingICP
    rounds: tuple[Round, ...]
    step: Step
    objective: Callable[[TrainingFigures], float]
    unevenness: Callable[[TrainingFigures], float]
    max_evaluations: int
    on_event: Listener
    should_stop: StopRequest
    _restarted: bool = field(default=False, init=False)

    def layers(
        self, X: FloatArray, figures: TrainingFigures
    ) -> Iterator[tuple[LayerAccepted, ProbabilityEstimator]]:
        """Yield layers for the objects X, shape (n, d), and the p(x) they go by, until none helps.

        ``figures`` are those without a layer. StopRequestedError if asked to stop.
        """
        shift: FloatArray | float = 0.0
        for iteration in count(1):
            self._began, self._iteration, self._evaluations = time.perf_counter(), iteration, 0
            best = self._next_layer(shift, figures, figures.estimator.probabilities(X))
            if best is None:
                return
            yield self._accepted(best), figures.estimator
            shift, figures = best.shift, best.figures

    def _next_layer(
        self, shift: FloatArray | float, before: TrainingFigures, probability: FloatArray
    ) -> _Candidate | None:
        for number, round_ in enumerate(self.rounds):
            best = self._best_of(round_, shift, probability)
            must_lower_objective = self._restarted or number > 0
            lowers = not must_lower_objective or _is_lower(
                best.event.objective, self.objective(before)
            )
            if lowers and _is_lower(self.unevenness(best.figures), self.unevenness(before)):
                self._restarted = must_lower_objective
                return best
        return None

    def _best_of(
        self, round_: Round, shift: FloatArray | float, probability: FloatArray
    ) -> _Candidate:
        best: _Candidate | None = None

        def objective(gamma: float, delta: float) -> float:
            nonlocal best
            if self.should_stop():
                raise StopRequestedError
            if gamma > LARGEST_GAMMA:
                return math.inf
            candidate = self._evaluate(gamma, delta, shift, probability)
            self.on_event(candidate.event)
            if best is None or candidate.event.objective < best.event.objective:
                best = candidate
            return candidate.event.objective

        round_(objective, self.max_evaluations)
        assert best is not None  # noqa: S101 - the start is always evaluated
        return best

    def _evaluate(
        self, gamma: float, delta: float, shift: FloatArray | float, probability: FloatArray
    ) -> _Candidate:
        shifted = self.step(probability, gamma, delta)
        shifted += shift
        figures = self.icp.run(shifted)
        self._evaluations += 1
        found = figures.dcv, figures.inefficiency, self.objective(figures)
        event = LayerTried(self._iteration, self._evaluations, gamma, delta, *found)
        return _Candidate(event, shifted, figures)

    def _accepted(self, best: _Candidate) -> LayerAccepted:
        e, seconds = best.event, time.perf_counter() - self._began
        found = e.dcv, e.inefficiency, e.objective
        return LayerAccepted(e.iteration, e.gamma, e.delta, *found, self._evaluations, seconds)


def _is_lower(value: float, before: float) -> bool:
    return value < before and value <= before * (1.0 - SMALLEST_FALL)


_SHARES = (0.9, 0.5, 0.1, 0.02)
"""Of the largest penalty by the evaluations: the search under another one goes another way."""

FindsLayer = Callable[[float, Listener], bool]
"""Searches for a first layer under a penalty, told to a listener; says whether there is one."""


def penalty_with_layer(
    finds_layer: FindsLayer, dcv: float, rise: Callable[[float], float], tried: float
) -> float | None:
    """Return a penalty below ``tried`` under which a first layer is found; None if 0 finds none.

    A layer that lowers ``dcv``, that of the base, by f and widens sets by what counts as w, the
    ``rise`` of its inefficiency, pays where C < f / w. The penalty is below the largest
    f / w, of one digit, and verified: a fit with it has a layer.
    """
    if tried == 0.0:
        return None
    seen: list[LayerTried] = []

    def remember(event: object) -> None:
        if isinstance(event, LayerTried):
            seen.append(event)

    if not finds_layer(0.0, remember):
        return None
    largest = min(tried, _largest_paying(seen, dcv, rise))
    penalties = (float(f"{share * largest:.0e}") for share in _SHARES)
    return next((penalty for penalty in penalties if finds_layer(penalty, ignore)), 0.0)


def _largest_paying(
    seen: Sequence[LayerTried], dcv: float, rise: Callable[[float], float]
) -> float:
    falls = ((dcv * (1.0 - SMALLEST_FALL) - e.dcv, rise(e.inefficiency)) for e in seen)
    return max(
        fall / dearer if dearer > 0.0 else float("inf") for fall, dearer in falls if fall >= 0
    )
