"""Weights that are unusable have each a sentence of their own; rows without one are counted."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.roles import columns_in_use


def table(n=200, **changes):
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
        (table(at={3: -1.0}), "weight.negative", "'w' is -1.0 in row 4"),
        (table(at={5: np.inf}), "column.too_large", "'w' holds inf in row 6"),
        (table(at={5: 1e300}), "column.too_large", "'w' holds 1e+300 in row 6"),
        (table(w=0.0), "weight.none", "'w' is 0 in every row"),
        (table(w=np.nan), "weight.none", "'w' is missing in every row"),
        (table(w=["heavy"] * 200), "weight.no_number", "'w' holds 'heavy' in row 1"),
        (table(at=dict.fromkeys(range(190), 0.0)), "weight.too_few_rows", "only 10 rows"),
        (table().drop(columns="w"), "column.unknown", "there is no column 'w'"),
    ],
)
def test_each_unusable_weight_has_its_sentence(frame, code, told):
    with pytest.raises(InputError) as refused:
        prepared(frame)
    assert refused.value.sentence.code == code
    assert told in str(refused.value)


def test_rows_of_weight_0_and_without_one_are_left_out_and_counted():
    data = prepared(table(at={0: 0.0, 1: 0.0, 7: np.nan}))
    assert (len(data.table), data.left_out.weight) == (197, 3)
    counted = [note for note in data.notes if note.code == "rows.without_weight"]
    assert [note[-3:] for note in counted] == [" 2.", " 1."]


def test_weights_are_in_the_examples_and_no_feature():
    frame = table()
    data = prepared(frame)
    assert data.encoder.columns_ == ["x"]
    assert ("w", "says how often a row counts") in data.roles.dropped
    for examples in (data.train, data.calibration, data.test):
        assert examples.weights.tolist() == frame["w"].iloc[examples.rows].tolist()
        assert examples.part(slice(3)).weights.tolist() == examples.weights[:3].tolist()
    note = next(note for note in data.notes if note.code == "rows.weighted")
    assert f"{data.test.effective:,.0f} for 60 test rows" in note
    assert "w" in columns_in_use(["x", "w", "y", "v"], AuditSettings(target="y", weight="w"))


def test_weights_that_are_no_whole_numbers_have_no_unit():
    frame = table()
    one = prepared(frame.assign(w=0.37 * frame["w"]))
    other = prepared(frame.assign(w=1.01 * frame["w"]))
    assert one.train.weights == pytest.approx(other.train.weights)
    everywhere = np.concatenate([of.weights for of in (one.train, one.calibration, one.test)])
    assert everywhere.mean() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options",
    [{"features": ("x", "w")}, {"audit_only": ("w",)}, {"drop": ("w",)}, {"time": "w"}],
)
def test_a_weight_has_no_other_role(options):
    with pytest.raises(InputError, match="as the weight; choose one"):
        prepared(table(), **options)


@pytest.mark.parametrize("option", ["estimator", "ifacm_estimator"])
def test_an_estimator_that_takes_no_weights_is_refused_by_name(option):
    with pytest.raises(InputError, match="'knn' takes no weights; choose 'logistic'"):
        AuditSettings(target="y", weight="w", **{option: "knn"})
    AuditSettings(target="y", **{option: "knn"})
