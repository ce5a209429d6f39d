"""A row in a form, against the sets, layers and neighbours of an audit's own test rows."""

import math
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit
from evencover.core.exploration.one_row import asked_of, predict_row
from evencover.core.scoring import SavedPredictor

pytestmark = pytest.mark.long


def draw(rows=500, seed=1):
    """Noise that is wider for a larger x and in one of two places."""
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(2, rows)).round(2)
    place = rng.choice(["Ayr", "Bude"], size=rows, p=[0.7, 0.3])
    wide = np.exp(0.8 * x) * (1.0 + 2.0 * (place == "Bude")) * rng.normal(size=rows)
    kind = np.array(["low", "mid", "top"])[
        np.argmax(rng.gumbel(size=(rows, 3)) + x[:, None] * [0, 1, 2], 1)
    ]
    return pd.DataFrame({"x": x, "w": w, "place": place, "y": (x + wide).round(2), "kind": kind})


@pytest.fixture(scope="module")
def numbers():
    remedies = ("ifacm", "quantile", "mondrian:place")
    asked = {"penalty": 0.0, "drop": ("kind",), "measure": "standard", "remedies": remedies}
    return audit(draw(), AuditSettings(target="y", **asked))


@pytest.fixture(scope="module")
def classes():
    asked = {
        "penalty": 0.0,
        "drop": ("y",),
        "remedies": ("ifacm", "label"),
        "confidence_level": 0.7,
    }
    return audit(draw(), AuditSettings(target="kind", **asked))


def threshold(saved):
    return vars(saved.thresholds)["values"][0]


def values_of(result, place, *columns):
    return result.test_rows.table.frame.iloc[place][[*columns]].to_dict()


def moved(result, name):
    """The test row that layers change most."""
    return int(np.abs(result.test_rows.steps[name]).sum(axis=0).argmax())


def test_a_rows_intervals_are_those_of_the_run_and_its_layers_widen_as_their_steps_say(numbers):
    place = moved(numbers, "ifacm")
    steps = numbers.test_rows.steps["ifacm"][:, place]
    values = values_of(numbers, place, "x", "w", "place")
    found = predict_row(numbers.saved["ifacm"], values, numbers)
    for _, told in found.sets.iterrows():
        own = numbers.test_rows.sets[told["predictor"]]
        assert (told["lower"], told["upper"]) == (own.lower[place], own.upper[place])
    names = "before", "threshold", *(f"layer {i + 1}" for i in range(len(steps)))
    assert found.why["part"].tolist() == [*names]
    ends = [numbers.test_rows.sets[name].sizes[place] for name in ("base", "ifacm")]
    assert found.why["width"].tolist()[:: len(steps) + 1] == pytest.approx(ends)
    thresholds = (threshold(numbers.saved[name]) for name in ("base", "ifacm"))
    factors = [math.exp(np.subtract(*thresholds)), *np.exp(steps)]
    assert found.why["times as wide"].tolist()[1:] == pytest.approx(factors)
    assert max(abs(steps)) > 0.05
    assert found.new == []


def features(saved):
    """Its design columns, of which each column of the table has one."""
    assert len(saved.design.kept) == len(saved.design.columns)
    return [each.column for each in saved.design.columns]


def test_an_adjustment_is_told_beside_that_of_an_average_row(numbers):
    saved = numbers.saved["quantile"]
    average = {name: mean for name, (_, mean, _) in asked_of(saved).items()}
    rows = [average, average | {"x": average["x"] + 2.0}]
    one, other = (predict_row(saved, row, numbers).why for row in rows)
    assert other["part"].tolist() == ["before", "threshold", "adjustment"]
    widened = [np.log(why["times as wide"][2]) for why in (one, other)]
    (linear,), place = saved.scores.shifts, features(saved).index("x")
    slope = linear.slopes[place] / saved.design.scale[place]
    assert widened[1] - widened[0] == pytest.approx(2.0 * slope)
    assert abs(slope) > 0.05


def test_a_groups_threshold_widens_and_what_is_new_is_told(numbers):
    saved = numbers.saved["mondrian:place"]
    assert asked_of(saved)["place"] == ("category", "Ayr", ("Ayr", "Bude"))
    place = numbers.test_rows.table.frame["place"].tolist().index("Bude")
    found = predict_row(saved, values_of(numbers, place, "x", "w", "place"), numbers)
    assert found.why["part"].tolist() == ["before", "its group's threshold"]
    assert found.why["times as wide"][1] > 1.2
    assert found.sets["group"].tolist()[1:] == ["place: Bude"]
    unknown = predict_row(saved, {"x": 99.0, "w": 0.0, "place": "Cobh"})
    assert unknown.new == ["x", "place"]
    assert unknown.why["width"].tolist() == [math.inf]
    assert unknown.sets["predictor"].tolist() == ["mondrian:place"]
    assert unknown.alike is None
    with pytest.raises(InputError, match="column 'x' holds"):
        predict_row(saved, {"x": "wide", "w": 0.0, "place": "Ayr"})


def test_widths_may_be_infinite():
    asked = {"drop": ("kind",), "confidence_level": 0.99, "remedies": ("quantile",)}
    few = audit(draw(rows=120), AuditSettings(target="y", split="60,20,40", **asked))
    found = predict_row(few.saved["quantile"], {"x": 0.0, "w": 0.0, "place": "Ayr"}, few)
    assert found.why["width"].tolist() == [math.inf] * 3
    assert found.why["times as wide"].isna().all()


def test_labels_need_what_the_threshold_and_the_layers_ask_for(classes):
    place = moved(classes, "ifacm")
    values, steps = values_of(classes, place, "x", "w", "place"), classes.test_rows.steps["ifacm"]
    base, ifacm, by_label = (threshold(classes.saved[name]) for name in ("base", "ifacm", "label"))
    wanted = {
        "ifacm": [base, ifacm, *(ifacm - np.cumsum(steps[:, place]))],
        "label": [base, vars(classes.saved["label"].thresholds)["values"]],
    }
    assert by_label == wanted["label"][1][0]
    for name, scores in wanted.items():
        found = predict_row(classes.saved[name], values, classes)
        needed = found.why.drop(columns=["label", "probability"])
        assert [*needed][:2] == ["before", "threshold"]
        for column, score in zip(needed, scores, strict=True):
            assert needed[column].to_numpy() == pytest.approx(np.exp(np.broadcast_to(score, 3)))
        held = found.why["probability"] >= needed.iloc[:, -1]
        assert held.tolist() == classes.test_rows.sets[name].members[place].tolist()
        assert found.why["probability"].sum() == pytest.approx(1.0)


def test_rows_like_it_are_the_nearest_fifth_by_features_in_units_of_their_spread(numbers):
    rows, saved = numbers.test_rows, numbers.saved["ifacm"]
    row = {"x": 1.5, "w": -0.5, "place": "Bude"}
    coded = rows.table.frame.assign(place=rows.table.frame["place"] == "Bude")[features(saved)]
    own = np.array([1.0 if name == "place" else row[name] for name in features(saved)])
    gaps = (coded.to_numpy(float) - own) / saved.design.scale
    nearest = sorted(range(150), key=lambda place: (gaps[place] ** 2).sum())[:30]
    found = predict_row(saved, row, numbers).alike
    assert (len(coded), found.n) == (150, 30)
    for name, figures in found.figures.items():
        assert figures.accuracy == pytest.approx(rows.outcomes[name].correct[nearest].mean())
        assert figures.low < figures.accuracy <= figures.high


def test_a_row_begins_with_means_and_most_frequent_values():
    n = 300
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n) % 100, "D")
    frame = pd.DataFrame(
        {"day": days, "at": [f"{6 + i % 13:02d}:30" for i in range(n)], "x": np.arange(n) % 7}
    )
    frame["mark"] = np.where(np.arange(n) % 3 > 0, "often", None)
    frame["y"] = np.random.default_rng(0).normal(size=n)
    split = ["train"] * 156 + ["calibration", "test"] * 72
    settings = AuditSettings(target="y", split_column="split", remedies=("none",))
    saved = audit(frame.assign(split=split), settings).saved["base"]
    assert isinstance(saved, SavedPredictor)
    assert asked_of(saved) == {
        "day": ("date", datetime(2020, 2, 11), ()),  # noqa: DTZ001 - as the table's
        "at": ("date", datetime(1970, 1, 1, 12, 30), ()),  # noqa: DTZ001
        "x": ("number", 2.968, ()),
        "mark": ("category", "often", ("often", "(missing)")),
    }
    missing = predict_row(saved, {"day": None, "at": None, "x": None, "mark": "(missing)"})
    assert {*missing.new} == {"day", "at", "x"}
