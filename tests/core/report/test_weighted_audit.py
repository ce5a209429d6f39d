"""Weighted rows have the figures of rows repeated, but are no surer than they are many."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit, audit_predictions, judge, to_json
from evencover.core.conformal.rank import WeightedScores
from evencover.core.exploration.groups import group_figures
from evencover.core.report.wording import segment_in_words

pytestmark = pytest.mark.long  # audits of many kinds

REMEDIES = ("ifacm", "mondrian:k")
FIGURES = ("accuracy", "inefficiency", "inefficiency_original_units", "dcv", "dcv_spread")
EXACT = 1e-10


def table(task, n=700):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, n))
    k, hidden = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]), rng.choice(["u", "v"], n)
    y = x + 2.0 * z + np.exp(0.5 * x) * (1.0 + (k == "b")) * rng.normal(size=n)
    if task == "classification":
        y = np.array(["low", "middle", "high"])[np.digitize(y, [-1.0, 1.5])]
    known = np.where(rng.random(n) < 0.1, np.nan, z)
    frame = pd.DataFrame({"x": x, "z": known, "k": k, "h": hidden, "w": rng.integers(0, 5, n)})
    part = rng.choice(["train", "calibration", "test"], n, p=[0.4, 0.3, 0.3])
    return frame.assign(part=part, y=y)


def audited(frame, **options):
    usual = {"audit_only": ("h",), "split_column": "part", "remedies": REMEDIES, "search": "paper"}
    return audit(frame, AuditSettings(target="y", **usual | options))


@pytest.fixture(
    scope="module",
    params=["regression", pytest.param("classification", marks=pytest.mark.long)],
)
def both(request):
    """Among rows repeated a new one is a single one, whatever its weight: so it is made to be."""
    frame = table(request.param)
    repeated = frame.loc[frame.index.repeat(frame["w"])].reset_index(drop=True)
    with pytest.MonkeyPatch.context() as patch:
        single = lambda _, new: np.ones(1 if new is None else len(new))  # noqa: E731
        patch.setattr(WeightedScores, "counted", single)
        return audited(frame, weight="w"), audited(repeated, drop=("w",))


def test_accuracy_width_and_dcv_are_those_of_rows_repeated(both):
    weighted, repeated = both
    for one, other in zip(weighted.results, repeated.results, strict=True):
        for name in FIGURES:
            assert getattr(one, name) == pytest.approx(getattr(other, name), abs=EXACT), name
    for one, other in zip(weighted.coefficients, repeated.coefficients, strict=True):
        assert one.coefficient == pytest.approx(other.coefficient, rel=1e-7, nan_ok=True)


def test_layers_are_those_of_rows_repeated_and_end_in_the_result(both):
    weighted, repeated = both
    assert len(weighted.iterations) > 0
    for one, other in zip(weighted.iterations, repeated.iterations, strict=True):
        assert (one.gamma, one.delta) == pytest.approx((other.gamma, other.delta), rel=1e-9)
    last, row = weighted.replays["ifacm"][-1], weighted.row("test", "ifacm")
    assert last.dcv == pytest.approx(row.dcv, abs=EXACT)
    assert last.coverage == pytest.approx(row.accuracy, abs=EXACT)
    assert last.inefficiency == pytest.approx(row.inefficiency, abs=EXACT)
    for one, other in zip(weighted.replays["ifacm"], repeated.replays["ifacm"], strict=True):
        assert one.training_dcv == pytest.approx(other.training_dcv, abs=EXACT)
        assert one.dcv == pytest.approx(other.dcv, abs=EXACT)


def test_segments_gaps_and_changes_are_those_of_rows_repeated(both):
    weighted, repeated = both
    assert len(weighted.segments) > 40
    for one, other in zip(weighted.segments, repeated.segments, strict=True):
        assert one.group == other.group
        assert one.weight == other.n
        assert one.n_effective <= one.n
        for name in ("accuracy", "inefficiency", "share_full"):
            expected = pytest.approx(getattr(other, name), abs=EXACT, nan_ok=True)
            assert getattr(one, name) == expected, name
    for one, other in zip(weighted.gaps, repeated.gaps, strict=True):
        assert (one.variable, one.reference) == (other.variable, other.reference)
        assert one.gap == pytest.approx(other.gap, abs=EXACT)
        assert one.coverage_gap == pytest.approx(other.coverage_gap, abs=EXACT)
    for row in (row for row in repeated.changes if row.value):
        made = weighted.change(row.predictor, row.group)
        assert made.change == pytest.approx(row.change, abs=EXACT)


def test_audit_only_columns_and_closer_looks_are_those_of_rows_repeated(both):
    weighted, repeated = both
    for one, other in zip(weighted.audit_only, repeated.audit_only, strict=True):
        assert one.dcv == pytest.approx(other.dcv, abs=EXACT)
    one, other = (group_figures(each.test_rows).figures["ifacm"] for each in both)
    assert (one.accuracy, one.size) == pytest.approx((other.accuracy, other.size), abs=EXACT)
    one, other = (judge(each, ["coverage(k = a) < 0.5"])[0] for each in both)
    assert one.value == pytest.approx(other.value, abs=EXACT)
    assert one.low <= one.value <= one.high
    assert weighted.coverage("base").share == pytest.approx(repeated.coverage("base").share)


def test_what_is_sure_goes_by_the_effective_sample_size_and_worst_slabs_are_left_out(both):
    weighted, repeated = both
    data = to_json(weighted)["data"]
    w = weighted.test_rows.outcomes["base"].weights
    assert data["effective"]["test"] == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert {*data["effective"]} == {"train", "calibration", "test"}
    assert data["weights"]["test"] == w.sum()
    assert data["rows_without_weight"] == data["rows"] - sum(
        data[part] for part in ("train", "calibration", "test")
    )
    assert weighted.coverage("base").effective <= round(data["effective"]["test"])
    (row,) = [r for r in weighted.segments if r.group == ("h", "u") and r.predictor == "base"]
    assert row.n_effective < row.n < row.weight
    assert weighted.row("test", "base").worst_slab_coverage is None
    assert repeated.row("test", "base").worst_slab_coverage is not None
    assert any(note.code == "worst-slab.no-weights" for note in weighted.notes)


@pytest.mark.long
def test_weights_have_a_say_in_the_search():
    """One value has low coverage, and so little weight that nothing is low by weight."""
    rng = np.random.default_rng(1)
    n = 6000
    frame = pd.DataFrame({"x": rng.normal(size=n), "k": rng.choice(list("abcd"), n)})
    bad = frame["k"] == "a"
    frame["y"] = frame["x"] + np.where(bad, 3.0, 1.0) * rng.normal(size=n)
    options = {"audit_only": (), "split_column": None, "remedies": ("none",)}
    heavy, light = (
        audited(frame.assign(w=np.where(bad, w, 1.0)), weight="w", measure="standard", **options)
        for w in (1.0, 0.001)
    )
    rules = [{row.rule for row in each.worst_segments} for each in (heavy, light)]
    assert "k = a" in rules[0]
    assert "k = a" not in rules[1]
    # calibrated by weight, what weighs next to nothing is left uncovered
    shares = {row.value: row.accuracy for row in light.segments if row.variable == "k"}
    assert light.row("test", "base").accuracy == pytest.approx(0.9, abs=0.02)
    assert shares["a"] < 0.6


@pytest.mark.long
@pytest.mark.parametrize("remedy", ["quantile", "ifacm-crossfitted"])
def test_remedies_that_choose_on_folds_mend_by_weight(remedy):
    """Rows of great weight are the noisy ones: by weight coverage is uneven, and is mended."""
    rng = np.random.default_rng(2)
    n = 6000
    frame = pd.DataFrame({"x": rng.normal(size=n), "v": rng.normal(size=n)})
    frame["w"] = np.where(frame["v"] > 0.0, 3, 1)
    frame["y"] = frame["x"] + np.exp(0.6 * frame["v"]) * rng.normal(size=n)
    options = {"audit_only": (), "split_column": None, "measure": "standard"}
    # the paper's search finds no layer here
    result = audited(frame, weight="w", remedies=(remedy,), search="restarted", **options)
    before, after = result.row("test", "base"), result.row("test", remedy)
    assert after.dcv < before.dcv / 2.0
    assert after.accuracy == pytest.approx(0.9, abs=0.025)


def test_predictions_from_python_have_weights_as_arrays():
    """By hand: the two intervals that miss weigh 3 and 1 of all."""
    n = 100
    y, w = np.zeros(n), np.ones(n)
    y[:50] = np.linspace(-0.5, 0.5, 50)
    y[[3, 70]], w[[3, 70]] = 9.0, (3.0, 1.0)
    frame = pd.DataFrame({"x": np.random.default_rng(3).normal(size=n)})
    result = audit_predictions(y, frame, lower=-np.ones(n), upper=np.ones(n), weight=w)
    assert result.row("test", "given").accuracy == pytest.approx(1.0 - 4.0 / w.sum(), abs=EXACT)
    assert result.data.effective == {"test": pytest.approx(w.sum() ** 2 / (w**2).sum())}


def given_model(n_calibration, weights, level):
    """A model's outputs for 60 training, some calibration and 300 test rows."""
    n = 60 + n_calibration + 300
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=n).round(2), "pred": 0.0, "w": weights(n)})
    frame["y"] = rng.normal(size=n)
    frame["part"] = ["train"] * 60 + ["calibration"] * n_calibration + ["test"] * 300
    options = {"audit_only": (), "prediction": "pred", "remedies": ("none",)}
    return frame, {"confidence_level": level, **options}


@pytest.mark.parametrize("n_calibration", [50, 150])
def test_equal_weights_of_any_size_are_as_none(n_calibration):
    frame, options = given_model(n_calibration, lambda n: np.full(n, 100), 0.99)
    weighted, plain = (
        audited(frame, weight=weight, drop=drop, **options)
        for weight, drop in (("w", ()), (None, ("w",)))
    )
    is_infinite = weighted.row("test", "base").inefficiency == np.inf
    assert is_infinite is (n_calibration == 50)
    assert ("50 calibration rows are too few" in " ".join(weighted.headline)) is is_infinite
    # by their texts, as NaN equals nothing
    for rows in ("results", "segments", "worst_segments", "drift"):
        assert repr(getattr(weighted, rows)) == repr(getattr(plain, rows))
    assert [note.code for note in weighted.notes if "eight" in note] == ["rows.equal_weights"]


def test_rows_that_would_decide_alone_are_capped_and_told():
    def weights(n):
        w = np.ones(n)
        w[[70, 80, -1]] = 300.0, 200.0, 400.0
        return w

    frame, options = given_model(200, weights, 0.9)
    result = audited(frame, weight="w", **options)
    (note,) = [note for note in result.notes if note.code == "thresholds.capped"]
    assert str(note).startswith("Calibration rows that count for less than their weight in")
    assert "in thresholds: 2." in note
    widths = result.test_rows.sets["base"].sizes
    assert np.isfinite(widths).all()
    assert widths[-1] == widths.max() > np.median(widths)


def test_where_no_test_of_dependence_holds_its_level_none_is_told():
    frame, options = given_model(200, np.ones, 0.9)
    frame["w"] = np.random.default_rng(5).pareto(1.0, len(frame)) + 0.1
    copies = frame.loc[frame.index.repeat(2)].reset_index(drop=True)
    copies["home"] = np.arange(len(copies)) // 2
    result = audited(copies, weight="w", group="home", split_column=None, drop=("part",), **options)
    row = result.row("test", "base")
    assert 0.0 < row.accuracy < 1.0
    assert np.isnan(row.p_value)
    (finding,) = [each for each in result.findings if each.topic == "dependence"]
    assert finding.kind == "dependence-untold"
    assert "is not tested" in finding.sentence


@pytest.mark.long
def test_the_note_on_effective_rows_is_told_whole_and_rows_without_a_label_are_no_gaps():
    rng = np.random.default_rng(0)
    n = 4600
    x, w = rng.normal(size=n), rng.exponential(size=n)
    frame = pd.DataFrame({"nr": np.arange(n), "x": x, "w": w})
    frame["fare"] = np.where(np.arange(n) % 40 == 7, np.nan, rng.normal(size=n))
    settings = AuditSettings(target="fare", weight="w", remedies=("none",))
    result = audit(frame, settings)
    (note,) = (note for note in result.notes if note.code == "rows.weighted")
    assert note.endswith(f" for {result.data.test:,} test rows.")
    assert {one.column: one.reason for one in result.data.dropped}["nr"] == "numbers the rows"
    bands = {segment_in_words(row) for row in result.segments if row.kind == "label"}
    assert bands == {row.rule for row in result.segments if row.kind == "label"}
    assert not any("label" in band for band in bands)
