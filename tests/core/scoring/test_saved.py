"""Predictors written down: the run's sets to the last digit, read by numpy alone, or refused."""

import datetime as dt
import json
import subprocess
import sys
from pathlib import Path

import damaging
import jsonschema
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import stats
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from statsmodels.stats.proportion import proportion_confint

from evencover.core import (
    AuditSettings,
    InductiveConformalPredictor,
    InputError,
    LabelConditional,
    NormalizedMeasure,
    QuantileMeasure,
    ScoringMeasure,
    audit,
)
from evencover.core.report.card import model_card
from evencover.core.rows.outcomes import IntervalSets
from evencover.core.scoring import SavedPredictor, arithmetic, file, load
from evencover.core.scoring.predictor import schema
from evencover.core.tables.plain_columns import plain_columns
from evencover.core.tables.table import Table
from evencover.core.watching.intake import Watch
from evencover.core.watching.state import WatchState

KEPT = Path(__file__).parent / "kept"
OF_NUMBERS = ("ifacm", "quantile", "quantile-pairs", "quantile-trees", "mondrian:c", "mondrian:x")
OF_NUMBERS += ("mondrian:k", "groups:c+x+d", "groups:c+k+x > 0", "two-sided", "auto")
OF_NUMBERS += ("ifacm-smooth", "ifacm-crossfitted", "ifacm-floor")
OF_CLASSES = ("ifacm", "quantile-trees", "mondrian:c", "label", "label:c", "groups:c+x", "auto")


@pytest.fixture(scope="module")
def rows():
    """Numbers, some missing, categories, rare and missing, dates, codes; labels of two kinds."""
    rng, n = np.random.default_rng(0), 1500
    made = pd.DataFrame({"x": rng.normal(size=n), "z": rng.exponential(size=n)})
    made.loc[rng.random(n) < 0.05, "z"] = np.nan
    made["c"] = rng.choice(["a", "b", "ü, ö", "rare", None], n, p=[0.4, 0.3, 0.265, 0.005, 0.03])
    hours = pd.to_timedelta(rng.integers(0, 900 * 24, n), unit="h")
    made["d"], made["k"] = pd.to_datetime("2020-01-01") + hours, rng.integers(1, 6, n)
    noise = rng.normal(size=n) * (0.3 + (made["c"] == "b") + np.abs(made["x"]) ** 1.5)
    made["y"] = np.exp(1.0 + 0.3 * made["x"] + 0.2 * noise)
    of = made["x"] + noise
    made["kind"] = np.select([of > 1.0, of < -1.0], ["high", "low"], "middle")
    said = np.exp(-np.abs(of.to_numpy()[:, None] - [2.0, -2.0, 0.0]))
    made[["p_high", "p_low", "p_middle"]] = said / said.sum(axis=1, keepdims=True)
    made["guess"], made["spread"] = made["y"] + 0.1 * noise.abs() + 0.1, rng.exponential(size=n)
    made.loc[3, "spread"] = 0.0
    made["from"], made["to"] = made["guess"] - 1.0, made["guess"] + 1.0
    return made


OUTPUTS = ("p_high", "p_low", "p_middle", "guess", "spread", "from", "to")
NUMBER = {"target": "y", "drop": ("kind", *OUTPUTS)}
CLASS = {"target": "kind", "drop": ("y", *OUTPUTS)}
GIVEN = ("p_high", "p_low", "p_middle")
ENDS = ("from", "to")

FEW = {
    "linear": {**NUMBER, "remedies": ("ifacm", "quantile-trees", "groups:c+x > 0", "two-sided")},
    "capped": {**NUMBER, "log_target": True, "cap_width": 0.2, "remedies": ("quantile-pairs",)},
    "adaptive": {**CLASS, "measure": "aps", "never_empty": True, "remedies": ("label:c",)},
    "given": {
        "target": "y",
        "prediction": "guess",
        "sigma": "spread",
        "drop": ("kind", *GIVEN, *ENDS),
    }
    | {"remedies": ("ifacm", "mondrian:d")},
    "shares": {"target": "kind", "probabilities": GIVEN, "drop": ("y", "guess", "spread", *ENDS)}
    | {"measure": "aps", "remedies": ("ifacm",)},
}
ALL = {
    f"{model} {measure}": {**of, "model": model, "measure": measure, "remedies": remedies}
    for model in ("linear", "boosting")
    for of, measures, remedies in (
        (NUMBER, ("normalized", "standard", "quantiles"), OF_NUMBERS),
        (CLASS, ("scoring", "aps"), OF_CLASSES),
    )
    for measure in measures
} | {
    "trees in layers": {**NUMBER, "ifacm_estimator": "trees", "remedies": ("ifacm",)},
    "one end": {**NUMBER, "below": 0.02, "remedies": ("two-sided",)},
    "log of a prediction": {**FEW["given"], "log_target": True},
    "quantiles of a model": {"target": "y", "quantiles": ENDS, "drop": ("kind", *OUTPUTS[:5])}
    | {"remedies": ("two-sided", "ifacm")},
    "codes": {**NUMBER, "categorical": ("k",), "audit_only": ("c",), "remedies": ("groups:k",)},
}


@pytest.fixture(scope="module")
def result(rows):
    return audit(rows, AuditSettings(**FEW["linear"]))


def test_a_read_predictor_gives_the_run_s_own_sets(rows, result):
    assert [*result.saved] == ["base", *FEW["linear"]["remedies"]]
    check_equal(rows, result)


@pytest.mark.long
@pytest.mark.parametrize("name", [*FEW, *ALL])
def test_each_base_measure_remedy_threshold_rule_and_task(rows, name):
    asked = AuditSettings(**(FEW | ALL)[name])
    result = audit(rows, asked)
    assert [*result.saved] == ["base", *asked.remedies]
    check_equal(rows, result)


def check_equal(rows, result):
    """Compare sets of all test rows, and of one by itself, of tables and of plain arrays."""
    places = result.test_rows.rows
    table, arrays = Table.of(rows).rows(places), {name: rows[name].to_numpy() for name in rows}
    for name, saved in result.saved.items():
        read, sets = SavedPredictor.of_bytes(saved.to_bytes(), name), result.test_rows.sets[name]
        for of_run, of_file in zip(
            vars(sets).values(), read.sets(plain_columns(table)), strict=True
        ):
            np.testing.assert_array_equal(of_run, of_file)
        found = read.predict({name: of[places] for name, of in arrays.items()})
        if isinstance(sets, IntervalSets):
            np.testing.assert_array_equal(found["lower"], sets.lower)
            np.testing.assert_array_equal(found["upper"], sets.upper)
        else:
            classes = np.array(read.label.classes)
            assert [json.loads(one) for one in found["set"]] == [
                classes[row].tolist() for row in sets.members
            ]
        alone = read.predict({name: of[places[:1]] for name, of in arrays.items()})
        assert {name: of[0] for name, of in alone.items()} == {
            name: of[0] for name, of in found.items()
        }


def test_what_is_new_in_a_row_is_counted(rows, result):
    new = rows.iloc[[0, 1, 2, 3]].copy()
    new.loc[new.index[1], "x"] = 99.0
    new.loc[new.index[2], ["c", "x"]] = ["never", -99.0]
    saved = result.predictor("groups:c+x > 0")
    found = saved.predicted(plain_columns(Table.of(new)))
    was = saved.predicted(plain_columns(Table.of(rows.iloc[:4])))
    assert (found.columns["new"] - was.columns["new"]).tolist() == [0, 1, 2, 0]
    assert (found.new["x"], found.columns["group"][2]) == (2, "c: (new) and x > 0: outside")
    assert found.columns["upper"][2] == np.inf  # nothing is promised for it


READS = """
import json, sys
sys.modules |= dict.fromkeys(("pandas", "sklearn", "scipy", "streamlit", "pyarrow", "narwhals"))
import numpy as np
from evencover.core.scoring import load
rows = {name: values for name, values in json.load(open(sys.argv[2])).items()}
found = load(sys.argv[1]).predict(rows)
print(json.dumps({name: values.tolist() for name, values in found.items()}))
"""


def assert_is_what_test_rows_say(result, rows):
    """Test rows, watched as if they were new, are counted as the reference has them."""
    for name, saved in result.saved.items():
        watch, of = Watch(saved), saved.reference
        new = Table.of(rows.iloc[result.test_rows.rows])
        state, added = watch.added(new, WatchState(watch.fingerprint))
        again = watch.reference_of(state)
        correct = result.test_rows.outcomes[name].correct
        assert (
            (of.held, of.missed) == (again.held, again.missed) == (correct.sum(), (~correct).sum())
        )
        searched = result.test_rows.searched.holds  # whose rules are judged on one half alone
        for before, now in zip(of.groups, again.groups, strict=True):
            assert before == now or (before.by.name in searched and before.missed <= now.missed)
        assert (added.rows, added.unlabelled, added.lacking) == (len(new), 0, frozenset())
        if of.ranks:
            assert sum(of.ranks) == result.data.calibration + 1
            (own,) = vars(saved.thresholds)["values"]
            below = of.ranks[: 1 + of.levels.index(own)]
            assert sum(below) <= (result.data.calibration + 1) // 10  # less where scores are tied
        counts = {sum(column.counts) for column in of.columns}
        assert counts <= {result.data.calibration + result.data.test}


def test_what_newer_rows_are_set_beside_is_what_test_rows_say(rows, result):
    assert_is_what_test_rows_say(result, rows)


@pytest.mark.long
@pytest.mark.parametrize("name", FEW)
def test_whatever_it_is_of(rows, name):
    cohorts = {"cohorts": (("high", "x > 0.5"), ("b", "c = b")), "audit_only": ("k",)}
    settings = AuditSettings(**FEW[name] | cohorts)
    found = audit(rows, settings)
    assert_is_what_test_rows_say(found, rows)
    known = found.saved[found.names[-1]].reference.groups
    groups = {each.by.name: (each.held, each.missed) for each in known}
    for row in found.segments:
        if (row.predictor, row.kind, row.value) == (found.names[-1], "cohort", "inside"):
            held = round(row.accuracy * row.n)
            assert groups[row.rule] == (held, row.n - held)


def test_rare_texts_which_may_be_a_single_row_s_are_not_in_a_file(rows, result):
    (of_c,) = (each for each in result.predictor("base").design.columns if each.column == "c")
    assert of_c.levels == ("a", "b", "ü, ö", "(missing)", "(rare)")
    assert sorted(of_c.texts) == ["(missing)", "a", "b", "ü, ö"]
    said = result.predictor("base").predicted(plain_columns(Table.of(rows)))
    assert said.new["c"] == (rows["c"] == "rare").sum()


@pytest.mark.parametrize("name", sorted(path.stem for path in KEPT.glob("*.evencover")))
def test_a_file_that_was_kept_is_read_in_a_fresh_process_by_numpy_alone(name):
    kept = KEPT / f"{name}.evencover"
    if name != "numbers":  # a process takes long to start
        said = json.loads(kept.with_suffix(".json").read_text())
        found = load(kept).predict(said["rows"])
        assert {name: of.tolist() for name, of in found.items()} == said["predicted"]
        return
    said = json.loads(kept.with_suffix(".json").read_text())
    rows = kept.with_suffix(".rows.json")
    code = [sys.executable, "-c", READS, str(kept), str(rows)]
    done = subprocess.run(code, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert json.loads(done.stdout) == said["predicted"]


def test_damaged_files_are_refused_or_equal():
    kept = [*KEPT.glob("*.evencover")]
    said = [json.loads(path.with_suffix(".json").read_text()) for path in kept]
    damaging.MARK.unlink(missing_ok=True)
    faults = [
        damaging.fault(of, way, said[number]["rows"], said[number]["predicted"])
        for number, way, of in damaging.drawn([path.read_bytes() for path in kept], 300, seed=2)
    ]
    assert [each for each in faults if each] == []
    assert not damaging.MARK.exists()


def test_a_file_says_how_often_it_held_the_label_and_by_which_law(result):
    about = {name: saved.about for name, saved in result.saved.items()}
    n, rank = result.data.calibration, (result.data.calibration + 1) // 10
    for name in ("base", "ifacm", "quantile-trees"):
        correct = result.test_rows.outcomes[name].correct
        ends = proportion_confint(correct.sum(), len(correct), method="wilson")
        told = [about[name]["coverage"][key] for key in ("test", "low", "high")]
        assert told == pytest.approx([correct.mean(), *ends])
        assert about[name]["law_of_coverage"] == {"beta": [n + 1 - rank, rank]}
    several = [about[name]["law_of_coverage"] for name in ("groups:c+x > 0", "two-sided")]
    assert several == [None, None]


def test_file_card_and_advice_know_one_law_of_rows_that_may_be_alike():
    """Twelve rows of a time are alike, and those of later times are further off."""
    rng, time = np.random.default_rng(0), np.repeat(np.arange(50), 12)
    y = (rng.normal(size=600) + rng.normal(size=50)[time]) * (1.0 + (time / 8) ** 2)
    rows = pd.DataFrame({"y": y, "x": rng.normal(size=600), "time": time})
    found = audit(rows, AuditSettings(target="y", time="time", remedies=("none",)))
    law = stats.beta(*found.predictor().about["law_of_coverage"]["beta"])
    low, high = 100.0 * law.ppf([0.025, 0.975])
    assert sum(law.args) < found.data.calibration / 2
    drawn = model_card(found)["promise"].sentences[1]
    assert f"between {low:.1f} and {high:.1f} % in 95 of 100" in drawn
    assert f"between {low:.1f} and {high:.1f} % in 95 of 100" in found.advice


def test_what_is_too_large_to_be_read_is_not_written(result, monkeypatch):
    monkeypatch.setattr(file, "_MOST_BYTES", 3_000)
    with pytest.raises(InputError, match=r"predictor has 0 MB in \d+ parts, and what is saved at"):
        result.predictor("base").to_bytes()


def test_the_published_schema_holds_for_a_file_and_for_no_other(result):
    content = result.predictor("groups:c+x > 0").to_bytes()
    header = json.loads(damaging.members_of(content)["predictor.json"])
    jsonschema.validate(header, schema())
    for changed in ({"confidence_level": "0.9"}, {"thresholds": {"kind": "of-none"}}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**header, **changed}, schema())


@pytest.mark.parametrize(
    "measure",
    [
        NormalizedMeasure(),
        ScoringMeasure(),
        pytest.param(QuantileMeasure(), marks=pytest.mark.long),
    ],
)
def test_a_predictor_of_bare_arrays_gives_its_own_sets_again(rows, measure, tmp_path):
    X, y = rows[["x", "k"]].to_numpy(dtype=float), rows["y"].to_numpy()
    y = (y > np.median(y)).astype(int) if measure.task == "classification" else y
    icp = InductiveConformalPredictor(measure).fit(X[:600], y[:600]).calibrate(X[600:], y[600:])
    icp.save(tmp_path / "it.evencover")
    found = load(tmp_path / "it.evencover").predict({"x0": X[:, 0], "x1": X[:, 1]})
    sets = icp.predict(X)
    if measure.task == "classification":
        assert [*map(json.loads, found["set"])] == [
            [str(name) for name, inside in zip((0, 1), row, strict=True) if inside]
            for row in sets.members.tolist()
        ]
    else:
        assert found["lower"].tolist() == sets.lower.tolist()
        assert found["upper"].tolist() == sets.upper.tolist()


def test_a_remedy_of_bare_arrays_gives_its_own_sets_again(rows):
    X, y = rows[["x", "k"]].astype(float), rows["kind"].to_numpy()
    icp = InductiveConformalPredictor(LabelConditional(ScoringMeasure(), "k"))
    icp.fit(X[:600], y[:600]).calibrate(X[600:], y[600:])
    classes = np.array(["high", "low", "middle"], dtype=object)
    held = [*map(json.loads, icp.saved().predict(X)["set"])]
    assert held == [classes[row].tolist() for row in icp.predict(X).members]


@pytest.mark.long
def test_another_model_is_not_written_but_named_and_its_outputs_come_as_columns(rows):
    X, y = rows[["x", "k"]].astype(float), (rows["y"] > 3.0).astype(int)
    forest = RandomForestClassifier(20, min_samples_leaf=9, random_state=0).fit(X[:600], y[:600])
    measure = ScoringMeasure(FrozenEstimator(forest))
    icp = InductiveConformalPredictor(measure).fit(X[:600], y[:600]).calibrate(X[600:], y[600:])
    saved = icp.saved()
    assert saved.scores.said == ("probability_0", "probability_1")
    known = f"RandomForestClassifier of sklearn {sklearn.__version__}, by x, k"
    assert saved.scores.log_probabilities.by == known
    told = dict(zip(saved.scores.said, forest.predict_proba(X).T, strict=True))
    held = [{*map(int, json.loads(each))} for each in saved.predict(told)["set"]]
    assert held == [{*np.flatnonzero(row)} for row in icp.predict(X).members]
    line = NormalizedMeasure(FrozenEstimator(DummyRegressor().fit(X, y)))
    result = audit(rows.head(300), AuditSettings(**NUMBER, remedies=("none",)), measure=line)
    with pytest.raises(InputError, match=r"the model of this audit says \(prediction\) cannot"):
        result.predictor()


def test_what_cannot_be_saved_is_told(rows):
    asked = AuditSettings(**NUMBER, ifacm_estimator="knn", remedies=("ifacm",))
    result = audit(rows.head(200), asked)
    with pytest.raises(InputError, match="nearest neighbours cannot be saved"):
        result.predictor("ifacm")
    assert result.predictor("base").name == "base"
    with pytest.raises(InputError, match="no predictor 'none' to save; choose one of base, ifacm"):
        result.predictor("none")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"x": None}, "there is no column 'x', which the predictor takes"),
        ({"x": ["1", "2,5"]}, "column 'x' holds '1' in row 1, where the predictor wants a number"),
        ({"x": [1.0, "x"]}, "column 'x' holds 'x' in row 2, where the predictor wants a number"),
        ({"d": [1.0, 2.0]}, "column 'd' holds '1.0' in row 1, where the predictor wants a date"),
        ({"d": ["2020-01-01", "13/1/20"]}, "column 'd' holds '13/1/20' in row 2, where the pred"),
        ({"d": ["2020-01-01", "now"]}, "column 'd' holds 'now' in row 2, where the predictor"),
        ({"d": [None, "2020-01-01T12:00+02:00"]}, "column 'd' holds '2020-01-01T12:00+02:00' in"),
        ({"x": np.array([1.0, np.inf])}, "column 'x' holds inf in row 2, which is too large"),
        ({"x": [1.0, 1e200]}, "column 'x' holds 1e+200 in row 2, which is too large"),
        ({"x": 1.0}, "column 'x' has no value for each row"),
        ({"x": np.ones((2, 2))}, "column 'x' has no value for each row"),
        ({"c": ["a"]}, "columns 'x', 'c' have different numbers of rows"),
    ],
)
def test_plain_columns_that_do_not_fit_are_refused(rows, result, changed, sentence):
    saved = result.predictor("base")
    two = {name: rows[name].iloc[:2].tolist() for name in saved.columns} | changed
    given = {name: values for name, values in two.items() if values is not None}
    with pytest.raises(InputError) as error:
        SavedPredictor.predict(saved, given)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ({"x": np.ma.masked_array([9.0, 1.0], [True, False])}, {"x": [np.nan, 1.0]}),
        ({"c": [b"a", "b"]}, {"c": ["a", "b"]}),
        ({"c": np.array(["ü, ö".encode(), b"b"])}, {"c": ["ü, ö", "b"]}),
        (
            {"d": pd.Series(pd.to_datetime(["2021-01-01 23:30"] * 2)).dt.tz_localize("Asia/Tokyo")},
            {"d": ["2021-01-01T23:30"] * 2},  # by the local clock, as in a run
        ),
        ({"d": [dt.time(9, 5), "18:30:01"]}, {"d": ["1970-01-01 09:05", "1970-01-01 18:30:01"]}),
    ],
)
def test_plain_columns_mean_the_same_whatever_they_are_of(rows, result, given, means):
    saved = SavedPredictor.of_bytes(result.predictor("groups:c+x > 0").to_bytes(), "kept")
    two = {name: rows[name].iloc[:2].tolist() for name in saved.columns}
    found, wanted = saved.predict({**two, **given}), saved.predict({**two, **means})
    assert {n: of.tolist() for n, of in found.items()} == {
        n: of.tolist() for n, of in wanted.items()
    }


def test_with_weights_a_row_counts_as_an_average_calibration_row(rows):
    weighted = rows[["x", "c", "y"]].head(500).assign(w=1.0 + np.arange(500) % 7)
    asked = AuditSettings(target="y", weight="w", remedies=("mondrian:c",))
    result = audit(weighted, asked)
    for saved in map(result.predictor, result.saved):
        assert "each counts as an average calibration row" in saved.guarantee
        held = saved.predict(weighted.iloc[result.test_rows.rows])
        inside = (held["lower"] <= held["y"]) & (held["y"] <= held["upper"])
        assert np.average(inside, weights=held["w"]) == pytest.approx(0.9, abs=0.06)


def test_linear_scores_do_not_hang_on_how_numbers_lie_in_memory():
    rng = np.random.default_rng(0)
    X, slopes = rng.normal(size=(200, 11)), rng.normal(size=(3, 11))
    for one, strided in zip(slopes, np.asfortranarray(slopes), strict=True):
        found = arithmetic.linear_predictor(np.asfortranarray(X), strided, 0.1)
        assert found.tolist() == arithmetic.linear_predictor(X, one, 0.1).tolist()


def test_rows_have_the_digests_that_pandas_has():
    X = np.random.default_rng(0).normal(size=(100, 7))
    for columns in (X, X[:, :1], X[:, :0]):
        hashed = pd.util.hash_pandas_object(pd.DataFrame(columns), index=False).to_numpy()
        assert arithmetic.digests(columns).tolist() == hashed.tolist()
    assert arithmetic.mixed(hashed).tolist() == pd.util.hash_array(hashed).tolist()
