"""Whether test rows are like the calibration rows, on which the guarantee rests."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats
from sklearn.linear_model import LogisticRegression

from ..levels import OVERALL
from ..messages import Sentence, counted
from ..rows.examples import Examples
from ..rows.folds import FOLDS, fold_numbers
from ..rows.weights import mean_and_error
from .null_model import NullModel

BAND = 1.0 - OVERALL
"""Share of draws of exchangeable calibration and test sets whose accuracy is in the band."""

CLEAR_DEVIATIONS = 4.0  # a classifier this many standard errors above chance is worth a note

_OTHER_FEATURES = (
    "Test and calibration rows can be told apart by their features (AUC {auc:.3f}, 0.5 if they "
    "were alike{condition}): coverage on rows like the test rows is not guaranteed."
)


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
    auc: float | None  # None without features, or of too few rows
    auc_standard_error: float | None  # where the rows are alike, the AUC is 0.5
    rows_effective: int  # independent test rows that say as much as those there are
    clusters: int | None = None  # of test rows that are not independent
    tied: float = 0.0  # the share of test rows whose score is just the threshold

    @property
    def is_by_ties(self) -> bool:
        """Whether accuracy above the band is due to ties: all, or none, of these rows' sets hold.

        With ties parted at random, accuracy would be in the band as often as is said of it.
        """
        return self.accuracy - self.tied <= self.accuracy_high < self.accuracy

    def notes(self) -> list[Sentence]:
        """Return a warning if the rows' features differ, hedged where they have clusters."""
        auc, error, condition = self.auc, self.auc_standard_error, ""
        if auc is None or error is None or auc <= 0.5 + CLEAR_DEVIATIONS * error:
            return []
        if self.clusters is not None:
            clusters = counted(self.clusters, "cluster")
            condition = f", as far as {clusters} of rows that may be alike can tell"
        return [Sentence("drift.features", _OTHER_FEATURES, auc=auc, condition=condition)]


def check_drift(
    calibration: Examples, test: Examples, null_model: NullModel, tied: float = 0.0
) -> Drift:
    """Compare calibration and test objects, and the test outcomes with those of a null model.

    Outcomes of clusters count as fewer independent ones; ``tied`` is the share of test scores that
    are just the threshold.
    """
    seen = null_model.seen
    independent = max(1, round(len(seen.correct) / seen.design_effect))
    clusters = None if seen.clusters is None else len(np.unique(seen.clusters))
    return Drift(
        seen.accuracy,
        *null_model.law.band(independent, BAND),
        *_two_sample_auc(calibration, test),
        independent,
        clusters,
        tied,
    )


def _two_sample_auc(first: Examples, second: Examples) -> tuple[float | None, float | None]:
    """Return the cross-fitted AUC of separating two samples, and its standard error.

    After Lopez-Paz and Oquab (2017), "Revisiting classifier two-sample tests"; each cluster is in
    one fold as a whole. The standard error is that of Obuchowski (1997), "Nonparametric analysis of
    clustered ROC curve data", of DeLong where rows are independent.
    """
    if min(len(first), len(second)) < 2 * FOLDS or not first.X.shape[1]:
        return None, None
    # more rows than these would change the figure's third digit only
    first, second = (
        each.part(np.arange(0, len(each), -(-len(each) // 20_000))) for each in (first, second)
    )
    n, m = len(first), len(second)
    # one absurd value of a standardised feature is no drift, and would overflow
    X = np.clip(np.vstack([first.X, second.X]), -10.0, 10.0)
    is_second = np.arange(n + m) >= n
    of_first, of_second = (fold_numbers(len(of), of.clusters) for of in (first, second))
    if min(len(np.unique(f)) for f in (of_first, of_second)) < FOLDS:
        return None, None
    fold, scores = np.concatenate([of_first, of_second]), np.empty(n + m)
    for held_out in range(FOLDS):
        rows = fold == held_out
        model = LogisticRegression(max_iter=1000).fit(X[~rows], is_second[~rows])
        scores[rows] = model.decision_function(X[rows])
    ranks = stats.rankdata(scores)
    above = (ranks[n:] - stats.rankdata(scores[n:])) / n  # shares of the first below each
    below = 1.0 - (ranks[:n] - stats.rankdata(scores[:n])) / m
    _, error, _ = mean_and_error(below, None, first.clusters)
    auc, other, _ = mean_and_error(above, None, second.clusters)
    return auc, math.hypot(error, other)
