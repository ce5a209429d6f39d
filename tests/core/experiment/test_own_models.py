"""Several models of one's own side by side: their columns, rows that are one, and paired tests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.core import AuditSettings, InputError, audit
from evencover.core.experiment.comparison import compare
from evencover.core.experiment.own_models import beside_each_other
from evencover.core.segments.statistics import paired_interval
from evencover.core.tables.table import Table

pytestmark = pytest.mark.long  # audits of many kinds

ENDS = AuditSettings(target="y", lower="lower", upper="upper")


def wide(n=120):
    """Rows with intervals by three models: of one width, wider for one group, and the first's."""
    rng = np.random.default_rng(0)
    x, g = rng.normal(size=n), np.where(np.arange(n) % 3, "u", "w")
    spread = np.where(g == "w", 2.0, 1.0)
    table = pd.DataFrame({"id": np.arange(n) + 100, "x": x, "g": g})
    table["y"] = x + spread * rng.normal(size=n)
    for name, half in (("a", 2.0), ("b", 1.6 * spread), ("c", 2.0)):
        table[f"{name}_lower"], table[f"{name}_upper"] = x - half, x + half
    return table


def long(models="ab", **of_model):
    """The same with a row for each object and model, in another order."""
    table = wide()
    parts = [
        table[["id", "x", "g", "y"]].assign(
            model=name, lower=table[f"{name}_lower"], upper=table[f"{name}_upper"], **of_model
        )
        for name in models
    ]
    return pd.concat(parts).sample(frac=1.0, random_state=1)


def figures(found):
    keys = ("accuracy", "inefficiency", "dcv", "low_segments")
    return {row.remedy: [getattr(row, key) for key in keys] for row in found.rows}


@pytest.fixture(scope="module")
def found():
    return compare(wide(), replace(ENDS, drop=("id",)), models=("a", "b", "c"))


def test_figures_are_those_of_an_audit_of_each_model(found):
    assert (found.remedies, found.seeds) == (["a", "b", "c"], [0])
    every = [f"{name}_{end}" for name in "abc" for end in ("lower", "upper")]
    for name in "ab":
        own = {"lower": f"{name}_lower", "upper": f"{name}_upper"}
        others = tuple(c for c in every if c not in own.values())
        result = audit(wide(), AuditSettings(target="y", drop=("id", *others), **own))
        row = result.row("test", "given")
        assert figures(found)[name][:3] == [row.accuracy, row.inefficiency, row.dcv]


def test_differences_are_tested_by_the_rows_as_pairs(found):
    table, right, width = wide(), {}, {}
    for name in "ab":
        low, high = table[f"{name}_lower"], table[f"{name}_upper"]
        right[name] = table["y"].between(low, high).to_numpy()
        width[name] = (high - low).to_numpy() / table["y"].std(ddof=0)
    told = {(d.remedy, d.figure): d for d in found.differences}
    gained, lost = (np.array([(right[p] & ~right[q]).sum()]) for p, q in ("ba", "ab"))
    (low,), (high,) = paired_interval(gained, lost, np.array([len(table)]))
    accuracy = told["b", "accuracy"]
    assert accuracy.mean == pytest.approx(right["b"].mean() - right["a"].mean())
    assert (accuracy.low, accuracy.high) == pytest.approx((low, high))
    size, error = told["b", "inefficiency"], stats.sem(width["b"] - width["a"])
    mean = np.mean(width["b"] - width["a"])
    assert (size.mean, size.low, size.high) == pytest.approx(
        (mean, *stats.norm.interval(0.95, mean, error))
    )
    assert size.p_value == pytest.approx(2.0 * stats.norm.sf(abs(mean) / error))
    units, scale = told["b", "inefficiency_original_units"], table["y"].std(ddof=0)
    assert (units.mean, units.low) == pytest.approx((scale * size.mean, scale * size.low))
    same = [told["c", figure] for figure in ("accuracy", "inefficiency", "unevenness")]
    assert [each.mean for each in same] == [0.0] * 3
    assert [each.p_value for each in same[:2]] == [1.0, 1.0]
    assert found.settings["models"] == ["a", "b", "c"]
    assert (found.settings["lower"], found.settings["drop"]) == ("lower", ["id"])


@pytest.mark.parametrize("key", [(), ["id"]])
def test_rows_of_one_object_are_brought_together(key):
    table, names = beside_each_other(Table.of(long()), ENDS, "model", key)
    assert names == ["a", "b"]
    columns = ["id", "x", "g", "y", "a_lower", "a_upper", "b_lower", "b_upper"]
    got = table.frame.sort_values("id").reset_index(drop=True)[columns]
    pd.testing.assert_frame_equal(got, wide()[columns])


def test_a_column_of_models_is_the_same_as_columns_of_each(found):
    told = compare(
        long("abc"), replace(ENDS, drop=("id",)), models=("a", "b", "c"), model_column="model"
    )
    for name, values in figures(found).items():
        assert figures(told)[name] == pytest.approx(values)


def test_columns_may_be_named_as_those_of_one_model(found):
    named = replace(ENDS, lower="b_lower", upper="b_upper", drop=("id",))
    assert figures(compare(wide(), named, models=("a", "b", "c"))) == figures(found)


def test_what_differs_between_models_or_is_not_there_by_all_is_left_out_and_told():
    rows = long()
    rows["seconds"] = np.arange(len(rows))
    rows = rows[~((rows["model"] == "b") & (rows["id"] < 103))]
    table, _ = beside_each_other(Table.of(rows), ENDS, "model", ["id"])
    assert (len(table), "seconds" in table) == (117, False)
    assert [str(note) for note in table.notes] == [
        "Rows that not all models have, left out: 3.",
        "Columns that differ between models of one row, left out: seconds.",
    ]


def test_keys_with_several_labels_are_told_with_one_of_them():
    rows = long("abc").sort_values("id")
    rows.loc[(rows["model"] == "a") & rows["id"].between(110, 113), "y"] += 1.0
    rows = rows[~((rows["model"] == "b") & (rows["id"] < 103))]
    table, _ = beside_each_other(Table.of(rows.reset_index(drop=True)), ENDS, "model", ["id"])
    labels, others = table.notes
    assert labels == (
        "Rows of one 'id' of which not all models have the same label, left out: 12, for example "
        "of id 110."
    )
    assert (len(table), others) == (113, "Rows that not all models have, left out: 6.")
    assert "110" not in table.notes[0].without_cells()


def test_what_differs_between_models_may_be_dropped_and_read_but_not_used():
    rows = long("abc", said="x").assign(said=lambda of: of["model"] + of["g"])
    rows["lower"] = [f"{value}" if at else "-?-" for at, value in enumerate(rows["lower"])]
    settings = replace(ENDS, drop=("said", "model"), numeric=("lower",), missing_in={"g": ["z"]})
    told = compare(rows, settings, model_column="model", key="id")
    rest = wide()[wide()["id"] != rows["id"].iloc[0]]
    without = compare(rest, replace(ENDS, drop=("id",)), models=("a", "b", "c"))
    assert told.settings["numeric"] == ["lower"]
    assert told.settings["drop"] == ["said", "model"]
    for name, values in figures(without).items():
        assert figures(told)[name] == pytest.approx(values)
    for use in ({"features": ("x", "said")}, {"weight": "lower"}, {"audit_only": ("model",)}):
        with pytest.raises(InputError, match="has another value for each model, and none for"):
            compare(rows, replace(ENDS, **use), model_column="model", key="id")


def test_a_key_may_be_several_columns(found):
    rows = long().assign(half=lambda of: of["id"] % 2, id=lambda of: of["id"] // 2)
    table, _ = beside_each_other(Table.of(rows), ENDS, "model", ["id", "half"])
    assert (len(table), table.notes) == (120, ())
    told = compare(rows, ENDS, model_column="model", key=("id", "half"))
    assert told.settings["key"] == ["id", "half"]
    for name, values in figures(told).items():
        assert values == pytest.approx(figures(found)[name])


def test_rows_of_which_a_model_said_nothing_are_left_out_for_all():
    table = wide().drop(columns="id")
    table.loc[:9, "b_lower"] = np.nan
    found = compare(table, ENDS, models=("a", "b"))
    assert any(
        note == "Rows of which some model said nothing, left out: 10." for note in found.notes
    )
    rest = compare(table[10:], ENDS, models=("a", "b"))
    assert figures(found) == figures(rest)


@pytest.mark.parametrize(
    ("table", "settings", "options", "told"),
    [
        (
            wide(),
            ENDS,
            {"models": ["a"]},
            "there is one model, 'a', and nothing to compare it with",
        ),
        (
            wide(),
            ENDS,
            {"models": ["a", "z"]},
            "no column of 'lower' by model 'z'; call it z_lower",
        ),
        (wide(), AuditSettings(target="y"), {"models": ["a", "b"]}, "nothing is said of what the"),
        (long(), ENDS, {"model_column": "modell"}, "there is no column 'modell'"),
        (long(), ENDS, {"model_column": "model", "models": ["a", "d"]}, "no model 'd'"),
        (
            long().assign(y=[*range(40)] * 6),
            ENDS,
            {"model_column": "model", "key": "g"},
            "has several rows alike in 'g' and the label; name a column that tells rows apart",
        ),
        (long("a"), ENDS, {"model_column": "model"}, "there is one model, 'a'"),
        (wide(), ENDS, {"key": ("id", "x")}, "a key, here 'id', 'x', brings .* the model column"),
        (
            long().assign(noise=np.arange(240)),
            ENDS,
            {"model_column": "model"},
            "no row is there by all of the models .* name a column that tells which rows are one",
        ),
        (
            long().assign(y=np.arange(240.0)),
            ENDS,
            {"model_column": "model", "key": "id"},
            "no row is there by all of the models .*, as rows go by 'id' and the label",
        ),
        (wide(), ENDS, {"models": ["a", "b"], "seeds": 2}, "2 seeds would all be the same"),
        (wide(), ENDS, {"models": ["a", "b"], "remedies": ["ifacm"]}, "leave out remedies and"),
    ],
)
def test_what_does_not_fit_is_refused(table, settings, options, told):
    with pytest.raises(InputError, match=told):
        compare(table, settings, **options)


@pytest.mark.parametrize("models", [("a", "b"), pytest.param(("b", "a"), marks=pytest.mark.long)])
@pytest.mark.long
def test_predictions_are_calibrated_over_seeds_as_in_audits(models):
    table = wide(240).drop(columns="id")
    table["pred_a"], table["pred b"] = table["x"], 0.5 * table["x"]
    settings = AuditSettings(target="y", prediction="pred", features=("x", "g"), seed=5)
    found = compare(table, settings, models=models, seeds=2)
    own = {"a": "pred_a", "b": "pred b"}
    for row in (row for row in found.rows if row.segment == "test"):
        alone = replace(settings, prediction=own[row.remedy], seed=row.seed, remedies=("none",))
        same = audit(table, alone).row("test", "base")
        assert (row.accuracy, row.inefficiency) == (same.accuracy, same.inefficiency)


def test_sets_of_classes_that_the_first_model_does_not_know_are_refused():
    table = wide().assign(y=lambda rows: np.where(rows["x"] > 0, "p", "q"))
    table["said_a"], table["said_b"] = "p; q", np.where(table["x"] > 0, "p", "p; r")
    settings = AuditSettings(target="y", label_set="said", features=("x", "g"))
    with pytest.raises(InputError, match=r"sets of model 'b' hold classes .*: r; mend"):
        compare(table, settings, models=("a", "b"))
    assert compare(table, settings, models=("b", "a")).remedies == ["b", "a"]


def test_a_key_is_no_feature(found):
    told = compare(long("abc"), ENDS, models=("a", "b", "c"), model_column="model", key="id")
    for name, values in figures(found).items():
        assert figures(told)[name] == pytest.approx(values)


def test_models_that_are_not_asked_for_leave_no_row_out():
    rows = long("abc")
    rows = rows[~((rows["model"] == "c") & (rows["id"] < 110))]
    table, names = beside_each_other(Table.of(rows), ENDS, "model", (), ["b", "a"])
    assert (len(table), names, table.notes, "c_lower" in table) == (120, ["b", "a"], (), False)
