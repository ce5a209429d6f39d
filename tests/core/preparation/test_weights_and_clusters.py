"""Which rows belong together, only where coincidence is implausible; how often each one counts."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.roles import columns_in_use
from evencover.core.preparation.split import BLOCKS, Split, clusters_of, repeated_rows
from evencover.core.tables.table import Table

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
    return clusters_of(Table.of(frame), AuditSettings(target="y", **settings), parts)


def test_different_rows_are_independent():
    assert clusters(draw()) == ([None, None, None], [])


def test_copies_of_a_row_are_one_cluster_and_counted():
    frame = thrice(draw(4))
    by_set, notes = clusters(frame, ([0, 4, 8, 1], [2, 6, 3, 7], [5, 9, 10, 11]))
    assert [each.tolist() for each in by_set] == [[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 2]]
    assert notes[0].startswith("8 rows repeat another row exactly")


def test_a_few_copies_among_many_rows_are_counted_alone():
    frame = draw(300)
    by_set, notes = clusters(pd.concat([frame, frame[:2]], ignore_index=True))
    assert by_set == [None, None, None]
    assert notes[0].startswith("2 rows repeat")
    assert notes[0].endswith("They are too few to matter for intervals and tests.")
    _, notes = clusters(pd.concat([frame, frame[:4]], ignore_index=True))
    assert notes[0].endswith("Intervals and tests do not take them for independent.")


def test_a_set_without_copies_in_it_has_no_clusters():
    by_set, _ = clusters(thrice(draw(4)), ([0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]))
    assert by_set == [None, None, None]


def test_a_table_of_few_categories_has_equal_rows_by_chance():
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (N, 4)), columns=list("abcy"))
    assert frame.duplicated().any()
    assert repeated_rows(Table.of(frame)) is None
    # half of the different rows told apart by one column are enough
    half = pd.DataFrame({"x": [1, 1, 2, 2, 2], "y": [0, 1, 0, 1, 1]})
    assert repeated_rows(Table.of(half)).tolist() == [0, 1, 2, 3, 3]
    third = pd.DataFrame({"x": [1, 1, 1, 2, 2, 2, 2], "y": [0, 1, 2, 0, 1, 2, 2]})
    assert repeated_rows(Table.of(third)).tolist() == [0, 1, 2, 3, 4, 5, 5]
    less = third.assign(z=1, y=[0, 1, 0, 1, 0, 1, 1], w=[0, 0, 1, 0, 1, 1, 1])
    assert repeated_rows(Table.of(less)) is None  # five different rows, two values at most


def test_missing_values_and_lists_are_compared_too():
    frame = pd.DataFrame({"x": [1.5, np.nan, np.nan], "y": [[1], [2], [2]]})
    assert repeated_rows(Table.of(frame)).tolist() == [0, 1, 1]
    frame = pd.DataFrame({"x": [1.5, np.nan, np.nan], "y": [[1], [2], [3]]})
    assert repeated_rows(Table.of(frame)) is None


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


# How often a row counts


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
