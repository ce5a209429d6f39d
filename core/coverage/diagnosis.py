"""How the correctness of prediction sets depends on the objects of one set of rows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray, IndexArray
from ..rows.examples import Examples
from ..rows.folds import FOLDS, fold_numbers
from ..rows.outcomes import Outcomes
from ..rows.weights import mean_and_error, weighted_mean
from ..scoring.arithmetic import linear_predictor
from .dcv import Deviation, deviation
from .dcv_inference import Evidence, evidence
from .estimators import LogisticEstimator, ProbabilityEstimator
from .estimators.logistic import LogisticFits


@dataclass(frozen=True)
class ExcessRisk:
    """Excess risks of predicting CL for all, by the measure of loss.

    Each estimates from below, and is 0 on average where coverage is CL for all; estimation noise
    makes it negative. Errors are standard errors, for the rows or clusters drawn.
    """

    l1: float  # by absolute deviation: estimates E|p(x) - CL|
    over: float  # its part from objects with more coverage than CL
    under: float  # its part from those with less
    l2: float  # by squared error: estimates E (p(x) - CL)**2, the square of DCV
    log: float  # by log-loss: estimates the mean Kullback-Leibler divergence, in nats
    l1_error: float
    l2_error: float
    log_error: float


def out_of_fold(
    X: FloatArray,
    outcomes: Outcomes,
    estimator: ProbabilityEstimator,
    fits: LogisticFits | None = None,
) -> FloatArray:
    """Return p(x) of each row, shape (n,), by an estimator fitted on the other folds' rows.

    Clusters stay whole. ``fits`` are those of a logistic estimator that was fitted
    to all these rows, where there are any: from that those of the folds are near. NaN where rows,
    or clusters, are fewer than folds.
    """
    probability = np.full(len(X), np.nan)
    fold = fold_numbers(len(X), outcomes.clusters)
    if len(np.unique(fold)) < FOLDS:
        return probability
    for held_out in range(FOLDS):
        rows = fold == held_out
        if fits is not None:
            probability[rows] = fits.without(rows, outcomes.correct)
            continue
        others = outcomes.part(~rows)
        fitted = clone(estimator).fit(X[~rows], others.correct, others.weights)
        probability[rows] = fitted.predict(X[rows])
    return probability


def cross_fitted_dcv(probability: FloatArray, outcomes: Outcomes, confidence_level: float) -> float:
    """Return the DCV that out-of-fold p(x), shape (n,), can vouch for.

    The root of the mean of ``(p(x) - CL) (c - CL)``, 0 where that is negative. Its expectation is
    0 where coverage is CL for all, however the estimator overfits, and at most the squared
    deviation that it has found in truth: estimation noise lowers it.
    """
    products = (probability - confidence_level) * (outcomes.correct - confidence_level)
    product = weighted_mean(products, outcomes.weights)
    return math.sqrt(max(0.0, product)) if math.isfinite(product) else math.nan


def squared_terms(
    probability: FloatArray, correct: BoolArray, confidence_level: float
) -> FloatArray:
    """Return each row's part of the excess risk by squared error, shape (n,).

    By out-of-fold p(x), shape (n,). Their mean estimates the square of DCV from below.
    """
    return np.asarray((correct - confidence_level) ** 2 - (correct - probability) ** 2)


def excess_risk(probability: FloatArray, outcomes: Outcomes, confidence_level: float) -> ExcessRisk:
    """Return the excess risks, as in arXiv 2512.11779, by out-of-fold p(x) and outcomes, (n,)."""
    if np.isnan(probability).any():
        return ExcessRisk(*[math.nan] * 8)
    correct, weights = outcomes.correct, outcomes.weights
    surplus, side = correct - confidence_level, np.sign(probability - confidence_level)
    over, under = (weighted_mean(surplus * s * (side == s), weights) for s in (1.0, -1.0))
    squares = squared_terms(probability, correct, confidence_level)
    gains = np.where(
        correct, probability / confidence_level, (1.0 - probability) / (1.0 - confidence_level)
    )
    with np.errstate(divide="ignore"):  # what is sure and wrong has lost without bound
        logs = np.log(gains)
    terms = side * surplus, squares, logs
    means = (mean_and_error(each, weights, outcomes.clusters) for each in terms)
    (_, l2, log), errors, _ = zip(*means, strict=True)
    return ExcessRisk(over + under, over, under, l2, log, *errors)


def change_of_unevenness(
    before: FloatArray, after: FloatArray, rows: Outcomes
) -> tuple[float, float, float]:
    """Return by how much DCV squared changed, with its standard error and two-sided p-value.

    By two predictors' squared terms on the same rows, shape (n,) each: a paired t-test of their
    differences, or of those of whole clusters, as of two forecasts' losses: Diebold and Mariano
    (1995), "Comparing predictive accuracy". An error in p(x) moves a squared loss by its square
    alone, so that rows' terms are as good as independent; what estimation costs both is taken out
    by the difference. NaN where terms are.
    """
    difference, error, freedom = mean_and_error(after - before, rows.weights, rows.clusters)
    if freedom < 1:
        return difference, error, 1.0
    if error == 0.0:
        return difference, error, float(difference == 0.0)
    return difference, error, float(2.0 * stats.t.sf(abs(difference) / error, freedom))


@dataclass(frozen=True)
class Diagnosis:
    """How correctness depends on the objects, by an estimator of p(x), and how sure that is.

    Coefficients and standard errors, shape (d,), are those of the logistic regression, whatever
    the estimator; NaN for a column that these rows leave undetermined (constant, or a combination
    of others), or if all outcomes are equal.
    """

    probability: FloatArray
    deviation: Deviation
    parameters: int  # of the logistic regression of correctness, intercept included
    converged: bool  # whether that regression and the estimator reached their optimum
    coefficients: FloatArray
    standard_errors: FloatArray
    evidence: Evidence
    crossfitted: float
    excess: ExcessRisk


class Regressed(NamedTuple):
    """Fits to the same outcomes: the estimator's, with its p(x), and the logistic regression's."""

    logistic: LogisticEstimator
    fitted: ProbabilityEstimator
    probability: FloatArray
    coefficients: FloatArray
    standard_errors: FloatArray


class Regressions:
    """Regressions of correctness on the d features of the same examples, by an estimator of p(x).

    The logistic ones, whatever the estimator, set out from the last.
    """

    def __init__(self, examples: Examples, estimator: ProbabilityEstimator) -> None:
        self._examples, self._estimator = examples, estimator
        self._X, self._weights = examples.determined, examples.weights
        self.fits = LogisticEstimator().fits(self._X, self._weights)

    def __call__(self, correct: BoolArray) -> Regressed:
        """Fit outcomes, shape (n,); coefficients that the rows do not determine are NaN."""
        logistic, probability = self.fits(correct)
        columns = self._examples.independent_columns
        coefficients, errors = np.full((2, self._examples.X.shape[1]), np.nan)
        coefficients[columns] = logistic.coef_
        errors[columns] = self.fits.standard_errors(logistic, probability)
        if self._estimator.maximum_likelihood:
            return Regressed(logistic, logistic, probability, coefficients, errors)
        fitted = clone(self._estimator).fit(self._X, correct, self._weights)
        return Regressed(logistic, fitted, fitted.predict(self._X), coefficients, errors)


def diagnose(
    examples: Examples, outcomes: Outcomes, confidence_level: float, estimator: ProbabilityEstimator
) -> Diagnosis:
    """Fit the diagnosis on the d features of examples, and the outcomes of their sets."""
    determined, correct = examples.determined, outcomes.correct
    regressions = Regressions(examples, estimator)
    logistic, fitted, probability, coefficients, standard_errors = regressions(correct)
    known = regressions.fits if estimator.maximum_likelihood else None
    seen_elsewhere = out_of_fold(determined, outcomes, estimator, known)
    return Diagnosis(
        probability,
        deviation(probability, confidence_level, outcomes.weights),
        determined.shape[1] + 1,
        logistic.converged_ and fitted.converged_,
        coefficients,
        standard_errors,
        evidence(determined, outcomes, fitted, confidence_level),
        cross_fitted_dcv(seen_elsewhere, outcomes, confidence_level),
        excess_risk(seen_elsewhere, outcomes, confidence_level),
    )


HISTOGRAM_BINS = 40

_LEAST_WIDTH = 1e-3
"""Of all bins together: where all p(x) are nearly equal, their differences mean nothing."""


@dataclass(frozen=True)
class ProbabilityBin:
    """How many rows have a p(x) from ``low`` to below ``high``; the last bin holds both ends."""

    predictor: str
    low: float
    high: float
    n: int


def probability_bins(probabilities: Mapping[str, FloatArray]) -> list[ProbabilityBin]:
    """Count the p(x) of each predictor, shape (n,) each, in the same bins of equal width."""
    every = np.concatenate(list(probabilities.values()))
    low, high = float(every.min()), float(every.max())
    if high - low < _LEAST_WIDTH:  # then wider, within 0 and 1
        low = min(max((low + high - _LEAST_WIDTH) / 2.0, 0.0), 1.0 - _LEAST_WIDTH)
        high = low + _LEAST_WIDTH
    edges = np.linspace(low, high, HISTOGRAM_BINS + 1)
    bins = list(pairwise(edges.tolist()))
    return [
        ProbabilityBin(predictor, *ends, int(n))
        for predictor, probability in probabilities.items()
        for ends, n in zip(bins, np.histogram(probability, edges)[0], strict=True)
    ]


SLAB_SHARE = 0.1  # of the rows that a slab is to hold at least

_FEWEST_ROWS = 100


@dataclass(frozen=True)
class Slab:
    """The objects x with ``low <= direction @ x <= high``."""

    direction: FloatArray
    low: float
    high: float

    def holds(self, X: FloatArray) -> BoolArray:
        """Say which of the objects X, shape (n, d), are in the slab."""
        along = linear_predictor(X, self.direction, 0.0)
        return (self.low <= along) & (along <= self.high)


def in_worst_slab(X: FloatArray, correct: BoolArray) -> BoolArray:
    """Say which rows of one half are in the slab that looked worst on the other half, shape (n,).

    The slab is looked for over a hundred random directions, among all that hold a tenth of their
    half or more. Judged on the rows it was found on, coverage would be too low even for a
    faultless predictor. None of fewer than 100 rows, or without features.
    After Cauchois, Gupta and Duchi (2021), "Knowing what you know", section 4.
    """
    n = len(X)
    if n < _FEWEST_ROWS or not X.shape[1]:
        return np.zeros(n, dtype=bool)
    rng = np.random.default_rng(0)
    found_on = np.zeros(n, dtype=bool)
    found_on[rng.permutation(n)[: n // 2]] = True
    looked_along = rng.normal(size=(100, X.shape[1]))
    slab = worst_slab(X[found_on], correct[found_on], looked_along)
    return slab.holds(X) & ~found_on


def worst_slab(X: FloatArray, correct: BoolArray, directions: FloatArray) -> Slab:
    """Return the slab with the lowest coverage of objects X, shape (n, d), along any direction.

    ``directions`` has shape (m, d). Takes n log n for each: sorting, and a few passes.
    """
    least = max(1, math.ceil(SLAB_SHARE * len(X)))
    best, slab = math.inf, Slab(directions[0], -math.inf, math.inf)
    for direction in directions:
        along = linear_predictor(X, direction, 0.0)
        order = np.argsort(along)  # rows of one value in any order: none is divided
        sorted_ = along[order]
        # a slab holds all rows of one value or none: it may begin and end where values change
        changes = np.flatnonzero(sorted_[1:] != sorted_[:-1]) + 1
        edges = np.concatenate([[0], changes, [len(X)]])
        hits = np.append(0, np.cumsum(correct[order]))[edges]
        found = _lowest_mean(hits, edges, least, best)
        if found is not None:
            best, first, last = found
            slab = Slab(direction, float(sorted_[edges[first]]), float(sorted_[edges[last] - 1]))
    return slab


def _lowest_mean(
    hits: IndexArray, edges: IndexArray, least: int, best: float
) -> tuple[float, int, int] | None:
    """Return the lowest mean of a run of at least ``least`` rows, and its edges.

    None if it is not lower than ``best``. By Dinkelbach's method: the run with the smallest sum
    of differences from the lowest mean so far has a lower mean, until there is none. Begun at the
    best of the directions before, it takes a single pass where this one has nothing lower.
    ``hits`` are the counts up to each of ``edges``.
    """
    mean, found = best, None
    overall = float(hits[-1] / edges[-1])
    if overall < best:
        mean, found = overall, (overall, 0, len(edges) - 1)
    # for each end that leaves enough rows before it, the last beginning that does
    first_end = int(np.searchsorted(edges, least))
    last_edge_at = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    latest = last_edge_at[edges[first_end:] - least]
    while True:
        sums = hits - mean * edges
        largest = np.maximum.accumulate(sums)
        end = int((sums[first_end:] - largest[latest]).argmin())
        begin = int(sums[: latest[end] + 1].argmax())
        end += first_end
        lower = float((hits[end] - hits[begin]) / (edges[end] - edges[begin]))
        if not lower < mean:
            return found
        mean, found = lower, (lower, begin, end)
