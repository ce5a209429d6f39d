"""How the correctness of prediction sets depends on the objects of one set of rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.base import clone

from ..arrays import FloatArray
from ..rows.outcomes import Outcomes
from .cross_fitting import ExcessRisk, cross_fitted_dcv, excess_risk, out_of_fold, squared_terms
from .dcv import Deviation, deviation
from .dcv_inference import Evidence, evidence
from .estimators import LogisticEstimator, ProbabilityEstimator


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
    crossfitted_terms: FloatArray  # each row's part of excess.l2, shape (n,)


def diagnose(
    X: FloatArray,
    outcomes: Outcomes,
    confidence_level: float,
    columns: list[int],
    estimator: ProbabilityEstimator,
) -> Diagnosis:
    """Fit the diagnosis on objects X, shape (n, d), and the outcomes of their sets.

    ``columns`` are those of X that its rows determine a coefficient for.
    """
    determined, correct, weights = with_columns(X, columns), outcomes.correct, outcomes.weights
    fits = LogisticEstimator().fits(determined, weights)
    logistic, probability = fits(correct)
    coefficients, standard_errors = np.full((2, X.shape[1]), np.nan)
    coefficients[columns] = logistic.coef_
    standard_errors[columns] = fits.standard_errors(logistic, probability)
    fitted: ProbabilityEstimator = logistic
    if not estimator.maximum_likelihood:
        fitted = clone(estimator).fit(determined, correct, weights)
        probability = fitted.predict(determined)
    known = fits if estimator.maximum_likelihood else None
    seen_elsewhere = out_of_fold(determined, outcomes, estimator, known)
    return Diagnosis(
        probability,
        deviation(probability, confidence_level, weights),
        len(columns) + 1,
        logistic.converged_ and fitted.converged_,
        coefficients,
        standard_errors,
        evidence(determined, outcomes, fitted, confidence_level),
        cross_fitted_dcv(seen_elsewhere, outcomes, confidence_level),
        excess_risk(seen_elsewhere, outcomes, confidence_level),
        squared_terms(seen_elsewhere, correct, confidence_level),
    )


def with_columns(X: FloatArray, columns: list[int]) -> FloatArray:
    """Return objects X, shape (n, d), with some of their columns only."""
    return X if len(columns) == X.shape[1] else np.ascontiguousarray(X[:, columns])


BINS = 40

LEAST_WIDTH = 1e-3
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
    edges = np.linspace(*_ends(np.concatenate(list(probabilities.values()))), BINS + 1)
    bins = list(pairwise(edges.tolist()))
    return [
        ProbabilityBin(predictor, *ends, int(n))
        for predictor, probability in probabilities.items()
        for ends, n in zip(bins, np.histogram(probability, edges)[0], strict=True)
    ]


def _ends(probability: FloatArray) -> tuple[float, float]:
    """Return the ends of the bins: those of the p(x), or wider, within 0 and 1."""
    low, high = float(probability.min()), float(probability.max())
    if high - low >= LEAST_WIDTH:
        return low, high
    low = min(max((low + high - LEAST_WIDTH) / 2.0, 0.0), 1.0 - LEAST_WIDTH)
    return low, low + LEAST_WIDTH
