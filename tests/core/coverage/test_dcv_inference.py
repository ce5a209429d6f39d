"""DCV and its floors, the evidence for it, excess risk, and the worst slab."""

import math
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from rows import held
from scipy import stats
from scipy.special import expit, logit, ndtr
from sklearn.metrics import log_loss

from evencover.core.coverage import dcv, diagnosis
from evencover.core.coverage.dcv_inference import Evidence, _Sampling, evidence
from evencover.core.coverage.estimators import ESTIMATORS, LogisticEstimator
from evencover.core.rows.folds import FOLDS, fold_numbers

LEVEL = 0.9
figures = attrgetter("dcv_corrected", "dcv_corrected_low", "dcv_corrected_high")


def draw(rng, n, d, effect):
    X = rng.normal(size=(n, d))
    return X, rng.random(n) < expit(logit(LEVEL) + effect * X[:, 0])


def told(X, correct, clusters=None):
    return evidence(X, held(correct, clusters), LogisticEstimator().fit(X, correct), LEVEL)


def elsewhere(X, correct, clusters=None):
    """p(x) by fits on the other folds' rows."""
    return diagnosis.out_of_fold(X, held(correct, clusters), LogisticEstimator())


def true_dcv(effect):
    z = np.random.default_rng(99).normal(size=400_000)
    return math.sqrt(np.mean((expit(logit(LEVEL) + effect * z) - LEVEL) ** 2))


@pytest.mark.parametrize("effect", [0.0, 0.15, 0.5])
@pytest.mark.long
def test_the_interval_holds_the_population_s_dcv(effect):
    rng, truth, runs = np.random.default_rng(4), true_dcv(effect), 120
    found = [told(*draw(rng, 2000, 10, effect)) for _ in range(runs)]
    held = np.mean([e.dcv_corrected_low <= truth <= e.dcv_corrected_high for e in found])
    assert held >= 0.95 - 3.0 * math.sqrt(0.95 * 0.05 / runs)
    if effect > 0.0:
        squared = np.mean([e.dcv_corrected**2 for e in found])
        assert math.sqrt(squared) == pytest.approx(truth, rel=0.1)


def test_the_correction_takes_out_the_floor_where_coverage_is_even():
    X, correct = draw(np.random.default_rng(5), 20_000, 10, 0.0)
    fitted = LogisticEstimator().fit(X, correct)
    found = evidence(X, held(correct), fitted, LEVEL)
    taken_out = dcv.deviation(fitted.predict(X), LEVEL).value ** 2 - found.dcv_corrected**2
    assert taken_out == pytest.approx(dcv.noise_floor(11, 20_000, LEVEL) ** 2, rel=0.1)


def test_the_level_alone_is_part_of_the_deviation_but_no_evidence_of_dependence():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(20_000, 6))
    found = told(X, rng.random(20_000) < 0.8)
    assert found.dcv_corrected_low < 0.1 < found.dcv_corrected_high
    assert found.p_value > 0.01


def refitted(X, correct, weights, ridge):
    """p(x) of a logistic regression with a weight for each row, by plain Newton steps."""
    Z = np.column_stack([np.ones(len(X)), X])
    beta, penalty = np.zeros(Z.shape[1]), ridge * np.diag([0.0, *np.ones(X.shape[1])])
    for _ in range(12):
        p = expit(Z @ beta)
        hessian = (Z.T * (weights * p * (1 - p))) @ Z + penalty
        beta += np.linalg.solve(hessian, Z.T @ (weights * (correct - p)) - penalty @ beta)
    return expit(Z @ beta)


def by_hand(X, correct, level, clusters, ridge):
    """The corrected DCV and its limits by the infinitesimal jackknife: refits, and no formula.

    Each row's, or cluster's, weight is moved a little, and what that does to p(x) and to DCV
    squared is seen. The limits are those under which a Pearson type III law, by SciPy, has as large
    a DCV in its tails of 2.5 %, and of 2 % at the upper end.
    """
    n, little = len(X), 1e-4
    groups = np.arange(n) if clusters is None else clusters

    def shown(moved, by):
        weights = 1.0 + by * (groups == moved)
        p = refitted(X, correct, weights, ridge)
        return p, np.average((p - level) ** 2, weights=weights)

    ends = [[shown(g, by) for g in range(groups.max() + 1)] for by in (little, -little)]
    of_p, of_square = (
        np.array([(a[i] - b[i]) / (2 * little) for a, b in zip(*ends, strict=True)]) for i in (0, 1)
    )
    square, m = shown(0, 0.0)[1], len(of_p)
    spread = of_p @ of_p.T / n * (1.0 if clusters is None else m / (m - 1))
    noise, weight = np.trace(spread), np.sum(spread**2) / np.trace(spread)
    slope = np.sum(of_square**2) / square

    def seen(value):
        variance = 2 * noise * weight + slope * value
        third = 8 * noise * weight**2 + 6 * weight * slope * value
        scale = math.sqrt(variance)
        return stats.pearson3.sf(square, third / scale**3, loc=value + noise, scale=scale)

    def limit(tail):
        low, high = 0.0, max(level, 1.0 - level) ** 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if seen(middle) < tail else (low, middle)
        return math.sqrt(high) if high > 1e-12 else 0.0

    return [math.sqrt(max(square - noise, 0.0)), limit(0.025), limit(0.98)]


@pytest.mark.parametrize(
    ("level", "effect", "ridge"), [(0.9, 1.0, 1e-6), (0.9, 0.3, 5.0), (0.5, 0.0, 1e-6)]
)
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.long
def test_corrected_value_and_limits_are_those_of_refits(level, effect, ridge, clustered):
    rng = np.random.default_rng(20)
    sizes = rng.integers(1, 6, 150)
    clusters = rng.permutation(np.repeat(np.arange(150), sizes)) if clustered else None
    n = sizes.sum() if clustered else 400
    X = rng.normal(size=(n, 2))
    correct = rng.random(n) < expit(logit(0.8) + effect * X[:, 0])
    fitted = LogisticEstimator(ridge=ridge).fit(X, correct)
    found = evidence(X, held(correct, clusters), fitted, level)
    expected = by_hand(X, correct, level, clusters, ridge)
    assert figures(found) == pytest.approx(expected, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("level", [0.9, 0.5, 0.2])
def test_no_deviation_at_all_is_less_than_noise_leaves(level):
    X, correct = np.zeros((400, 0)), np.arange(400) < level * 400
    found = evidence(X, held(correct), LogisticEstimator().fit(X, correct), level)
    assert figures(found) == (0.0, 0.0, 0.0)


def test_no_limit_is_beyond_the_largest_deviation_that_there_can_be():
    """With tails so heavy the limit was once looked for too near, and there was none."""
    heavy = _Sampling(squared=0.03, noise=0.01, weight=0.005, slope=1.5)
    assert (heavy.value_at(0.025, 0.81), heavy.value_at(0.975, 0.81)) == (0.0, 0.81)
    found = replace(heavy, slope=0.2).value_at(0.975, 0.81)
    variance = 2 * 0.005 * 0.01 + 0.2 * found
    skew = (8 * 0.005**2 * 0.01 + 6 * 0.005 * 0.2 * found) / variance**1.5
    law = stats.pearson3(skew, loc=found + 0.01, scale=math.sqrt(variance))
    assert law.sf(0.03) == pytest.approx(0.975, rel=1e-6)


def test_limits_end_at_the_largest_deviation():
    """One cluster of 60 has nearly all of the right sets: the level may be anything."""
    clusters = np.append(np.zeros(60, dtype=int), np.repeat(np.arange(1, 18), 20))
    correct = np.arange(400) < 60
    correct[60:240:20] = True
    corrected, low, high = figures(told(np.zeros((400, 0)), correct, clusters))
    assert corrected == pytest.approx(LEVEL - 69 / 400, abs=0.02)
    assert low < corrected < high == LEVEL


@pytest.mark.parametrize(("wrong", "formula"), [(30, "good"), (29, "rough")])
def test_two_features_and_an_intercept_are_three_parameters(wrong, formula):
    X = np.random.default_rng(22).normal(size=(2000, 2))
    assert told(X, np.arange(2000) >= wrong).dcv_formula == formula


def test_of_next_to_no_skew_the_law_is_normal():
    """Where a gamma law's shape is beyond what a float can tell apart."""
    narrow = _Sampling(squared=0.01, noise=0.002, weight=1e-18, slope=1e-6)
    for tail, off in ((0.025, 1.959964), (0.975, -1.959964)):
        # 0.01 is so many standard deviations above: value + 0.002 + off * 0.001 * sqrt(value)
        root = (math.sqrt((0.001 * off) ** 2 + 4 * 0.008) - 0.001 * off) / 2
        assert narrow.value_at(tail, 0.81) == pytest.approx(root**2, rel=1e-8)


def test_the_noise_of_clusters_is_that_of_so_many_clusters_by_hand():
    """Of 40 clusters of 10 rows, half are right throughout and half in 5: sums are 2.5 off."""
    rights = np.repeat([10, 5], 20)
    correct = np.concatenate([np.arange(10) < right for right in rights])
    found = told(np.zeros((400, 0)), correct, np.repeat(np.arange(40), 10))
    assert found.dcv_formula == "good"
    noise = 40 * 2.5**2 / 400**2 * 40 / 39
    assert found.dcv_corrected**2 == pytest.approx((0.9 - 0.75) ** 2 - noise, rel=1e-12)


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_tell_nothing(outcome):
    X = np.random.default_rng(0).normal(size=(50, 2))
    found = told(X, np.full(50, outcome))
    assert found == Evidence(None, None, None, pytest.approx(math.nan, nan_ok=True), "rough")


def test_a_separated_column_is_no_accident():
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=500), np.arange(500) < 12]).astype(float)
    found = told(X, (rng.random(500) < 0.9) | (X[:, 1] == 1.0))
    assert 0.0 <= found.dcv_corrected_low <= found.dcv_corrected <= found.dcv_corrected_high < 1.0


def test_noise_with_few_wrong_sets_for_many_parameters_gives_no_number():
    """Taken by the formula, it is off by 28 points, 95 % interval 23 to 34."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(360, 60))
    found = told(X, rng.random(360) < LEVEL)
    assert (*figures(found), found.dcv_formula) == (None, None, None, "rough")
    assert found.p_value > 0.01


def test_another_estimator_has_no_formula():
    X, correct = draw(np.random.default_rng(9), 2000, 2, 0.3)
    found = evidence(X, held(correct), ESTIMATORS["ridge"]().fit(X, correct), LEVEL)
    assert (found.dcv_corrected, found.dcv_formula) == (None, "none")
    assert found.p_value == told(X, correct).p_value


@pytest.mark.parametrize("rarer", [False, True])
def test_the_formulas_want_so_many_of_the_rarer_outcome(rarer):
    least = dcv.PER_PARAMETER * 3
    for wrong, holds in ((least, True), (least - 1, False)):
        correct = (np.arange(5000) >= wrong) ^ rarer
        assert dcv.formulas_hold(held(correct), 3, LEVEL) == holds
    # each cluster counts once, and a faultless predictor is to have enough, too
    assert not dcv.formulas_hold(held(np.arange(5000) >= least, np.arange(5000) // 2), 3, LEVEL)
    assert dcv.formulas_hold(held(np.arange(5000) >= 2 * least, np.arange(5000) // 2), 3, LEVEL)
    assert not dcv.formulas_hold(held(np.arange(300) >= 2 * least), 3, LEVEL)


def test_rows_thrice_are_as_sure_as_once():
    X, correct = draw(np.random.default_rng(10), 1500, 3, 0.4)
    once, rows = told(X, correct), np.repeat(np.arange(1500), 3)
    thrice = told(X[rows], correct[rows], rows)
    assert thrice.dcv_corrected == pytest.approx(once.dcv_corrected, rel=1e-3)
    assert figures(thrice)[1:] == pytest.approx(figures(once)[1:], rel=0.01)
    alone = told(X[rows], correct[rows])
    assert np.diff(figures(alone)[1:]) < 0.7 * np.diff(figures(once)[1:])


def test_probabilities_are_those_of_fits_on_other_rows():
    X, correct = draw(np.random.default_rng(8), 300, 3, 0.5)
    probability = elsewhere(X, correct)
    moved = correct.copy()
    moved[17] = ~moved[17]
    assert elsewhere(X, moved)[17] == probability[17]
    assert (elsewhere(X, moved) != probability).sum() >= 200


@pytest.mark.long
def test_cross_fitted_it_is_nothing_on_average_where_coverage_is_even():
    rng, products = np.random.default_rng(9), []
    for _ in range(150):
        X, correct = draw(rng, 400, 10, 0.0)
        off = elsewhere(X, correct) - LEVEL
        products.append(np.mean(off * (correct - LEVEL)))
    error = np.std(products) / math.sqrt(len(products))
    assert abs(np.mean(products)) < 3.5 * error


def test_cross_fitted_it_finds_a_deviation_that_is_there_and_is_never_less_than_nothing():
    X, correct = draw(np.random.default_rng(10), 20_000, 5, 0.5)
    found = diagnosis.cross_fitted_dcv(elsewhere(X, correct), held(correct), LEVEL)
    assert found == pytest.approx(true_dcv(0.5), rel=0.1)
    assert (
        diagnosis.cross_fitted_dcv(np.array([0.95, 0.85]), held(np.array([False, True])), LEVEL)
        == 0.0
    )


def test_folds_hold_whole_clusters():
    X, correct = draw(np.random.default_rng(11), 300, 3, 0.5)
    clusters = np.random.default_rng(12).integers(0, 40, 300)
    fold = fold_numbers(300, clusters)
    assert len(np.unique(np.column_stack([clusters, fold]), axis=0)) == 40
    assert len(np.unique(fold)) == FOLDS
    probability = elsewhere(X, correct, clusters)
    moved = np.where(clusters == 7, ~correct, correct)
    same = elsewhere(X, moved, clusters) == probability
    assert same[clusters == 7].all()
    assert not same[fold != fold[clusters == 7][0]].any()
    assert np.isnan(elsewhere(X, correct, clusters % 4)).all()


def test_a_change_of_unevenness_is_the_paired_t_test():
    before, after = np.random.default_rng(13).normal(size=(2, 50))
    difference, error, p_value = diagnosis.change_of_unevenness(before, after, held(before))
    peer = stats.ttest_rel(after, before)
    assert difference == pytest.approx(np.mean(after) - np.mean(before), rel=1e-12)
    assert p_value == pytest.approx(peer.pvalue, rel=1e-9)
    assert difference / error == pytest.approx(peer.statistic, rel=1e-9)


@pytest.mark.parametrize("clusters", [None, np.arange(400) // 4])
def test_errors_of_excess_risks_are_those_of_means_of_rows_or_clusters(clusters):
    rng = np.random.default_rng(16)
    correct, p = rng.random(400) < 0.9, rng.uniform(0.8, 0.99, 400)
    found = diagnosis.excess_risk(p, held(correct, clusters), 0.9)
    terms = {
        "l1": np.sign(p - 0.9) * (correct - 0.9),
        "l2": (correct - 0.9) ** 2 - (correct - p) ** 2,
        "log": np.log(np.where(correct, p / 0.9, (1.0 - p) / 0.1)),
    }
    for name, each in terms.items():
        assert getattr(found, name) == pytest.approx(each.mean())
        means = each if clusters is None else each.reshape(100, 4).mean(axis=1)
        assert getattr(found, f"{name}_error") == pytest.approx(stats.sem(means))


def test_of_equal_clusters_it_is_that_of_their_means():
    before, after = np.random.default_rng(14).normal(size=(2, 60))
    *_, p_value = diagnosis.change_of_unevenness(before, after, held(before, np.arange(60) // 4))
    means = (after - before).reshape(15, 4).mean(axis=1)
    assert p_value == pytest.approx(stats.ttest_1samp(means, 0.0).pvalue, rel=1e-9)
    # no change, and one cluster, show nothing
    terms = np.random.default_rng(15).normal(size=30)
    assert diagnosis.change_of_unevenness(terms, terms, held(terms))[2] == 1.0
    one = diagnosis.change_of_unevenness(terms, 2.0 * terms, held(terms, np.zeros(30, dtype=int)))
    assert one[1:] == (math.inf, 1.0)


def test_terms_are_squared_errors_less():
    terms = diagnosis.squared_terms(np.array([0.8, 0.95]), np.array([False, True]), LEVEL)
    assert terms == pytest.approx([0.81 - 0.64, 0.01 - 0.0025], rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("clustered", [False, True])
def test_two_equally_uneven_predictors_do_not_differ(clustered):
    """The terms whose mean is the cross-fitted DCV squared reject 21 to 30 % at 5 %."""
    rng, p = np.random.default_rng(16), []
    clusters = np.arange(1000) // 25 if clustered else None
    for _ in range(200):
        X = rng.normal(size=(1000, 5))
        u = rng.random(1000)
        if clustered:
            X = 0.7 * (X + rng.normal(size=(40, 5))[clusters])
            common, own = rng.normal(size=40)[clusters], rng.normal(size=1000)
            u = ndtr(0.5 * common + math.sqrt(0.75) * own)
        correct = (u < expit(logit(LEVEL) + 0.6 * X[:, j]) for j in (0, 1))
        terms = (diagnosis.squared_terms(elsewhere(X, c, clusters), c, LEVEL) for c in correct)
        p.append(diagnosis.change_of_unevenness(*terms, held(u < LEVEL, clusters))[2])
    for level in (0.05, 0.01):
        assert np.sum(np.array(p) <= level) <= stats.binom.ppf(0.9999, 200, level)


def test_a_mended_predictor_is_told():
    rng = np.random.default_rng(17)
    X, before = draw(rng, 3000, 4, 0.8)
    after = rng.random(3000) < LEVEL
    terms = (diagnosis.squared_terms(elsewhere(X, c), c, LEVEL) for c in (before, after))
    difference, _, p_value = diagnosis.change_of_unevenness(*terms, held(after))
    assert p_value < 0.001
    assert difference == pytest.approx(-(true_dcv(0.8) ** 2), rel=0.3)


ROUNDING = 1e-15  # A few additions of numbers below 1, each within half a unit of 2.2e-16


@pytest.mark.parametrize(
    ("probability", "confidence_level", "level", "spread"),
    [
        ([0.8, 0.9, 1.0, 0.9], 0.85, 0.05, math.sqrt(0.005)),  # divisor n, not n-1
        ([0.75] * 7, 0.9, -0.15, 0.0),  # the sign of the level is kept
    ],
)
def test_level_and_spread_by_hand(probability, confidence_level, level, spread):
    figures = dcv.deviation(np.array(probability), confidence_level)
    assert figures.level == pytest.approx(level, abs=ROUNDING)
    assert figures.spread == pytest.approx(spread, abs=ROUNDING if spread else 0.0)
    assert figures.value == pytest.approx(math.hypot(level, spread), abs=ROUNDING)
    assert dcv.Deviation(-0.3, 0.4).value == pytest.approx(0.5, abs=ROUNDING)


def test_value_is_the_root_mean_square_of_the_paper():
    probability = np.random.default_rng(0).uniform(size=1000)
    expected = math.sqrt(sum((p - 0.9) ** 2 for p in probability) / 1000)
    # 1000 roundings of a sum of numbers below 1
    assert dcv.deviation(probability, 0.9).value == pytest.approx(expected, abs=1000 * ROUNDING)


@pytest.mark.parametrize(
    ("parameters", "n", "level", "floor"),
    [(18, 6613, 0.9, 0.015652), (15, 20000, 0.9, 0.008216), (15, 20000, 0.99, 0.002725)],
)
def test_noise_floor_of_the_reference_data_sets(parameters, n, level, floor):
    # half a unit of the last digit shown
    assert dcv.noise_floor(parameters, n, level) == pytest.approx(floor, abs=5e-7)


def test_valid_predictor_shows_the_noise_floor_on_average():
    repetitions, n, features, level = 300, 2000, 5, 0.9
    rng = np.random.default_rng(20)
    squares = np.empty(repetitions)
    for repetition in range(repetitions):
        X = rng.normal(size=(n, features))
        correct = rng.uniform(size=n) < level
        probability = LogisticEstimator().fit(X, correct).predict(X)
        squares[repetition] = dcv.deviation(probability, level).value ** 2
    floor = dcv.noise_floor(features + 1, n, level)
    error = squares.std() / math.sqrt(repetitions)
    # three Monte Carlo standard errors of the mean square, about 10 % of it: enough to tell
    # k from k - 1 parameters, 17 % less
    assert 3 * error < floor**2 / (features + 1)
    assert squares.mean() == pytest.approx(floor**2, abs=3 * error)


def test_the_sign_is_that_of_a_gain():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.6, 0.99, 500)
    c = rng.random(500) < p
    found = diagnosis.excess_risk(p, held(c), LEVEL)
    assert found.log == pytest.approx(log_loss(c, np.full(500, LEVEL)) - log_loss(c, p), rel=1e-9)
    assert found.log > 0.0
    assert diagnosis.excess_risk(1.0 - p, held(c), LEVEL).log < 0.0


def test_they_estimate_the_true_deviation():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40_000, 3))
    truth = expit(logit(LEVEL) + 0.6 * X[:, 0])
    c = rng.random(40_000) < truth
    found = diagnosis.excess_risk(
        diagnosis.out_of_fold(X, held(c), LogisticEstimator()), held(c), LEVEL
    )
    off = truth - LEVEL
    assert found.l1 == pytest.approx(np.abs(off).mean(), rel=0.08)
    assert found.over == pytest.approx(np.maximum(off, 0.0).mean(), rel=0.12)
    assert found.under == pytest.approx(np.maximum(-off, 0.0).mean(), rel=0.12)
    assert found.l2 == pytest.approx(np.mean(off**2), rel=0.12)


def test_they_are_nothing_or_less_on_average_where_coverage_is_even():
    rng, found = np.random.default_rng(2), []
    for _ in range(40):
        X = rng.normal(size=(400, 8))
        c = rng.random(400) < LEVEL
        risk = diagnosis.excess_risk(
            diagnosis.out_of_fold(X, held(c), LogisticEstimator()), held(c), LEVEL
        )
        found.append((risk.l1, risk.l2, risk.log))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(40)
    assert (means < 3.5 * errors).all()


def test_what_cannot_be_known_is_not():
    found = diagnosis.excess_risk(np.array([np.nan, 0.9]), held(np.array([True, True])), LEVEL)
    assert all(map(math.isnan, vars(found).values()))


def test_both_predictors_are_counted_in_the_same_bins():
    base, ifacm = np.array([0.5, 0.51, 0.9]), np.array([0.7, 0.9])
    bins = diagnosis.probability_bins({"base": base, "ifacm": ifacm})
    assert len(bins) == 2 * diagnosis.HISTOGRAM_BINS
    first, second = bins[: diagnosis.HISTOGRAM_BINS], bins[diagnosis.HISTOGRAM_BINS :]
    assert [(b.low, b.high) for b in first] == [(b.low, b.high) for b in second]
    assert (first[0].low, first[-1].high) == (0.5, 0.9)
    # 40 bins of width 0.01: 0.5 opens the first, 0.51 the second, 0.9 closes the last
    assert [place for place, b in enumerate(first) if b.n] == [0, 1, 39]
    assert [(place, b.n) for place, b in enumerate(second) if b.n] == [(20, 1), (39, 1)]
    equal = diagnosis.probability_bins({"base": np.full(7, 0.9), "ifacm": np.full(3, 0.9)})
    assert [b.n for b in equal if b.low <= 0.9 <= b.high and b.n] == [7, 3]


@pytest.mark.parametrize(
    ("probability", "low", "high"),
    [
        ([0.927, 0.927], 0.9265, 0.9275),
        ([0.9, np.nextafter(0.9, 1.0)], 0.8995, 0.9005),
        ([0.9, 0.9004], 0.8997, 0.9007),
        ([1.0, 1.0], 0.999, 1.0),
        ([np.nextafter(1.0, 0.0), 1.0], 0.999, 1.0),
        ([0.0, 1e-12], 0.0, 0.001),
        ([0.9, 0.902], 0.9, 0.902),
        ([0.0, 1.0], 0.0, 1.0),
    ],
)
def test_bins_of_nearly_equal_probabilities_are_narrow_and_no_probability_is_beyond_one(
    probability, low, high
):
    bins = diagnosis.probability_bins({"base": np.array(probability)})
    assert (bins[0].low, bins[-1].high) == pytest.approx((low, high), abs=1e-9)
    assert bins[0].low >= 0.0
    assert bins[-1].high <= 1.0
    assert sum(b.n for b in bins) == len(probability)
    assert all(b.low < b.high for b in bins)


def by_brute_force(X, correct, directions):
    """The lowest coverage of all slabs with at least a tenth of the rows."""
    least, best = math.ceil(0.1 * len(X)), math.inf
    for direction in directions:
        along = np.array([sum(a * b for a, b in zip(x, direction, strict=True)) for x in X])
        for low in along:
            for high in along:
                inside = (low <= along) & (along <= high)
                if inside.sum() >= least:
                    best = min(best, correct[inside].mean())
    return best


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_one_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    correct = rng.random(40) < 0.8
    directions = np.round(rng.normal(size=(3, 2)), 1)
    inside = diagnosis.worst_slab(X, correct, directions).holds(X)
    assert inside.sum() >= 4
    lowest = by_brute_force(X, correct, directions)
    assert correct[inside].mean() == pytest.approx(lowest, abs=1e-12)


@given(data=st.data(), rows=st.integers(2, 14))
def test_it_is_the_one_of_brute_force_whatever_ties_there_are(data, rows):
    few = st.integers(-2, 2)
    X = data.draw(arrays.arrays(float, (rows, 2), elements=few))
    directions = data.draw(arrays.arrays(float, (3, 2), elements=few))
    correct = data.draw(arrays.arrays(bool, rows))
    inside = diagnosis.worst_slab(X, correct, directions).holds(X)
    assert inside.sum() >= math.ceil(0.1 * rows)
    lowest = by_brute_force(X, correct, directions)
    assert correct[inside].mean() == pytest.approx(lowest, abs=1e-12)


def slab_coverage(X, correct):
    return correct[diagnosis.in_worst_slab(X, correct)].mean()


def test_a_planted_slab_is_found_and_judged_on_other_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3))
    inside = np.abs(X[:, 0] - 1.0) < 0.4
    correct = rng.random(20_000) < np.where(inside, 0.6, 0.9)
    assert slab_coverage(X, correct) == pytest.approx(0.6, abs=0.08)


def test_even_coverage_is_not_made_to_look_bad():
    rng = np.random.default_rng(2)
    found = [slab_coverage(rng.normal(size=(2000, 4)), rng.random(2000) < 0.9) for _ in range(40)]
    assert np.mean(found) == pytest.approx(0.9, abs=3.5 * np.std(found) / math.sqrt(40))


def test_the_same_rows_give_the_same_and_too_few_say_nothing():
    rng = np.random.default_rng(3)
    X, correct = rng.normal(size=(500, 2)), rng.random(500) < 0.9
    assert slab_coverage(X, correct) == slab_coverage(X, correct)
    assert not diagnosis.in_worst_slab(np.zeros((99, 1)), np.ones(99, dtype=bool)).any()


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_and_equal_objects(outcome):
    correct = np.full(200, outcome)
    assert slab_coverage(np.zeros((200, 2)), correct) == float(outcome)
    assert diagnosis.SLAB_SHARE == 0.1
