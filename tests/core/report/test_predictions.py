"""What a model said, given from Python, is audited as the command line does."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from same import assert_same

from evencover.core import AuditSettings, InputError, audit, audit_predictions, read_table, to_json

KINDS = ["ant", "bee", "cat"]


def drawn(n=400, seed=0):
    """Intervals that are too narrow where a group is "b"."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b"], n)
    x = rng.normal(size=n)
    y = x + np.where(group == "b", 2.0, 1.0) * rng.normal(size=n)
    return pd.DataFrame({"x": x, "group": group, "low": x - 1.7, "high": x + 1.7, "y": y})


def kinds(n=400, seed=1):
    """Three kinds, and probabilities that a model might give them."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(n, 3))
    shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    kind = np.array(KINDS)[(shares.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)]
    return pd.DataFrame({"x": rng.normal(size=n), "z": odds[:, 0], "kind": kind}), shares


def plain(result):
    """All that a result says but for times and where the table came from."""
    told = to_json(result)
    told["settings"].pop("table")
    told["data"].pop("fingerprint")
    return {name: part for name, part in told.items() if name != "seconds"}


BOUNDS = {"lower": "low", "upper": "high"}


@pytest.fixture(scope="module")
def expected():
    return audit_predictions("y", drawn(), **BOUNDS)


class TestIntervals:
    def test_are_audited_as_by_the_command_line(self, tmp_path):
        frame = drawn()
        frame.to_csv(tmp_path / "t.csv", index=False)
        asked = {**BOUNDS, "pairs": (("x", "group"),)}
        read = audit(read_table(tmp_path / "t.csv"), AuditSettings(target="y", **asked))
        found = audit_predictions("y", frame, **asked)
        assert_same(plain(found), plain(read))
        held = frame["y"].between(frame["low"], frame["high"])
        assert found.row("test", "given").accuracy == held.mean()
        of_group = {r.value: r.accuracy for r in found.segments if r.variable == "group"}
        assert of_group == held.groupby(frame["group"]).mean().to_dict()

    @pytest.mark.parametrize(
        "library",
        [
            pl.from_pandas,
            pytest.param(lambda frame: pl.from_pandas(frame).lazy(), marks=pytest.mark.long),
            pytest.param(pa.Table.from_pandas, marks=pytest.mark.long),
            lambda frame: duckdb.from_arrow(pa.Table.from_pandas(frame)),
        ],
    )
    def test_are_the_same_in_a_frame_of_any_library(self, expected, library):
        found = audit_predictions("y", library(drawn()), **BOUNDS)
        assert_same(plain(found), plain(expected))

    @pytest.mark.long
    def test_may_be_arrays_beside_a_frame_or_an_array_of_features(self):
        frame = drawn()
        expected = audit_predictions("y", frame.drop(columns="group"), **BOUNDS)
        said = {"lower": frame["low"].to_numpy(), "upper": pl.Series(frame["high"])}
        for features in (frame[["x"]], pl.from_pandas(frame[["x"]]), {"x": frame["x"]}):
            found = audit_predictions(list(frame["y"]), features, **said)
            assert found.data.features == ["x"]
            assert_same(plain(found)["segments"], plain(expected)["segments"])
        bare = audit_predictions(frame["y"].to_numpy(), frame[["x"]].to_numpy(), **said)
        assert bare.data.features == ["x0"]
        assert bare.row("test", "given") == expected.row("test", "given")

    def test_an_added_column_takes_no_name_of_the_frame_and_one_of_two_levels_has_one(self):
        frame = drawn().rename(columns={"x": "lower"})
        found = audit_predictions("y", frame, lower=frame["low"], upper="high", drop=("low",))
        assert found.settings["lower"] == "lower (2)"
        assert found.data.features == ["lower", "group"]
        deep = pd.concat({"about": frame[["lower", "group"]]}, axis="columns")
        found = audit_predictions(frame["y"], deep, lower=frame["low"], upper=frame["high"])
        assert found.data.features == ["('about', 'lower')", "('about', 'group')"]


@pytest.mark.long
def test_predictions_and_quantiles_go_the_way_of_their_columns():
    frame = drawn()
    center = frame["x"].to_numpy()
    asked = {"remedies": ("none",), "drop": ("low", "high")}
    by_name = audit_predictions("y", frame.assign(p=center), prediction="p", **asked)
    by_array = audit_predictions("y", frame, prediction=center, **asked)
    assert by_array.row("test", "base") == by_name.row("test", "base")
    with_sigma = audit_predictions("y", frame, prediction=center, sigma=np.full(400, 2.0), **asked)
    assert with_sigma.row("test", "base").accuracy == by_name.row("test", "base").accuracy
    ends = audit_predictions("y", frame, quantiles=("low", "high"), remedies=("none",))
    arrays = (frame["low"].to_numpy(), frame["high"].to_numpy())
    bare = frame[["x", "group", "y"]]
    given = audit_predictions("y", bare, remedies=("none",), quantiles=arrays)
    assert given.row("test", "base") == ends.row("test", "base")


def of_probabilities(label, frame, given):
    found = audit_predictions(label, frame, probabilities=given, remedies=("none",))
    return found.row("test", "base")


class TestClasses:
    @pytest.mark.long
    def test_probabilities_may_be_a_matrix_a_frame_or_columns(self):
        frame, shares = kinds()
        names = ["prob[cat]", "prob[ant]", "prob[bee]"]
        in_order = pd.DataFrame(shares[:, [2, 0, 1]], columns=names)
        by_matrix = of_probabilities("kind", frame, shares)
        assert of_probabilities("kind", frame, in_order) == by_matrix
        assert of_probabilities("kind", frame.join(in_order), names) == by_matrix
        numbers = frame["kind"].map(dict(zip(KINDS, (2, 10, 30), strict=True)))  # in their order
        of_numbers = of_probabilities(numbers, frame[["x", "z"]], shares)
        assert of_numbers.accuracy == by_matrix.accuracy

    def test_of_two_classes_those_of_the_second_are_enough(self):
        frame, _ = kinds()
        share = np.clip(np.abs(frame["z"].to_numpy()) / 3.0, 0.01, 0.99)
        frame["kind"] = np.random.default_rng(2).random(400) < share
        both = np.column_stack([1.0 - share, share])
        one, two = (of_probabilities("kind", frame, given) for given in (share, both))
        assert one == two

    def test_sets_may_be_collections(self):
        frame, shares = kinds()
        classes = np.array(KINDS)
        members = shares > 0.2
        sets = [{*classes[row]} for row in members]
        found = audit_predictions("kind", frame, sets=sets)
        held = members[np.arange(400), np.searchsorted(classes, frame["kind"])]
        assert found.row("test", "given").accuracy == held.mean()
        assert found.row("test", "given").inefficiency == pytest.approx(members.sum(axis=1).mean())

    def test_classes_in_collections_may_be_numbers_of_any_type(self):
        frame, _ = kinds()
        y = np.arange(400) % 3 + 0.0
        sets = [(each, 9.0) for each in y[:200]] + [[np.int64(each)] for each in y[200:] + 1.0]
        found = audit_predictions(y, frame[["z"]], sets=sets, task="classification")
        row = found.row("test", "given")
        assert (row.accuracy, row.inefficiency) == (0.5, 1.5)


@pytest.mark.parametrize(
    ("said", "code", "named"),
    [
        ({"lower": "lo", "upper": "high"}, "argument.unknown_column", "lower: there is no column"),
        ({"lower": "Low", "upper": "high"}, "argument.unknown_column", "did you mean 'low'"),
        ({"lower": "low", "upper": "high", "features": "low"}, "option.text", "such as ..low"),
        ({"lower": "low", "upper": [1.0, 2.0]}, "argument.length", "upper"),
        ({"lower": "low", "upper": 3.0}, "argument.no_values", "upper"),
        ({"prediction": pd.Series(range(1, 401), range(1, 401))}, "argument.index", "prediction"),
        ({"lower": "low"}, "outputs.half", "lower end"),
        ({"quantiles": "low"}, "option.text", r"'quantiles' is \"low\"; give a list of columns'"),
        ({"quantiles": 5}, "settings.value", "'quantiles' is 5; give a list of columns'"),
        ({}, "argument.no_outputs", "nothing is given of what your model said"),
    ],
)
def test_an_argument_that_is_unusable_is_named(said, code, named):
    with pytest.raises(InputError, match=named) as refused:
        audit_predictions("y", drawn(), **said)
    assert refused.value.sentence.code == code


def test_a_frame_that_is_none_and_classes_and_rows_that_do_not_fit_are_refused():
    frame, shares = kinds()
    with pytest.raises(InputError, match="frame is of type int"):
        audit_predictions("y", 3, lower="a", upper="b")
    with pytest.raises(InputError, match="y is of type NoneType; name a column"):
        audit_predictions(None, frame, prediction="size")
    with pytest.raises(InputError, match="probabilities has 2 columns, and y 3 classes"):
        audit_predictions("kind", frame, probabilities=shares[:, :2])
    names = ["p_ant", "p_bee", "p_cat"]
    said = {
        "probabilities": pd.DataFrame(shares, range(1, 401), names),
        "sets": pd.Series([{"ant", "bee"}] * 400, range(1, 401)),
    }
    for argument, values in said.items():
        with pytest.raises(InputError, match=f"{argument} has another index than the frame"):
            audit_predictions("kind", frame, **{argument: values})


@pytest.mark.parametrize(
    ("names", "question"),
    [
        (["2", "10", "30"], "that of '2' or of '10'"),  # 10, 2, 30 in scikit-learn
        (["Monday", "Tuesday", "Friday"], "that of 'Monday' or of 'Friday'"),
        (pd.CategoricalDtype(["cat", "bee", "ant"], ordered=True), "that of 'ant' or of 'cat'"),
    ],
)
def test_an_order_of_classes_in_doubt_is_a_question(names, question):
    frame, shares = kinds()
    if isinstance(names, pd.CategoricalDtype):
        kind = frame["kind"].astype(names)
    else:
        kind = frame["kind"].replace(dict(zip(KINDS, names, strict=True)))
    for label in ("kind", kind):
        with pytest.raises(InputError, match=question):
            audit_predictions(label, frame.assign(kind=kind), probabilities=shares)
