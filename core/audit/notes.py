"""What a user should know of an audit's base model, calibration set and estimators."""

from ..conformal.measures import ConformityMeasure, ScoringMeasure
from ..conformal.rank import smallest_calibration_size, threshold_rank
from ..coverage.estimators import ESTIMATORS
from ..preparation.settings import AuditSettings


def base_notes(base: ConformityMeasure) -> list[str]:
    """Return what is to be said of the fit of the base measure."""
    if isinstance(base, ScoringMeasure) and not base.converged_:
        return [
            "The base model's optimiser ended at its bound of iterations, short of its optimum."
        ]
    return []


def size_notes(n: int, confidence_level: float) -> list[str]:
    """Return what is to be said of n calibration rows."""
    if threshold_rank(n, confidence_level) > 0:
        return []
    needed = smallest_calibration_size(confidence_level)
    return [
        (
            f"{n} calibration rows are too few for confidence level {confidence_level}, which "
            f"needs {needed}: every label is kept and every interval is infinite."
        )
    ]


def estimator_notes(settings: AuditSettings) -> list[str]:
    """Return which figures the chosen estimators of p(x) do not have, and what to read instead."""
    estimator, inside = ESTIMATORS[settings.estimator], ESTIMATORS[settings.ifacm_estimator]
    notes = []
    if not estimator.maximum_likelihood:
        instead = "the cross-fitted DCV"
        if settings.permutations:
            instead += ", the simulated floor and the permuted p-value"
        else:
            instead += ", or ask for permutations, which simulate the floor"
        notes.append(
            f"DCV is measured by {estimator.title}, for which no formula tells the part of "
            f"estimation noise: there is neither floor nor correction. Read {instead}. "
            "Coefficients and the score test are those of the logistic regression."
        )
    if not inside.maximum_likelihood:
        notes.append(
            f"IFACM estimated p(x) by {inside.title}: no formula tells the noise of the training "
            "rows that it carries, so that DCV after it has no floor of its own."
        )
    return notes
