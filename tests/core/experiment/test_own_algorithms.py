"""A person's own remedy and measure, and remedies as objects, go all the way without a registry."""

import json
from dataclasses import replace
from pathlib import Path

import guided
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from evencover import core

pytestmark = pytest.mark.long  # audits of many kinds

SETTINGS = core.AuditSettings(target="y", confidence_level=0.8, seed=3)
NEAREST = core.StandardMeasure(KNeighborsRegressor())
NEIGHBOURS = core.IFACM(estimator=core.NeighboursEstimator())
BOUNDS = {"lower": "x", "upper": "z", "remedies": ("none",)}


class AboutTheMedian(core.ConformityMeasure):
    """One width for all, about the training rows' median."""

    task = "regression"

    def fit(self, X, y=None):  # noqa: ARG002
        self.median_ = float(np.median(X.labels))
        return self

    def score_functions(self, X):
        zeros = np.zeros(len(X))
        return core.IntervalScores(zeros + self.median_, zeros, shift=zeros)


class Wider(core.ScoreAdjustment):
    """Raises scores where a feature is above its mean."""

    title = "wider above the mean"

    def __init__(self, base=None, *, feature=0, by=0.5):
        self.base = base
        self.feature = feature
        self.by = by

    def fit(self, X, y=None, *, on_event=None, should_stop=None):  # noqa: ARG002
        self.base_ = self.base.fit(X, X.labels)
        self.fit_ = core.Fit(terms=1)
        return self

    def adjustment(self, X):
        return np.where(np.asarray(X)[:, self.feature] > 0.0, self.by, 0.0)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 900))
    y = x + np.exp(0.5 * np.sign(z)) * rng.normal(size=900)
    side = np.where(z > 0.0, "wide", "narrow")
    return pd.DataFrame({"x": x, "z": z, "side": side, "w": 1 + (x > 0), "y": y})


@pytest.fixture(scope="module")
def own(table):
    frame = table.drop(columns="w")
    return core.audit(
        frame, SETTINGS, measure=AboutTheMedian(), remedies=[Wider(feature=1), "quantile"]
    )


def test_an_audit_has_its_figures(own):
    assert own.names == ["base", "Wider", "quantile"]
    assert own.settings["measure"] == "AboutTheMedian"
    assert own.settings["remedy"] == ["Wider", "quantile"]
    assert own.predictors[1].title == "wider above the mean"
    wide = {r.predictor: r.accuracy for r in own.segments if r.group == ("side", "wide")}
    assert wide["Wider"] > wide["base"]
    assert own.comparison("Wider").size_ratio_mean > 0.0


def test_its_result_is_shown_everywhere(own, tmp_path):
    plain = json.loads(json.dumps(core.to_json(own)))
    assert "accuracy_adjusted" in plain["segments"][0]
    page = own.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "wider above the mean" in page
    assert own.figure("segments", variable="side").data
    assert "wider above the mean" in repr(own)
    (verdict,) = core.judge(own, ["Wider.coverage < 0.1"])
    assert verdict.outcome == "kept"


@pytest.mark.long
def test_the_guide_s_objects_are_audited(table):
    snippet = guided.snippet("MyRemedy()")
    names = vars(core) | {"model": LinearRegression(), "MyRemedy": Wider, "settings": SETTINGS}
    names["table"] = table.drop(columns="w").rename(columns={"side": "county"})
    exec(snippet, names)  # noqa: S102 - our own text
    assert names["result"].names == ["base", "ifacm@0.2", "quantile", "mondrian:county", "Wider"]


@pytest.mark.long
def test_evencover_s_own_as_objects_are_those_of_their_names(table):
    frame = table.drop(columns="w")
    given = [
        core.IFACM(penalty=0.2),
        core.Mondrian(column="side"),
        core.QuantileAdjustment(),
        core.QuantileAdjustment(),
    ]
    by_object = core.audit(frame, SETTINGS, measure=core.StandardMeasure(), remedies=given)
    names = ("ifacm@0.2", "mondrian:side", "quantile")
    assert by_object.names == ["base", *names, "quantile (2)"]
    standard = replace(SETTINGS, measure="standard", search="paper")
    by_name = core.audit(frame, replace(standard, remedies=names))
    assert by_name.predictors[1].title == "IFACM with C = 0.2"
    for name in names[:2]:
        assert by_object.row("test", name) == by_name.row("test", name)
    plain = by_name.row("test", "quantile")
    assert by_object.row("test", "quantile (2)") == replace(plain, predictor="quantile (2)")
    one = core.audit(frame, replace(standard, penalty=0.2))
    assert one.row("test", "ifacm") == replace(by_name.row("test", "ifacm@0.2"), predictor="ifacm")


@pytest.mark.parametrize(
    ("settings", "given", "code", "quoted"),
    [
        ({"weight": "w"}, {"remedies": [Wider()]}, "weight.not_taken", "remedy 'Wider'"),
        ({"weight": "w"}, {"measure": AboutTheMedian()}, "weight.not_taken", "'AboutTheMedian'"),
        ({"weight": "w"}, {"measure": NEAREST}, "weight.not_taken", "'KNeighborsRegressor' takes"),
        ({"weight": "w"}, {"remedies": [NEIGHBOURS]}, "weight.not_taken", "'ifacm@0.5'"),
        ({}, {"measure": core.ScoringMeasure(), "remedies": []}, "label.too_many_classes", "y"),
        (
            {"task": "regression"},
            {"measure": core.ScoringMeasure()},
            "algorithm.other_task",
            "scoring",
        ),
        ({}, {"remedies": [core.LabelConditional()]}, "option.other_task", "label"),
        ({}, {"remedies": [core.Mondrian(column="county")]}, "column.unknown", "county"),
        (BOUNDS, {"remedies": [Wider()]}, "outputs.no_remedy", "intervals"),
        ({}, {"remedies": [Wider]}, "argument.remedies", "Wider'> is no"),
        ({}, {"remedies": "quantile"}, "argument.remedies", "'quantile' is no"),
        ({}, {"remedies": 3}, "argument.remedies", "3 is no"),
        ({}, {"remedies": [np.int64(3)]}, "argument.remedies", "3 is no list of remedies"),
        ({}, {"measure": Wider()}, "argument.measure", "Wider() is no"),
        *(
            ({field: value}, {"measure": core.ScoringMeasure()}, "measure.idle_option", told)
            for field, value, told in (
                ("model", "boosting", "'model' has no meaning"),
                ("measure", "aps", "'measure' has no meaning"),
                ("never_empty", True, "'never empty' has no meaning"),
            )
        ),
        (
            {"prediction": "x"},
            {"measure": core.StandardMeasure()},
            "measure.idle_option",
            "'prediction'",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(table, settings, given, code, quoted):
    frame = table if "weight" in settings else table.drop(columns="w")
    with pytest.raises(core.InputError) as refused:
        core.audit(frame, replace(SETTINGS, **settings), **given)
    assert refused.value.sentence.code == code
    assert quoted in str(refused.value)


@pytest.mark.parametrize("given", ["d.csv", Path("d.csv"), None, [], 3, pd.Series([1.0])])
def test_what_is_no_table_or_no_settings_is_told(table, given):
    kind = type(given).__name__
    with pytest.raises(core.InputError, match=f"table is of type {kind}; give a data frame"):
        core.audit(given, SETTINGS)
    with pytest.raises(core.InputError, match=f"settings are of type {kind}; give them as Audit"):
        core.audit(table, given)


def test_a_table_of_any_library_is_audited(table):
    few = table.head(300).drop(columns="w")
    frame = pa.Table.from_pandas(few, preserve_index=False)
    plain = replace(SETTINGS, remedies=("none",), measure="standard")
    accuracy = core.audit(frame, plain).row("test", "base").accuracy
    assert accuracy == core.audit(few, plain).row("test", "base").accuracy


class Forgetful(Wider):
    """Adjusts without saying over which base measure."""

    fit = core.Remedy.fit

    def adjust(self, *_):
        return core.Fit()


def test_a_remedy_that_sets_no_base_measure_is_told(table):
    with pytest.raises(NotImplementedError, match="adjust of Forgetful sets no base_"):
        core.audit(table.drop(columns="w"), SETTINGS, remedies=[Forgetful()])


def test_a_remedy_without_its_parts_is_refused():
    class Untitled(core.Remedy):
        base = None

    class Baseless(core.Remedy):
        title = "mine"

    frame = pd.DataFrame({"x": np.arange(300.0), "y": np.arange(300.0) % 7})
    for remedy in (Untitled(), Baseless()):
        with pytest.raises(core.InputError, match="has no title, or no parameter base"):
            core.audit(frame, core.AuditSettings(target="y"), remedies=[remedy])
