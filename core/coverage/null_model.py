"""What chance alone makes of a deviation, by drawing and permuting outcomes."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..conformal.coverage_law import CoverageLaw
from ..events import Listener, Permuted, StopRequest, ignore, never
from ..messages import Sentence
from ..rows.outcomes import Outcomes
from .dcv import Deviation, deviation
from .estimators import ProbabilityEstimator
from .estimators.base import FitAgain
from .rao_score import cluster_sums, whitening

_FLOOR_SEED, _P_VALUE_SEED = 0, 1

_NOTHING = 1e-99

_ROUNDING = 1e-9
"""Spreads this close are the same: a permutation may give the outcomes back as they were."""

_STOPPED = (
    "The permutations were stopped: of {asked} draws, {done} are there; the simulated floor and "
    "the permuted p-values are by these."
)
_PARTED = (
    "There is no permuted p-value, as permutations would {fault}; that of the score test keeps "
    "{them}."
)


@dataclass(frozen=True)
class Chance:
    """What draws say of some predictors on the same rows.

    ``floor`` has the root mean squares of the parts of a faultless predictor's DCV over draws of
    its outcomes, of one probability for all; None if none was drawn. ``p_values`` are of "coverage
    does not depend on x, whatever its overall level": the share of permutations, the identity
    among them, whose spread of p(x) is at least as large; NaN where all outcomes are equal, None
    if there was no permutation, as of rows that are not independent.
    """

    floor: Deviation | None
    p_values: dict[str, float | None]
    done: int
    asked: int
    parted: Outcomes | None = None  # of rows whose permutations were asked for, in vain

    def notes(self) -> list[Sentence]:
        """Return what a user should know of the figures."""
        notes = []
        if self.done < self.asked:
            of = {"asked": self.asked, "done": self.done}
            notes.append(Sentence("permutations.stopped", _STOPPED, **of))
        if self.parted is not None:
            fault, them = "part rows that belong together", "them together"
            if self.parted.clusters is None:
                fault, them = "part outcomes from the weights of their rows", "each with its own"
            notes.append(Sentence("permutations.clusters", _PARTED, fault=fault, them=them))
        return notes


@dataclass(frozen=True)
class NullModel:
    """What outcomes are like where coverage does not depend on the object.

    Coverage is one draw from the ``law``. Outcomes of one cluster are as alike as those ``seen``.
    """

    law: CoverageLaw
    seen: Outcomes

    def outcomes(self, n: int, draws: int) -> Iterator[BoolArray]:
        """Yield draws of independent rows, shape (n,) each, the same in every run."""
        rng = np.random.default_rng(_FLOOR_SEED)
        return (rng.random(n) < self.law.draw(rng) for _ in range(draws))

    def widened(self, floor: Deviation, X: FloatArray) -> Deviation:
        """Return the floor of these rows, with objects X, by that of as many independent ones."""
        noise = max(0.0, floor.level**2 - self.law.variance) * self.seen.design_effect
        spread = floor.spread * math.sqrt(spread_effect(X, self.seen))
        return Deviation(math.sqrt(noise + self.law.variance), spread)


def spread_effect(X: FloatArray, outcomes: Outcomes) -> float:
    """Return by how much the spread of p(x), squared, exceeds that of independent rows.

    That is the mean over whitened columns of X, shape (n, d), of the design effects of their
    scores, which are the larger the more a cluster's rows are alike in x, too. At least 1. The
    effect of weights is that of errors which are as large whatever the weight: those of a
    faultless predictor.
    """
    if outcomes.are_independent:
        return 1.0
    counts = outcomes.counts[:, None]
    centred, axes = whitening(X, outcomes.weights)
    Z = centred @ axes * counts
    by_weight = float(np.sum(Z**2) / max(np.sum(Z**2 / counts), _NOTHING) / counts.mean())
    scores = Z * (outcomes.correct - outcomes.accuracy)[:, None]
    independent = float(np.sum(scores**2))
    if outcomes.clusters is None or independent == 0.0:
        return max(1.0, by_weight)
    sums = cluster_sums(scores, outcomes.clusters)
    together = len(sums) / max(len(sums) - 1, 1) * float(np.sum(sums**2)) / independent
    return max(1.0, by_weight * (together if len(sums) > 1 else 1.0))


def draws_at_once(parameters: int) -> int:
    """Return how many draws tell a floor that nobody asked for: its error is some 3 % at most."""
    return min(100, max(20, 1000 // parameters))


def simulate_chance(
    X: FloatArray,
    outcomes: Mapping[str, Outcomes],
    estimator: ProbabilityEstimator,
    null_model: NullModel,
    *,
    floor_draws: int,
    permutations: int = 0,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> Chance:
    """Simulate the floor of objects X, shape (n, d), and a p-value for each predictor's outcomes.

    Each draw takes a fit, of rows that count alike, whose floor is then widened, and is the same in
    every run; rows that are not independent, or have weights, are not permuted. ``should_stop`` is
    asked before each: those done until then are used. P-values are those of Phipson and Smyth
    (2010), "Permutation p-values should never be zero".
    """
    permuted = permutations if null_model.seen.are_independent else 0
    asked = floor_draws + permuted * len(outcomes)
    work = _Work(estimator.fits(X), null_model.law.level, asked, on_event, should_stop)
    floor, drawn = None, [*work.deviations(null_model.outcomes(len(X), floor_draws))]
    if drawn:
        squares = np.square([(each.level, each.spread) for each in drawn])
        floor = null_model.widened(Deviation(*np.sqrt(squares.mean(axis=0)).tolist()), X)
    return Chance(
        floor,
        {name: _p_value(of_one.correct, work, permuted) for name, of_one in outcomes.items()},
        work.done,
        work.asked,
        parted=null_model.seen if permuted < permutations else None,
    )


@dataclass
class _Work:
    """Fits outcomes one after the other, and ends when asked to."""

    fit_again: FitAgain
    confidence_level: float
    asked: int
    on_event: Listener
    should_stop: StopRequest
    done: int = 0

    def deviation(self, correct: BoolArray) -> Deviation:
        _, probability = self.fit_again(correct)
        return deviation(probability, self.confidence_level)

    def deviations(self, drawn: Iterable[BoolArray]) -> Iterator[Deviation]:
        for correct in drawn:
            if self.should_stop():
                return
            found = self.deviation(correct)
            self.done += 1
            self.on_event(Permuted(self.done, self.asked))
            yield found


def _p_value(correct: BoolArray, work: _Work, draws: int) -> float | None:
    if draws == 0:
        return None
    if correct.all() or not correct.any():
        work.asked -= draws
        return math.nan
    seen = work.deviation(correct).spread
    rng = np.random.default_rng(_P_VALUE_SEED)
    permuted = work.deviations(rng.permutation(correct) for _ in range(draws))
    as_large = [found.spread >= seen - _ROUNDING for found in permuted]
    return (1 + sum(as_large)) / (1 + len(as_large)) if as_large else None
