"""How even coverage is, by judges that were not fitted to the rows, and by trees above all."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone

from ..arrays import BoolArray, FloatArray
from ..rows.folds import FOLDS, fold_numbers
from ..rows.outcomes import Outcomes
from ..rows.weights import mean_and_error, weighted_mean
from .diagnosis import change_of_unevenness, cross_fitted_dcv, squared_terms
from .estimators import LogisticEstimator, ProbabilityEstimator, TreesEstimator
from .null_model import DRAWS, permuted

_ROUNDING = 1e-9

_FOR_TEST = TreesEstimator(max_trees=20, max_leaves=4, least_rows=50, stops_early=False)
"""Where p(x) only has to go the right way: where coverage of 5 % of 5,000 rows, by two features, is
20 points lower, they find it in 91 of 100 worlds at 0.005, those that stop early in 82."""


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


JUDGES: Mapping[str, type[ProbabilityEstimator]] = {
    "lines": LogisticEstimator,
    "trees": TreesEstimator,
}
"""Of p(x), out of fold. An adjustment by straight lines leaves nothing that lines could see, where
trees see bends, and what features do together (arXiv 2512.11779); these alone see lines poorly."""


def by_trees(
    X: FloatArray, outcomes: Outcomes, seen: FloatArray, confidence_level: float
) -> dict[str, float]:
    """Return how far coverage is off CL by what boosted trees have seen, out of fold, shape (n,).

    The excess risk by squared error with its 95 % interval, for the predictor as it is calibrated,
    and its root; and the p-value of :func:`dependence`.
    """
    terms = squared_terms(seen, outcomes.correct, confidence_level)
    mean, error, freedom = mean_and_error(terms, outcomes.weights, outcomes.clusters)
    reach = float(stats.t.ppf(0.975, freedom)) * error if freedom > 0 else math.nan
    return {
        "dcv_crossfitted_trees": cross_fitted_dcv(seen, outcomes, confidence_level),
        "ert_l2_trees": mean,
        "ert_l2_trees_low": mean - reach,
        "ert_l2_trees_high": mean + reach,
        "p_value_trees": dependence(X, outcomes),
    }


def dependence(X: FloatArray, outcomes: Outcomes) -> float:
    """Return the one-sided p-value of "coverage does not depend on x", whatever its level is.

    Each fold but the first is judged by trees that were fitted on the folds before it: by how low
    their p(x) is where sets miss, among permutations within the fold; among errors of means where
    rows have weights or clusters. Given the folds before, such a p-value is uniform where nothing
    depends on x, however closely the trees follow noise, so that they are independent, and are
    joined by Stouffer's method; folds for which trees see nothing yet are left out. With folds
    judged by all others each two would count one chance twice; and excess risks are without what
    noise costs, so that a test by them hardly ever rejects. After Dawid (1984), "Statistical
    theory: the prequential approach". NaN where all outcomes are equal, or clusters fewer than
    folds.
    """
    fold = fold_numbers(len(X), outcomes.clusters)
    if len(np.unique(fold)) < FOLDS or not 0.0 < outcomes.accuracy < 1.0:
        return math.nan
    normals = []
    for number in range(1, FOLDS):
        rows, before = fold == number, fold < number
        known = outcomes.part(before)
        fitted = clone(_FOR_TEST).fit(X[before], known.correct, known.weights)
        ahead = fitted.predict(X[rows])
        if np.ptp(ahead) > _ROUNDING:
            normals.append(_normal(ahead, outcomes.part(rows)))
    return float(stats.norm.sf(sum(normals) / math.sqrt(len(normals)))) if normals else 1.0


def _normal(ahead: FloatArray, outcomes: Outcomes) -> float:
    """Return how well p(x), shape (n,), tells outcomes, as a normal deviate; 0 if all are equal."""
    correct = outcomes.correct
    if correct.all() or not correct.any():
        return 0.0
    off = ahead - weighted_mean(ahead, outcomes.weights)
    if outcomes.are_independent:
        seen, drawn = off[~correct].sum(), (off[some].sum() for some in permuted(~correct))
        p_value = (1 + sum(each <= seen + _ROUNDING for each in drawn)) / (1 + DRAWS)
        return float(stats.norm.isf(min(p_value, 1.0 - 0.5 / DRAWS)))
    products = off * (correct - outcomes.accuracy)
    mean, error, freedom = mean_and_error(products, outcomes.weights, outcomes.clusters)
    if freedom > 0 and error > 0.0:
        return float(stats.norm.ppf(stats.t.cdf(mean / error, freedom)))
    return 0.0


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
