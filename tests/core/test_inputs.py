"""What measures, predictors and estimators are given: right, or refused by name."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from evencover import core
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.inputs import as_codes, as_matrix, as_numbers, as_outcomes
from evencover.core.rows.outcomes import IntervalSets, LabelSets

MEASURES = [
    core.NormalizedMeasure(),
    core.StandardMeasure(),
    core.ScoringMeasure(),
    core.IFACM(core.NormalizedMeasure(), max_layers=1, max_evaluations=5),
    core.LabelConditional(core.ScoringMeasure()),
]
QUANTILE = core.QuantileAdjustment(core.NormalizedMeasure())
OWN_MODELS = [
    core.StandardMeasure(make_pipeline(StandardScaler(), linear_model.Ridge())),
    core.NormalizedMeasure(linear_model.Ridge(), scale_model=linear_model.Ridge()),
    core.ScoringMeasure(model=GaussianNB()),
]


def has_own_model(estimator):
    return estimator.get_params(deep=False).get("model") is not None


class TwoOutcomes:
    """Scikit-learn's checks give labels of all kinds; p(x) is of two outcomes."""

    def fit(self, X, y):
        return super().fit(X, y if y is None else np.asarray(y) > np.min(y))


def of_two(name, estimator):
    return type(name, (TwoOutcomes, estimator), {"__module__": __name__})


Logistic, Ridge = of_two("Logistic", core.LogisticEstimator), of_two("Ridge", core.RidgeEstimator)
Lasso, Trees = of_two("Lasso", core.LassoEstimator), of_two("Trees", core.TreesEstimator)
Neighbours = of_two("Neighbours", core.NeighboursEstimator)


class Calibrated(core.InductiveConformalPredictor):
    """Calibrated on the rows it is fitted on, and predicts one number, as the checks expect."""

    def fit(self, X, y=None):
        return super().fit(X, y).calibrate(X, y)

    def predict(self, X):
        return super().predict(X).lower


PREDICTORS = [
    core.InductiveConformalPredictor(core.NormalizedMeasure()),
    Calibrated(core.NormalizedMeasure()),
]
OBJECTS = {"check_dtype_object": "objects are refused: text of digits would be taken for numbers"}
TOLD = dict.fromkeys(
    [
        *("check_sample_weights_shape", "check_sample_weights_not_overwritten"),
        "check_sample_weight_equivalence_on_dense_data",
    ],
    "features that tell the label exactly are refused in a sentence of our own",
)
ONE_ROW = {"check_fit2d_1sample": "one row is refused in a sentence of our own"}
NO_COLUMNS = {
    "check_estimators_empty_data_messages": "without a feature p(x) is the overall share, of use"
}
UNCALIBRATED = dict.fromkeys(
    [
        *("check_estimators_dtypes", "check_estimators_pickle", "check_fit_idempotent"),
        *("check_f_contiguous_array_estimator", "check_methods_sample_order_invariance"),
        *("check_methods_subset_invariance", "check_dict_unchanged"),
    ],
    "sets want calibrate() after fit(): NotFittedError; Calibrated passes",
)


def exceptions(estimator):
    if type(estimator) in (Logistic, Ridge, Lasso, Neighbours, Trees):
        return OBJECTS | NO_COLUMNS
    bare = type(estimator) is core.InductiveConformalPredictor
    of_numbers = not isinstance(estimator, core.ScoringMeasure | core.LabelConditional)
    told = TOLD if of_numbers and not has_own_model(estimator) else {}
    return OBJECTS | ONE_ROW | told | (UNCALIBRATED if bare else {})


@parametrize_with_checks([*MEASURES, *PREDICTORS, Logistic()], expected_failed_checks=exceptions)
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(
    [Ridge(), Lasso(), Neighbours(), Trees(), QUANTILE, *OWN_MODELS],
    expected_failed_checks=exceptions,
)
def test_scikit_learn_s_checks_of_slower_ones(estimator, check):
    check(estimator)


RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(120, 3)), columns=["a", "b", "c"])
Y = FRAME["a"].to_numpy() + RNG.normal(size=120)
CODES = (Y > 0).astype(int)


OF_TEXT = (core.ScoringMeasure, core.LabelConditional)  # labels may be


def labels_for(estimator):
    of_classes = (core.ScoringMeasure, core.LabelConditional, *ESTIMATORS.values())
    return CODES if isinstance(estimator, of_classes) else Y


def uses(estimator):
    """Every way to hand objects to what was fitted on the frame."""
    y = labels_for(estimator)
    fitted = clone(estimator).fit(FRAME, y)
    if isinstance(estimator, core.InductiveConformalPredictor):
        yield partial(fitted.calibrate, y=y)
        fitted.calibrate(FRAME, y)
        yield from (fitted.predict, partial(fitted.covers, y=y), partial(fitted.p_values, y=y))
    elif isinstance(estimator, (*ESTIMATORS.values(),)):
        yield fitted.predict
    else:
        yield from (fitted.score_functions, partial(fitted.score, y=y))
    if isinstance(estimator, core.ScoreAdjustment):
        yield from (fitted.adjustment, fitted.steps)


SLOW_ESTIMATORS = [ESTIMATORS[name]() for name in ("ridge", "lasso", "trees")]
SLOWER = [QUANTILE, *OWN_MODELS, *SLOW_ESTIMATORS]
ALL = [*MEASURES, PREDICTORS[0], core.LogisticEstimator(), core.NeighboursEstimator()]
of_all = pytest.mark.parametrize(
    "estimator",
    [*ALL, *(pytest.param(one, marks=pytest.mark.long) for one in SLOWER)],
    ids=lambda e: type(e).__name__,
)


@of_all
def test_names_and_number_of_features_are_those_fitted_on(estimator):
    for use in uses(estimator):
        use(FRAME)
        for other in (["b", "a", "c"], ["a", "b"]):
            with pytest.raises(ValueError, match="feature names should match"):
                use(FRAME[other])
        with (
            pytest.warns(UserWarning, match="does not have valid feature names"),
            pytest.raises(ValueError, match="4 features"),
        ):
            use(np.zeros((120, 4)))


@of_all
def test_what_is_no_matrix_of_numbers_is_refused_by_name(estimator):
    X, y, ways = FRAME.to_numpy(), labels_for(estimator), list(uses(estimator))
    missing, endless = X.copy(), X.copy()
    missing[3, 1], endless[3, 1] = np.nan, np.inf
    unknown = pd.array([None, *X[1:, 1]], dtype="Float64")
    for wrong, kind, words in (
        (missing, ValueError, "X contains NaN"),
        (endless, ValueError, "X contains infinity"),
        (FRAME.assign(b=unknown), ValueError, "X contains NaN"),
        (sparse.csr_array(X), TypeError, "Sparse data was passed for X"),
        (np.ma.masked_greater(X, 1.0), TypeError, "X is a masked array"),
        (X.astype(object), TypeError, "X is of type object"),
        (X.astype(str), TypeError, "X is of type <U"),
        (FRAME.assign(b=FRAME["b"].astype(str)), TypeError, "column 'b' of X is of type str"),
        (FRAME.assign(b=pd.Timestamp("2020")), TypeError, "column 'b' of X is of type datetime"),
    ):
        if isinstance(wrong, pd.DataFrame) and has_own_model(estimator):
            continue  # which may make numbers of any columns
        with pytest.raises(kind, match=words):
            clone(estimator).fit(wrong, y)
        for use in ways:
            with pytest.raises(kind, match=words):
                use(wrong)


@of_all
def test_labels_are_refused_by_name(estimator):
    y = labels_for(estimator).astype(float)
    missing = y.copy()
    missing[5] = np.nan
    for wrong, kind, words in (
        (missing, ValueError, "y contains NaN"),
        (np.ma.masked_greater(y, 0.5), TypeError, "y is a masked array"),
        (y.astype(object), TypeError, "y is of type object"),
        (np.where(y > 0, "yes", "no"), TypeError, "y is of type <U"),
        (y[:-1], ValueError, "120 objects and 119"),
    ):
        if wrong.dtype.kind in "OU" and isinstance(estimator, OF_TEXT):
            continue
        with pytest.raises(kind, match=words):
            clone(estimator).fit(FRAME, wrong)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        clone(estimator).fit(FRAME, y[:, None])


@of_all
def test_what_is_not_fitted_says_so(estimator):
    names = ("predict", "covers", "p_values", "score", "score_functions", "calibrate", "steps")
    asked = [getattr(estimator, name) for name in names if hasattr(estimator, name)]
    for use in asked:
        with pytest.raises(NotFittedError, match=f"This {type(estimator).__name__} instance"):
            use(FRAME) if use.__name__ not in ("covers", "p_values") else use(FRAME, Y)


@of_all
def test_clones_and_pickles_do_the_same(estimator):
    y = labels_for(estimator)
    for use, again in zip(uses(estimator), uses(clone(estimator)), strict=True):
        if getattr(use, "func", use).__name__ in ("predict", "adjustment"):
            found, expected = again(FRAME), use(FRAME)
            parts = ("lower", "upper") if isinstance(found, IntervalSets) else ("shape",)
            for part in parts:
                np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    fitted = clone(estimator).fit(FRAME, y)
    loaded = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own
    assert loaded.n_features_in_ == 3
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    for name, value in estimator.get_params(deep=False).items():
        assert clone(estimator).set_params(**{name: value}).get_params(deep=False)[name] is value


def test_a_frozen_measure_keeps_to_the_names_that_it_was_fitted_on():
    swapped = FRAME[["b", "a", "c"]]
    base = core.NormalizedMeasure().fit(FRAME, Y)
    icp = core.InductiveConformalPredictor(FrozenEstimator(base)).fit(swapped, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        icp.calibrate(swapped, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        core.IFACM(FrozenEstimator(base)).fit(swapped, Y)


def test_examples_of_another_number_of_features_are_refused():
    base = core.StandardMeasure().fit(FRAME.to_numpy(), Y)
    rows = np.arange(4)
    other = core.Examples(np.zeros((4, 2)), np.zeros(4), pd.DataFrame(index=rows), rows)
    with pytest.raises(ValueError, match="2 features"):
        base.score(other)


@pytest.mark.parametrize("kind", [bool, int, np.uint8, float, "Int64"])
@pytest.mark.parametrize("name", ["logistic", "trees"])
def test_ones_and_zeros_are_outcomes_as_booleans_are(name, kind):
    right = CODES.astype(bool)
    given = pd.Series(CODES).astype(kind)
    expected = ESTIMATORS[name]().fit(FRAME, right).predict(FRAME)
    np.testing.assert_array_equal(ESTIMATORS[name]().fit(FRAME, given).predict(FRAME), expected)


@pytest.mark.parametrize("wrong", [[-1, 1], [1, 2], [0.5, 1.0]])
def test_other_numbers_are_no_outcomes(wrong):
    with pytest.raises(ValueError, match=f"1 and 0, and holds {wrong[0] if wrong[0] != 1 else 2}"):
        as_outcomes(wrong, 2)


def test_codes_of_labels():
    for given in ([0, 2, 1], [0.0, 2.0, 1.0], np.array([0, 2, 1], np.uint8)):
        assert as_codes(given, 3).tolist() == [0, 2, 1]
    assert as_codes([False, True]).tolist() == [0, 1]


@pytest.mark.parametrize(("wrong", "which"), [([0, -1], "-1"), ([0, 3], "3"), ([0.5, 1], "0.5")])
def test_what_is_no_code_of_a_label_is_refused(wrong, which):
    with pytest.raises(ValueError, match=f"0 to 2, and holds {which};"):
        as_codes(wrong, 3)


def test_labels_of_minus_one_and_one_do_not_index_from_the_end():
    signs = 2 * CODES - 1
    with pytest.raises(ValueError, match="0 to K-1, and holds -1"):
        core.ScoringMeasure().fit(FRAME, signs)
    fitted = core.ScoringMeasure().fit(FRAME, CODES)
    icp = core.InductiveConformalPredictor(FrozenEstimator(fitted)).fit(FRAME, CODES)
    icp.calibrate(FRAME, CODES)
    sets = icp.predict(FRAME)
    for use in (partial(fitted.score, FRAME), partial(icp.covers, FRAME), sets.contain):
        with pytest.raises(ValueError, match="0 to 1, and holds -1"):
            use(signs)
        np.testing.assert_array_equal(use(CODES.astype(bool)), use(CODES))
    np.testing.assert_array_equal(sets.contain(CODES), icp.covers(FRAME, CODES))
    by_label = core.LabelScores(np.zeros((2, 2)), shift=np.zeros(2))
    with pytest.raises(ValueError, match="0 to 1, and holds -1"):
        by_label.of_labels(np.zeros((2, 2)), np.array([-1, 1]))
    with pytest.raises(ValueError, match="0 to 1, and holds 2"):
        LabelSets(np.ones((1, 2), dtype=bool)).contain([2])


def test_a_missing_label_has_neither_p_value_nor_set():
    icp = core.InductiveConformalPredictor(core.StandardMeasure()).fit(FRAME, Y).calibrate(FRAME, Y)
    missing = np.where(np.arange(120) == 7, np.nan, Y)
    for use in (icp.p_values, icp.covers, icp.calibrate):
        with pytest.raises(ValueError, match="y contains NaN"):
            use(FRAME, missing)
    with pytest.raises(ValueError, match="y contains NaN"):
        icp.predict(FRAME).contain(missing)


def test_numbers_of_every_kind_are_taken():
    for kind in (bool, int, np.float32, "Float64", "boolean", "Int8"):
        frame = pd.DataFrame({"a": pd.Series([1, 0, 1]).astype(kind)})
        assert as_matrix(frame).tolist() == [[1.0], [0.0], [1.0]]
        assert as_numbers(frame["a"]).tolist() == [1.0, 0.0, 1.0]
    assert as_matrix([[1, 2], [3, 4]]).flags.c_contiguous
    assert as_matrix(np.asfortranarray(np.ones((2, 3)))).flags.c_contiguous
    given = np.ones((2, 3))
    assert np.shares_memory(as_matrix(given), given)


def test_series_and_frames_of_polars_are_numbers_as_those_of_pandas():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    y = X["a"] + rng.normal(size=50)
    theirs = core.StandardMeasure().fit(pl.from_pandas(X), pl.Series(y.to_numpy()))
    found = theirs.score_functions(pl.from_pandas(X)).at(pl.Series(y.to_numpy()))
    own = core.StandardMeasure().fit(X, y).score_functions(X).at(y)
    np.testing.assert_array_equal(found, own)
    with pytest.raises(TypeError, match=r"y is of type .*; give numbers"):
        as_numbers(pl.Series(["1", "2"]))


def test_a_number_that_is_no_code_is_refused_before_all_labels_up_to_it_are_scored():
    with pytest.raises(ValueError, match=r"0 to K-1, and holds 1e\+12; numpy\.unique"):
        core.ScoringMeasure().fit(np.arange(4.0)[:, None], [0, 10**12, 0, 1])
