"""What a user's own model said, audited through each role, is as if the model were here."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit, read_table
from evencover.core.conformal.names import MEASURES
from evencover.core.preparation.prepare import prepare
from evencover.core.report.advice_findings import advice_findings
from evencover.core.rows.outcomes import IntervalSets
from evencover.sample_data import load_sample

pytestmark = pytest.mark.long

SAID = ("pred", "spread", "low", "high")
PARTS = ("train", "calibration", "test")
EXACT = {"rel": 1e-10, "abs": 1e-10}


def scored(frame, settings, path):
    """An audit of a model fitted inside, and the table with what that said, through a CSV file."""
    data, inside = prepare(frame, settings), audit(frame, settings)
    measure = MEASURES[settings.measure]().fit(data.train, data.train.y)
    frame = frame.assign(part="", **dict.fromkeys(SAID, 1.0))
    for part, examples in zip(PARTS, (data.train, data.calibration, data.test), strict=True):
        functions, rows = measure.score_functions(examples), frame.index[examples.rows]
        center = data.label.in_units(IntervalSets(functions.center, functions.center)).lower
        per_unit = center if data.label.logarithmic else 1.0
        frame.loc[rows, "part"], frame.loc[rows, "pred"] = part, center
        frame.loc[rows, "spread"] = np.exp(functions.log_scale) * data.label.scale * per_unit
    own, rows = inside.test_rows.sets["base"], frame.index[data.test.rows]
    frame.loc[rows, "low"], frame.loc[rows, "high"] = own.lower, own.upper
    frame.to_csv(path, index=False)
    return inside, read_table(path)


def outside(table, settings, **roles):
    """An audit of what the table holds of the model, on the same split."""
    left = {*SAID} - {*roles.values()}
    asked = replace(settings, measure=None, split_column="part", drop=(*settings.drop, *left))
    return audit(table, replace(asked, **roles))


def figures(result, name, *, subset="test"):
    """Everything that a result says of a predictor in numbers."""
    row = result.row(subset, name)
    size = row.accuracy, row.inefficiency, row.inefficiency_original_units, row.dcv
    rows = result.of(result.segments, name)
    return size, [(*r.group, r.n, r.accuracy, r.low, r.high, r.inefficiency) for r in rows]


def assert_same(found, inside, name, other=None):
    """See that both results say the same of a predictor, whatever it is called in the other."""
    size, segments = figures(found, name)
    other_size, other_segments = figures(inside, other or name)
    assert size == pytest.approx(other_size, **EXACT)
    assert len(segments) == len(other_segments) > 0
    for row, same in zip(segments, other_segments, strict=True):
        assert row[:3] == same[:3]
        assert row[3:] == pytest.approx(same[3:], nan_ok=True, **EXACT)


@pytest.fixture(scope="module", params=["plain", pytest.param("log", marks=pytest.mark.long)])
def houses(request, tmp_path_factory):
    frame = load_sample("houses").frame.head(700).reset_index(drop=True)
    settings = AuditSettings(
        target="price",
        measure="normalized",
        penalty=0.0,
        log_target=request.param == "log",
        remedies=("ifacm",),
    )
    return settings, *scored(frame, settings, tmp_path_factory.mktemp("scored") / "scored.csv")


@pytest.mark.usefixtures("data_folder")
def test_king_county_through_each_role(tmp_path):
    """The published split of prices: the internal path, written to CSV, and as the paper has it."""
    sample = load_sample("king_county")
    settings = AuditSettings(
        target=sample.target,
        log_target=True,
        drop=sample.drop,
        measure="normalized",
        remedies=("ifacm",),
    )
    inside, table = scored(sample.frame.reset_index(drop=True), settings, tmp_path / "scored.csv")
    found = outside(table, settings, prediction="pred", sigma="spread")
    for name in found.names:
        assert_same(found, inside, name)
    layers = [[(one.gamma, one.delta) for one in r.iterations] for r in (found, inside)]
    np.testing.assert_allclose(*layers, rtol=1e-10)
    ready = outside(table, settings, lower="low", upper="high")
    assert_same(ready, inside, "given", "base")


class TestAsIfTheModelWereHere:
    def test_prediction_and_sigma(self, houses):
        settings, inside, table = houses
        found = outside(table, settings, prediction="pred", sigma="spread")
        assert found.names == inside.names == ["base", "ifacm"]
        for name in found.names:
            assert_same(found, inside, name)
        of_training = [figures(r, "base", subset="training")[0] for r in (found, inside)]
        assert of_training[0] == pytest.approx(of_training[1], **EXACT)
        assert len(found.iterations) == len(inside.iterations) > 0
        for layer, same in zip(found.iterations, inside.iterations, strict=True):
            assert (layer.gamma, layer.delta) == pytest.approx((same.gamma, same.delta), **EXACT)

    def test_any_remedies_over_them(self, houses):
        settings, _, table = houses
        asked = ("quantile", "mondrian:county")
        settings = replace(settings, remedies=asked)
        inside = audit(table, replace(settings, split_column="part", drop=SAID))
        found = outside(table, settings, prediction="pred", sigma="spread")
        assert found.names == inside.names == ["base", *asked]
        for name in found.names:
            assert_same(found, inside, name)

    def test_ready_made_intervals(self, houses):
        settings, inside, table = houses
        found = outside(table, settings, lower="low", upper="high")
        assert found.names == ["given"]
        assert found.data.test == inside.data.test
        assert_same(found, inside, "given", "base")

    def test_prediction_alone_is_the_standard_measure(self, houses, tmp_path):
        settings, _, table = houses
        frame = table.frame.drop(columns=["part", *SAID])
        settings = replace(settings, measure="standard")
        inside, table = scored(frame, settings, tmp_path / "standard.csv")
        found = outside(table, settings, prediction="pred")
        for name in found.names:
            assert_same(found, inside, name)


def test_probabilities_of_a_model_are_the_scoring_measure(tmp_path):
    frame = load_sample("triage").frame.head(900).reset_index(drop=True)
    target = load_sample("triage").target
    settings = AuditSettings(target=target, measure="scoring")
    data, inside = prepare(frame, settings), audit(frame, settings)
    measure = MEASURES["scoring"](n_labels=len(data.label.classes)).fit(data.train, data.train.y)
    names = [f"prob[{name}]" for name in data.label.classes]
    frame = frame.assign(part="", **dict.fromkeys(names, 0.0))
    for part, examples in zip(PARTS, (data.train, data.calibration, data.test), strict=True):
        rows = frame.index[examples.rows]
        frame.loc[rows, "part"] = part
        frame.loc[rows, names] = np.exp(measure.score_functions(examples).matrix)
    own = inside.test_rows.sets["base"].members
    classes = np.array(data.label.classes)
    texts = ["{" + ", ".join(classes[row]) + "}" for row in own]
    frame["sets"] = pd.Series(texts, index=frame.index[data.test.rows])
    frame.to_csv(tmp_path / "scored.csv", index=False)
    table = read_table(tmp_path / "scored.csv")
    asked = replace(settings, measure=None, split_column="part")
    found = audit(table, replace(asked, probabilities=tuple(reversed(names)), drop=("sets",)))
    for name in found.names:
        assert_same(found, inside, name)
    on_test = table.rows(table["part"].levels.to_numpy() == "test")
    of_sets = {"split_column": None, "drop": (*names, "part"), "label_set": "sets"}
    ready = audit(on_test, replace(asked, **of_sets))
    assert ready.predictors[0].title == "the table's own sets"
    of_given, of_base = ready.row("test", "given"), inside.row("test", "base")
    assert of_given.accuracy == of_base.accuracy
    assert of_given.inefficiency == pytest.approx(of_base.inefficiency)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    spread = np.exp(0.5 * x)
    y = x + spread * rng.normal(size=1500)
    return pd.DataFrame({"x": x, "low": x - spread, "high": x + 1.5 * spread, "y": y})


class TestQuantiles:
    def test_the_intervals_are_those_of_conformalized_quantile_regression(self, table):
        """By hand after Romano, Patterson and Candes (2019)."""
        settings = AuditSettings(target="y", quantiles=("low", "high"))
        result, data = audit(table, settings), prepare(table, settings)
        of_calibration = table.iloc[data.calibration.rows]
        low, y, high = (of_calibration[name] for name in ("low", "y", "high"))
        errors = np.maximum(low - y, y - high)
        n = len(errors)
        out = np.sort(errors)[n - int(np.floor(0.1 * (n + 1) + 1e-9))]
        of_test = table.iloc[data.test.rows]
        own = result.test_rows.sets["base"]
        np.testing.assert_allclose(own.lower, of_test["low"] - out, atol=1e-12)
        np.testing.assert_allclose(own.upper, of_test["high"] + out, atol=1e-12)
        held = of_test["y"].between(own.lower - 1e-12, own.upper + 1e-12)
        assert result.row("test", "base").accuracy == held.mean()

    def test_an_adjustment_moves_both_ends_by_its_layers(self, table):
        noisy = table.assign(low=table["x"] - 1.0, high=table["x"] + 1.0)
        result = audit(
            noisy,
            AuditSettings(target="y", quantiles=("low", "high"), penalty=0.0, remedies=("ifacm",)),
        )
        assert result.iterations
        before, after = result.test_rows.sets["base"], result.test_rows.sets["ifacm"]
        moved = before.lower - after.lower
        np.testing.assert_allclose(after.upper - before.upper, moved, atol=1e-10)
        steps = result.test_rows.steps["ifacm"].sum(axis=0)
        data = prepare(noisy, AuditSettings(target="y", quantiles=("low", "high")))
        apart = moved / data.label.scale - steps
        np.testing.assert_allclose(apart, apart[0], atol=1e-10)
        assert result.row("test", "ifacm").dcv < result.row("test", "base").dcv


def two_kinds(n=3000, seed=0):
    """A label whose spread in kind b, a fifth of the rows, one width for all does not know."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["a", "b"], n, p=[0.8, 0.2])
    y = rng.normal(size=n) * np.where(kind == "b", 1.9, 1.0)
    return pd.DataFrame({"y": y, "low": -1.95, "high": 1.95, "kind": kind, "x": rng.normal(size=n)})


def test_what_to_do_about_given_intervals_mends_the_group_that_is_low():
    frame, asked = two_kinds(), AuditSettings(target="y", penalty=0.0)
    given = audit(frame, replace(asked, lower="low", upper="high"))
    assert given.row("test", "given").accuracy < 0.9
    assert [row.group for row in given.too_low("given")] == [("kind", "b")]
    advice = [finding for finding in given.findings if finding.kind == "advice"]
    assert [finding.advice for finding in advice] == ["mend-intervals"]
    counted = replace(given, data=replace(given.data, sample=1000))  # where nothing can be fitted
    assert advice_findings(counted) == []
    followed = audit(frame, replace(asked, quantiles=tuple(advice[0].figures["columns"])))
    b = {row.predictor: row.status for row in followed.segments if row.group == ("kind", "b")}
    assert b == {"base": "low", "ifacm": "mended", "auto": "mended"}


@pytest.mark.parametrize(
    ("missed_of_b", "advised"), [(0.1, []), (0.3, ["mend-sets", "recalibrate"])]
)
def test_of_given_sets_the_models_probabilities_are_asked_for_where_a_group_is_low(
    missed_of_b, advised
):
    rng = np.random.default_rng(0)
    kind, label = rng.choice(["a", "b"], 3000, p=[0.8, 0.2]), rng.choice(["u", "v"], 3000)
    missed = rng.uniform(size=3000) < np.where(kind == "b", missed_of_b, 0.1)
    other = np.where(label == "u", "v", "u")
    frame = pd.DataFrame({"y": label, "kind": kind, "said": np.where(missed, other, "u|v")})
    found = audit(frame, AuditSettings(target="y", label_set="said"))
    assert [finding.advice for finding in found.findings if finding.advice] == advised


def test_probabilities_take_the_options_of_label_sets():
    rng, names = np.random.default_rng(0), ("p_a", "p_b", "p_c")
    said = rng.dirichlet([0.5, 0.5, 0.5], 600)
    codes = (said.cumsum(axis=1) < rng.random(600)[:, None]).sum(axis=1)
    table = pd.DataFrame(said, columns=names).assign(x=said[:, 0], y=np.array([*"abc"])[codes])
    settings = AuditSettings(
        target="y", probabilities=names, confidence_level=0.5, remedies=("none",)
    )
    options = [{}, {"measure": "scoring"}, {"measure": "aps"}, {"never_empty": True}]
    found = [audit(table, replace(settings, **each)) for each in options]
    assert [each.settings["measure"] for each in found] == [None, "scoring", "aps", None]
    plain, scoring, adaptive, never_empty = (each.test_rows.sets["base"].sizes for each in found)
    np.testing.assert_array_equal(plain, scoring)
    assert (plain.min(), never_empty.min()) == (0, 1)
    likely = said[found[0].test_rows.rows].max(axis=1) > 0.9
    # the likeliest alone is there with probability 0.5 / 0.9 at most, and next to nothing else
    assert adaptive[likely].mean() < 0.75 < plain[likely].mean()
