"""Algorithm 1, the search for IFACM's layers by it, and for the penalty with which there is one."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count

import numpy as np

from ...arrays import BoolArray, FloatArray
from ...conformal.scores import ScoredExamples, ScoreFunctions
from ...coverage.dcv import deviation
from ...coverage.estimators import ProbabilityEstimator
from ...events import LayerAccepted, LayerTried, Listener, StopRequest, ignore
from ...rows.examples import Examples

KnownFits = dict[bytes, tuple[ProbabilityEstimator, float]]
"""Estimators and the DCV that they show, by a digest of the outcomes that they were fitted to."""


@dataclass(frozen=True)
class TrainingFigures:
    """What Algorithm 1 returns, with the fit behind it."""

    correct: BoolArray
    estimator: ProbabilityEstimator
    dcv: float
    inefficiency: float


class TrainingICP:
    """Algorithm 1 for one training set, which is the calibration set, too, and shifted scores.

    Such an ICP is not valid; it only measures, on the training data, how coverage depends on the
    object, so that a conformity measure can be adjusted for it.

    Fits are remembered by the outcomes they were fitted to: the same outcomes give the same
    DCV to the last digit, without which rounding noise would steer a search over an objective
    that is piecewise constant, and three evaluations of four need no fit. Those ``known`` from
    another one of the same training set are remembered, too.
    """

    def __init__(
        self,
        examples: Examples,
        functions: ScoreFunctions,
        estimator: ProbabilityEstimator,
        confidence_level: float,
        known: KnownFits | None = None,
    ) -> None:
        self.scored = ScoredExamples.of(examples, functions)
        self._fit_again = estimator.fits(examples.X, examples.weights)
        self._confidence_level, self._weights = confidence_level, examples.weights
        self._known: KnownFits = {} if known is None else known
        self.unconverged = 0

    @property
    def fits(self) -> int:
        """Number of different outcomes fitted so far."""
        return len(self._known)

    def run(self, shift: FloatArray) -> TrainingFigures:
        """Measure the measure whose scores are raised by ``shift``, shape (n,)."""
        scored = self.scored.shifted(shift)
        threshold = scored.threshold(self._confidence_level)
        correct = scored.held(threshold)
        # a digest: at a million rows the outcomes of hundreds of fits would outweigh the data
        key = blake2b(np.packbits(correct).tobytes(), digest_size=32).digest()
        if key not in self._known:
            fitted, probability = self._fit_again(correct)
            found = deviation(probability, self._confidence_level, self._weights)
            self._known[key] = (fitted, found.value)
            self.unconverged += not fitted.converged_
        return TrainingFigures(correct, *self._known[key], scored.mean_size(threshold))


SMALLEST_FALL = 1e-3
"""A layer must lower the training DCV by this share, or the layers end (no ties, no noise)."""

LARGEST_GAMMA = 3.0
"""Our own safeguard, which the paper does not have: a layer multiplies widths, or the odds of
labels, by at most e^3 = 20 either way; the paper's largest gamma is 0.644. Without it a layer that
moves all training rows but for a few costs nothing there, and a new row that it does not move gets
an interval wider by any factor."""

Objective = Callable[[float, float], float]
"""Of gamma and delta, both positive; sees every point, and so can keep the best."""

Round = Callable[[Objective, int], None]
"""Looks for the least of an objective, with a bound on the evaluations from each start."""

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
            e, seconds = best.event, time.perf_counter() - self._began
            found = e.iteration, e.gamma, e.delta, e.dcv, e.inefficiency, e.objective
            yield LayerAccepted(*found, self._evaluations, seconds), figures.estimator
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
            shifted = self.step(probability, gamma, delta)
            shifted += shift
            figures = self.icp.run(shifted)
            self._evaluations += 1
            found = figures.dcv, figures.inefficiency, self.objective(figures)
            event = LayerTried(self._iteration, self._evaluations, gamma, delta, *found)
            self.on_event(event)
            if best is None or event.objective < best.event.objective:
                best = _Candidate(event, shifted, figures)
            return event.objective

        round_(objective, self.max_evaluations)
        assert best is not None  # noqa: S101 - the start is always evaluated
        return best


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
    falls = ((dcv * (1.0 - SMALLEST_FALL) - e.dcv, rise(e.inefficiency)) for e in seen)
    paying = (fall / w if w > 0.0 else math.inf for fall, w in falls if fall >= 0)
    largest = min(tried, max(paying))
    penalties = (float(f"{share * largest:.0e}") for share in _SHARES)
    return next((penalty for penalty in penalties if finds_layer(penalty, ignore)), 0.0)
