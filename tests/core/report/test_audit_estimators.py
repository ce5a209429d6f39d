"""An audit with other estimators of p(x), and with permutations."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from evencover.core import AuditSettings, audit
from evencover.core.coverage.dcv import noise_floor
from evencover.core.coverage.estimators import ESTIMATORS, IFACM_ESTIMATORS
from evencover.core.events import StepDone
from evencover.core.report.dependence_findings import dependence_findings

pytestmark = pytest.mark.long

BY_FORMULA = ["floor", "floor_unadjusted", "corrected", "corrected_low", "corrected_high"]


def bent(rows=2400):
    """Noise that is wide where a and b have one sign: no straight line shows it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3))
    scale = np.exp(np.sign(X[:, 0] * X[:, 1]))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    side = np.where(scale > 1.0, "wide", "narrow")
    return frame.assign(y=X.sum(axis=1) + scale * rng.normal(size=rows), side=side)


TABLE = bent()


def audited(frame=TABLE, **chosen):
    usual = {"audit_only": ("side",), "penalty": 0.0, "remedies": ("ifacm",)}
    return audit(frame, AuditSettings(target="y", **usual | chosen))


@pytest.fixture(scope="module")
def plain():
    return audited()


@pytest.fixture(scope="module", params=[name for name in ESTIMATORS if name != "logistic"])
def other(request):
    return audited(estimator=request.param, permutations=2)


def test_what_holds_by_formula_only_is_not_told_of_another_estimator(other, plain):
    for row, usual in zip(other.results, plain.results, strict=True):
        assert [getattr(row, f"dcv_{name}") for name in BY_FORMULA] == [None] * 5
        assert row.p_value == usual.p_value
        assert row.parameters == usual.parameters
        assert (row.accuracy, row.inefficiency) == (usual.accuracy, usual.inefficiency)
    assert other.coefficients == plain.coefficients
    assert other.settings["estimator"] in ESTIMATORS
    assert any(note.startswith("DCV is measured by") for note in other.notes)
    # simulated figures are those of the test rows alone
    base, after = other.row("test", "base"), other.row("test", "ifacm")
    assert base.dcv_floor_simulated == after.dcv_floor_simulated > 0.0
    for row in (base, after):
        assert row.p_value_permuted in [n / 3 for n in range(1, 4)]
    for name in ("base", "ifacm"):
        row = other.row("training", name)
        assert (row.dcv_floor_simulated, row.p_value_permuted) == (None, None)


def test_findings_of_another_estimator_tell_what_is_known(other):
    base = other.row("test", "base")
    before = next(f for f in other.findings if f.kind == "dependence")
    assert before.certainty == base.p_value_permuted
    assert not before.figures["in_a_line"]  # its own p-value is there
    assert (before.figures["corrected"], before.figures["floor"]) == (None, None)
    assert before.figures["dcv"] == base.dcv
    told = " ".join(other.explanations)
    assert "?" not in told
    assert "nan" not in told
    assert "How far it is off is not known" in told
    assert "straight line" not in before.sentence
    bare = replace(other, results=[replace(row, p_value_permuted=None) for row in other.results])
    by_line = next(f for f in dependence_findings(bare) if f.kind == "dependence")
    assert by_line.certainty == base.p_value
    assert by_line.figures["in_a_line"]
    assert "straight line" in by_line.sentence


def test_trees_see_the_bend_and_the_logistic_does_not(plain):
    found = audited(estimator="trees").row("test", "base").dcv_crossfitted
    assert found > 3.0 * plain.row("test", "base").dcv_crossfitted
    assert found > 0.08


def test_the_usual_audit_has_formulas_and_no_simulation(plain):
    row = plain.row("test", "base")
    # of 720 calibration rows the rank is 72: coverage is Beta(649, 72)
    expected = math.hypot(noise_floor(row.parameters, 720, 0.9), beta(649, 72).std())
    assert row.dcv_floor == pytest.approx(expected, rel=1e-12)
    assert (row.dcv_floor_simulated, row.p_value_permuted) == (None, None)
    assert plain.iterations
    expected = math.hypot(noise_floor(4, 960, 0.9), noise_floor(4, 720, 0.9), beta(649, 72).std())
    assert plain.row("test", "ifacm").dcv_floor == pytest.approx(expected, rel=1e-12)
    assert not any("measured by" in note for note in plain.notes)


def test_permutations_of_the_logistic_agree_with_its_formulas(plain):
    result = audited(permutations=60)
    row = result.row("test", "base")
    assert row.dcv_floor_simulated == pytest.approx(row.dcv_floor, rel=0.25)
    p = row.p_value
    assert abs(row.p_value_permuted - p) < 4.0 * math.sqrt(p * (1.0 - p) / 60) + 0.03
    found, usual = (
        next(f for f in each.findings if f.kind == "dependence") for each in (result, plain)
    )
    assert (found.certainty, usual.certainty) == (row.p_value_permuted, p)
    assert not found.figures["in_a_line"]
    assert found.figures == usual.figures | {"in_a_line": False}


@pytest.mark.parametrize("name", ["trees", "knn"])
def test_another_estimator_within_ifacm_mends_the_bend(name):
    frame, split = bent(3000).drop(columns="c"), "1500,500,1000"
    result = audited(frame, ifacm_estimator=name, split=split)
    assert result.iterations
    assert {*IFACM_ESTIMATORS} <= {*ESTIMATORS}
    row = result.row("test", "ifacm")
    assert row.dcv_floor is None
    # of 500 calibration rows the rank is 50
    expected = math.hypot(noise_floor(row.parameters, 1000, 0.9), beta(451, 50).std())
    assert row.dcv_floor_unadjusted == pytest.approx(expected, rel=1e-12)
    assert result.row("training", "ifacm").p_value is None
    assert any(note.startswith("IFACM estimated p(x) by") for note in result.notes)
    side = {(r.predictor, r.value): r.accuracy for r in result.segments if r.variable == "side"}
    before, after = (side[name, "narrow"] - side[name, "wide"] for name in result.names)
    assert before > 0.15  # the base model's scale is a plane too
    assert abs(after) < 0.5 * before


def test_a_stop_among_the_permutations_keeps_the_audit():
    events = []
    result = audit(
        TABLE,
        AuditSettings(target="y", audit_only=("side",), permutations=50, remedies=("ifacm",)),
        on_event=events.append,
        should_stop=lambda: sum(isinstance(event, StepDone) for event in events) >= 20,
    )
    assert result.stopped
    assert sum(isinstance(event, StepDone) for event in events) == 20
    assert result.row("test", "base").dcv_floor_simulated > 0.0
    assert result.row("test", "base").p_value_permuted is None
    assert any("of 150 draws, 20 are there" in note for note in result.notes)
