"""Splits: disjoint, of the sizes asked for, and the same for the same seed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.prepare import IDLE, prepare
from evencover.core.preparation.split import (
    group_split,
    random_split,
    split_from_column,
    split_sizes,
    time_split,
)
from evencover.core.tables.columns import Column


def rows_of(split):
    return [part.tolist() for part in split]


class TestSizes:
    @pytest.mark.parametrize(
        ("text", "n", "sizes"),
        [
            ("0.4,0.3,0.3", 100, (40, 30, 30)),
            ("0.4, 0.3, 0.3", 100, (40, 30, 30)),
            (".1,.2,.7", 10, (1, 2, 7)),
            (".1,.2,.7", 1000, (100, 200, 700)),
            ("0.7,0.2,0.1", 1000, (700, 200, 100)),
            ("0.3333333333,0.3333333333,0.3333333334", 10, (3, 4, 3)),
            ("1e-1,0.2,0.7", 100, (10, 20, 70)),
            ("20,30,40", 90, (20, 30, 40)),
            ("20,30,40", 100, (20, 30, 40)),
            ("1,1,1", 3, (1, 1, 1)),
        ],
    )
    def test_counts_and_shares(self, text, n, sizes):
        assert split_sizes(text, n) == sizes

    @given(
        st.lists(st.integers(1, 98), min_size=2, max_size=2, unique=True), st.integers(300, 10**6)
    )
    def test_shares_leave_no_row_out_and_are_right_within_one(self, cuts, n):
        low, high = sorted(cuts)
        shares = [low / 100, (high - low) / 100, (100 - high) / 100]
        sizes = split_sizes(",".join(map(str, shares)), n)
        assert sum(sizes) == n
        assert all(abs(size - share * n) <= 1 for size, share in zip(sizes, shares, strict=True))

    @pytest.mark.parametrize(
        ("text", "code", "part"),
        [
            *((text, "split.parts", "") for text in ("", "0.5,0.5", "1,2,3,4", "100")),
            *((text, "split.shares", "") for text in ("a,b,c", "0.4,0.3,0.2", "-0.2,0.6,0.6")),
            *((text, "split.shares", "") for text in ("nan,0.5,0.5", "inf,0,0", "40,30,x")),
            *((text, "split.shares", "") for text in ("1.5,2.5,3", "-1,2,3")),
            ("50,50,1", "split.too_many", "101 rows, but the table has 100"),
            ("0,50,50", "split.empty", "training"),
            ("0.5,0.0,0.5", "split.empty", "calibration"),
            ("0.5,0.5,0", "split.empty", "test"),
            ("1,0,0", "split.empty", "calibration"),
            ("0.001,0.499,0.5", "split.empty", "training"),
        ],
    )
    def test_what_is_no_split_is_told(self, text, code, part):
        with pytest.raises(InputError) as refused:
            split_sizes(text, 100)
        assert refused.value.sentence.code == code
        assert f"'{text}'" in str(refused.value)
        assert part in str(refused.value)


class TestRandom:
    @given(
        st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 30)),
        st.integers(0, 20),
        st.integers(0, 2**32),
        st.booleans(),
    )
    def test_parts_are_disjoint_and_of_the_sizes_asked_for(self, sizes, unused, seed, stratified):
        n = sum(sizes) + unused
        strata = np.random.default_rng(seed).integers(0, 3, n) if stratified else None
        split = random_split(sizes, n, seed, strata)
        assert tuple(len(part) for part in split) == sizes
        every = np.concatenate(split)
        assert len(set(every.tolist())) == sum(sizes)
        assert every.min() >= 0
        assert every.max() < n
        assert all((np.diff(part) > 0).all() for part in split)

    @pytest.mark.parametrize("strata", [None, np.arange(60) % 3])
    def test_the_seed_decides(self, strata):
        splits = [rows_of(random_split((20, 20, 20), 60, seed, strata)) for seed in (1, 1, 2)]
        assert splits[0] == splits[1]
        assert splits[0] != splits[2]

    def test_the_unused_rows_are_drawn_as_well(self):
        rows = [set(random_split((10, 10, 10), 100, seed).train.tolist()) for seed in range(150)]
        assert set.union(*rows) == set(range(100))

    @pytest.mark.parametrize("sizes", [(40, 30, 30), (70, 20, 10), (10, 10, 80), (33, 33, 34)])
    @pytest.mark.parametrize("unused", [0, 25])
    @pytest.mark.parametrize(
        "counts", [(50, 50), (90, 9, 1), (60, 25, 15), (34, 33, 33), (1,) * 100]
    )
    def test_strata_are_divided_in_proportion(self, sizes, unused, counts):
        strata = np.repeat(range(len(counts)), counts)
        strata = np.append(strata, np.zeros(unused, dtype=int))
        n = len(strata)
        split = random_split(sizes, n, 0, strata)
        for code in range(len(counts)):
            in_class = np.sum(strata == code)
            for size, part in zip(sizes, split, strict=True):
                assert abs(np.sum(strata[part] == code) - in_class * size / n) <= 2.5


class TestColumn:
    @pytest.mark.parametrize(
        "words",
        [
            ("train", "calibration", "test"),
            ("Training", "CALIB", "Test"),
            (" train ", "cal", "TEST"),
        ],
    )
    @pytest.mark.parametrize("dtype", ["object", "category", "string"])
    def test_words_for_the_parts(self, words, dtype):
        column = pd.Series(words[::-1], name="part", dtype=dtype)
        assert rows_of(split_from_column(Column.of(column))) == [[2], [1], [0]]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            *(
                (["train", "test", word], f"'part' holds '{word}' in row 3; every row must say")
                for word in ("valid", "", "0", "trains")
            ),
            ([0, 1, 2], "'part' holds '0' in row 1"),
            (["train", None, "test", "calibration"], "in row 2; every row must say"),
            (["train", "test"], "'part' leaves the calibration set empty"),
            (["cal", "test"], "'part' leaves the training set empty"),
            ([["train"], ["cal"], ["test"]], "'part'"),
            (pd.Series(["train", "test", "valid"], index=[0, 5, 9]), "holds 'valid' in row 10"),
        ],
    )
    def test_what_divides_no_rows_is_told(self, words, told):
        with pytest.raises(InputError) as refused:
            split_from_column(Column.of(pd.Series(words, name="part")))
        assert told in str(refused.value)

    def test_the_split_is_the_columns_in_an_audit(self):
        words = np.array(["train"] * 50 + ["calibration"] * 30 + ["test"] * 20)
        frame = classes_absent_from(()).assign(part=words)
        data = prepare(frame, AuditSettings(target="y", split_column="part"))
        assert data.train.rows.tolist() == list(range(50))
        assert data.test.rows.tolist() == list(range(80, 100))


def classes_absent_from(parts, name="c"):
    """Three classes in 50, 30 and 20 rows; one of them not in the parts said."""
    rng = np.random.default_rng(0)
    words = np.array(["train"] * 50 + ["calibration"] * 30 + ["test"] * 20)
    y = rng.choice(["a", "b", "c"], 100)
    others = [other for other in "abc" if other != name]
    y[np.isin(words, parts) & (y == name)] = others[0]
    x = rng.normal(size=100) + (y == "b")
    return pd.DataFrame({"x": x, "z": rng.normal(size=100), "part": words, "y": y})


@pytest.mark.parametrize("name", ["a", "b", "c"])
class TestAbsentClasses:
    """Of every place in the order of classes: the first, a middle one and the last."""

    @pytest.mark.long
    @pytest.mark.parametrize(
        ("part", "told"),
        [
            ("calibration", "calibration rows (1), whose coverage is not calibrated for"),
            ("train", "training rows (1), each in a label set only when every label is"),
        ],
    )
    def test_an_absent_one_is_told(self, part, told, name):
        frame = classes_absent_from([part], name)
        asked = AuditSettings(target="y", split_column="part", remedies=("ifacm",))
        result = audit(frame, asked)
        assert f"Classes without {told}: '{name}'." in result.notes
        assert len(result.results) == 4

    def test_one_absent_from_training_is_never_held(self, name):
        frame = classes_absent_from(["train", "calibration"], name)
        settings = AuditSettings(target="y", split_column="part", remedies=("none",))
        accuracy = audit(frame, settings).row("test", "base").accuracy
        assert accuracy <= np.mean(frame["y"][80:] != name)


def test_many_absent_classes_are_told_in_one_sentence():
    labels = [f"c{i:02d}" for i in range(20)] + ["a", "b"] * 40
    part = ["test"] * 20 + ["train", "train", "calibration", "calibration"] * 20
    frame = pd.DataFrame({"y": labels, "x": np.arange(100.0) % 7, "part": part})
    settings = AuditSettings(target="y", split_column="part", remedies=("none",))
    notes = audit(frame, settings).notes
    told = "(20), each in a label set only when every label is: 'c00', 'c01', 'c02', 'c03', 'c04', "
    assert sum(told in note for note in notes) == 1


class TestGroups:
    def test_no_group_is_on_two_sides(self):
        groups = pd.Series(np.random.default_rng(0).integers(0, 60, 500), name="id")
        split = group_split((200, 150, 150), Column.of(groups), 1)
        sides = [set(groups.iloc[rows]) for rows in split]
        assert sum(map(len, sides)) == len(set.union(*sides))
        assert sum(map(len, split)) == 500

    @pytest.mark.parametrize("groups", [range(50), [None] * 40 + ["a"] * 2])
    def test_single_rows_and_those_without_a_group_are_split_in_the_exact_sizes(self, groups):
        split = group_split((20, 12, 10), Column.of(pd.Series(groups, name="id")), 0)
        assert [len(rows) for rows in split] == [20, 12, 10]

    def test_seeds_differ_and_repeat(self):
        groups = Column.of(pd.Series(np.repeat(range(30), 3), name="id"))
        trains = [group_split((30, 30, 30), groups, seed).train.tolist() for seed in (0, 0, 1)]
        assert trains[0] == trains[1] != trains[2]

    def test_groups_too_large_are_told(self):
        with pytest.raises(InputError, match="column 'id' has so few, large groups"):
            group_split((14, 13, 13), Column.of(pd.Series(["a"] * 40, name="id")), 0)


class TestTime:
    def test_training_is_earlier_and_test_is_latest(self):
        days = np.random.default_rng(0).permutation(60)
        column = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D"), name="t")
        split = time_split((30, 15, 10), Column.of(column))
        assert sorted(days[split.train].tolist()) == list(range(5, 35))
        assert sorted(days[split.calibration].tolist()) == list(range(35, 50))
        assert sorted(days[split.test].tolist()) == list(range(50, 60))

    @pytest.mark.parametrize("style", ["%Y-%m-%d", "%Y%m%dT000000", "%d.%m.%Y"])
    def test_dates_as_text_are_in_order_of_time(self, style):
        dates = pd.Series(pd.date_range("2019-11-25", periods=30).strftime(style), name="t")
        assert time_split((10, 10, 10), Column.of(dates)).test.tolist() == list(range(20, 30))

    def test_rows_of_one_moment_stay_together(self):
        moments = Column.of(pd.Series(np.repeat(range(6), 5), name="t"))
        assert [len(rows) for rows in time_split((10, 10, 10), moments)] == [10, 10, 10]
        assert {len(rows) % 5 for rows in time_split((12, 9, 9), moments)} == {0}

    def test_a_row_without_time_or_with_another_value_is_told(self):
        column = pd.Series([1.0] * 20 + [np.nan] + [2.0] * 20, name="t")
        with pytest.raises(InputError, match="'t' holds nothing in row 21, which is no time"):
            time_split((14, 14, 13), Column.of(column))
        values = [*pd.date_range("2020-01-01", periods=29).strftime("%Y-%m-%d"), "L" * 100]
        with pytest.raises(InputError) as refused:
            time_split((10, 10, 10), Column(pd.Series(values, name="t"), "date"))
        assert f"holds '{'L' * 78} …' in row 30, which is no time" in str(refused.value)


def test_two_ways_to_split_are_refused():
    with pytest.raises(InputError, match="the split column and the group column cannot both"):
        AuditSettings(target="y", group="a", split_column="b")


def test_by_time_errors_may_go_by_group():
    """Firms are in all sets, and the rows of each count as one cluster there."""
    months = pd.date_range("2020-01-01", periods=20, freq="MS")
    frame = pd.DataFrame({"month": np.repeat(months, 30), "firm": np.tile(np.arange(30), 20)})
    frame = frame.assign(x=np.arange(600) % 7, y=np.arange(600) % 13 + 0.5)
    made = prepare(frame.sample(frac=1.0), AuditSettings(target="y", time="month", group="firm"))
    latest = made.table["month"].series
    assert latest.iloc[made.test.rows].min() > latest.iloc[made.train.rows].max()
    assert [len(np.unique(rows.clusters)) for rows in (made.train, made.test)] == [30, 30]
    (note,) = [note for note in made.notes if note.code == "split.by_time"]
    assert "Rows of one value of 'firm' may be alike: tests and bands count whole values" in note
    assert "Of 30 values with test rows, 30 have others before" in note
    frame["firm"] += 10 * (frame["month"] >= months[14])  # the test rows' are 10 to 39
    made = prepare(frame, AuditSettings(target="y", time="month", group="firm"))
    (note,) = [note for note in made.notes if note.code == "split.by_time"]
    assert "Of 30 values with test rows, 20 have others before" in note


def test_what_is_not_used_is_told():
    frame = pd.DataFrame({"x": np.arange(60) % 7, "y": np.arange(60) % 50 + 0.5})
    frame["set"] = ["train", "calibration", "test"] * 20
    more = {"split": "0.5,0.2,0.3", "sample": 500, "below": 0.02}
    given = AuditSettings(target="y", split_column="set", **more)
    told = [note for note in prepare(frame, given).notes if note.code.startswith(IDLE)]
    assert told == [
        "'rows drawn of a folder' is 500, but is not used: every row of this table is looked at.",
        "'split' is 0.5,0.2,0.3, but is not used: column 'set' divides the rows.",
        "'share allowed below' is 0.02, but is not used: no remedy is two-sided.",
    ]
    used = replace(given, split="0.4,0.3,0.3", sample=100_000, remedies=("ifacm", "two-sided"))
    assert not [note for note in prepare(frame, used).notes if note.code.startswith(IDLE)]
