"""How the correctness of prediction sets depends on the objects of one set of rows."""

from dataclasses import dataclass

import numpy as np

from .cross_fitting import cross_fitted_dcv, out_of_fold
from .dcv import Deviation, deviation
from .ert import ExcessRisk, excess_risk
from .estimators import LogisticEstimator
from .evidence import Evidence, evidence
from .prediction_sets import BoolArray, FloatArray


@dataclass(frozen=True)
class Diagnosis:
    """The logistic regression of correctness on the objects, and the deviation it shows.

    Attributes
    ----------
    deviation
        DCV and its parts.
    parameters
        Fitted parameters, intercept included.
    converged
        Whether the fit reached its optimum.
    evidence
        How sure the deviation is, and how large in the population.
    crossfitted
        The DCV that estimates on other rows than they are judged on can vouch for.
    excess
        How much better those estimates predict correctness than CL does.
    coefficients, standard_errors
        One for each column of X, shape (d,); NaN for a column that these rows leave
        undetermined (constant, or a combination of others), or if all outcomes are equal.
    """

    deviation: Deviation
    parameters: int
    converged: bool
    coefficients: FloatArray
    standard_errors: FloatArray
    evidence: Evidence
    crossfitted: float
    excess: ExcessRisk


def diagnose(
    X: FloatArray, correct: BoolArray, confidence_level: float, columns: list[int]
) -> Diagnosis:
    """Fit the diagnosis on objects X, shape (n, d), and correctness, shape (n,).

    ``columns`` are those of X that its rows determine a coefficient for.
    """
    determined = X if len(columns) == X.shape[1] else np.ascontiguousarray(X[:, columns])
    estimator = LogisticEstimator().fit(determined, correct)
    coefficients, standard_errors = np.full((2, X.shape[1]), np.nan)
    coefficients[columns] = estimator.coef_
    standard_errors[columns] = estimator.standard_errors(determined)
    probability = estimator.predict(determined)
    seen_elsewhere = out_of_fold(determined, correct, LogisticEstimator())
    return Diagnosis(
        deviation(probability, confidence_level),
        len(columns) + 1,
        estimator.converged_,
        coefficients,
        standard_errors,
        evidence(determined, correct, probability, confidence_level),
        cross_fitted_dcv(seen_elsewhere, correct, confidence_level),
        excess_risk(seen_elsewhere, correct, confidence_level),
    )
