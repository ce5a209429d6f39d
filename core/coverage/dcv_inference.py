"""Whether coverage depends on the objects, and how large the deviation is, with its error."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import optimize
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaincc, ndtr

from ..arrays import FloatArray
from ..rows.outcomes import Outcomes
from ..rows.weights import Weights, total, weighted_mean
from .dcv import deviation, formulas_hold
from .estimators import LogisticEstimator, ProbabilityEstimator
from .null_model import score_test

_TAILS = (0.025, 0.98)
"""Of the ends of the 95 % interval for the population's DCV. Seen too small, DCV has too small an
error as well: by simulation the upper end fails in 2.7 to 3.5 %, with 0.975 in 3.1 to 4.5 %."""

NoiseFormula = Literal["good", "rough", "none"]
"""How well formulas tell the noise in DCV: rough where wrong sets, or clusters with some, are few
for the parameters, or the fit did not converge; none by another estimator than the logistic."""

_DRAWS = 119
_FEW = 2  # of so many draws, which with what is seen are 2.5 %
_ROUNDING = 1e-9
_FARTHEST = 1e6
_BLOCK_ROWS = 2048  # at once, which a processor keeps near
_AS_NORMAL = 1e16  # a gamma law of such a shape is a normal one; its tails are lost in rounding


@dataclass(frozen=True)
class Evidence:
    """How far coverage depends on the objects of one set of rows.

    The 95 % interval is for the DCV that the same predictor has in the population: that of the
    best logistic approximation of its coverage. Interval and corrected value are None unless the
    formula for noise is good.
    """

    dcv_corrected: float | None  # DCV without what noise adds on average; 0 where that exceeds it
    dcv_corrected_low: float | None
    dcv_corrected_high: float | None
    p_value: float  # of the score test of "coverage does not depend on x", whatever its level
    dcv_formula: NoiseFormula = "good"


def evidence(
    X: FloatArray, outcomes: Outcomes, fitted: ProbabilityEstimator, confidence_level: float
) -> Evidence:
    """Return the evidence of an estimator fitted on objects X, shape (n, d), and their outcomes.

    The columns of X are to be linearly independent of each other and of a constant.
    """
    p_value = score_test(X, outcomes)
    if not isinstance(fitted, LogisticEstimator):
        return Evidence(None, None, None, p_value, "none")
    hold = formulas_hold(outcomes, X.shape[1] + 1, confidence_level)
    if not (hold and fitted.converged_):
        return Evidence(None, None, None, p_value, "rough")
    probability = fitted.probabilities(X)
    sampling = _sampling(X, outcomes, probability, confidence_level, fitted.ridge)
    corrected = math.sqrt(max(sampling.squared - sampling.noise, 0.0))
    most = max(confidence_level, 1.0 - confidence_level) ** 2  # where p(x) is 0, or 1, for all
    low, high = (math.sqrt(sampling.value_at(t, most)) for t in _TAILS)
    return Evidence(corrected, low, high, p_value)


@dataclass(frozen=True)
class _Sampling:
    """How DCV squared varies about that of the population.

    A normal error in proportion to the deviation, and a sum of squares of the noise in p(x), are
    added: to the three moments a Pearson distribution of type III is fitted.
    """

    squared: float
    noise: float  # what estimation noise adds on average: the sum of the squares' weights
    weight: float  # their mean weight, weighted by itself
    slope: float  # variance of the normal error for each unit of DCV squared

    def value_at(self, tail: float, most: float) -> float:
        """Return the population's value under which one as large is seen with that probability.

        Between 0 and ``most``: of these two the nearer where it is none between.
        """
        if self._exceeds(0.0) >= tail:
            return 0.0
        if self._exceeds(most) <= tail:  # heavy tails can leave room for more than there is
            return most
        return float(optimize.brentq(lambda value: self._exceeds(value) - tail, 0.0, most))

    def _exceeds(self, value: float) -> float:
        variance = 2.0 * self.weight * self.noise + self.slope * value
        third = 8.0 * self.weight**2 * self.noise + 6.0 * self.weight * self.slope * value
        # a shifted gamma law with these moments
        shape, unit = 4.0 * variance**3 / third**2, third / (2.0 * variance)
        if shape > _AS_NORMAL:
            return float(ndtr((value + self.noise - self.squared) / math.sqrt(variance)))
        start = value + self.noise - shape * unit
        return float(gammaincc(shape, max((self.squared - start) / unit, 0.0)))


def _sampling(
    X: FloatArray,
    outcomes: Outcomes,
    probability: FloatArray,
    confidence_level: float,
    ridge: float,
) -> _Sampling:
    """Return the sampling of DCV squared: by the delta method, and White's covariance.

    With clusters that of Liang and Zeger (1986), "Longitudinal data analysis using generalized
    linear models". The ridge keeps the Hessian from being singular.
    """
    n, size = total(outcomes.weights, len(X)), X.shape[1] + 1
    clusters, counts = outcomes.clusters, outcomes.counts
    off = probability - confidence_level
    squared = weighted_mean(off**2, outcomes.weights)
    direction: FloatArray = off / math.sqrt(squared) if squared else off
    variance = probability * (1.0 - probability)
    weight, error = counts * variance, counts * (outcomes.correct - probability)
    hessian, curvature = np.zeros((2, size, size))
    meat, gradient = np.zeros((size, size)), np.zeros(size)
    scores = np.zeros((0 if clusters is None else int(clusters.max()) + 1, size))
    for first in range(0, len(X), _BLOCK_ROWS):
        rows = slice(first, first + _BLOCK_ROWS)
        Z = np.column_stack([np.ones(len(X[rows])), X[rows]])
        hessian += (Z * weight[rows, None]).T @ Z
        curvature += (Z * (weight * variance)[rows, None]).T @ Z
        gradient += (direction[rows] * weight[rows]) @ Z
        score = Z * error[rows, None]
        if clusters is None:
            meat += score.T @ score
        else:
            np.add.at(scores, clusters[rows], score)
    if clusters is not None:
        meat = scores.T @ scores * (len(scores) / max(len(scores) - 1, 1))
    slopes = np.arange(1, size)
    hessian[slopes, slopes] += ridge
    factor = cho_factor(hessian)
    covariance = cho_solve(factor, cho_solve(factor, meat).T)
    squares = curvature @ covariance / n
    noise = float(np.trace(squares))
    pull = cho_solve(factor, gradient)
    influence = counts * math.sqrt(squared) * (direction**2 - 1.0)
    influence += 2.0 * (pull[0] + X @ pull[1:]) * error
    sums = influence if clusters is None else np.bincount(clusters, influence)
    slope = float(np.sum(sums**2)) / n**2
    return _Sampling(squared, noise, float(np.sum(squares * squares.T)) / noise, slope)


def drawn_tails(
    X: FloatArray, outcomes: Outcomes, estimator: ProbabilityEstimator, level: float, bound: float
) -> tuple[float, float]:
    """Return how likely a DCV at least, and at most, as large as seen is, with ``bound`` behind it.

    Outcomes of objects X, shape (n, d), are drawn by the p(x) seen, moved to CL or away from it
    until its DCV is the bound; those of a cluster are as alike as those seen. Where neither is
    unlikely the drawing ends. P-values are those of Phipson and Smyth (2010).
    """
    fit, weights = estimator.fits(X, outcomes.weights), outcomes.weights
    probability = fit(outcomes.correct)[1]
    seen = deviation(probability, level, weights).value
    moved, rng = _with_deviation(probability, level, bound, weights), np.random.default_rng(0)
    tails = np.zeros(2, dtype=np.intp)
    for _ in range(_DRAWS):
        luck = rng.random(len(X))
        if outcomes.clusters is not None:
            alike = rng.random(len(X)) < math.sqrt(outcomes.correlation)
            luck = np.where(alike, rng.random(len(X))[outcomes.clusters], luck)
        more = deviation(fit(luck < moved)[1], level, weights).value - seen
        tails += [more >= -_ROUNDING, more <= _ROUNDING]
        if tails.min() > _FEW:
            break
    above, below = ((1 + tails) / (1 + _DRAWS)).tolist()
    return above, below


def _with_deviation(
    probability: FloatArray, level: float, bound: float, weights: Weights
) -> FloatArray:
    """Return p(x), shape (n,), of that DCV: one for all where there is none of this shape."""

    def excess(scale: float) -> float:
        return deviation(at(scale), level, weights).value - bound

    def at(scale: float) -> FloatArray:
        return np.clip(level + scale * (probability - level), 0.0, 1.0)

    if excess(_FARTHEST) <= 0.0:
        return np.full(len(probability), max(level - bound, 0.0))
    return at(optimize.brentq(excess, 0.0, _FARTHEST))
