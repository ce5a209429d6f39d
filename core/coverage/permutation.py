"""What chance alone makes of a deviation, by drawing and permuting outcomes."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..conformal.coverage_law import CoverageLaw
from ..events import Listener, Permuted, StopRequest, ignore, never
from ..messages import Sentence
from .dcv import Deviation, deviation
from .dependent_rows import DependentRows
from .estimators import ProbabilityEstimator
from .estimators.base import FitAgain

_FLOOR_SEED, _P_VALUE_SEED = 0, 1

_ROUNDING = 1e-9
"""Spreads this close are the same: a permutation may give the outcomes back as they were."""


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

    def notes(self) -> list[Sentence]:
        """Return what a user should know of the figures."""
        template = (
            "The permutations were stopped: of {asked} draws, {done} are there; the simulated "
            "floor and the permuted p-values are by these."
        )
        note = Sentence("permutations.stopped", template, asked=self.asked, done=self.done)
        return [] if self.done == self.asked else [note]


@dataclass(frozen=True)
class Faultless:
    """What outcomes are like where coverage does not depend on the object.

    Coverage is one draw from the ``law``; those of one cluster are as alike as those of ``rows``.
    """

    law: CoverageLaw
    rows: DependentRows | None = None

    @property
    def is_independent(self) -> bool:
        """Whether no row is like another."""
        return self.rows is None or self.rows.clusters is None

    def outcomes(self, n: int, draws: int) -> Iterator[BoolArray]:
        """Yield so many draws, shape (n,) each, the same in every run."""
        rng = np.random.default_rng(_FLOOR_SEED)
        for _ in range(draws):
            coverage = self.law.draw(rng)
            correct = rng.random(n) < coverage
            if self.rows is not None and self.rows.clusters is not None:
                # two rows that take their cluster's outcome with such a probability correlate so
                takes = rng.random(n) < math.sqrt(self.rows.correlation)
                shared = rng.random(int(self.rows.clusters.max()) + 1) < coverage
                correct = np.where(takes, shared[self.rows.clusters], correct)
            yield correct


def draws_at_once(parameters: int) -> int:
    """Return how many draws tell a floor that nobody asked for: its error is some 3 % at most."""
    return min(100, max(20, 1000 // parameters))


def simulate_chance(
    X: FloatArray,
    outcomes: Mapping[str, BoolArray],
    estimator: ProbabilityEstimator,
    faultless: Faultless,
    *,
    floor_draws: int,
    permutations: int = 0,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> Chance:
    """Simulate the floor of objects X, shape (n, d), and a p-value for each predictor's outcomes.

    Each draw takes a fit, and is the same in every run; rows that are not independent are not
    permuted. ``should_stop`` is asked before each: those done until then are used. P-values are
    those of Phipson and Smyth (2010), "Permutation p-values should never be zero".
    """
    permuted = permutations if faultless.is_independent else 0
    asked = floor_draws + permuted * len(outcomes)
    work = _Work(estimator.fits(X), faultless.law.level, asked, on_event, should_stop)
    floor = [*work.deviations(faultless.outcomes(len(X), floor_draws))]
    return Chance(
        _root_mean_squares(floor) if floor else None,
        {name: _p_value(correct, work, permuted) for name, correct in outcomes.items()},
        work.done,
        work.asked,
    )


def _root_mean_squares(found: Sequence[Deviation]) -> Deviation:
    level, spread = (
        math.sqrt(np.mean(np.square(part)))
        for part in zip(*((each.level, each.spread) for each in found), strict=True)
    )
    return Deviation(level, spread)


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
