"""Models of one's own as a measure's, and scores that are the same whatever company one is in."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from evencover import core
from evencover.core.scoring.arithmetic import linear_predictor

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(300, 3)), columns=["a", "b", "c"])
Y = FRAME["a"].to_numpy() ** 2 + RNG.normal(size=300)
CODES = np.digitize(FRAME["a"] + RNG.normal(size=300), [-0.5, 0.5])
FOREST = RandomForestRegressor(n_estimators=10, random_state=0)
ONE, TWO, THREE = (slice(start, start + 100) for start in (0, 100, 200))


class TestRegression:
    def test_intervals_are_those_of_split_conformal_prediction(self):
        """About a forest that was fitted elsewhere; by hand after Papadopoulos et al. (2002)."""
        forest = clone(FOREST).fit(FRAME[ONE], Y[ONE])
        measure = core.StandardMeasure(FrozenEstimator(forest))
        icp = core.InductiveConformalPredictor(measure, confidence_level=0.9)
        found = icp.fit(FRAME[ONE], Y[ONE]).calibrate(FRAME[TWO], Y[TWO]).predict(FRAME[THREE])
        half = np.sort(np.abs(Y[TWO] - forest.predict(FRAME[TWO])))[100 - 10]
        center = forest.predict(FRAME[THREE])
        np.testing.assert_allclose(found.lower, center - half, rtol=1e-12)
        np.testing.assert_allclose(found.upper, center + half, rtol=1e-12)

    def test_sigma_is_by_a_model_of_its_own(self):
        """Here of residuals on the rows that a model, fitted elsewhere, has not seen."""
        neighbours, forest = KNeighborsRegressor(5), clone(FOREST).fit(FRAME[ONE], Y[ONE])
        measure = core.NormalizedMeasure(FrozenEstimator(forest), scale_model=neighbours)
        measure.fit(FRAME, Y)
        errors = np.abs(Y - forest.predict(FRAME))
        residuals = np.maximum(errors, 1e-6 * np.sqrt(np.mean(errors**2)))  # some are none
        log_sigma = clone(neighbours).fit(FRAME, np.log(residuals)).predict(FRAME)
        found = measure.score(FRAME, Y)[errors > 1e-9]
        np.testing.assert_allclose(found, (log_sigma - np.log(errors))[errors > 1e-9], rtol=1e-12)

    def test_least_squares_are_what_there_is_without_a_model(self):
        for measure in (core.StandardMeasure, core.NormalizedMeasure):
            own = measure().fit(FRAME, Y).score(FRAME, Y)
            given = measure(LinearRegression()).fit(FRAME, Y).score(FRAME, Y)
            np.testing.assert_allclose(own, given, rtol=1e-12)

    def test_a_pipeline_is_fitted_and_adjusted_as_any(self):
        pipeline = make_pipeline(StandardScaler(), KNeighborsRegressor(20))
        base = core.StandardMeasure(pipeline)
        adjusted = core.IFACM(base, penalty=0.0, max_layers=1, max_evaluations=20).fit(FRAME, Y)
        plain = clone(pipeline).fit(FRAME, Y).predict(FRAME)
        functions = adjusted.base_.score_functions(FRAME)
        np.testing.assert_allclose(functions.center, plain, rtol=1e-12)
        base.set_params(model__kneighborsregressor__n_neighbors=3)
        assert base.model[-1].n_neighbors == 3

    def test_a_frozen_one_keeps_to_the_names_that_it_was_fitted_on(self):
        frozen = FrozenEstimator(clone(FOREST).fit(FRAME, Y))
        swapped = FRAME[["b", "a", "c"]]
        with pytest.raises(ValueError, match="feature names should match"):
            core.StandardMeasure(frozen).fit(swapped, Y)


class TestClasses:
    def test_scores_are_logarithms_of_a_model_s_probabilities(self):
        model = GaussianNB()
        measure = core.ScoringMeasure(model=model).fit(FRAME, CODES)
        expected = np.log(clone(model).fit(FRAME, CODES).predict_proba(FRAME))
        np.testing.assert_allclose(measure.score_functions(FRAME).matrix, expected, rtol=1e-12)
        found = measure.score(FRAME, CODES)
        np.testing.assert_allclose(found, expected[np.arange(300), CODES], rtol=1e-12)

    @pytest.mark.parametrize("names", [["no", "so", "yes"], [-1, 0, 1], ["0", "1", "2"]])
    def test_codes_stand_for_the_classes_of_a_fitted_one(self, names):
        labels = np.array(names)[CODES]
        model = RandomForestClassifier(n_estimators=20, random_state=0).fit(FRAME[ONE], labels[ONE])
        measure = core.ScoringMeasure(model=FrozenEstimator(model)).fit(FRAME[TWO], CODES[TWO])
        matrix = measure.score_functions(FRAME[THREE]).matrix
        np.testing.assert_allclose(np.exp(matrix), model.predict_proba(FRAME[THREE]), atol=1e-12)

    def test_booleans_are_codes(self):
        right = CODES > 1
        model = LogisticRegression().fit(FRAME, right)
        measure = core.ScoringMeasure(model=FrozenEstimator(model)).fit(FRAME, right)
        found = np.exp(measure.score_functions(FRAME).matrix)
        np.testing.assert_allclose(found, model.predict_proba(FRAME), rtol=1e-10)

    def test_a_class_that_a_model_does_not_know_is_kept_only_with_all(self):
        two = CODES < 2
        model = GaussianNB().fit(FRAME[two], CODES[two])
        measure = core.ScoringMeasure(n_labels=3, model=FrozenEstimator(model)).fit(FRAME, CODES)
        matrix = measure.score_functions(FRAME).matrix
        assert np.isneginf(matrix[:, 2]).all()
        assert np.isneginf(measure.score(FRAME, CODES)[CODES == 2]).all()
        icp = core.InductiveConformalPredictor(measure, confidence_level=0.9).fit(FRAME, CODES)
        sets = icp.calibrate(FRAME, CODES).predict(FRAME)
        assert sets.members[:, 2].all()  # as a tenth of the rows have it, nothing less holds 90 %

    def test_one_without_probabilities_is_refused_by_name(self):
        with pytest.raises(TypeError, match="LinearSVC tells no probabilities"):
            core.ScoringMeasure(model=LinearSVC()).fit(FRAME, CODES)


MEASURES = {
    "standard": core.StandardMeasure(),
    "normalized": core.NormalizedMeasure(),
    "scoring": core.ScoringMeasure(n_labels=3),
    "adjusted": core.IFACM(core.NormalizedMeasure(), penalty=0.0),
}


def draw(rng, n, *, classes, features=8):
    """Twenty kinds of object, so that many examples are copies of one another."""
    kinds = np.random.default_rng(5).integers(0, 2, size=(20, features)).astype(float)
    weights = np.random.default_rng(6).normal(size=features)
    X = kinds[rng.integers(0, 20, n)]
    if classes:
        return X, (weights @ X.T > 0.0).astype(int) + (rng.random(n) < 0.2)
    return X, np.round(X @ weights) + rng.integers(-1, 2, n)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 203, 2049])
@pytest.mark.parametrize("d", [1, 2, 8, 51, 130])
def test_each_row_s_sum_is_the_same_alone_in_a_batch_and_anywhere_in_it(n, d):
    rng = np.random.default_rng(n + d)
    X, slopes = rng.normal(size=(n, d)), rng.normal(size=d)
    together = linear_predictor(X, slopes, 0.5)
    alone = [linear_predictor(row[None], slopes, 0.5)[0] for row in X]
    order = rng.permutation(n)
    assert together.tolist() == alone
    assert linear_predictor(X[order], slopes, 0.5).tolist() == together[order].tolist()
    np.testing.assert_allclose(together, X @ slopes + 0.5, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 5))]
)
@pytest.mark.long
def test_copies_of_an_example_are_judged_alike_alone_and_together(name, seed):
    rng, classes = np.random.default_rng(seed), name == "scoring"
    icp = core.InductiveConformalPredictor(MEASURES[name], confidence_level=0.9)
    icp.fit(*draw(rng, 203, classes=classes)).calibrate(*draw(rng, 201, classes=classes))
    X, y = draw(rng, 407, classes=classes)
    together = icp.covers(X, y)
    alone = [icp.covers(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X))]
    assert together.tolist() == alone
    verdicts = {}
    for row, label, covered in zip(X.tolist(), y.tolist(), together.tolist(), strict=True):
        assert verdicts.setdefault((*row, label), covered) == covered


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(s, marks=pytest.mark.long) for s in range(4, 10))]
)
def test_calibration_rows_themselves_are_covered_as_promised_one_by_one(seed):
    # by definition: at least n - r + 1 of n scores are no smaller than the r-th smallest
    X, y = draw(np.random.default_rng(seed), 203, classes=False)
    icp = core.InductiveConformalPredictor(core.NormalizedMeasure(), confidence_level=0.9)
    icp.fit(X, y).calibrate(X, y)
    covered = sum(icp.covers(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X)))
    assert covered >= 203 - 20 + 1
