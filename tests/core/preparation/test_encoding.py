"""Encoding: learned on training rows alone, hand-worked, and free of collinear columns."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import InputError
from evencover.core.preparation.encoding import CategoryEncoder, NumberEncoder, TableEncoder, Unseen
from evencover.core.tables.columns import Column
from evencover.core.tables.table import Table


def numbers(values, name="x"):
    return Column.of(pd.Series(values, name=name, dtype=float))


def levels(counts, name="k"):
    """A column with as many rows of each level as said."""
    return texts([level for level, n in counts.items() for _ in range(n)], name)


def texts(values, name="k"):
    return Column.of(pd.Series(values, name=name, dtype=object))


def draw(n=80, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": rng.normal(3.0, 2.0, n),
            "gappy": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "k": rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]),
        }
    )


def encoder_for(frame, categorical=()):
    return TableEncoder(list(frame.columns)).fit(Table.of(frame, categorical))


def integers(values):
    return Column.of(pd.Series(values, name="x", dtype="Int64"))


NAN, GAPPED = np.nan, ["x", "x (missing)"]


@pytest.mark.parametrize(
    ("training", "rows", "names", "encoded", "unseen"),
    [
        # missing ones become the training mean, with an indicator
        (numbers([1.0, NAN, 5.0, 6.0]), numbers([NAN, 7.0]), GAPPED, [[4.0, 1.0], [7.0, 0.0]], 0),
        (numbers([1.0, 2.0]), numbers([9.0]), ["x"], [[9.0]], 0),
        # missing at test only is the mean, and counted
        (numbers([1.0, 2.0, 6.0]), numbers([NAN, 1.0, NAN]), ["x"], [[3.0], [1.0], [3.0]], 2),
        # missing in all of training
        (numbers([NAN, NAN]), numbers([7.0, NAN]), GAPPED, [[7.0, 0.0], [0.0, 1.0]], 0),
        (integers([1, None, 3]), integers([None, 5]), GAPPED, [[2.0, 1.0], [5.0, 0.0]], 0),
    ],
)
def test_numbers(training, rows, names, encoded, unseen):
    encoder = NumberEncoder().fit(training)
    assert encoder.names == names
    assert encoder.transform(rows).tolist() == encoded
    assert encoder.unseen(rows) == Unseen(0, 0, unseen, "the mean")


class TestCategories:
    @pytest.mark.parametrize(
        ("training", "names"),
        [
            ({"a": 10, "b": 20, "c": 15}, ["b", "c", "a"]),  # the most frequent first
            ({"a": 30, "b": 20, None: 1}, ["a", "b", "(missing)"]),  # a level however few
            ({"a": 30, "b": 4, "c": 3, "d": 12}, ["a", "d", "(rare)"]),  # rare ones are one
            ({**{f"r{i}": 9 for i in range(5)}, "a": 20}, ["(rare)", "a"]),
            *(  # rare is fewer than ten rows or half a percent
                ({"a": n, "b": count}, ["a", level])
                for n, count, level in (
                    *((50, 9, "(rare)"), (50, 10, "b"), (3990, 10, "(rare)")),
                    *((3980, 19, "(rare)"), (3980, 20, "b")),
                )
            ),
        ],
    )
    def test_levels_by_their_rows(self, training, names):
        encoder = CategoryEncoder().fit(levels(training))
        assert encoder.levels_ == names
        assert encoder.names == [f"k={name}" for name in names[1:]]

    @pytest.mark.parametrize("seed", range(3))
    def test_ties_are_settled_by_name_not_by_order_of_appearance(self, seed):
        column = levels({"c": 12, "a": 12, "b": 12})
        column = Column.of(column.series.sample(frac=1.0, random_state=seed))
        assert CategoryEncoder().fit(column).levels_ == ["a", "b", "c"]

    @pytest.mark.parametrize(
        ("training", "rows", "encoded", "unseen"),
        [
            ({"b": 20, "c": 15, "a": 10}, ["b", "c", "a"], [[0, 0], [1, 0], [0, 1]], (0, 0, 0)),
            ({"a": 30, "b": 4, "c": 12}, ["b", "c", "a"], [[0, 1], [1, 0], [0, 0]], (0, 0, 0)),
            ({"a": 30, "b": 20, "c": 2}, ["c", "new", "new"], [[0, 1]] * 3, (1, 2, 0)),
            ({"a": 30, "b": 20}, ["new", "a", "b", "other"], [[0], [0], [1], [0]], (2, 2, 0)),
            ({"a": 30, "b": 20}, [None, "b", "new", "new"], [[0], [1], [0], [0]], (1, 2, 1)),
        ],
    )
    def test_an_unseen_level_counts_as_rare_or_as_the_most_frequent(
        self, training, rows, encoded, unseen
    ):
        encoder = CategoryEncoder().fit(levels(training))
        assert encoder.transform(texts(rows)).tolist() == encoded
        common = f"the most frequent value, '{encoder.levels_[0]}'"
        taken_for = "rare values" if "(rare)" in encoder.levels_ else common
        assert encoder.unseen(texts(rows)) == Unseen(*unseen, taken_for)

    @pytest.mark.parametrize(
        ("values", "found"),
        [
            ([1.0] * 20 + [2.0] * 15 + [2.5] * 10, ["1", "2", "2.5"]),  # as a person writes them
            ([True] * 20 + [False] * 15, ["True", "False"]),
            # declared levels that do not occur are none
            (pd.Categorical(["a", "b"] * 10, categories=["z", "b", "a"]), ["a", "b"]),
        ],
    )
    def test_levels_of_other_types(self, values, found):
        assert CategoryEncoder().fit(Column.of(pd.Series(values, name="k"))).levels_ == found


class TestTable:
    def test_a_hand_worked_table(self):
        frame = pd.DataFrame({"x": [1.0, 3.0] * 10, "k": (["a"] * 10 + ["b"] * 10)})
        encoder = encoder_for(frame)
        assert encoder.names_ == ["x", "k=b"]
        X = encoder.transform(Table.of(pd.DataFrame({"x": [2.0, 5.0], "k": ["b", "a"]})))
        assert X.tolist() == [[0.0, 1.0], [3.0, -1.0]]

    @pytest.mark.parametrize("seed", range(3))
    def test_the_training_matrix_is_standardised(self, seed):
        frame = draw(seed=seed)
        X = encoder_for(frame).transform(Table.of(frame))
        assert X.shape == (80, 5)
        assert np.abs(X.mean(axis=0)).max() < 1e-12
        assert X.std(axis=0) == pytest.approx(np.ones(5), abs=1e-12)

    @pytest.mark.parametrize(
        ("offset", "spread"), [(0.0, 1e-150), (1e6, 1e-3), (2.0**53, 300.0), (1.0, 1e90)]
    )
    def test_numbers_of_every_size_are_standardised(self, offset, spread):
        rng = np.random.default_rng(0)
        frame = draw(400).assign(x=offset + np.round(spread * rng.normal(size=400), 200))
        encoder = encoder_for(frame)
        column = encoder.transform(Table.of(frame))[:, encoder.names_.index("x")]
        # the mean of numbers that use every bit of a float is itself rounded
        assert column.std() == pytest.approx(1.0, abs=1e-9 if offset < 1e15 else 1e-3)

    def test_categorical_numbers_are_encoded_as_asked(self):
        frame = pd.DataFrame({"zip": [1, 2, 3] * 10, "x": np.arange(30.0)})
        assert encoder_for(frame, ["zip"]).names_ == ["zip=2", "zip=3", "x"]
        assert encoder_for(frame).names_ == ["zip", "x"]

    def test_names_that_look_like_indicators_do_no_harm(self):
        frame = draw().assign(**{"k=b": np.arange(80.0) ** 2, "gappy (missing)": np.arange(80.0)})
        X = encoder_for(frame).transform(Table.of(frame))
        assert np.linalg.matrix_rank(X) == X.shape[1] == 7

    @pytest.mark.parametrize("value", [5.0, "a", np.nan])
    def test_a_column_constant_in_training_is_left_out_with_its_reason(self, value):
        frame = draw().assign(still=value)
        encoder = encoder_for(frame)
        assert "still" not in encoder.columns_
        assert ("still", "is constant in the training rows") in encoder.dropped_
        moved = frame.assign(still=1.0 if isinstance(value, float) else "b")
        one, other = (encoder.transform(Table.of(each)) for each in (moved, frame))
        assert one.tolist() == other.tolist()

    def test_a_column_of_rare_values_alone_is_left_out_with_its_reason(self):
        frame = pd.DataFrame({"town": [f"t{i % 9}" for i in range(80)], "x": np.arange(80.0)})
        reason = (
            "has only rare values, all in fewer than 10 rows or 0.5 % of them, so that it has no "
            "effect"
        )
        assert ("town", reason) in encoder_for(frame).dropped_
        assert CategoryEncoder().fit(Column.of(frame["town"])).describe() == reason

    @pytest.mark.parametrize(
        "columns",
        [
            {"k": ["a"] * 40},
            {"k": [f"level {i % 20}" for i in range(40)]},
            {"x": [1.0] * 40},
            {"k": ["a"] * 40, "x": [1.0] * 40},
        ],
        ids=["one level", "rare levels only", "one number", "both"],
    )
    def test_nothing_that_varies_is_told(self, columns):
        with pytest.raises(InputError, match="no usable feature is left"):
            encoder_for(pd.DataFrame(columns))

    def test_too_few_training_rows_are_told(self):
        frame = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 4)), columns=list("abcd"))
        with pytest.raises(InputError, match="5 training rows are too few for 4 encoded"):
            encoder_for(frame)

    def test_unseen_values_are_counted_by_column(self):
        encoder = encoder_for(draw().drop(columns="gappy"))
        rows = pd.DataFrame({"x": [np.nan, 1.0, np.nan], "k": ["a", "new", "b"]})
        counts = {name: u.rows + u.missing for name, u in encoder.unseen(Table.of(rows)).items()}
        assert counts == {"x": 2, "k": 1}

    def test_rows_are_encoded_one_by_one(self):
        frame = draw()
        encoder = encoder_for(frame)
        together = encoder.transform(Table.of(frame))
        alone = np.vstack([encoder.transform(Table.of(frame.iloc[[i]])) for i in range(10)])
        assert alone.tolist() == together[:10].tolist()


def collinear():
    frame = draw(200, seed=4).drop(columns="gappy")
    rng = np.random.default_rng(9)
    above, below = rng.integers(500, 3000, 200), rng.integers(0, 900, 200)
    return frame.assign(living=above + below, above=above)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda f: f["living"] - f["above"], "an exact linear combination of living, above"),
        (lambda f: f["x"] * 2.54, "a linear function of x"),
        (lambda f: 100.0 - f["x"], "a linear function of x"),
        (
            lambda f: f["x"] + f["living"] / 7 + f["above"],
            "an exact linear combination of x, living, above",
        ),
        (lambda f: (f["k"] == "b") * 1.0, "a linear function of k=b"),
        (lambda f: (f["k"] == "a") * 3.0, "an exact linear combination of k=b, k=c"),
    ],
    ids=["difference", "scaled copy", "shifted copy", "sum of three", "one level", "two levels"],
)
class TestCollinearColumns:
    def test_the_later_one_is_dropped_with_its_makers(self, make, reason):
        frame = collinear().assign(made=make)
        encoder = encoder_for(frame)
        assert encoder.dropped_ == [("made", f"is {reason}")]
        plain = encoder_for(collinear())
        expected = plain.transform(Table.of(collinear()))
        assert encoder.transform(Table.of(frame)).tolist() == expected.tolist()
