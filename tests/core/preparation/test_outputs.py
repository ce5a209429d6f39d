"""What a user's own model said: how its columns are found and read, and what is refused."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, Examples, GivenPrediction, InputError, audit
from evencover.core.preparation.guessed_outputs import columns_of, guess_label, guess_outputs
from evencover.core.preparation.outputs import classes_of_columns
from evencover.core.preparation.prepare import plan
from evencover.core.preparation.roles import columns_in_use
from evencover.core.rows.examples import ModelOutputs, as_examples
from evencover.core.tables.table import Table

N = 60


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    frame = pd.DataFrame({"x": x, "y": 10.0 + x + rng.normal(size=N), "pred": 10.0 + x})
    return frame.assign(sd=1.0, low=frame["pred"] - 2.0, high=frame["pred"] + 2.0)


@pytest.fixture
def classes():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    high = 1.0 / (1.0 + np.exp(-x))
    y = np.where(rng.random(N) < high, "High", "Low")
    return pd.DataFrame({"x": x, "y": y, "p_High": high, "p_Low": 1.0 - high, "s": y})


def asked(**roles):
    said = {"pred", "sd", "low", "high"} - {*roles.values()} - {*roles.get("quantiles", ())}
    return AuditSettings(target="y", task="regression", drop=tuple(sorted(said)), **roles)


def put(frame, column, *values):
    """The frame with other values in its first rows."""
    frame = frame.astype({column: object} if any(isinstance(v, str) for v in values) else {})
    frame.loc[range(len(values)), column] = values
    return frame


BOUNDS, SPREAD = {"lower": "low", "upper": "high"}, {"prediction": "pred", "sigma": "sd"}
QUANTILES = {"quantiles": ("low", "high")}


@pytest.mark.parametrize(
    ("values", "roles", "told"),
    [
        (("sd", *[np.nan] * N), SPREAD, "'sd' holds your model's sigma, but is missing in every"),
        (("sd", *[0.0] * N), SPREAD, "'sd' is 0 in every row, which is no spread"),
        (("sd", 1.0, -0.5), SPREAD, "-0.5 in row 2, but a spread is never negative"),
        (("sd", np.inf), SPREAD, "'sd' holds inf in row 1, which is too large"),
        (("pred", np.inf), SPREAD, "'pred' holds inf in row 1, which is too large"),
        (("pred", "1,5", "about 5"), SPREAD, "'about 5' in row 2, which was not"),
        (("low", np.inf), BOUNDS, "'low' holds inf in row 1, beyond which there is no"),
        (("high", -np.inf), BOUNDS, "'high' holds -inf in row 1, beyond which"),
        (("low", *[99.0] * 31), BOUNDS, "'low' is above 'high' in 31 of 60 rows; exchange"),
        (("low", -np.inf), QUANTILES, "'low' holds -inf in row 1, which is too"),
        (("pred", *[np.nan] * 31), SPREAD, "only 29 rows have both a label and what"),
    ],
)
def test_what_is_unusable_has_a_sentence_of_its_own(numbers, values, roles, told):
    with pytest.raises(InputError, match=told):
        plan(put(numbers, *values), asked(**roles))


@pytest.mark.parametrize(
    ("values", "roles", "code", "count"),
    [
        (("low", -np.inf, -np.inf), BOUNDS, "outputs.infinite", 2),
        (("low", 99.0, 99.0, 99.0), BOUNDS, "outputs.crossed", 3),
        (("high", np.nan), BOUNDS, "rows.without_output", 1),
        (("pred", np.nan, np.nan), SPREAD, "rows.without_output", 2),
        (("sd", np.nan), SPREAD, "rows.without_output", 1),
        (("sd", 0.0, 0.0), SPREAD, "outputs.raised_sigma", 2),
        (("low", 99.0), QUANTILES, "outputs.quantiles_crossed", 1),
    ],
)
def test_what_is_odd_is_counted(numbers, values, roles, code, count):
    made = plan(put(numbers, *values), asked(**roles))
    (note,) = [note for note in made.notes if note.code == code]
    assert count in {**note.values}.values()  # noqa: PD011 - no frame's
    assert len(made.table) == N - (count if code == "rows.without_output" else 0)


def test_odd_intervals_hold_and_count_as_they_are(numbers):
    frame = numbers.assign(y=np.arange(N) / 10.0, low=-1.0, high=7.0)
    frame.loc[0, ["low", "high"]] = 5.0, -5.0  # empty
    frame.loc[1, ["low", "high"]] = frame.loc[1, "y"]  # of no width, and right
    frame.loc[2, "low"] = -np.inf
    frame.loc[3, ["low", "high"]] = 6.0, 7.0  # wrong
    frame.loc[4, "high"] = np.nan
    result = audit(frame, asked(**BOUNDS))
    assert (result.data.rows, result.data.test, result.data.rows_without_output) == (60, 59, 1)
    assert result.row("test", "given").accuracy == 57 / 59
    widths = result.test_rows.sets["given"].sizes
    np.testing.assert_allclose(widths[:4], [0.0, 0.0, np.inf, 1.0])
    noted = [note.code for note in result.notes if note.code.startswith("outputs.")]
    counted = ["outputs.infinite", "outputs.crossed", "outputs.zero_width"]
    assert noted == ["outputs.unseen", *counted]


def test_with_the_logarithm_everything_is_in_the_labels_units(numbers):
    frame = numbers.assign(y=np.exp(numbers["y"] / 5.0), pred=np.exp(numbers["pred"] / 5.0))
    frame = frame.assign(low=frame["pred"] / 2.0, high=frame["pred"] * 2.0, sd=frame["pred"] / 10.0)
    logs = np.log(frame["pred"].to_numpy())
    made = plan(frame, AuditSettings(target="y", log_target=True, drop=("low", "high"), **SPREAD))
    unit, mean = made.label.scale, made.label.mean
    np.testing.assert_allclose(made.outputs.prediction, (logs - mean) / unit)
    np.testing.assert_allclose(made.outputs.sigma * unit, 0.1)
    frame.loc[0, "low"] = -1.0
    made = plan(frame, AuditSettings(target="y", log_target=True, drop=("pred", "sd"), **BOUNDS))
    width = (made.outputs.upper - made.outputs.lower)[1:] * made.label.scale
    np.testing.assert_allclose(width, np.log(4.0))
    assert made.outputs.lower[0] == -np.inf
    assert "outputs.no_log" in [note.code for note in made.notes]
    for column, roles in (("high", BOUNDS), ("pred", SPREAD)):
        settings = AuditSettings(target="y", log_target=True, **roles)
        with pytest.raises(InputError, match=f"'{column}' holds 0.0 in row 3, which has no log"):
            plan(put(frame, column, 1.0, 1.0, 0.0), settings)


def test_a_copy_of_the_label_is_no_prediction(numbers):
    with pytest.raises(InputError, match="'pred' is the label itself in every row"):
        plan(numbers.assign(pred=numbers["y"]), asked(prediction="pred"))


def test_roles_exclude_each_other_and_being_a_feature(numbers):
    made = plan(numbers, AuditSettings(target="y", task="regression", **BOUNDS))
    assert made.roles.features == ("x", "pred")  # sd is constant
    assert made.roles.dropped["low"] == "holds your model's lower end"
    with pytest.raises(InputError, match="'low' is given as a feature and as lower end"):
        plan(numbers, AuditSettings(target="y", features=("x", "low"), **BOUNDS))
    with pytest.raises(InputError, match="there is no column 'hihg'; did you mean 'high'"):
        plan(numbers, AuditSettings(target="y", lower="low", upper="hihg"))
    few = AuditSettings(target="y", features=("x",), **SPREAD)
    assert columns_in_use([*numbers], few) == ["x", "y", "pred", "sd"]


def test_the_way_says_the_task(numbers, classes):
    counts = numbers.assign(y=np.arange(N) % 4)
    assert plan(counts, AuditSettings(target="y")).label.task == "classification"
    assert plan(counts, AuditSettings(target="y", **BOUNDS)).label.task == "regression"
    with pytest.raises(InputError, match="lower end is of a model for a numeric label; choose"):
        plan(counts, AuditSettings(target="y", task="classification", **BOUNDS))
    with pytest.raises(InputError, match="set is of a model for classes; choose the task classif"):
        plan(classes, AuditSettings(target="y", task="regression", label_set="s"))


def test_a_split_column_says_which_ready_made_rows_are_judged(numbers):
    frame = numbers.assign(part=np.where(np.arange(N) < 20, "train", "test"))
    made = plan(frame, asked(split_column="part", **BOUNDS))
    assert [len(rows) for rows in made.split] == [20, 0, 40]
    assert made.label.mean == frame["y"].head(20).mean()
    with pytest.raises(InputError, match="leaves the test set empty"):
        plan(frame.assign(part="train"), asked(split_column="part", **BOUNDS))
    with pytest.raises(InputError, match="leaves the calibration set empty"):
        plan(frame, asked(split_column="part", **SPREAD))


def test_measures_of_what_was_said_need_it():
    bare = as_examples(np.zeros((3, 1)))
    measure = GivenPrediction().fit(bare)
    with pytest.raises(ValueError, match="without what a model said"):
        measure.score_functions(np.zeros((3, 1)))
    outputs = ModelOutputs(lower=np.zeros(3), upper=np.ones(3))
    examples = Examples(bare.X, bare.y, bare.frame, bare.rows, outputs=outputs)
    with pytest.raises(ValueError, match="other things than this measure needs"):
        measure.score_functions(examples)
    with pytest.raises(ValueError, match="1 features"):
        measure.score_functions(np.zeros((3, 2)))
    assert outputs.rows(np.array([2])).upper.tolist() == [1.0]
    assert outputs.rows(np.array([2])).prediction is None


@pytest.mark.parametrize(
    ("columns", "classes", "found"),
    [
        (("Low", "High"), ("High", "Low"), ("Low", "High")),
        (("p_High", "p_Low"), ("High", "Low"), ("High", "Low")),
        (("prob[Low]", "prob[High]"), ("High", "Low"), ("Low", "High")),
        ((".pred_high", ".pred_low"), ("High", "Low"), ("High", "Low")),
        (("High.prob", "Low.prob", "Mid.prob"), ("High", "Low"), ("High", "Low", "Mid")),
        (("p1", "p11", "p2"), ("1", "2", "11"), ("1", "11", "2")),
        (("P(very high)", "P(high)"), ("high", "very high"), ("very high", "high")),
        (("p_yes",), ("no", "yes"), ("yes",)),
        (("prob1",), ("0", "1"), ("1",)),
    ],
)
def test_columns_are_matched_to_classes_by_name(columns, classes, found):
    assert classes_of_columns(columns, classes, "y") == found


@pytest.mark.parametrize(
    ("columns", "classes", "question"),
    [
        (("score",), ("no", "yes"), "is 'score' of class 'no' or of 'yes'?"),
        (("yes_or_no",), ("no", "yes"), "is 'yes_or_no' of class 'no' or of 'yes'?"),
        (("p_now",), ("no", "yes"), "is 'p_now' of class 'no' or of 'yes'?"),
        (("p_a",), ("a", "b", "c"), "one column of probabilities is enough for two classes only"),
        (("p1", "p2"), ("a", "b"), "which class is 'p1' of?"),
        (("p_up", "p_down", "age"), ("up", "down", "so"), "which class is 'age' of"),
        (("p_a", "p_b"), ("a", "b", "c"), "or leave out the rows of a class that your model does"),
    ],
)
def test_a_doubt_about_classes_is_a_question(columns, classes, question):
    with pytest.raises(InputError) as refused:
        classes_of_columns(columns, classes, "y")
    assert question in str(refused.value)


PROBABILITIES = AuditSettings(target="y", probabilities=("p_High", "p_Low"), drop=("s",))


def test_probabilities_are_in_the_order_of_the_classes(classes):
    made = plan(classes, PROBABILITIES)
    np.testing.assert_array_equal(made.outputs.probabilities, classes[["p_High", "p_Low"]])
    one = AuditSettings(target="y", probabilities=("p_Low",), drop=("s", "p_High"))
    np.testing.assert_allclose(
        plan(classes, one).outputs.probabilities, classes[["p_High", "p_Low"]]
    )


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("p_High", (0.5, 1.2), r"'p_High' holds 1\.2 in row 2, but a probability is from 0 to 1"),
        ("p_Low", (60.0,), "from 0 to 1; divide percent by 100, or mend"),
        ("p_Low", [0.6] * N, r"sum to 1\.131 in row 1, not to 1"),
    ],
)
def test_what_is_no_probability_is_told(classes, column, values, told):
    with pytest.raises(InputError, match=told):
        plan(put(classes, column, *values), PROBABILITIES)


def test_probabilities_that_are_rounded_are_rescaled(classes):
    made = plan(classes.assign(p_High=0.33, p_Low=0.66), PROBABILITIES)
    np.testing.assert_allclose(made.outputs.probabilities, [[1.0 / 3.0, 2.0 / 3.0]] * N)
    assert "probabilities.rescaled" in [note.code for note in made.notes]


def test_a_class_that_no_row_has_is_a_class_all_the_same(classes):
    frame = classes.assign(p_High=classes["p_High"] / 2.0, p_Mid=0.5, p_Low=classes["p_Low"] / 2.0)
    settings = AuditSettings(target="y", probabilities=("p_High", "p_Low", "p_Mid"), drop=("s",))
    made = plan(frame, settings)
    assert made.label.classes == ("High", "Low", "Mid")
    (note,) = [note for note in made.notes if note.code == "label.absent_classes"]
    assert "'Mid'" in note


SETS = AuditSettings(target="y", label_set="s", drop=("p_High", "p_Low"))
BOTH = (
    *("High;Low", "High, Low", "{Low; High}", "['High' 'Low']", "{'High', 'Low'}"),
    *('c("High", "Low")', "High|Low", "High Low", "High/Low", "; Low;;High;"),
    *("frozenset({'Low', 'High'})", '["High","Low"]', "{np.str_('High'), np.str_('Low')}"),
    *("array(['High', 'Low'], dtype='<U4')", "['High'\n 'Low']", ["High", "Low"], {"High", "Low"}),
    *(("High", "Low"), np.array(["High", "Low"])),
)


@pytest.mark.parametrize("both", BOTH)
def test_sets_are_read_as_they_are_written(classes, both):
    sets = pd.Series([both, "Low", *classes["s"][2:]], dtype=object)
    made = plan(classes.assign(s=sets), SETS)
    assert made.outputs.members[:2].tolist() == [[True, True], [False, True]]
    alone = made.outputs.members[2:]
    np.testing.assert_array_equal(alone[:, 0], classes["y"][2:] == "High")


@pytest.mark.parametrize("empty", ["{}", "[]", "set()", "character(0)", "array([], dtype='<U4')"])
def test_empty_sets_and_unknown_classes_are_told(classes, empty):
    frame = put(classes, "s", None, empty, "High; Mid", "High; Low")
    made = plan(frame, SETS)
    assert made.label.classes == ("High", "Low", "Mid")
    rows = [[False] * 3, [False] * 3, [True, False, True], [True, True, False]]
    assert made.outputs.members[:4].tolist() == rows
    told = {note.code: str(note) for note in made.notes}
    assert told["sets.empty_cells"].endswith("sets that hold no class: 1.")
    assert "(1): 'Mid'" in told["sets.unknown_classes"]
    result = audit(frame, SETS)
    sizes = result.test_rows.sets["given"].sizes
    assert sizes[:4].tolist() == [0.0, 0.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("low", "sets", "question"),
    [
        # a class that would be taken to pieces
        ("New York", ["New York High"], "the set of New and York and High, or of New York"),
        ("a,b", ["High,a,b"], "the set of High and a and b, or of a,b"),
        # another sign between classes
        ("b", ["High|b", "High,b"], "'High|b' in column 's' the set of High and b, or of High|b"),
        ("Low", ["High; Low", "Low; High", "High, Low"], "'s' the set of High, Low, or"),
    ],
)
def test_a_set_that_can_be_read_in_two_ways_is_a_question(classes, low, sets, question):
    frame = put(classes.replace({"Low": low}), "s", *sets)
    with pytest.raises(InputError, match=re.escape(question)):
        plan(frame, SETS)


ODD = ("Low, or; none", "it's (b, c)", 'say "a", b', "Łó, dź", "back\\slash, b")


@pytest.mark.parametrize(
    ("low", "both"),
    [
        ("x (old)", "{High; x (old)}"),
        ("x (old)", "{x (old); High}"),
        ("x (old)", "frozenset({'x (old)', 'High'})"),
        ("not known, yet", "High; not known, yet"),
        *((name, str([name, "High"])) for name in ODD),
        *((name, json.dumps([name, "High"])) for name in ODD),
        *((name, f"[{np.str_(name)!r}, {np.str_('High')!r}]") for name in ODD[:2]),
        ("a (b)", 'c("High", "a (b)")'),
    ],
)
def test_classes_may_hold_brackets_and_what_divides_others(classes, low, both):
    members = plan(put(classes.replace({"Low": low}), "s", both), SETS).outputs.members
    assert members[0].all()
    assert (members[1:].sum(axis=1) == 1).all()


def test_a_class_that_no_set_holds_and_one_that_no_row_has_are_no_question(classes):
    frame = classes.assign(s=classes["s"].replace("Low", "High; Lowest or lower"))
    frame["y"] = frame["y"].replace("Low", "Lowest or")
    assert not plan(frame, SETS).outputs.members[:, 1].any()
    made = plan(put(classes, "s", "High; Low", "High; very Low"), SETS)
    assert made.label.classes == ("High", "Low", "very Low")


def test_numbers_in_sets_are_classes_as_labels_have_them(classes):
    frame = classes.assign(y=np.where(classes["y"] == "High", 1.0, 2.0), s="{1.0, 2.0}")
    settings = replace(SETS, task="classification")
    assert plan(frame, settings).outputs.members.all()


def test_sets_without_a_class_of_the_label_are_refused(classes):
    with pytest.raises(InputError, match="'yes' in row 1, which names no class of the label"):
        plan(classes.assign(s="yes"), SETS)
    codes = classes.assign(y=np.where(classes["y"] == "High", 1, 2), s=1.2)
    with pytest.raises(InputError, match=r"were read as numbers, such as 1\.2 in row 1"):
        plan(codes, SETS)


MEMBERS = AuditSettings(target="y", set_columns=("in_High", "in_Low"), drop=SETS.drop)


@pytest.mark.parametrize(("yes", "no"), [(True, False), (1, 0), (1.0, 0.0), ("TRUE", "False")])
def test_sets_may_have_a_column_for_each_class(classes, yes, no):
    members = np.array([[i % 2, i % 3 > 0] for i in range(N)])
    held = pd.DataFrame(np.where(members, yes, no), columns=["in_Low", "in_High"], dtype=object)
    made = plan(classes.join(held), MEMBERS)
    assert made.outputs.members.tolist() == (members[:, ::-1] > 0).tolist()
    held.iloc[3, 0], held.iloc[4, 0] = None, "perhaps"
    with pytest.raises(InputError, match=r"'in_Low' holds 'perhaps' in row 5, which is neither"):
        plan(classes.join(held), MEMBERS)


ROWS = 200
RNG = np.random.default_rng(0)
X = RNG.normal(size=ROWS)
Y = X + 0.5 * RNG.normal(size=ROWS)
NUMBERS = pd.DataFrame({"y": Y, "x": X, "age": RNG.integers(0, 9, ROWS)})
HIGH = 1.0 / (1.0 + np.exp(-X))
CLASSES = pd.DataFrame({"x": X, "y": np.where(RNG.random(ROWS) < HIGH, "High", "Low")})
ENDS = {".pred_lower": X - 1.0, ".pred_upper": X + 1.0}
CHANCES = {"prob[Low]": 1.0 - HIGH, "prob[High]": HIGH}
HELD = {"in_High": HIGH > 0.5, "in_Low": X < 1.0}
LABEL_SETS = np.where(np.abs(X) < 0.5, "Low; High", np.where(X > 0.0, "High", "Low"))


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
    for frame, said, label in (
        (cost, {"pred": X, "sd": 1.0}, "cost"),
        (cost, {"lower": X - 1.0, "upper": X + 1.0}, "cost"),
        (cost, {"upper": X - 1.0}, "upper"),  # values do not bear it out
        (cost, {"share": HIGH}, "share"),
        (kind, {"p_Low": 1.0 - HIGH, "p_High": HIGH}, "kind"),
        (kind, {"a": 1.0 - HIGH, "b": HIGH}, "b"),
        (kind, {"set": LABEL_SETS}, "kind"),
        (kind, {"which": LABEL_SETS}, "kind"),
        (cost, {"5%": X - 1.0, "95%": X + 1.0}, "cost"),
    ):
        assert guess_label(Table.of(frame.assign(**said))) == label


def test_the_label_is_what_the_outputs_tell_most_of_wherever_it_stands():
    rng = np.random.default_rng(0)
    n = 600
    age, sex, x = rng.integers(18, 80, n), rng.choice(["m", "f"], n), rng.normal(size=n)
    told = 30 + 0.4 * age + 5 * x  # tells of the age, too
    income, share = told + 8 * rng.normal(size=n), told / 100
    paid, other = ((rng.random(n) < chance).astype(int) for chance in (share, 0.5))
    ends, both = {"q05": told - 13, "q95": told + 13}, {"p_0": 1 - share, "p_1": share}
    for label, columns in (
        ("income", {"income": income, "sex": sex, "age": age} | ends),
        ("income", {"income": income} | ends | {"sex": sex, "age": age}),
        ("income", {"income": income, "prediction": told, "age": age, "sex": sex}),
        ("paid", {"age": age, "paid": paid, "sex": sex} | both | {"other": other}),
        ("paid", {"age": age, "paid": paid, "pred": (share > 0.5).astype(int)} | both),
        ("paid", {"paid": paid, "age": age, "in_0": share < 0.7, "in_1": share > 0.3}),
        # shares of two values that stand in another column tell nothing of it
        ("age", {"sex": sex, "m": share, "f": 1 - share, "age": age}),
        ("pct", {"votes": age, "pop": income, "pct": rng.random(n)}),
    ):
        assert guess_label(Table.of(pd.DataFrame(columns))) == label, columns.keys()


def guessed(frame, **columns):
    return guess_outputs(Table.of(frame.assign(**columns)), "y")[0]


def levels(low, high, *shares):
    ends = {low.format(s): X - 2.0 * s / 100.0 for s in shares}
    return ends | {high.format(s): X + 2.0 * s / 100.0 for s in shares}


@pytest.mark.parametrize(
    ("columns", "pairs"),
    [
        (
            levels("m-lo-{}", "m-hi-{}", 80, 95) | {"m": X + 0.1, "mean": X},
            {0.8: ("m-lo-80", "m-hi-80"), 0.95: ("m-lo-95", "m-hi-95")},
        ),
        (
            {"q10": X - 1.3, "q90": X + 1.3, "q2.5": X - 2.0, "q97.5": X + 2.0, "median": X},
            {0.8: ("q10", "q90"), 0.95: ("q2.5", "q97.5"), 0.99: ("q2.5", "q97.5")},
        ),
    ],
)
def test_of_several_levels_it_is_the_one_asked_for(columns, pairs):
    table = Table.of(NUMBERS[["age", "y"]].assign(**columns))
    for asked, pair in pairs.items():
        ways, found = guess_outputs(table, "y", asked)
        assert columns_of(ways[0]) == [*pair]
        assert {*found} == {*columns}  # the forecast between them, too


def test_a_level_that_is_not_there_is_told():
    table = Table.of(NUMBERS.assign(**levels("lo_{}", "hi_{}", 80)))
    assert guess_outputs(table, "y", 0.9)[0][0]["confidence_level"] == 0.8
    assert "confidence_level" not in guess_outputs(table, "y", 0.8)[0][0]


@pytest.mark.parametrize(("low", "high"), [("low", "high"), ("day_min", "day_max")])
def test_prices_of_a_day_are_no_ends_of_a_model(low, high):
    """They always hold the last price; a model's ends miss some."""
    assert guessed(NUMBERS, **{low: Y - 1.0, high: Y + 1.0}) == []
    of_model = {low: np.where(np.arange(ROWS) % 10 == 0, Y + 0.1, Y - 1.0), high: Y + 1.0}
    assert guessed(NUMBERS, **of_model) == [{"lower": low, "upper": high}]
    assert guessed(NUMBERS, **{f"ci_{low}": Y - 1.0, f"ci_{high}": Y + 1.0}) != []


INTERVALS = [{"lower": ".pred_lower", "upper": ".pred_upper"}]
PAIRS = {
    "ends": [
        *(("lower", "upper"), ("Price_LO", "price_hi"), ("lwr.90", "upr.90")),
        *(("LowerBound", "UpperBound"), ("pi_l", "pi_u")),
    ],
    "quantiles": [
        *((f"{stem}0.05", f"{stem}0.95") for stem in ("", "q", "q_", "quantile= ", "quantile..")),
        *(("X2.5.", "X97.5."), ("5%", "95%"), ("q0_1", "q0_9"), ("Q005", "Q095")),
        ("pred_5", "pred_95"),
    ],
    "": [
        *(("slow", "shigh"), ("left_out", "right_out")),
        *(("q5", "p95"), ("q5", "q90"), ("lag1", "lag2")),
    ],
}


@pytest.mark.parametrize(
    ("said", "pair"), [(k, pair) for k, pairs in PAIRS.items() for pair in pairs]
)
def test_ends_and_quantiles_that_leave_out_as_much_below_as_above(said, pair):
    low, high = pair
    guess = {said: pair} if said == "quantiles" else {"lower": low, "upper": high}
    guesses = guessed(NUMBERS, **{high: X + 1.0, low: X - 1.0})
    assert guesses == ([guess] if said else [])


def test_the_outermost_quantiles_and_the_better_prediction_come_first():
    columns = {"q50": X, "q25": X - 0.5, "q75": X + 0.5, "q05": X - 1.0, "q95": X + 1.0, "p9": 0.0}
    assert guessed(NUMBERS, **columns)[0] == {"quantiles": ("q05", "q95")}
    found = guessed(NUMBERS, prediction_old=0.2 * X, prediction_new=X)
    assert found[0]["prediction"] == "prediction_new"


@pytest.mark.parametrize(
    ("frame", "columns", "found"),
    [
        # ends hold the label, and are no predictions
        (NUMBERS, {"lower": X + 3.0, "upper": X + 4.0}, []),
        (NUMBERS, {"lower": X + 1.0, "upper": X - 1.0}, []),
        (NUMBERS, {"lower": "a", "upper": "b"}, []),
        (NUMBERS, ENDS, INTERVALS),
        (NUMBERS, ENDS | {".pred": X}, [*INTERVALS, {"prediction": ".pred"}]),
        (NUMBERS, {"y_hat": X, "pred_sd": 0.5}, [{"prediction": "y_hat", "sigma": "pred_sd"}]),
        (NUMBERS, {"y_hat": X, "pred_sd": 0.0}, [{"prediction": "y_hat"}]),
        (NUMBERS, {"predicted": -5.0 * X}, []),
        # probabilities sum to one
        (CLASSES, CHANCES, [{"probabilities": ("prob[High]", "prob[Low]")}]),
        (CLASSES, CHANCES | {"prob[High]": HIGH / 2.0}, []),
        (CLASSES, {"Low": 1.0 - HIGH, "rate": HIGH}, []),
        # and are no indicators of the label
        (CLASSES, {f"y_{c}": 1.0 * (CLASSES["y"] == c) for c in ("Low", "High")}, []),
        # sets hold classes of the label, or one that no row has, and not one each as columns do
        (CLASSES, {"which": LABEL_SETS}, [{"label_set": "which"}]),
        (
            *(CLASSES, {"which": np.where(np.arange(ROWS) < 3, "Low; High; Mid", LABEL_SETS)}),
            [{"label_set": "which"}],
        ),
        (CLASSES, {"which": CLASSES["y"]}, []),
        (CLASSES, HELD, [{"set_columns": ("in_High", "in_Low")}]),
        (CLASSES, HELD | {"in_Low": ~HELD["in_High"]}, []),
        (CLASSES, HELD | {"in_Low": "some"}, []),
        (CLASSES, {"which": np.where(X > 0.0, "other; Low", "High")}, []),
        # there is no usable label
        (NUMBERS.assign(y=np.nan), ENDS, []),
        (NUMBERS.assign(y=pd.Timestamp("2020-01-01")), ENDS, []),
    ],
)
def test_what_is_guessed_by_values(frame, columns, found):
    assert guessed(frame, **columns) == found
