"""What is seen where coverage does not depend on x: by law, by draws and by permuted outcomes."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import linalg, stats

from ..arrays import BoolArray, FloatArray, IndexArray
from ..conformal.rank import CoverageLaw
from ..events import Listener, StepDone, StopRequest, ignore, never
from ..messages import Sentence
from ..rows.outcomes import Outcomes
from ..rows.weights import Weights
from .dcv import Deviation, deviation
from .estimators import ProbabilityEstimator

DRAWS = 999  # of the score test, so that a p-value of 0.001 can be reached

MANY = 1000
"""Rows of the rarer outcome, or clusters with some, by which the law of the statistic is known."""

ENOUGH = 100
"""Clusters of one weight that those with the rarer outcome are worth at least, if rows have some:
with 40 the level of 0.5 % is in truth 1.3 %, with 5 it is 17 %."""

_ROUNDING = 1e-9
"""Statistics this close are the same: a draw may give the outcomes back as they were."""

_NOTHING = 1e-99
_INDEPENDENT = 1e-10
"""A combination of columns that varies by less than this share of the most is a rounding error."""

_STOPPED = (
    "The permutations were stopped: of {asked} draws, {done} are there; the simulated floor and "
    "the permuted p-values are by these."
)
_PARTED = (
    "There is no permuted p-value, as permutations would {fault}; that of the score test keeps "
    "{them}."
)


def score_test(X: FloatArray, outcomes: Outcomes) -> float:
    """Return the p-value of Rao's score test that correctness depends on X, (n, d), linearly.

    Its null hypothesis is one probability for all, of any value. NaN where all outcomes are equal,
    or where rows have weights, and clusters that are worth fewer than ENOUGH.

    The statistic is ``|Z' W (c - share)|**2``, Z the whitened X. Where wrong sets are few its law
    depends on the features: outcomes are permuted, which is exact. Of clusters, which no
    permutation leaves as they are, the signs of whole scores are drawn: the wild bootstrap of Kline
    and Santos (2012), "A score based approach to wild bootstrap inference". The null hypothesis
    leaves only the share to be fitted, so that it needs few clusters; fewer than 9 cannot show a
    p-value of 0.005. P-values of draws are those of Phipson and Smyth (2010), "Permutation p-values
    should never be zero". Where there is plenty, the statistic is a sum of squares of normal
    variables, with White's covariance.
    """
    correct, clusters, weights = outcomes.correct, outcomes.clusters, outcomes.weights
    share = outcomes.accuracy
    if correct.all() or not correct.any():
        return math.nan
    rare = correct if share < 0.5 else ~correct  # noqa: PLR2004 - the fewer
    centred, axes = whitening(X, weights)
    sums, seen = centred * (correct - share)[:, None], outcomes.part(rare).worth
    if weights is not None:
        sums *= weights[:, None]
    if clusters is not None:
        sums = cluster_sums(sums, clusters)
    if seen >= MANY:
        return _by_law(sums, axes)
    if clusters is None and weights is not None:
        return _by_permutation(centred @ axes * weights[:, None], weights, rare)
    if weights is not None and seen < ENOUGH:
        return math.nan
    rng, Z, sums = np.random.default_rng(0), centred @ axes, sums @ axes
    if clusters is None:
        drawn = np.array([Z[some].sum(axis=0) for some in permuted(rare)])
    else:
        signs = (rng.choice([-1.0, 1.0], len(sums)) for _ in range(DRAWS))
        drawn = np.array([sign @ sums for sign in signs]) * _widened(len(sums))
    score = sums.sum(axis=0)
    return _share_as_large((drawn**2).sum(axis=1), float(score @ score))


def permuted(rare: BoolArray) -> Iterator[IndexArray]:
    """Yield the rows of the rarer outcome in permutations of all."""
    rng, shape = np.random.default_rng(0), (len(rare), int(rare.sum()))
    return (rng.choice(*shape, replace=False, shuffle=False) for _ in range(DRAWS))


def _by_permutation(Z: FloatArray, weights: FloatArray, rare: BoolArray) -> float:
    """Return the p-value of weighted whitened columns Z, shape (n, d), by permuted outcomes.

    That outcomes may depend on the weight, the sums' squares are by their own variances: DiCiccio
    and Romano (2017), "Robust permutation tests for correlation and regression coefficients".
    """
    columns, d = np.column_stack([weights, Z, Z**2]), Z.shape[1]
    drawn = (columns[some].sum(axis=0) for some in permuted(rare))
    sums = np.array([columns[rare].sum(axis=0), *drawn])
    share = sums[:, :1] / weights.sum()
    variances = share**2 * columns[:, d + 1 :].sum(axis=0) + (1.0 - 2.0 * share) * sums[:, d + 1 :]
    statistics = (sums[:, 1 : d + 1] ** 2 / variances).sum(axis=1)
    return _share_as_large(statistics[1:], float(statistics[0]))


def _share_as_large(drawn: FloatArray, seen: float) -> float:
    return float(1 + (drawn >= (1.0 - _ROUNDING) * seen).sum()) / (1 + len(drawn))


def _by_law(sums: FloatArray, axes: FloatArray) -> float:
    """Return the p-value by a law of the first three moments of the total's square along the axes.

    Imhof (1961), "Computing the distribution of quadratic forms in normal variables", section 4.
    """
    score = sums.sum(axis=0) @ axes
    covariance = axes.T @ (sums.T @ sums) @ axes * _widened(len(sums)) ** 2
    first, square = float(np.trace(covariance)), covariance @ covariance
    second, third = float(np.trace(square)), float((square * covariance).sum())
    if third == 0.0:
        return 1.0
    freedom = second**3 / third**2
    at = (float(score @ score) - first) * math.sqrt(freedom / second) + freedom
    return float(stats.chi2.sf(at, freedom))


def _widened(clusters: int) -> float:
    """Return what the share, fitted to the same outcomes, has taken of the deviation.

    Of a single cluster it has taken all: it shows nothing.
    """
    return math.sqrt(clusters / max(clusters - 1, _NOTHING))


def whitening(X: FloatArray, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Return the centred columns, shape (n, d), and which of their combinations are whitened."""
    centred = X - (X.mean(axis=0) if weights is None else weights @ X / weights.sum())
    counted = centred if weights is None else weights[:, None] * centred
    variances, axes = linalg.eigh(centred.T @ counted)
    some = variances > _INDEPENDENT * max(variances.max(initial=0.0), np.finfo(float).tiny)
    return centred, axes[:, some] / np.sqrt(variances[some])


def cluster_sums(rows: FloatArray, clusters: IndexArray) -> FloatArray:
    """Return the sum of each cluster's rows, shape (clusters, d)."""
    sums = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    return sums


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
        rng = np.random.default_rng(0)
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
    correct_of = {name: of_one.correct for name, of_one in outcomes.items() if permuted}
    varying = {name: of for name, of in correct_of.items() if of.any() and not of.all()}
    fit_again = estimator.fits(X)

    def seen(correct: BoolArray) -> Deviation:
        return deviation(fit_again(correct)[1], null_model.law.level)

    # the floor's draws by no name; each predictor's outcomes by the same permutations
    streams = {"": null_model.outcomes(len(X), floor_draws)}
    streams |= {name: _permutations(correct, permuted) for name, correct in varying.items()}
    asked, done = floor_draws + permuted * len(varying), 0
    drawn: dict[str, list[Deviation]] = {name: [] for name in streams}
    for name, correct in ((name, each) for name, stream in streams.items() for each in stream):
        if should_stop():
            break
        drawn[name].append(seen(correct))
        done += 1
        on_event(StepDone(done, asked))
    floor = None
    if drawn[""]:
        squares = np.square([(each.level, each.spread) for each in drawn[""]])
        floor = null_model.widened(Deviation(*np.sqrt(squares.mean(axis=0)).tolist()), X)
    p_values: dict[str, float | None] = dict.fromkeys(outcomes, math.nan if permuted else None)
    for name, correct in varying.items():
        least = seen(correct).spread - _ROUNDING
        as_large = [each.spread >= least for each in drawn[name]]
        p_values[name] = (1 + sum(as_large)) / (1 + len(as_large)) if as_large else None
    parted = null_model.seen if permuted < permutations else None
    return Chance(floor, p_values, done, asked, parted)


def _permutations(correct: BoolArray, draws: int) -> Iterator[BoolArray]:
    rng = np.random.default_rng(1)
    return (rng.permutation(correct) for _ in range(draws))
