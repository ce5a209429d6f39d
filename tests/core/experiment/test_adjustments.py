"""What adjustments change over all test rows: each row's own width, evenness, and their cost."""

import math

import numpy as np
import pandas as pd
import pytest
from fakes import BASE, OWN, QUANTILE, Idle, audits_of

from evencover.core import AuditSettings, audit
from evencover.core.conformal.measures import Fit
from evencover.core.experiment.predictors import remedy

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
    assert [row.predictor for row in result.comparisons] == ["quantile", "mondrian:side", "idle"]
    with pytest.raises(KeyError):
        result.comparison("own")


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


def test_what_changes_nothing_is_as_wide_and_as_even(result):
    row = result.comparison("idle")
    assert (row.size_ratio_median, row.size_ratio_mean) == (1.0, 1.0)
    assert (row.unevenness_change, row.unevenness_p_value) == (0.0, 1.0)


def test_what_evens_coverage_is_told_from_chance(result):
    """By the cross-fitted DCV, the square of which it changes."""
    row = result.comparison("quantile")
    before, after = (result.row("test", name) for name in ("base", "quantile"))
    assert row.unevenness_change == pytest.approx(after.ert_l2 - before.ert_l2)
    assert row.unevenness_change < -2.5 * row.unevenness_standard_error < 0.0
    assert row.unevenness_p_value < 0.01


def test_the_cost_is_the_training_rows_noise_in_so_many_terms(result):
    assert result.data.train == N_TRAIN
    assert result.comparison("quantile").cost == pytest.approx(math.sqrt(3 * 0.09 / N_TRAIN))
    assert result.comparison("idle").cost == 0.0


def test_what_there_was_to_adjust_is_that_of_the_training_rows(result):
    training = result.row("training", "base")
    for row in result.comparisons:
        assert (row.found, row.found_p_value) == (training.dcv_corrected, training.p_value)


def test_terms_without_a_number_have_no_cost(table):
    with audits_of(BASE, odd=type("Odd", (Idle,), {"fit_": Fit(terms=None)})):
        odd = audit(table[["x", "y"]], AuditSettings(target="y", measure="standard"))
    assert odd.comparison("odd").cost is None


def test_a_reference_without_training_rows_has_nothing_found(table):
    with audits_of(OWN, idle=Idle):
        own = audit(table, AuditSettings(target="y", drop=("lower", "upper")))
    assert (own.comparison("idle").found, own.comparison("idle").found_p_value) == (None, None)


def test_sets_of_labels_have_no_widths(table):
    label = np.where(table["y"] > 1.0, "dear", "cheap")
    with audits_of(BASE, QUANTILE):
        classes = audit(table[["x", "z"]].assign(y=label), AuditSettings(target="y"))
    row = classes.comparison("quantile")
    assert (row.size_ratio_median, row.size_ratio_mean) == (None, None)


def test_infinite_intervals_are_not_compared(table):
    with audits_of(BASE, idle=Idle):
        few = audit(table.head(60), AuditSettings(target="y", confidence_level=0.99))
    assert few.comparison("idle").size_ratio_median is None
