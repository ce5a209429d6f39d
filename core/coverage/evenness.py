"""Whether coverage is more even after an adjustment, by judges that it was not fitted to."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..arrays import BoolArray, FloatArray
from ..rows.folds import FOLDS, fold_numbers
from ..rows.outcomes import Outcomes
from ..rows.weights import mean_and_error
from .diagnosis import change_of_unevenness, out_of_fold, squared_terms
from .estimators import LogisticEstimator
from .estimators.by_scikit_learn import TreesEstimator


def evenness(
    before: FloatArray, after: FloatArray, rows: tuple[Outcomes, Outcomes]
) -> dict[str, float]:
    """Compare how far coverage by two predictors spreads about its own mean over the same rows.

    By out-of-fold p(x), shape (n,) each. The level of all rows, which another draw of calibration
    rows moves, is no part of it. A spread is 0 where what was seen is not confirmed on other rows.
    """
    was, now = (
        squared_terms(p, of_one.correct, of_one.accuracy)
        for p, of_one in zip((before, after), rows, strict=True)
    )
    figures: dict[str, float] = {}
    for name, terms in (("before", was), ("after", now)):
        mean, error, freedom = mean_and_error(terms, rows[0].weights, rows[0].clusters)
        figures[f"spread_{name}"] = max(0.0, mean) ** 0.5
        p_value = stats.t.sf(mean / error, freedom) if freedom > 0 and error > 0.0 else 1.0
        figures[f"spread_p_value_{name}"] = float(p_value)
    change, error, p_value = change_of_unevenness(was, now, rows[0])
    return figures | {
        "unevenness_change": change,
        "unevenness_standard_error": error,
        "unevenness_p_value": p_value,
    }


def seen_together(X: FloatArray, outcomes: Outcomes) -> FloatArray:
    """Return out-of-fold p(x) that straight lines and boosted trees see together, shape (n,).

    The mean of both: an adjustment by straight lines leaves nothing that these could see, and trees
    alone see straight lines poorly.
    """
    judges = LogisticEstimator(), TreesEstimator()
    return np.asarray(sum(out_of_fold(X, outcomes, judge) for judge in judges)) / len(judges)


def class_shares(labels: NDArray[np.intp], outcomes: Outcomes) -> FloatArray:
    """Return each class's share of correct sets among the rows of other folds, shape (n,).

    One more row is counted with the share of all.
    """
    probability, fold = np.full(len(labels), np.nan), fold_numbers(len(labels), outcomes.clusters)
    weights = np.ones(len(labels)) if outcomes.weights is None else outcomes.weights
    for held_out in range(FOLDS):
        rows: BoolArray = fold != held_out
        of_class = np.bincount(labels[rows], weights[rows], labels.max() + 1)
        hits = (weights * outcomes.correct)[rows]
        right = np.bincount(labels[rows], hits, labels.max() + 1)
        share = (right + hits.sum() / weights[rows].sum()) / (of_class + 1.0)
        probability[~rows] = share[labels[~rows]]
    return probability
