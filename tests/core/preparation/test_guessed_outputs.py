"""Columns that look like what a user's own model said."""

import numpy as np
import pandas as pd
import pytest

from evencover.core.preparation.guessed_outputs import guess_label, guess_outputs
from evencover.core.tables.table import Table

N = 200
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
Y = X + 0.5 * RNG.normal(size=N)
NUMBERS = pd.DataFrame({"y": Y, "x": X, "age": RNG.integers(0, 9, N)})
HIGH = 1.0 / (1.0 + np.exp(-X))
CLASSES = pd.DataFrame({"x": X, "y": np.where(RNG.random(N) < HIGH, "High", "Low")})


@pytest.mark.parametrize(
    ("columns", "label"),
    [
        (["a", "target", "b"], "target"),
        (["Price", "b"], "Price"),
        (["label", "target"], "target"),
        (["a", "b"], "b"),
    ],
)
def test_the_label_is_known_by_its_name_or_is_the_last(columns, label):
    assert guess_label(Table.of(pd.DataFrame(columns=columns))) == label


def test_behind_the_label_may_be_what_a_model_said():
    cost = NUMBERS[["x", "age"]].assign(cost=Y)
    kind = CLASSES[["x"]].assign(kind=CLASSES["y"])
    sets = np.where(np.abs(X) < 0.5, "Low; High", np.where(X > 0.0, "High", "Low"))
    for frame, said, label in (
        (cost, {"pred": X, "sd": 1.0}, "cost"),
        (cost, {"lower": X - 1.0, "upper": X + 1.0}, "cost"),
        (cost, {"upper": X - 1.0}, "upper"),  # values do not bear it out
        (cost, {"share": HIGH}, "share"),
        (kind, {"p_Low": 1.0 - HIGH, "p_High": HIGH}, "kind"),
        (kind, {"a": 1.0 - HIGH, "b": HIGH}, "b"),
        (kind, {"set": sets}, "kind"),
        (kind, {"which": sets}, "kind"),
        (cost, {"5%": X - 1.0, "95%": X + 1.0}, "cost"),
    ):
        assert guess_label(Table.of(frame.assign(**said))) == label


def guessed(frame, **columns):
    return guess_outputs(Table.of(frame.assign(**columns)), "y")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("lower", "upper"), True),
        (("Price_LO", "price_hi"), True),
        (("lwr.90", "upr.90"), True),
        (("LowerBound", "UpperBound"), True),
        (("pi_l", "pi_u"), True),
        (("slow", "shigh"), False),
        (("left_out", "right_out"), False),
    ],
)
def test_ends_of_intervals(names, found):
    low, high = names
    guesses = guessed(NUMBERS, **{high: X + 1.0, low: X - 1.0})
    assert guesses == ([{"lower": low, "upper": high}] if found else [])


def test_ends_that_do_not_hold_the_label_are_none():
    assert guessed(NUMBERS, lower=X + 3.0, upper=X + 4.0) == []
    assert guessed(NUMBERS, lower=X + 1.0, upper=X - 1.0) == []
    assert guessed(NUMBERS, lower="a", upper="b") == []


def test_predictions_and_their_spread():
    spread = {"prediction": "y_hat", "sigma": "pred_sd"}
    assert guessed(NUMBERS, y_hat=X, pred_sd=0.5) == [spread]
    assert guessed(NUMBERS, y_hat=X, pred_sd=0.0) == [{"prediction": "y_hat"}]
    assert guessed(NUMBERS, predicted=-5.0 * X) == []
    assert guessed(NUMBERS, prediction_old=0.2 * X, prediction_new=X)[0]["prediction"] == (
        "prediction_new"
    )


def test_ends_of_intervals_are_no_predictions():
    ends = {".pred_lower": X - 1.0, ".pred_upper": X + 1.0}
    intervals = {"lower": ".pred_lower", "upper": ".pred_upper"}
    assert guessed(NUMBERS, **ends) == [intervals]
    assert guessed(NUMBERS, **ends, **{".pred": X}) == [intervals, {"prediction": ".pred"}]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        *((f"{stem}0.05", f"{stem}0.95", True) for stem in ("", "q_", "quantile= ", "quantile..")),
        *(("X2.5.", "X97.5.", True), ("5%", "95%", True), ("q0_1", "q0_9", True)),
        *(("Q005", "Q095", True), ("pred_5", "pred_95", True)),
        *(("q5", "p95", False), ("q5", "q90", False), ("lag1", "lag2", False)),
    ],
)
def test_quantiles_leave_out_as_much_below_as_above(low, high, found):
    quantiles = [{"quantiles": (low, high)}] if found else []
    assert guessed(NUMBERS, **{high: X + 1.0, low: X - 1.0}) == quantiles


def test_quantiles_are_the_outermost():
    columns = {"q50": X, "q25": X - 0.5, "q75": X + 0.5, "q05": X - 1.0, "q95": X + 1.0, "p9": 0.0}
    assert guessed(NUMBERS, **columns)[0] == {"quantiles": ("q05", "q95")}
    assert guessed(NUMBERS, **{"q0.95": X + 1.0, "q0.05": X - 1.0}) == [
        {"quantiles": ("q0.05", "q0.95")}
    ]


def test_probabilities_sum_to_one():
    columns = {"prob[Low]": 1.0 - HIGH, "prob[High]": HIGH}
    (found,) = guessed(CLASSES, **columns)
    assert found["probabilities"] == ("prob[High]", "prob[Low]")
    assert guessed(CLASSES, **columns | {"prob[High]": HIGH / 2.0}) == []
    assert guessed(CLASSES, Low=1.0 - HIGH, rate=HIGH) == []


def test_sets_hold_classes_of_the_label():
    sets = np.where(np.abs(X) < 0.5, "Low; High", np.where(X > 0.0, "High", "Low"))
    assert guessed(CLASSES, which=sets) == [{"label_set": "which"}]
    rare = np.where(np.arange(len(X)) < 3, "Low; High; Mid", sets)  # a class that no row has
    assert guessed(CLASSES, which=rare) == [{"label_set": "which"}]
    assert guessed(CLASSES, which=CLASSES["y"]) == []  # one class each: a column like others
    assert guessed(CLASSES, which=np.where(X > 0.0, "other; Low", "High")) == []


def test_without_a_usable_label_nothing_is_guessed():
    assert guessed(NUMBERS.assign(y=np.nan), lower=X, upper=X) == []
    assert guessed(NUMBERS.assign(y=pd.Timestamp("2020-01-01")), lower=X, upper=X) == []
