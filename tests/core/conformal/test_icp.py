"""The ICP: equal to two libraries where they are right, to the definition everywhere."""

from fractions import Fraction

import guided
import numpy as np
import pandas as pd
import pytest
from crepes import ConformalClassifier, ConformalRegressor
from hypothesis import given
from hypothesis import strategies as st
from mapie.classification import SplitConformalClassifier
from mapie.regression import SplitConformalRegressor
from measures import Noise, Odds
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from evencover.core import NormalizedMeasure, ScoringMeasure, StandardMeasure
from evencover.core.conformal.names import MEASURES
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import exact_significance
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.messages import InputError
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.names import REMEDIES

TRAPS = [(9, 1), (19, 2), (99, 10), (199, 20), (999, 100)]
ROUNDING = 64 * np.finfo(float).eps
"""Logarithms below 32 in size, each rounded by half a unit, taken and undone."""

SIZE = 0.01  # of the goodness-of-fit tests: with fixed seeds they pass for good or fail for good
ABSURD = 1e-6
"""What a goodness-of-fit test must fall below to show that it sees an error of one rank."""


def one_feature(n):
    return np.zeros((n, 1))


def calibrated_noise(y, level):
    icp = InductiveConformalPredictor(Noise(), confidence_level=level)
    return icp.fit(one_feature(1), np.zeros(1)).calibrate(one_feature(len(y)), y)


def calibrated(measure, train, calibration, level):
    icp = InductiveConformalPredictor(measure, confidence_level=level)
    return icp.fit(*train).calibrate(*calibration)


def assert_same_intervals(sets, lower, upper):
    size = np.abs([lower, upper]).max()
    np.testing.assert_allclose(sets.lower, lower, rtol=0, atol=ROUNDING * size)
    np.testing.assert_allclose(sets.upper, upper, rtol=0, atol=ROUNDING * size)


SIZES = pytest.mark.parametrize(("n", "level"), [(150, 0.9), (57, 0.8), (333, 0.95)])
"""At which the rank that crepes takes of floats is right."""


@SIZES
@pytest.mark.parametrize("measure", [StandardMeasure(), NormalizedMeasure()])
def test_intervals_equal_crepes(regression, measure, n, level):
    train, calibration, new = regression(80, 1), regression(n, 2), regression(60, 3)
    icp = calibrated(measure, train, calibration, level)
    of_known, of_new = (icp.measure_.score_functions(X) for X in (calibration.X, new.X))
    theirs = ConformalRegressor()
    theirs.fit(calibration.y - of_known.center, sigmas=np.exp(of_known.log_scale))
    ends = theirs.predict_int(of_new.center, sigmas=np.exp(of_new.log_scale), confidence=level)
    assert_same_intervals(icp.predict(new.X), ends[:, 0], ends[:, 1])


def test_p_values_of_labels_equal_crepes(regression):
    train, calibration, new = regression(80, 1), regression(150, 2), regression(60, 3)
    icp = calibrated(StandardMeasure(), train, calibration, 0.9)
    center = icp.measure_.location_.predict
    theirs = ConformalClassifier().fit(np.abs(calibration.y - center(calibration.X)))
    expected = theirs.predict_p(np.abs(new.y - center(new.X)), smoothing=False)
    np.testing.assert_array_equal(icp.p_values(new.X, new.y), expected)


def test_smoothed_p_values_with_ties_equal_crepes(classification):
    train, calibration = classification(80, 1), classification(150, 2)
    icp = calibrated(ScoringMeasure(), train, calibration, 0.9)
    scores = icp.measure_.score(*calibration)  # the same objects again: every score is a tie
    theirs = ConformalClassifier().fit(-scores)
    np.testing.assert_allclose(
        icp.p_values(*calibration, smoothed=True, random_state=7),
        theirs.predict_p(-scores, smoothing=True, seed=7),
        rtol=ROUNDING,
    )


@SIZES
def test_standard_intervals_equal_mapie(regression, n, level):
    train, calibration, new = regression(80, 1), regression(n, 2), regression(60, 3)
    icp = calibrated(StandardMeasure(), train, calibration, level)
    theirs = SplitConformalRegressor(icp.measure_.location_, confidence_level=level)
    _, ends = theirs.conformalize(*calibration).predict_interval(new.X)
    assert_same_intervals(icp.predict(new.X), ends[:, 0, 0], ends[:, 1, 0])


@SIZES
def test_label_sets_equal_mapie_and_crepes(classification, n, level):
    train, calibration, new = classification(200, 1), classification(n, 2), classification(60, 3)
    icp = calibrated(ScoringMeasure(), train, calibration, level)
    found, model = icp.predict(new.X).members, icp.measure_.model_
    mapie = SplitConformalClassifier(model, confidence_level=level, conformity_score="lac")
    _, members = mapie.conformalize(*calibration).predict_set(new.X)
    np.testing.assert_array_equal(found, members[:, :, 0])
    scores, crepes = icp.measure_.score_functions(new.X).all(), ConformalClassifier()
    crepes.fit(-icp.measure_.score(*calibration))
    members = crepes.predict_set(-scores, confidence=level, smoothing=False)
    np.testing.assert_array_equal(found, members)


FEW_LABELS = st.lists(st.integers(0, 4), min_size=1, max_size=30)


def kept_by_definition(score, calibration_scores, level):
    """The paper's eq. (predinterval1), counted."""
    n = len(calibration_scores)
    return np.sum(score >= calibration_scores) + 1 > exact_significance(level) * (n + 1)


@pytest.mark.parametrize(("n", "rank"), TRAPS)
def test_threshold_is_right_where_floats_slip(n, rank):
    y = np.random.default_rng(n).normal(size=n)
    icp = calibrated_noise(y, 0.9)
    assert icp.rank_ == rank
    half = np.sort(np.abs(y))[n - rank]  # the rank-th largest residual
    assert icp.predict(one_feature(1)).upper[0] == pytest.approx(half, rel=ROUNDING)
    kept = [kept_by_definition(-np.log(abs(label)), icp.calibration_scores_, 0.9) for label in y]
    assert icp.covers(one_feature(n), y).tolist() == kept


@pytest.mark.parametrize(("n", "level"), [(9, 0.9), (99, 0.9), (150, 0.8), (38, 0.95)])
def test_label_sets_equal_the_count_of_the_definition(classification, n, level):
    train, calibration, new = classification(200, 1), classification(n, 2), classification(40, 3)
    icp = calibrated(ScoringMeasure(), train, calibration, level)
    members = icp.predict(new.X).members
    probability = icp.measure_.model_.predict_proba
    theirs = np.log(probability(calibration.X)[np.arange(n), calibration.y])
    for row, scores in enumerate(np.log(probability(new.X))):
        expected = [kept_by_definition(score, theirs, level) for score in scores]
        assert members[row].tolist() == expected


@given(calibration=FEW_LABELS, level=st.integers(1, 99))
def test_label_is_kept_exactly_when_its_p_value_exceeds_eps(calibration, level):
    # small whole labels tie with each other, and 0 with the centre: a score of +inf
    n = len(calibration)
    icp = calibrated_noise(np.array(calibration, dtype=float), level / 100)
    labels = np.arange(7.0)
    p_values = icp.p_values(one_feature(7), labels)
    counts = np.rint(p_values * (n + 1)).astype(int)
    np.testing.assert_array_equal(p_values, counts / (n + 1.0))
    kept = [Fraction(int(k), n + 1) > Fraction(100 - level, 100) for k in counts]
    assert icp.covers(one_feature(7), labels).tolist() == kept


@given(calibration=FEW_LABELS, level=st.integers(1, 99))
def test_sets_hold_the_labels_that_are_covered(calibration, level):
    matrix = -np.tile(np.arange(6.0), (6, 1))  # label k scores -k for every object
    icp = InductiveConformalPredictor(Odds(), confidence_level=level / 100)
    labels = np.array(calibration)
    icp.fit(matrix, labels).calibrate(-np.tile(np.arange(6.0), (len(labels), 1)), labels)
    every = np.arange(6)
    np.testing.assert_array_equal(icp.predict(matrix).contain(every), icp.covers(matrix, every))
    np.testing.assert_array_equal(
        icp.predict(matrix).sizes, np.full(6, icp.covers(matrix, every).sum())
    )


def test_too_small_a_calibration_set_gives_infinite_intervals():
    icp = calibrated_noise(np.arange(1.0, 9.0), 0.9)
    sets = icp.predict(one_feature(2))
    assert icp.rank_ == 0
    assert sets.lower.tolist() == [-np.inf] * 2
    assert sets.upper.tolist() == [np.inf] * 2
    assert sets.sizes.tolist() == [np.inf] * 2
    assert icp.covers(one_feature(2), np.array([1e300, -1e300])).all()


def test_recalibration_forgets_the_last_threshold():
    icp = calibrated_noise(np.full(19, 5.0), 0.9)
    icp.calibrate(one_feature(19), np.full(19, 2.0))
    assert icp.predict(one_feature(1)).upper[0] == pytest.approx(2.0, rel=ROUNDING)


@pytest.mark.long
@pytest.mark.parametrize(("n", "level"), [(19, 0.9), (99, 0.9), (50, 0.8)])
def test_coverage_over_calibration_sets_follows_its_beta_law(n, level):
    rng = np.random.default_rng(n)
    redraws, drawn = 1000, {-1: [], 0: [], 1: []}
    for _ in range(redraws):
        icp = calibrated_noise(rng.normal(size=n), level)
        rank = icp.rank_
        thresholds = {
            -1: icp.calibration_scores_[rank - 2] if rank > 1 else -np.inf,
            0: icp.threshold_,
            1: icp.calibration_scores_[rank],
        }
        for error, threshold in thresholds.items():
            drawn[error].append(threshold)
    # the set is [-half, half], the label standard normal
    half = {error: np.exp(-np.array(thresholds)) for error, thresholds in drawn.items()}
    coverage = {e: stats.norm.cdf(h) - stats.norm.cdf(-h) for e, h in half.items()}
    law = stats.beta(n + 1 - rank, rank)
    assert stats.kstest(coverage[0], law.cdf).pvalue > SIZE
    assert stats.kstest(coverage[-1], law.cdf).pvalue < ABSURD
    assert stats.kstest(coverage[1], law.cdf).pvalue < ABSURD


@pytest.mark.long
def test_smoothed_p_values_are_uniform_in_spite_of_ties():
    rng = np.random.default_rng(5)
    state = np.random.RandomState(5)
    smoothed, plain = [], []
    for _ in range(2000):
        y = np.rint(np.abs(rng.normal(size=20)) * 1.5)  # four or five values
        icp = calibrated_noise(y[:19], 0.9)
        example = one_feature(1), y[19:]
        smoothed += list(icp.p_values(*example, smoothed=True, random_state=state))
        plain += list(icp.p_values(*example))
    assert stats.kstest(smoothed, "uniform").pvalue > SIZE
    assert stats.kstest(plain, "uniform").pvalue < ABSURD


def test_smoothed_p_values_lie_between_the_strict_and_the_plain_one():
    rng = np.random.default_rng(6)
    y = np.rint(rng.normal(size=99) * 2)
    icp = calibrated_noise(y, 0.9)
    new = np.rint(rng.normal(size=500) * 2)
    smoothed = icp.p_values(one_feature(500), new, smoothed=True, random_state=0)
    strictly_below = np.array([np.sum(np.abs(y) > abs(label)) for label in new])
    assert np.all(strictly_below / 100 <= smoothed)
    assert np.all(smoothed < icp.p_values(one_feature(500), new))


def test_same_seed_gives_the_same_smoothed_p_values():
    icp, new = calibrated_noise(np.arange(19.0), 0.9), (one_feature(9), np.arange(9.0))
    draws = [icp.p_values(*new, smoothed=True, random_state=seed) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert np.all(draws[0] != draws[2])


def test_labels_at_the_very_centre_are_legal_and_where_most_are_intervals_have_no_width(regression):
    icp = calibrated(StandardMeasure(), regression(80, 1), regression(19, 2), 0.9)
    X = regression(5, 3).X
    center = icp.measure_.location_.predict(X)
    assert icp.measure_.score(X, center).tolist() == [np.inf] * 5
    assert icp.covers(X, center).all()
    assert icp.p_values(X, center).tolist() == [1.0] * 5
    icp = calibrated_noise(np.array([3.0] + [0.0] * 18), 0.9)
    assert icp.threshold_ == np.inf
    assert icp.predict(one_feature(1)).sizes.tolist() == [0.0]
    assert icp.covers(one_feature(2), np.array([0.0, 1e-300])).tolist() == [True, False]


@pytest.mark.parametrize("absent", [0, 2, 3])
def test_label_absent_from_training_is_only_in_full_sets(classification, absent):
    X, y = classification(300, 1)
    present = y != absent
    measure = ScoringMeasure(n_labels=4)
    calibration = classification(99, 2)
    seen = calibration.y != absent
    icp = InductiveConformalPredictor(measure, confidence_level=0.9).fit(X[present], y[present])
    new = classification(50, 3).X
    assert (icp.measure_.score_functions(new).all()[:, absent] == -np.inf).all()
    icp.calibrate(calibration.X[seen], calibration.y[seen])
    assert not icp.predict(new).members[:, absent].any()
    icp.calibrate(calibration.X[:8], calibration.y[:8])
    assert icp.predict(new).members.all()


def test_two_labels_score_their_log_probabilities(classification):
    X, y = classification(200, 1)
    measure = ScoringMeasure().fit(X, y % 2)
    found = np.exp(measure.score_functions(X).all())
    np.testing.assert_allclose(found, measure.model_.predict_proba(X), atol=ROUNDING)


@pytest.mark.parametrize(
    ("measure", "y", "code"),
    [
        (StandardMeasure(), np.arange(5.0), "label.determined"),
        (ScoringMeasure(), np.zeros(5, dtype=int), "label.one_class"),
    ],
)
def test_labels_that_leave_nothing_to_learn_are_refused(measure, y, code):
    with pytest.raises(InputError) as refused:
        measure.fit(np.arange(5.0)[:, None], y)
    assert refused.value.sentence.code == code


def test_single_exact_training_residual_does_not_ruin_the_scale(regression):
    X, y = regression(80, 1)
    rows = np.vstack([X, X[:1]])
    measure = StandardMeasure().fit(X, y)
    exact = np.append(y, measure.location_.predict(X[:1]))  # on the fit: it stays the fit
    scale = NormalizedMeasure().fit(rows, exact).log_scale_
    assert np.isfinite(scale.coef_).all()
    assert np.isfinite(scale.intercept_)


CLASSES = {
    **{measure.__name__: measure() for measure in MEASURES.values()},
    **{cls.__name__: cls(StandardMeasure()) for cls in REMEDIES.values()},
    **{cls.__name__: cls() for cls in ESTIMATORS.values()},
    "InductiveConformalPredictor": InductiveConformalPredictor(StandardMeasure()),
}


@pytest.mark.parametrize("estimator", CLASSES.values(), ids=CLASSES.keys())
def test_clone_keeps_the_parameters(estimator):
    twin = clone(estimator)
    assert twin is not estimator
    assert twin.get_params(deep=False).keys() == estimator.get_params(deep=False).keys()
    for name, value in estimator.get_params().items():
        assert repr(twin.get_params()[name]) == repr(value)


def test_fit_leaves_a_measure_unfitted_and_uses_a_frozen_one_as_it_is(regression):
    measure = StandardMeasure()
    InductiveConformalPredictor(measure).fit(*regression(80, 1))
    assert not hasattr(measure, "location_")
    measure = StandardMeasure().fit(*regression(80, 1))
    frozen = calibrated(FrozenEstimator(measure), regression(80, 9), regression(99, 2), 0.9)
    plain = calibrated(StandardMeasure(), regression(80, 1), regression(99, 2), 0.9)
    X = regression(20, 3).X
    np.testing.assert_array_equal(frozen.predict(X).lower, plain.predict(X).lower)
    np.testing.assert_array_equal(frozen.predict(X).upper, plain.predict(X).upper)


def in_pandas(examples):
    """The same examples under labels of rows that are out of order and do not start at 0."""
    index = np.random.default_rng(0).permutation(len(examples.y)) + 100
    names = [f"x{i}" for i in range(examples.X.shape[1])]
    frame = pd.DataFrame(examples.X, columns=names, index=index)
    return frame, pd.Series(examples.y, index=index, name="y")


@pytest.mark.parametrize("adjusted", [False, True])
@pytest.mark.parametrize("measure", [StandardMeasure(), NormalizedMeasure(), ScoringMeasure()])
def test_tables_give_the_results_of_arrays(regression, classification, measure, adjusted):
    draw = classification if isinstance(measure, ScoringMeasure) else regression
    tables = [in_pandas(draw(n, seed)) for n, seed in ((1500, 1), (200, 2), (100, 3))]
    # of one memory layout, on which the last digit of a product of matrices depends
    arrays = [tuple(part.to_numpy() for part in examples) for examples in tables]
    found = []
    for train, calibration, new in (arrays, tables):
        base = clone(measure).fit(*train)
        used = IFACM(FrozenEstimator(base), penalty=0.0).fit(*train) if adjusted else base
        assert not adjusted or used.layers_
        icp = calibrated(FrozenEstimator(used), train, calibration, 0.9)
        fitted = calibrated(measure, train, calibration, 0.9)  # the measure fitted by the ICP
        values = [
            *(vars(icp.predict(new[0])).values()),
            *(vars(fitted.predict(new[0])).values()),
            icp.predict(new[0]).sizes,
            icp.covers(*new),
            icp.p_values(*new),
            icp.p_values(*new, smoothed=True, random_state=7),
            np.asarray(used.score(*new)),
            icp.calibration_scores_,
        ]
        if adjusted:
            values.append(used.adjustment(new[0]))
        assert all(type(value) is np.ndarray for value in values)
        found.append(values)
    assert len(found[0]) == len(found[1])
    for from_arrays, from_tables in zip(*found, strict=True):
        np.testing.assert_array_equal(from_tables, from_arrays)


@pytest.mark.parametrize("given", [in_pandas, tuple], ids=["tables", "arrays"])
def test_the_guide_s_snippet_runs(regression, given):
    snippet = guided.snippet("icp.predict(X_test)")
    names = {}
    for seed, part in enumerate(("train", "calibration", "test"), start=1):
        X, y = given(regression(400, seed))
        names |= {f"X_{part}": 10.0 * X + 3.0, f"y_{part}": 1000.0 * y + 5000.0}
    exec(snippet, names)  # noqa: S102 - our own text
    scale, mean = names["y_scale"], names["y_mean"]
    lower, upper = (scale * end + mean for end in vars(names["intervals"]).values())
    label = np.asarray(names["y_test"])
    assert lower.shape == upper.shape == label.shape
    held = np.mean((lower <= label) & (label <= upper))
    # of 400 calibration and 400 test rows: the standard error is 0.021
    assert abs(held - 0.9) < 3 * 0.021


def test_a_refit_forgets_the_calibration_of_the_measure_before(regression):
    X, y = regression(200, 0)
    icp = InductiveConformalPredictor(StandardMeasure()).fit(X, y).calibrate(X, y)
    icp.fit(X, 100.0 * y)
    with pytest.raises(NotFittedError):
        icp.predict(X)
