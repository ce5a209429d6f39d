"""What chance alone makes of a deviation, by drawing and permuting outcomes."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..events import Listener, Permuted, StopRequest, ignore, never
from ..messages import Sentence
from .dcv import Deviation, deviation
from .estimators import ProbabilityEstimator
from .estimators.base import FitAgain

_FLOOR_SEED, _P_VALUE_SEED = 0, 1

_ROUNDING = 1e-9
"""Spreads this close are the same: a permutation may give the outcomes back as they were."""


@dataclass(frozen=True)
class Chance:
    """What draws say of some predictors on the same rows.

    ``floor`` is the DCV of a faultless predictor: the root of the mean of its square over
    outcomes drawn with probability CL for all; None if none was drawn. ``p_values`` are of
    "coverage does not depend on x, whatever its overall level": the share of permutations, the
    identity among them, whose spread of p(x) is at least as large; NaN where all outcomes are
    equal, None if there was no permutation.
    """

    floor: float | None
    p_values: dict[str, float | None]
    done: int
    asked: int

    def notes(self) -> list[Sentence]:
        """Return what a user should know of the figures."""
        template = (
            "The permutations were stopped: of {asked} draws, {done} are there; the simulated "
            "floor and the permuted p-values are by these."
        )
        note = Sentence("permutations.stopped", template, asked=self.asked, done=self.done)
        return [] if self.done == self.asked else [note]


def simulate_chance(
    X: FloatArray,
    outcomes: Mapping[str, BoolArray],
    estimator: ProbabilityEstimator,
    confidence_level: float,
    draws: int,
    *,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> Chance:
    """Simulate the floor of objects X, shape (n, d), and a p-value for each predictor's outcomes.

    Each takes ``draws`` fits; the draws are the same in every run. ``should_stop`` is asked
    before each: those done until then are used. P-values are those of Phipson and Smyth (2010),
    "Permutation p-values should never be zero".
    """
    asked = draws * (1 + len(outcomes))
    work = _Work(estimator.fits(X), confidence_level, asked, on_event, should_stop)
    rng = np.random.default_rng(_FLOOR_SEED)
    faultless = work.deviations(rng.random(len(X)) < confidence_level for _ in range(draws))
    squares = [found.value**2 for found in faultless]
    return Chance(
        math.sqrt(np.mean(squares)) if squares else None,
        {name: _p_value(correct, work, draws) for name, correct in outcomes.items()},
        work.done,
        work.asked,
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
