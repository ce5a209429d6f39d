"""Evaluations: any predictor is judged alike, and on training rows only what learns from rows."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from fakes import ReadyMade
from scipy.stats import beta

from evencover.core import AuditSettings
from evencover.core.audit.evaluation import Evaluator, size_notes
from evencover.core.conformal.measures import NormalizedMeasure
from evencover.core.conformal.predictor import MeasurePredictor
from evencover.core.conformal.rank import threshold_rank
from evencover.core.coverage.dcv import noise_floor
from evencover.core.preparation.prepare import prepare

SETTINGS = AuditSettings(target="y", drop=("lower", "upper"), confidence_level=0.8)


@dataclass
class Fitted:
    evaluator: Evaluator
    own: ReadyMade
    base: MeasurePredictor


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=900)
    frame = pd.DataFrame({"x": x, "y": 100.0 + 5.0 * (x + rng.normal(size=900))})
    frame = frame.assign(lower=100.0 + 5.0 * x - 6.0, upper=100.0 + 5.0 * x + 6.0)
    data = prepare(frame, SETTINGS)
    measure = NormalizedMeasure().fit(data.train)
    base = MeasurePredictor("base", "base", measure, 0.8)
    return Fitted(Evaluator(data, SETTINGS), ReadyMade(data.label), base)


def test_what_is_not_calibrated_has_no_evaluation_on_training_rows(fitted):
    assert list(fitted.evaluator.evaluate(fitted.base)) == ["training", "test"]
    assert list(fitted.evaluator.evaluate(fitted.own)) == ["test"]


def test_ready_made_intervals_are_counted_by_hand(fitted):
    found = fitted.evaluator.evaluate(fitted.own)["test"]
    rows = fitted.evaluator.data.test.table
    held = rows["y"].between(rows["lower"], rows["upper"])
    assert found.row.accuracy == held.mean()
    assert found.row.inefficiency_original_units == pytest.approx(12.0)
    assert found.row.inefficiency == pytest.approx(12.0 / fitted.evaluator.data.label.scale)
    assert found.sets.lower == pytest.approx(rows["lower"].to_numpy())
    assert (found.row.subset, found.row.predictor) == ("test", "own")
    assert {row.predictor for row in (*found.coefficients, *found.strata)} == {"own"}
    assert sum(row.n for row in found.strata) == len(rows)


@pytest.mark.parametrize("terms", [0, 3, None])
def test_floors_go_by_the_terms_of_the_adjustment(fitted, terms):
    other = MeasurePredictor("other", "other", fitted.base.measure, 0.8)
    other.terms = terms
    found = fitted.evaluator.evaluate(other)
    data = fitted.evaluator.data
    n, n_train, calibration = len(data.test), len(data.train), len(data.calibration)
    rank = threshold_rank(calibration, 0.8)
    plain = np.hypot(noise_floor(2, n, 0.8), beta(calibration + 1 - rank, rank).std())
    both = np.hypot(plain, noise_floor(3, n_train, 0.8))
    expected = {0: plain, 3: both, None: None}[terms]
    row = found["test"].row
    assert row.dcv_floor == (expected and pytest.approx(expected))
    assert row.dcv_floor_unadjusted == pytest.approx(plain)
    # on training rows an adjustment was optimised on, there is neither floor nor certainty
    of_training = found["training"].row
    assert of_training.dcv_floor in (None, noise_floor(2, n_train, 0.8))
    assert (of_training.dcv_floor is None) == (of_training.p_value is None) == (terms != 0)


def test_too_few_calibration_rows_are_noted_for_what_hangs_on_them(fitted):
    assert size_notes(3, 0.8, [fitted.own]) == []
    (note,) = size_notes(3, 0.8, [fitted.own, fitted.base])
    assert note.code == "calibration.too-few"
    assert size_notes(4, 0.8, [fitted.base]) == []
