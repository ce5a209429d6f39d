"""Roles, labels, weights and rows that belong together; errors name the column and row to mend."""

import re

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.roles import assign_roles, columns_in_use
from evencover.core.preparation.split import BLOCKS, Split, clusters_of, repeated_rows
from evencover.core.preparation.target import as_numeric, class_label, detect_task, numeric_label
from evencover.core.rows.outcomes import IntervalSets
from evencover.core.tables.columns import Column, check_exists
from evencover.core.tables.table import Table

HOMES = 60


def homes():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "id": rng.permutation(HOMES) * 31 + 7,
            "area": rng.normal(size=HOMES),
            "rooms": rng.integers(1, 6, HOMES),
            "zip": rng.choice(["a", "b"], HOMES),
            "part": rng.choice(["train", "calibration", "test"], HOMES),
            "price": rng.normal(size=HOMES),
        }
    )


def roles(frame=None, **options):
    frame = homes() if frame is None else frame
    return assign_roles(Table.of(frame), AuditSettings(target="price", **options))


def test_every_usable_column_is_a_feature_by_default():
    assert roles().features == ("area", "rooms", "zip", "part")
    assert roles().dropped == {"id": "is an identifier: nearly every row has its own value"}


@pytest.mark.parametrize("options", [{"split_column": "part"}, {"drop": ("area",)}, {}])
def test_every_column_has_exactly_one_role(options):
    given = roles(audit_only=("zip",), **options)
    every = [given.target, *given.features, *given.audit_only, *given.dropped]
    assert sorted(every) == sorted(homes().columns)


def test_what_is_asked_for_is_kept_in_order_and_what_is_dropped_says_why():
    assert roles(features=("id", "area")).features == ("id", "area")
    assert roles(features=("rooms", "area")).features == ("rooms", "area")
    assert "id" in roles(categorical=("id",)).features
    dropped = roles(drop=("area",), split_column="part").dropped
    assert dropped["area"] == "left out as asked"
    assert dropped["part"] == "says the split"


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("name", ["area", "zip", "price"])
def test_a_copy_of_another_column(name, by_name):
    named = {"features": ("area", "zip", "copy")} if by_name else {}
    given = roles(homes().assign(copy=lambda f: f[name]), **named)
    assert given.dropped["copy"] == f"is a copy of {'the label' if name == 'price' else name}"
    assert {"area", "zip"} <= {*given.features}


@pytest.mark.parametrize("stored_as", [float, "int8", "Int64", bool])
def test_a_copy_stored_otherwise(stored_as):
    large = np.arange(len(homes())) % 7 < 2
    frame = homes().assign(large=large.astype(int), copy=large.astype(int))
    frame = frame.astype({"copy": stored_as})
    assert roles(frame).dropped["copy"] == "is a copy of large"


def test_one_differing_row_makes_no_copy():
    frame = homes().assign(copy=lambda f: f["area"])
    frame.loc[7, "copy"] += 1.0
    assert "copy" in roles(frame).features


@pytest.mark.parametrize(
    ("given", "there", "sentence"),
    [
        ("cr end", "cr\nend", r"'cr end'; did you mean 'cr\nend'"),
        ("cr\r\nend", "cr end", r"'cr\r\nend'; did you mean 'cr end'"),
        ("a b", "a  b", r"'a b'; did you mean 'a \x20b'"),
        ("a b", "a\xa0b", r"'a b'; did you mean 'a\xa0b'"),
        ("a", " a\u2003", r"'a'; did you mean '\x20a\u2003'"),
        ("a" + " " * 90 + "b", "a b", r"…'; did you mean 'a b'"),
    ],
)
def test_a_name_that_differs_in_white_space_alone_is_told_apart(given, there, sentence):
    with pytest.raises(InputError) as refused:
        check_exists(["like a b", there], given)
    assert str(refused.value).endswith(f"{sentence}, which differs in white space alone?")


def test_a_name_that_is_meant_is_shown_to_its_end():
    meant = "L" * 90 + "a"
    with pytest.raises(InputError) as refused:
        check_exists([meant, "other"], "L" * 90 + "b")
    assert str(refused.value) == f"there is no column '{'L' * 78} …'; did you mean '{meant}'?"


def label(values, **kwargs):
    return pd.Series(values, name="y", **kwargs)


def numeric(values, *, logarithmic=False, train=None, **kwargs):
    column = label(values, **kwargs)
    train = np.arange(len(column)) if train is None else np.array(train)
    return numeric_label(as_numeric(Column.of(column)), train, logarithmic=logarithmic)


class TestTask:
    @pytest.mark.parametrize(
        ("values", "task"),
        [
            (np.arange(40) % 12, "classification"),
            (np.arange(40) % 13, "regression"),
            (np.arange(40) * 0.5, "regression"),
            ([0, 1] * 20, "classification"),
            ([0.0, 1.0] * 20, "classification"),
            ([True, False] * 20, "classification"),
            (["a", "b"] * 20, "classification"),
            ([f"t{i}" for i in range(40)], "classification"),
            ([1.5, 2.5, 3.5, 4.5], "regression"),  # few rows, with values of their own
            (pd.Categorical(range(40)), "classification"),
            (pd.array(range(40), dtype="Int64"), "regression"),
        ],
    )
    def test_numbers_with_more_than_twelve_values_are_a_regression(self, values, task):
        assert detect_task(Column.of(label(values))) == task


class TestNumeric:
    def test_standardised_by_the_training_rows_after_any_logarithm(self):
        coded = numeric([1.0, 3.0, 100.0], train=[0, 1])
        assert (coded.mean, coded.scale) == (2.0, 1.0)
        assert coded.y.tolist() == [-1.0, 1.0, 98.0]
        coded = numeric([np.exp(1.0), np.exp(3.0), np.exp(4.0)], logarithmic=True, train=[0, 1])
        assert (coded.mean, coded.scale) == pytest.approx((2.0, 1.0))
        assert coded.y == pytest.approx([-1.0, 1.0, 2.0])

    @pytest.mark.parametrize(
        ("values", "logarithmic", "lower", "upper", "width"),
        [
            ([0.0, 20.0], False, [-1.0, 0.0], [1.0, 3.0], 25.0),
            # of a log label, means of differences of exponentials
            (
                [np.exp(1.0), np.exp(3.0)],
                True,
                [-1.0, 0.0],
                [1.0, 0.5],
                (np.exp(3.0) - np.exp(1.0) + np.exp(2.5) - np.exp(2.0)) / 2,
            ),
            *(([1.0, 3.0], as_log, [-np.inf], [np.inf], np.inf) for as_log in (True, False)),
            # beyond all floats, infinite and not undefined
            ([np.exp(1.0), np.exp(3.0)], True, [1000.0, -1.0], [1001.0, 1.0], np.inf),
        ],
    )
    def test_widths_in_the_labels_units(self, values, logarithmic, lower, upper, width):
        sets = IntervalSets(np.array(lower), np.array(upper))
        in_units = numeric(values, logarithmic=logarithmic).in_units(sets)
        assert in_units.sizes.mean() == pytest.approx(width)

    @pytest.mark.parametrize(
        ("values", "options", "told"),
        [
            *(
                ([1.0, 2.0, value, -7.0], {"logarithmic": True}, f"is {shown} in row 3, which has")
                for value, shown in ((0.0, "0"), (-2.5, "-2.5"), (-1e-9, "-1e-09"))
            ),
            # the row is the table's own where rows were left out
            ([1.0, 2.0, 0.0], {"logarithmic": True, "index": [0, 4, 8]}, "is 0 in row 9, which"),
            *(
                ([1.0, value, 3.0], {}, f"'y' holds {value} in row 2, which is too large")
                for value in (np.inf, -np.inf, 1e300)
            ),
            (["1", "2", "n/k", "x"], {"index": [0, 2, 5, 6]}, "'n/k' in row 6, which is not a num"),
            ([True, False] * 20, {}, "'True' in row 1, which is not a number"),
            ([5.0, 5.0, 7.0], {"train": [0, 1]}, "'y' is constant in the training rows"),
            ([0.1, 0.1, 0.3], {"train": [0, 1]}, "'y' is constant in the training rows"),
        ],
    )
    def test_what_is_no_label_is_told_with_its_row(self, values, options, told):
        with pytest.raises(InputError, match=re.escape(told)):
            numeric(values, **options)

    @pytest.mark.parametrize("dtype", ["str", "category"])
    def test_numbers_written_as_text_are_numbers(self, dtype):
        values = label([str(i) for i in range(40)], dtype=dtype)
        assert numeric_label(Column.of(values), np.arange(40), logarithmic=False).mean == 19.5


class TestClasses:
    @pytest.mark.parametrize(
        ("values", "classes", "codes"),
        [
            ([10, 9, 2, 2], ("2", "9", "10"), [2, 1, 0, 0]),
            ([3.0, 1.0], ("1", "3"), [1, 0]),
            (["b", "a", "b", "c"], ("a", "b", "c"), [1, 0, 1, 2]),
            (["b", "10", "9"], ("9", "10", "b"), [2, 1, 0]),
            ([True, False], ("False", "True"), [1, 0]),
            # declared ones that do not occur are none; one and the text one are one
            (pd.Categorical(["b", "a"], categories=["z", "a", "b"]), ("a", "b"), [1, 0]),
            (pd.Categorical([1, "1", 2, 1]), ("1", "2"), [0, 0, 1, 0]),
        ],
    )
    def test_classes_are_in_order_numbers_by_value(self, values, classes, codes):
        coded = class_label(Column.of(pd.concat([label(values)] * 4, ignore_index=True)))
        assert (coded.classes, coded.y.tolist()) == (classes, codes * 4)

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            (["a"] * 40, "constant ('a' in every row)"),
            ([f"c{i % 21}" for i in range(40)], "21 different values in 40 rows, too many"),
            ([f"c{i % 201}" for i in range(900)], "201 different values in 900 rows, too many"),
        ],
    )
    def test_one_class_or_too_many_are_told(self, values, told):
        assert len(class_label(Column.of(label([f"c{i % 20}" for i in range(40)]))).classes) == 20
        with pytest.raises(InputError, match=re.escape(told)):
            class_label(Column.of(label(values)))


N = 300


def draw(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(size=n), "kind": rng.choice(["a", "b"], n)}).assign(
        y=rng.normal(size=n)
    )


def thrice(frame):
    return pd.concat([frame] * 3, ignore_index=True)


def clusters(frame, parts=None, **settings):
    rows = np.arange(len(frame))
    parts = Split(*np.array_split(rows, 3)) if parts is None else Split(*parts)
    return clusters_of(Table.of(frame), AuditSettings(target="y", **settings), parts, list(frame))


def test_different_rows_are_independent_and_copies_one_cluster_and_counted():
    frame = thrice(draw(4))
    by_set, notes = clusters(frame, ([0, 4, 8, 1], [2, 6, 3, 7], [5, 9, 10, 11]))
    assert [each.tolist() for each in by_set] == [[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 2]]
    assert notes[0].startswith("8 rows repeat another row exactly")
    by_set, _ = clusters(thrice(draw(4)), ([0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]))
    assert by_set == [None, None, None]
    assert clusters(draw()) == ([None, None, None], [])


def test_a_few_copies_among_many_rows_are_counted_alone():
    frame = draw(300)
    by_set, notes = clusters(pd.concat([frame, frame[:2]], ignore_index=True))
    assert by_set == [None, None, None]
    assert notes[0].startswith("2 rows repeat")
    assert notes[0].endswith("They are too few to matter for intervals and tests.")
    _, notes = clusters(pd.concat([frame, frame[:1]], ignore_index=True))
    assert notes[0].startswith("1 row repeats another row exactly")
    _, notes = clusters(pd.concat([frame, frame[:4]], ignore_index=True))
    assert notes[0].endswith("Intervals and tests do not take them for independent.")


def coarse(kind, rng, rows=600):
    """Return faultless rows, of which many are equal."""
    x = rng.normal(size=rows).round(2)
    code = rng.integers(0, rows, rows)
    return pd.DataFrame(
        {
            "rare": {"x": x, "y": rng.random(rows) < 0.02},
            "told": {"x": x, "y": x + 0.05 * rng.normal(size=rows) > 0.0},
            "bins": {"x": x, "a": np.floor(x), "b": np.floor(5 * x), "c": x > 1, "y": x > 0},
            "near": {"x": x, "y": (x + 0.03 * rng.normal(size=rows)).round(2)},
            "twice": {"x": x, "z": 2 * x, "y": rng.random(rows) < 0.3},
            "places": {"code": code, "state": code // 50, "y": rng.random(rows) < 0.3},
            "heaped": {"y": np.exp(rng.normal(size=rows)).round(2), "n": rng.poisson(3, rows)},
            "few": dict(zip("abcy", rng.integers(0, 3, (4, rows)), strict=True)),
        }[kind]
    )


@pytest.mark.parametrize(
    "kind", ["rare", "told", "bins", "near", "twice", "places", "heaped", "few"]
)
def test_rows_of_coarse_columns_that_are_equal_by_chance_are_no_copies(kind):
    for seed in range(10):
        frame = coarse(kind, np.random.default_rng(seed))
        assert frame.duplicated().mean() > 0.03
        assert repeated_rows(Table.of(frame), list(frame)) is None


@pytest.mark.parametrize("rounded", [2, 15])
@pytest.mark.parametrize("share", [0.05, 2.0])
def test_more_equal_rows_than_by_chance_are_copies(rounded, share):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(600, 3)).round(rounded), columns=list("xzy"))
        frame = frame.assign(kind=rng.choice(["a", "b"], 600))
        copied = frame.iloc[np.resize(rng.permutation(600), round(600 * share))]
        copies = pd.concat([frame, copied], ignore_index=True)
        found = repeated_rows(Table.of(copies), list(copies))
        assert found.tolist() == np.resize([*range(600), *copied.index], len(copies)).tolist()


def test_missing_values_and_lists_are_compared_too():
    frame = thrice(pd.DataFrame({"x": [1.5, np.nan, np.nan], "y": [[1], [2], [3]]})).assign(z=0)
    assert repeated_rows(Table.of(frame[:3]), list(frame)) is None
    frame["z"] = [[c] for c in "abcabcabc"]
    assert repeated_rows(Table.of(frame), list(frame)).tolist() == [0, 1, 2] * 3


def test_groups_come_before_copies_which_are_counted_all_the_same():
    frame = thrice(draw(100)).assign(owner=lambda f: f.index % 100 // 10)
    by_set, notes = clusters(frame, ([0, 10, 100], [20, 21], [30, 40, 50]), group="owner")
    assert (by_set[0].tolist(), by_set[1].tolist(), by_set[2]) == ([0, 1, 0], [0, 0], None)
    assert notes[0].startswith("200 rows repeat")


def test_stretches_of_time_are_whole_moments_in_their_order():
    rng = np.random.default_rng(1)
    frame = draw().assign(day=rng.integers(0, 1000, N))
    days, blocks = frame["day"].to_numpy()[200:], clusters(frame, time="day")[0][2]
    assert len(np.unique(blocks)) == pytest.approx(BLOCKS, abs=2)
    order = np.argsort(days, kind="stable")
    assert (np.diff(blocks[order]) >= 0).all()
    assert len(np.unique(np.column_stack([days, blocks]), axis=0)) == len(np.unique(days))
    # four days are four blocks, not twenty that share days
    assert clusters(frame.assign(day=frame["day"] // 250), time="day")[0][2].max() == 3


def test_prepared_data_has_them():
    data = prepare(thrice(draw()), AuditSettings(target="y"))
    assert len(data.test.clusters) == len(data.test)
    _, first = np.unique(data.test.clusters, return_index=True)
    assert len(first) == len(data.test.table.drop_duplicates())
    assert "rows.repeated" in [note.code for note in data.notes]


@pytest.mark.parametrize("way", [{}, {"drop": ("record", "file")}, {"features": ("x", "kind")}])
def test_copies_are_seen_in_the_columns_in_use_though_each_has_its_own_number(way):
    frame = thrice(draw()).assign(record=lambda f: [f"r{i}" for i in f.index])
    if way:
        frame["file"] = np.repeat(["a", "b", "c"], N)
    data = prepare(frame, AuditSettings(target="y", **way))
    assert len(np.unique(data.test.clusters)) == len(data.test.table.drop_duplicates(["x", "y"]))
    assert "rows.repeated" in [note.code for note in data.notes]
    told_apart = AuditSettings(target="y", audit_only=("file",))
    if way:  # as a column in use says that they differ
        assert prepare(frame, told_apart).test.clusters is None


def weighted(n=200, **changes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=n), "w": rng.integers(1, 5, n).astype(float)})
    frame["y"] = frame["x"] + rng.normal(size=n)
    for row, weight in changes.pop("at", {}).items():
        frame.loc[row, "w"] = weight
    return frame.assign(**changes)


def prepared(frame, **options):
    return prepare(frame, AuditSettings(target="y", weight="w", **options))


@pytest.mark.parametrize(
    ("frame", "code", "told"),
    [
        (weighted(at={3: -1.0}), "weight.negative", "'w' is -1.0 in row 4"),
        (weighted(at={5: np.inf}), "column.too_large", "'w' holds inf in row 6"),
        (weighted(at={5: 1e300}), "column.too_large", "'w' holds 1e+300 in row 6"),
        (weighted(w=0.0), "weight.none", "'w' is 0 in every row"),
        (weighted(w=np.nan), "weight.none", "'w' is missing in every row"),
        (weighted(w=["heavy"] * 200), "weight.no_number", "'w' holds 'heavy' in row 1"),
        (weighted(at=dict.fromkeys(range(190), 0.0)), "weight.too_few_rows", "only 10 rows"),
        (weighted().drop(columns="w"), "column.unknown", "there is no column 'w'"),
    ],
)
def test_each_unusable_weight_has_its_sentence(frame, code, told):
    with pytest.raises(InputError) as refused:
        prepared(frame)
    assert refused.value.sentence.code == code
    assert told in str(refused.value)


def test_rows_of_weight_0_and_without_one_are_left_out_and_counted():
    data = prepared(weighted(at={0: 0.0, 1: 0.0, 7: np.nan}))
    assert (len(data.table), data.left_out.weight) == (197, 3)
    counted = [note for note in data.notes if note.code == "rows.without_weight"]
    assert [note[-3:] for note in counted] == [" 2.", " 1."]


def test_weights_are_in_the_examples_and_no_feature():
    frame = weighted()
    data = prepared(frame)
    assert data.encoder.columns_ == ["x"]
    assert data.roles.dropped["w"] == "says how often a row counts"
    for examples in (data.train, data.calibration, data.test):
        assert examples.weights.tolist() == frame["w"].iloc[examples.rows].tolist()
        assert examples.part(slice(3)).weights.tolist() == examples.weights[:3].tolist()
    note = next(note for note in data.notes if note.code == "rows.weighted")
    assert f"{data.test.effective:,.0f} for 60 test rows" in note
    assert "w" in columns_in_use(["x", "w", "y", "v"], AuditSettings(target="y", weight="w"))


def test_weights_that_are_no_whole_numbers_have_no_unit():
    frame = weighted()
    one = prepared(frame.assign(w=0.37 * frame["w"]))
    other = prepared(frame.assign(w=1.01 * frame["w"]))
    assert one.train.weights == pytest.approx(other.train.weights)
    everywhere = np.concatenate([of.weights for of in (one.train, one.calibration, one.test)])
    assert everywhere.mean() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options", [{"features": ("x", "w")}, {"audit_only": ("w",)}, {"drop": ("w",)}, {"time": "w"}]
)
def test_a_weight_has_no_other_role(options):
    with pytest.raises(InputError, match="as the weight; choose one"):
        prepared(weighted(), **options)


@pytest.mark.parametrize("option", ["estimator", "ifacm_estimator"])
def test_an_estimator_that_takes_no_weights_is_refused_by_name(option):
    with pytest.raises(InputError, match="'knn' takes no weights; choose 'logistic'"):
        AuditSettings(target="y", weight="w", **{option: "knn"})
    AuditSettings(target="y", **{option: "knn"})


@pytest.mark.parametrize("role", ["target", "group"])
def test_a_horizon_has_no_other_role(role):
    table = Table.of(pd.DataFrame({"y": range(9), "x": range(9), "who": range(9)}))
    named = {"target": "y"} | {role: "x"}
    with pytest.raises(InputError, match="as the horizon; choose one"):
        assign_roles(table, AuditSettings(**named, horizon="x"))
