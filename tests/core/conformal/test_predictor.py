"""Predictors of measures and of remedies: the ICP, by name."""

import math

import numpy as np
import pandas as pd
import pytest

from evencover.core.conformal.icp import InductiveConformalPredictor
from evencover.core.conformal.measures import MARGINAL, Fit, NormalizedMeasure, ScoringMeasure
from evencover.core.conformal.predictor import MeasurePredictor, ReadyMade
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.mondrian import Mondrian
from evencover.core.remedies.quantile import QuantileAdjustment
from evencover.core.rows.examples import Examples, ModelOutputs, as_examples

N = 600


@pytest.fixture(scope="module", params=["regression", "classification"])
def sets(request):
    """A measure fitted on training examples, these, and others to calibrate and to judge on."""
    draw = request.getfixturevalue(request.param)
    measure = NormalizedMeasure() if request.param == "regression" else ScoringMeasure()
    X, y = draw(3 * N, 4)
    frame = pd.DataFrame({"side": np.where(X[:, 1] > 0, "wide", "narrow")})
    rows = np.split(np.arange(3 * N), 3)
    parts = [Examples(X[part], y[part], frame, part) for part in rows]
    return measure.fit(parts[0]), *parts


def test_a_measure_s_predictor_is_its_icp(sets):
    measure, train, calibration, test = sets
    predictor = MeasurePredictor("base", "base", measure, 0.8)
    for known, rows in ((calibration, test), (train, train)):
        icp = InductiveConformalPredictor(measure, confidence_level=0.8).fit(train.X, train.y)
        icp.calibrate(known.X, known.y)
        found = predictor.predict(rows, known)
        for name, expected in vars(icp.predict(rows.X)).items():
            np.testing.assert_array_equal(getattr(found.sets, name), expected)
        np.testing.assert_array_equal(found.outcomes.correct, icp.covers(rows.X, rows.y))
        np.testing.assert_array_equal(found.outcomes.sizes, found.sets.sizes)
        assert found.mean_size == pytest.approx(found.sets.sizes.mean())
        assert found.outcomes.are_intervals == isinstance(measure, NormalizedMeasure)


def test_it_adjusts_nothing_and_promises_the_level_for_all(sets):
    measure, _, _, test = sets
    predictor = MeasurePredictor("base", "a base", measure, 0.8)
    assert (predictor.name, predictor.title) == ("base", "a base")
    assert (predictor.guarantee, predictor.is_calibrated) == (MARGINAL, True)
    assert predictor.fit_ == Fit()
    assert predictor.steps(test).shape == (0, N)


def test_a_fit_short_of_its_optimum_is_noted(classification):
    measure = ScoringMeasure(max_iter=1).fit(*classification(200, 0))
    (note,) = MeasurePredictor("base", "base", measure, 0.9).fit_.notes
    assert note.code == "base-model.unconverged"


def test_a_remedy_s_predictor_has_what_the_remedy_has(sets):
    measure, train, calibration, test = sets
    ifacm = IFACM(measure, penalty=0.0, confidence_level=0.8).fit(train)
    predictor = MeasurePredictor("ifacm", "IFACM", ifacm, 0.8)
    assert (predictor.name, predictor.title, predictor.guarantee) == ("ifacm", "IFACM", MARGINAL)
    assert predictor.fit_.terms == ifacm.fit_.terms == 5
    assert ifacm.fit_.layers
    assert list(predictor.fit_.layers) == list(ifacm.fit_.layers)
    steps = predictor.steps(test)
    assert steps.shape == (len(ifacm.fit_.layers), N)
    assert steps.sum(axis=0) == pytest.approx(ifacm.adjustment(test.X))
    found = predictor.predict(test, calibration)
    icp = InductiveConformalPredictor(ifacm, confidence_level=0.8).fit(train).calibrate(calibration)
    np.testing.assert_array_equal(found.outcomes.correct, icp.covers(test))


def test_a_remedy_without_layers_takes_no_steps(sets):
    measure, train, _, test = sets
    predictor = MeasurePredictor("q", "Q", QuantileAdjustment(measure).fit(train), 0.8)
    assert (predictor.title, predictor.fit_.terms) == ("Q", 5)
    assert predictor.steps(test).shape == (0, N)


def test_a_remedy_may_have_its_own_rule_for_thresholds(sets):
    """As two predictors of the same measure, each of its own group, would have it."""
    measure, train, calibration, test = sets
    remedy = Mondrian(measure, "side").fit(train)
    predictor = MeasurePredictor("mondrian:side", "Mondrian", remedy, 0.8)
    assert predictor.guarantee.startswith("For the rows of each group")
    found = predictor.predict(test, calibration)
    alone = MeasurePredictor("base", "base", measure, 0.8)
    for side in ("wide", "narrow"):
        of_side = {
            name: _those(rows, (rows.table["side"] == side).to_numpy())
            for name, rows in (("calibration", calibration), ("test", test))
        }
        inside = (test.table["side"] == side).to_numpy()
        expected = alone.predict(of_side["test"], of_side["calibration"]).outcomes
        np.testing.assert_array_equal(found.outcomes.correct[inside], expected.correct)
        np.testing.assert_array_equal(found.outcomes.sizes[inside], expected.sizes)
        assert abs(expected.correct.mean() - 0.8) < 0.1
    assert found.mean_size == pytest.approx(found.outcomes.sizes.mean())


def _those(examples, inside):
    return Examples(examples.X[inside], examples.y[inside], examples.frame, examples.rows[inside])


def predicted(y, **said):
    bare = as_examples(np.zeros((3, 1)))
    outputs = ModelOutputs(**said)
    examples = Examples(bare.X, np.array(y), bare.frame, bare.rows, outputs=outputs)
    return ReadyMade("theirs").predict(examples, examples)


def test_ready_made_intervals_by_hand():
    found = predicted([0.0, 5.0, 1.0], lower=np.array([-1.0, 0.0, 1.0]), upper=np.full(3, 2.0))
    assert found.outcomes.correct.tolist() == [True, False, True]
    assert found.outcomes.sizes.tolist() == [3.0, 2.0, 1.0]
    assert found.outcomes.largest == math.inf


def test_ready_made_sets_of_labels_by_hand():
    members = np.array([[True, False], [True, True], [False, False]])
    found = predicted([1, 1, 0], members=members)
    assert found.outcomes.correct.tolist() == [False, True, False]
    assert found.outcomes.sizes.tolist() == [1.0, 2.0, 0.0]
    assert found.outcomes.largest == 2.0


@pytest.mark.parametrize("said", [{}, {"lower": np.zeros(3)}, {"upper": np.zeros(3)}])
def test_sets_that_are_not_there_are_missed(said):
    with pytest.raises(ValueError, match="neither intervals nor sets"):
        predicted([0.0, 0.0, 0.0], **said)
