"""Evaluations: any predictor is judged alike, and adjustments by what they change and cost."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fakes import BASE, OWN, QUANTILE, Idle, Own, audits_of

from evencover.core import AuditSettings, Fit, NormalizedMeasure, audit
from evencover.core.conformal.predictor import MeasurePredictor
from evencover.core.conformal.rank import CoverageLaw
from evencover.core.coverage.dcv import noise_floor
from evencover.core.experiment.evaluation import Evaluator, size_notes
from evencover.core.experiment.predictors import remedy
from evencover.core.preparation.prepare import prepare

SETTINGS = AuditSettings(target="y", drop=("lower", "upper"), confidence_level=0.8)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    x = rng.normal(size=900)
    frame = pd.DataFrame({"x": x, "y": 100.0 + 5.0 * (x + rng.normal(size=900))})
    frame = frame.assign(lower=100.0 + 5.0 * x - 6.0, upper=100.0 + 5.0 * x + 6.0)
    data = prepare(frame, SETTINGS)
    measure = NormalizedMeasure().fit(data.train)
    base = MeasurePredictor("base", "base", measure, 0.8)
    return SimpleNamespace(evaluator=Evaluator(data, SETTINGS), own=Own(data.label), base=base)


def test_ready_made_intervals_are_counted_by_hand_on_test_rows_alone(fitted):
    assert list(fitted.evaluator.evaluate(fitted.base)) == ["training", "test"]
    (found,) = fitted.evaluator.evaluate(fitted.own).values()
    rows = fitted.evaluator.data.test.table
    held = rows["y"].between(rows["lower"], rows["upper"])
    row = fitted.evaluator.row(found)
    assert row.accuracy == held.mean()
    assert row.inefficiency_original_units == pytest.approx(12.0)
    assert row.inefficiency == pytest.approx(12.0 / fitted.evaluator.data.label.scale)
    assert found.sets.lower == pytest.approx(rows["lower"].to_numpy())
    assert (row.subset, row.predictor) == ("test", "own")
    assert {row.predictor for row in (*found.coefficients, *found.strata)} == {"own"}
    assert sum(row.n for row in found.strata) == len(rows)
    if row.dcv_formula == "good":  # there is no noise of calibration rows
        assert row.dcv_floor_unadjusted == pytest.approx(noise_floor(2, len(rows), 0.8))
    assert fitted.evaluator.null_model(fitted.own, np.ones(5, dtype=bool)).law.is_fixed


@pytest.mark.parametrize("terms", [0, 3, None])
def test_floors_go_by_the_terms_of_the_adjustment(fitted, terms):
    other = MeasurePredictor("other", "other", fitted.base.measure, 0.8)
    other.fit_ = Fit(terms)
    found = fitted.evaluator.evaluate(other)
    data = fitted.evaluator.data
    n, n_train, n_calibration = len(data.test), len(data.train), len(data.calibration)
    spread, carried = 0.16 / n, 0.16 * (terms or 0) / n_train
    drawn = 0.16 / (n_calibration + 2)  # the variance of the Beta law at ranks that go into 1 - CL
    row = fitted.evaluator.row(found["test"])
    assert row.dcv_formula == "good"
    plain = math.sqrt(2 * 0.16 / n + drawn)
    assert row.dcv_floor_unadjusted == pytest.approx(plain, rel=0.002)
    assert row.noise_low == pytest.approx(0.8 - 1.96 * plain, rel=0.002)
    if terms is None:
        assert (row.dcv_floor, row.dcv_spread_floor) == (None, None)
    else:
        assert row.dcv_floor == pytest.approx(math.sqrt(plain**2 + carried), rel=0.002)
        assert row.dcv_spread_floor == pytest.approx(math.sqrt(spread + carried), rel=1e-9)
    # on training rows an adjustment was optimised on, there is neither floor nor certainty
    of_training = fitted.evaluator.row(found["training"])
    assert of_training.dcv_floor in (None, noise_floor(2, n_train, 0.8))
    assert (of_training.dcv_floor is None) == (of_training.p_value is None) == (terms != 0)
    plain = noise_floor(2, n_train, 0.8)  # training rows are their own calibration rows
    assert of_training.dcv_floor_unadjusted == (None if terms != 0 else pytest.approx(plain))


@pytest.mark.long
def test_few_wrong_sets_have_a_floor_by_drawing_and_no_corrected_value():
    """By the formula, noise was off by 28 points, 95 % interval 22 to 34."""
    rng = np.random.default_rng(1)
    frame = (
        pd.DataFrame(rng.normal(size=(700, 30))).rename(columns=str).assign(y=rng.normal(size=700))
    )
    result = audit(frame, AuditSettings(target="y", measure="standard", remedies=("ifacm",)))
    row, after = result.row("test", "base"), result.row("test", "ifacm")
    assert (row.dcv_formula, after.dcv_formula) == ("rough", "rough")
    assert row.dcv_corrected is row.dcv_corrected_low is row.dcv_corrected_high is None
    assert row.dcv_floor == row.dcv_floor_simulated
    assert row.dcv_floor > 1.15 * math.sqrt(0.09 * (31 / 210 + 1 / 210))
    assert 0.7 < row.dcv / row.dcv_floor < 1.4
    assert row.p_value_permuted is None  # nobody asked for permutations
    assert after.dcv_floor == pytest.approx(
        math.hypot(row.dcv_floor, noise_floor(31, 280, 0.9)) if result.iterations else row.dcv_floor
    )
    assert result.row("training", "base").dcv_floor is None
    assert [note.code for note in result.notes].count("floor.rough") == 2


@pytest.mark.parametrize("way", ["group", "time", "copies"])
@pytest.mark.long
def test_rows_that_belong_together_are_judged_as_such(way):
    rng = np.random.default_rng(2)
    n, settings = 900, {"remedies": ("none",)}
    frame = pd.DataFrame({"x": rng.normal(size=n), "y": rng.normal(size=n)})
    if way == "copies":
        frame = pd.concat([frame[:300]] * 3, ignore_index=True)
    else:
        frame = frame.assign(owner=np.arange(n) // 10, day=np.arange(n))
        frame["y"] = frame["y"] * np.exp(0.8 * rng.normal(size=n // 10))[frame["owner"]]
        settings |= {"group": "owner"} if way == "group" else {"time": "day", "drop": ("owner",)}
    result = audit(frame, AuditSettings(target="y", measure="standard", **settings))
    row = result.row("test", "base")
    assert row.dcv_spread_floor >= 0.8 * noise_floor(1, 270, 0.9)
    assert result.drift.clusters == {"group": 27, "time": 20}.get(way, result.drift.clusters)
    assert row.p_value * 1000 == pytest.approx(round(row.p_value * 1000))
    plain = CoverageLaw.of_calibration(270, 0.9).band(270, 0.99)
    assert result.drift.accuracy_low <= plain[0]
    assert result.drift.accuracy_high >= plain[1]
    assert any(note.code == "rows.repeated" for note in result.notes) == (way == "copies")


def test_what_chance_makes_of_other_measures_is_said_beside_them(fitted):
    found = fitted.evaluator.evaluate(fitted.base)["test"]
    row, excess = fitted.evaluator.row(found), found.diagnosis.excess
    drawn = 2.24**2 * fitted.evaluator.null_model(fitted.base, found.outcomes).law.variance
    level = fitted.evaluator.settings.confidence_level
    assert drawn > 0.0
    assert row.ert_l1_by_chance == pytest.approx(np.hypot(2.24 * excess.l1_error, drawn**0.5))
    assert row.ert_l2_by_chance == pytest.approx(2.24 * excess.l2_error + drawn)
    of_log = 2.24 * excess.log_error + drawn / (2.0 * level * (1.0 - level))
    assert row.ert_log_by_chance == pytest.approx(of_log)
    assert row.worst_slab_low < row.worst_slab_coverage < row.worst_slab_high


def test_empty_sets_are_told_and_are_no_stratum():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "y": rng.choice(list("ab"), 400)})
    frame["set"] = np.where(frame["x"] > 1.0, "{}", "{a; b}")
    settings = AuditSettings(target="y", label_set="set", measure=None, remedies=("none",))
    result = audit(frame, settings)
    empty = int((frame["x"] > 1.0).sum())
    told = f"{empty} of 400 prediction sets of given are empty: they hold no class"
    assert any(note.startswith(told) for note in result.notes)
    assert [row.size for row in result.size_strata] == ["2"]
    assert result.row("test", "given").size_stratified_coverage == 1.0


def test_too_few_calibration_rows_are_noted_for_what_hangs_on_them(fitted):
    assert size_notes(3, SETTINGS, [fitted.own]) == []
    (note,) = size_notes(3, SETTINGS, [fitted.own, fitted.base])
    assert note.code == "calibration.too-few"
    assert str(note).endswith("every interval is infinite.")
    (note,) = size_notes(3, replace(SETTINGS, cap_width=3.0), [fitted.base])
    assert str(note).endswith("infinite, but for the cap on widths.")
    assert size_notes(4, SETTINGS, [fitted.base]) == []


def test_a_mean_width_keeps_its_digits_where_the_label_is_far_from_0():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = np.round(1024.0 * (x + rng.normal(size=400))) / 1024.0  # exact beside either offset
    settings = AuditSettings(target="y", remedies=("none",))
    near, far = (
        audit(pd.DataFrame({"x": x, "y": y + offset}), settings).row("test", "base")
        for offset in (0.0, 2.0**30)
    )
    scale = near.inefficiency_original_units / near.inefficiency
    assert far.inefficiency_original_units == pytest.approx(far.inefficiency * scale, rel=1e-10)


N_TRAIN = 640


@pytest.fixture(scope="module")
def table():
    """Noise that grows with x, which the standard measure does not see; a few are very dear."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1600))
    y = np.exp(3.0 * z + np.exp(0.7 * x) * rng.normal(size=1600))
    return pd.DataFrame({"x": x, "z": z, "side": np.sign(x), "y": y, "lower": 0.0, "upper": y})


@pytest.fixture(scope="module")
def result(table):
    roles = {"drop": ("lower", "upper"), "audit_only": ("side",)}
    settings = AuditSettings(target="y", measure="standard", log_target=True, **roles)
    with audits_of(BASE, OWN, QUANTILE, remedy("mondrian:side"), idle=Idle):
        return audit(table, settings)


def test_each_adjustment_is_compared_and_nothing_else(result):
    others = ["own", "quantile", "mondrian:side", "idle"]
    assert [row.predictor for row in result.comparisons] == others
    with pytest.raises(KeyError):
        result.comparison("base")


@pytest.mark.parametrize("name", ["quantile", "mondrian:side"])
def test_widths_are_compared_row_by_row(result, name):
    """In the label's own units, in which the mean is moved by a few huge intervals."""
    before, after = (result.test_rows.sets[key] for key in ("base", name))
    ratios = (after.upper - after.lower) / (before.upper - before.lower)
    found = result.comparison(name)
    assert found.size_ratio_median == pytest.approx(np.median(ratios))
    assert found.size_ratio_mean == pytest.approx(np.mean(ratios))
    of_means = np.mean(after.upper - after.lower) / np.mean(before.upper - before.lower)
    assert found.size_ratio_median < 1.0 < of_means  # which would say the contrary


def test_what_changes_nothing_is_as_wide_and_as_even_and_costs_nothing(result):
    row = result.comparison("idle")
    assert (row.size_ratio_median, row.size_ratio_mean) == (1.0, 1.0)
    assert (row.unevenness_change, row.unevenness_p_value, row.cost) == (0.0, 1.0, 0.0)


def test_what_evens_coverage_is_told_from_chance(result):
    """By the spread about the level, the square of which it changes."""
    row = result.comparison("quantile")
    assert row.spread_after == 0.0  # none that other rows confirm: the estimate is below 0
    assert row.unevenness_change < -(row.spread_before**2)
    assert row.unevenness_change < -2.5 * row.unevenness_standard_error < 0.0
    assert row.unevenness_p_value < 0.01


def test_cost_and_what_there_was_to_adjust_are_of_the_training_rows(result):
    assert result.data.train == N_TRAIN
    cost = result.comparison("quantile").cost  # of an intercept and two slopes, held back a little
    assert math.sqrt(1.5 * 0.09 / N_TRAIN) < cost < math.sqrt(3 * 0.09 / N_TRAIN)
    training = result.row("training", "base")
    for row in result.comparisons:
        by_threshold = row.predictor.startswith(("mondrian", "label"))  # not by the training rows
        found = (None, None) if by_threshold else (training.dcv_corrected, training.p_value)
        assert (row.found, row.found_p_value) == found


def of_idle(table, reference, fit=None, **settings):
    """What is compared of an idle adjustment of a reference, where it is the only one."""
    own = {} if fit is None else {"fit_": fit}
    with audits_of(reference, idle=type("Odd", (Idle,), own)):
        usual = {"target": "y", "drop": ("lower", "upper")}
        return audit(table, AuditSettings(**usual | settings)).comparison("idle")


@pytest.mark.long
def test_figures_that_an_adjustment_does_not_have(table):
    """Terms without a number, a reference without training rows, infinite intervals, classes."""
    assert of_idle(table, BASE, Fit(terms=None)).cost is None
    own = of_idle(table, OWN)
    assert (own.found, own.found_p_value) == (None, None)
    assert of_idle(table.head(60), BASE, confidence_level=0.99).size_ratio_median is None
    classes = of_idle(table.assign(y=np.where(table["y"] > 1.0, "dear", "cheap")), BASE)
    assert (classes.size_ratio_median, classes.size_ratio_mean) == (None, None)
