"""Whether test rows are like the calibration rows, on which the guarantee rests."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import betabinom, binom
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from ..arrays import FloatArray
from ..conformal.rank import threshold_rank
from ..messages import Sentence

BAND = 0.99
"""Share of draws of exchangeable calibration and test sets whose accuracy is in the band."""

CLEAR_DEVIATIONS = 4.0
"""A classifier this many standard errors above chance is worth a note."""

MOST_ROWS = 20_000

_OTHER_ACCURACY = (
    "Test accuracy {accuracy:.3f} is outside {low:.3f} to {high:.3f}, where it is in 99 of 100 "
    "random splits: test rows differ from the calibration rows, so the promised coverage does not "
    "hold for them."
)
_OTHER_FEATURES = (
    "Test and calibration rows can be told apart by their features (AUC {auc:.3f}, 0.5 if they "
    "were alike): coverage on rows like the test rows is not guaranteed."
)

_FOLDS = 5
_LARGEST = 10.0
"""Standardised features are cut to it: one absurd value is no drift, and would overflow."""


@dataclass(frozen=True)
class Drift:
    """How test rows compare with calibration rows.

    The band holds the accuracy in 99 of 100 draws of exchangeable rows without ties: a
    beta-binomial law, the Beta law of the coverage with the test rows' own chance on top. The
    AUC is that of a cross-fitted logistic regression that separates calibration from test rows
    by their features.
    """

    accuracy: float  # the base predictor's share of correct test sets
    accuracy_low: float
    accuracy_high: float
    auc: float
    auc_standard_error: float  # if the rows are alike, for which the AUC is 0.5

    def notes(self) -> list[Sentence]:
        """Return a warning for each sign that the rows differ."""
        notes, low, high = [], self.accuracy_low, self.accuracy_high
        if not low <= self.accuracy <= high:
            figures = {"accuracy": self.accuracy, "low": low, "high": high}
            notes.append(Sentence("drift.accuracy", _OTHER_ACCURACY, **figures))
        if self.auc > 0.5 + CLEAR_DEVIATIONS * self.auc_standard_error:
            notes.append(Sentence("drift.features", _OTHER_FEATURES, auc=self.auc))
        return notes


def check_drift(
    X_calibration: FloatArray,
    X_test: FloatArray,
    accuracy: float,
    confidence_level: float,
    *,
    is_calibrated: bool = True,
) -> Drift:
    """Compare calibration and test objects, shapes (n, d) and (m, d), and the test accuracy.

    Without calibration the band is binomial: that of a coverage of CL.
    """
    n, m = len(X_calibration), len(X_test)
    rank = threshold_rank(n, confidence_level)
    low = high = float(m)
    if not is_calibrated:
        low, high = binom.interval(BAND, m, confidence_level)
    elif rank > 0:
        low, high = betabinom.interval(BAND, m, n + 1 - rank, rank)
    low, high = low / m, high / m
    return Drift(accuracy, float(low), float(high), *_two_sample_auc(X_calibration, X_test))


def _two_sample_auc(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Return the cross-fitted AUC of separating two samples, and its null standard error.

    After Lopez-Paz and Oquab (2017), "Revisiting classifier two-sample tests"; the standard error
    is that of the Mann-Whitney statistic.
    """
    # more rows change the figure's third digit only
    first, second = (X[:: -(-len(X) // MOST_ROWS)] for X in (first, second))
    n, m = len(first), len(second)
    if min(n, m) < 2 * _FOLDS:
        return 0.5, float("inf")
    X = np.clip(np.vstack([first, second]), -_LARGEST, _LARGEST)
    is_second = np.repeat([0, 1], [n, m])
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    scores = np.empty(n + m)
    for fitted_on, held_out in folds.split(X, is_second):
        model = LogisticRegression(max_iter=1000).fit(X[fitted_on], is_second[fitted_on])
        scores[held_out] = model.decision_function(X[held_out])
    return float(roc_auc_score(is_second, scores)), float(np.sqrt((n + m + 1) / (12 * n * m)))
