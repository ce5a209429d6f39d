"""What a user should know of an audit's calibration set and estimators."""

from collections.abc import Iterable

from ..conformal.predictor import Predictor
from ..conformal.rank import smallest_calibration_size, threshold_rank
from ..coverage.estimators import ESTIMATORS
from ..messages import Sentence
from ..preparation.settings import AuditSettings


def size_notes(n: int, confidence_level: float, predictors: Iterable[Predictor]) -> list[Sentence]:
    """Return what is to be said of n calibration rows, if a predictor hangs on them."""
    calibrated = any(predictor.is_calibrated for predictor in predictors)
    if not calibrated or threshold_rank(n, confidence_level) > 0:
        return []
    return [
        Sentence(
            "calibration.too-few",
            "{n} calibration rows are too few for confidence level {level}, which needs {needed}: "
            "every label is kept and every interval is infinite.",
            n=n,
            level=confidence_level,
            needed=smallest_calibration_size(confidence_level),
        )
    ]


def estimator_notes(settings: AuditSettings) -> list[Sentence]:
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
            Sentence(
                "estimator.no-formula",
                "DCV is measured by {estimator}, for which no formula tells the part of "
                "estimation noise: there is neither floor nor correction. Read {instead}. "
                "Coefficients and the score test are those of the logistic regression.",
                estimator=estimator.title,
                instead=instead,
            )
        )
    if not inside.maximum_likelihood:
        notes.append(
            Sentence(
                "ifacm-estimator.no-formula",
                "IFACM estimated p(x) by {estimator}: no formula tells the noise of the training "
                "rows that it carries, so that DCV after it has no floor of its own.",
                estimator=inside.title,
            )
        )
    return notes
