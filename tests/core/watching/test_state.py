"""A watch's state: the same sums in any order and number of portions, or a refusal."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched import HALVES, of_classes, predictor, rows

from evencover.core import InputError
from evencover.core.tables.table import Table
from evencover.core.watching.intake import Watch
from evencover.core.watching.state import WatchState

WATCH = Watch(predictor(), "id", "day")
ROWS = rows(300)


def empty(watch=WATCH):
    return WatchState(watch.fingerprint)


def with_all(*frames, watch=WATCH, state=None):
    """A state by way of its file, as it is kept between calls."""
    state = state or empty(watch)
    for frame in frames:
        state, _ = watch.added(Table.of(frame), state)
        state = WatchState.of_json(state.to_json(), "state")
    return state


WHOLE = with_all(ROWS).to_json()


def test_counts_are_those_of_a_plain_loop():
    found = json.loads(WHOLE)["periods"]
    assert [*found] == sorted({str(day.date()) for day in ROWS["day"]})
    for day, own in ROWS.groupby(ROWS["day"].dt.date.astype(str)):
        counts = [0] * 10
        for row in own.itertuples():
            counts[sum(abs(row.y - row.x) > half for half in HALVES)] += 1
            if row.sex == "F":
                counts[4 + (abs(row.y - row.x) > 1.0)] += 1
            counts[6 + (row.x >= 0.0)] += 1
        assert found[day] == counts


@settings(max_examples=4)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 50]))
def test_order_and_portions_change_nothing(seed, portions):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(ROWS))
    parts = [ROWS.iloc[part] for part in np.array_split(order, portions)]
    assert with_all(*parts).to_json() == WHOLE


@settings(max_examples=5)
@given(st.integers(0, 10_000))
def test_labels_come_late_early_and_twice(seed):
    rng = np.random.default_rng(seed)
    bare, labels = ROWS.drop(columns="y"), ROWS[["id", "y"]].sample(frac=1, random_state=seed)
    cut = int(rng.integers(0, 300))
    early, late = labels.iloc[:cut], labels.iloc[max(cut - 20, 0) :]
    known = rng.random(300) < 0.3
    some = ROWS.assign(y=ROWS["y"].where(known))
    assert with_all(early, bare, late).to_json() == WHOLE
    assert with_all(some, early, late, bare).to_json() == WHOLE


def test_rows_that_came_are_not_counted_again():
    state, added = WATCH.added(Table.of(ROWS), with_all(ROWS))
    assert (state.to_json(), added) == (WHOLE, (0, 300, 0, 0, frozenset()))
    double = pd.concat([ROWS, ROWS.iloc[:7]])
    assert WATCH.added(Table.of(double), empty())[1][:2] == (300, 7)


def test_states_of_two_machines_add_up():
    bare, labels = ROWS.drop(columns="y"), ROWS[["id", "y"]]
    one = with_all(ROWS.iloc[:100], bare.iloc[100:200])
    other = with_all(ROWS.iloc[200:], labels.iloc[50:150])
    for first, second in ((one, other), (other, one)):
        merged = WATCH.merged(first, second)
        assert with_all(labels, state=merged).to_json() == WHOLE
    with pytest.raises(InputError, match="1 of the rows"):
        WATCH.merged(one, with_all(ROWS.iloc[99:150]))


def test_a_state_of_classes_counts_sets_that_miss_the_class():
    watch, frame = (
        Watch(of_classes(), "id"),
        pd.DataFrame(
            [
                *(
                    ("1", 0.7, 0.25, 0.05, "a"),
                    ("2", 0.7, 0.25, 0.05, "b"),
                    ("3", 0.8, 0.1, 0.1, "c"),
                ),
                *(("4", 0.98, 0.01, 0.01, "b"), ("5", 0.5, 0.3, 0.2, "another")),
            ],
            columns=["id", "pa", "pb", "pc", "y"],
        ),
    )
    wanted = [1, 1, 1, 2]  # in none of three sets are a rare class and a new one
    assert json.loads(with_all(frame, watch=watch).to_json())["periods"] == {"": wanted}
    parts = frame.drop(columns="y"), frame[["y", "id"]]
    assert json.loads(with_all(*parts, watch=watch).to_json())["periods"] == {"": wanted}


def test_groups_with_thresholds_of_their_own_are_held_by_these():
    watch = Watch(predictor(by_group=True))
    state, added = watch.added(Table.of(ROWS.drop(columns="sex")), empty(watch))
    held = (abs(ROWS["y"] - ROWS["x"]) <= ROWS["k"].map({"a": 1.0, "b": 2.0})).sum()
    assert state.periods[""][:2].tolist() == [held, 300 - held]
    assert added.lacking == {"sex"}


def test_of_two_labels_of_a_key_the_first_counts():
    bare, right = ROWS[:9].drop(columns="y"), ROWS[["id", "y"]][:9]
    wrong = right.assign(y=99.0)
    wanted = with_all(ROWS[:9]).to_json()
    assert with_all(bare, pd.concat([right, wrong])).to_json() == wanted
    assert with_all(bare, right, wrong).to_json() == wanted
    assert with_all(pd.concat([right, wrong]), bare).to_json() == wanted
    assert with_all(pd.concat([bare, ROWS[:9], ROWS[:9].assign(y=99.0)])).to_json() == wanted


def test_rows_are_known_by_one_column_always():
    for other in (Watch(predictor(), None, "day"), Watch(predictor(), "k", "day")):
        with pytest.raises(InputError, match="known by 'id'"):
            other.added(Table.of(ROWS), with_all(ROWS))
    whole, point = ROWS.assign(id=range(300)), ROWS.assign(id=[f"{i}.0" for i in range(300)])
    assert with_all(whole, point, whole.assign(id=np.arange(300.0))).to_json() == (
        with_all(whole).to_json()
    )


def test_a_file_without_keys_is_counted_once():
    watch = Watch(predictor())
    state, _ = watch.of_pieces([Table.of(ROWS)], empty(watch), "sha256:1")
    with pytest.raises(InputError, match="counted already"):
        watch.of_pieces([Table.of(ROWS)], state, "sha256:1")
    assert watch.of_pieces([Table.of(ROWS)], state, "sha256:2")[0].periods[""][:4].sum() == 600


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (ROWS.assign(id=[None, *ROWS["id"][1:]]), "'id' has no key in row 1"),
        (ROWS.assign(day=[*ROWS["day"][:-1], pd.NaT]), "'day' has no time in row 300"),
        (ROWS.drop(columns="id"), "there is no column 'id'"),
        (ROWS.drop(columns="day"), "there is no column 'day'"),
        (ROWS.drop(columns=["x", "y"]), "there is no column 'y'"),
        (ROWS.assign(y="high"), "'y' holds 'high' in row 1"),
    ],
)
def test_what_cannot_be_counted_is_refused(frame, says):
    with pytest.raises(InputError, match=says):
        WATCH.added(Table.of(frame), empty())


def test_a_state_of_another_predictor_or_without_times_is_refused():
    with pytest.raises(InputError, match="of another predictor"):
        WATCH.of_pieces([], WatchState("other"), "")
    with pytest.raises(InputError, match="without"):
        Watch(predictor(), "id").added(Table.of(rows(9, 1)), with_all(ROWS))


def test_a_damaged_state_is_refused():
    few = ROWS[:40]
    told, refused = json.loads(with_all(few.drop(columns="y"), few[["id", "y"]][:9]).to_json()), 0
    rng, odd = np.random.default_rng(0), [None, -1, "x", [], {}, 1.5, [["x"]], 2**70, True]
    for _ in range(60):
        changed = json.loads(json.dumps(told))
        place, name = changed, str(rng.choice([*told]))
        while isinstance(place[name], dict) and place[name] and rng.random() < 0.7:
            place, name = place[name], str(rng.choice([*place[name]]))
        place[name] = odd[rng.integers(len(odd))]
        try:  # what is well-formed may be false, and be of use all the same
            state = WatchState.of_json(json.dumps(changed), "state.json")
            WATCH.check(state)
            WATCH.added(Table.of(ROWS), state)
        except InputError as error:
            refused += any(word in str(error) for word in ("damaged", "another", "known by"))
    assert refused > 30
    for part, odd in (
        ("waiting", {"-1": ["", [0.0] * 6, []]}),
        ("waiting", {"0" * 17: ["", [0.0] * 6, []]}),
        ("labels", {"0" * 16: float("inf")}),
        ("periods", {"2026-01-01": [2**62] * 10}),
    ):
        with pytest.raises(InputError, match="damaged"):
            WatchState.of_json(json.dumps(told | {part: odd}), "state.json")
    for text in ("", "[]", "{", '{"format": "evencover-watch"}', "\x00", "[" * 100_000):
        with pytest.raises(InputError, match=r"'state\.json' is no state"):
            WatchState.of_json(text, "state.json")
