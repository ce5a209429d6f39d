"""Examples: an array to whoever takes arrays, and rows of the table to whoever looks for more."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evencover.core.conformal.measures import NormalizedMeasure, ScoringMeasure, StandardMeasure
from evencover.core.rows.examples import Examples, ModelOutputs, as_examples

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "region": list("abab"), "id": [7, 8, 9, 10]})
X = FRAME[["x"]].to_numpy()


def examples(rows):
    rows = np.array(rows)
    return Examples(X[rows], 10.0 * X[rows, 0], FRAME, rows)


def test_the_table_has_their_rows_whatever_role_a_column_has():
    found = examples([3, 0])
    assert found.table.to_dict("list") == {"x": [4.0, 1.0], "region": ["b", "a"], "id": [10, 7]}
    assert found.table is found.table


def test_rows_are_positions_and_not_names():
    found = Examples(X[:2], X[:2, 0], FRAME.set_index(np.array([9, 9, 0, 1])), np.array([2, 1]))
    assert found.table["id"].tolist() == [9, 8]


@pytest.mark.parametrize("where", [np.array([2, 0]), np.array([True, False, True])])
def test_a_part_keeps_what_is_known_of_its_examples(where):
    said = ModelOutputs(prediction=np.array([0.1, 0.2, 0.3]), probabilities=np.eye(3))
    names = pd.Index(["x"])
    kept_beside = {"weights": np.array([1.0, 2.0, 3.0]), "clusters": np.array([0, 0, 1])}
    found = replace(examples([3, 0, 1]), features=names, outputs=said, **kept_beside).part(where)
    kept = np.arange(3)[where]
    assert found.rows.tolist() == np.array([3, 0, 1])[kept].tolist()
    assert found.table["id"].tolist() == np.array([10, 7, 8])[kept].tolist()
    assert found.labels.tolist() == (10.0 * found.X[:, 0]).tolist()
    assert found.features is names
    assert found.model_outputs.prediction.tolist() == np.array([0.1, 0.2, 0.3])[kept].tolist()
    assert found.model_outputs.probabilities.tolist() == np.eye(3)[kept].tolist()
    assert found.model_outputs.sigma is None
    for name, values in kept_beside.items():
        assert getattr(found, name).tolist() == values[kept].tolist()


def test_they_are_used_as_their_matrix():
    found = examples([1, 2])
    assert len(found) == 2
    np.testing.assert_array_equal(np.asarray(found), [[2.0], [3.0]])
    assert np.asarray(found, dtype=np.float32).dtype == np.float32
    assert np.shares_memory(np.asarray(found), found.X)
    assert not np.shares_memory(np.array(found), found.X)


def test_a_matrix_with_labels_becomes_examples():
    found = as_examples(X, [1, 0, 1, 0])
    assert (found.X.tolist(), found.labels.tolist()) == (X.tolist(), [1, 0, 1, 0])
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.table.shape == (4, 0)
    assert as_examples(found, np.zeros(4)) is found


@pytest.mark.parametrize("y", [None, [1.0], [1.0] * 5])
def test_without_a_label_for_each_there_are_no_labels(y):
    found = as_examples(X, y)
    with pytest.raises(ValueError, match=f"there are 4 objects and {len(y or [])} labels"):
        _ = found.labels


@pytest.mark.parametrize("measure", [NormalizedMeasure(), StandardMeasure(), ScoringMeasure()])
def test_what_needs_labels_says_that_they_are_missing(measure):
    rng = np.random.default_rng(0)
    test_rows = rng.normal(size=(40, 2))
    labels = (test_rows[:, 0] + rng.normal(size=40) > 0).astype(int)
    with pytest.raises(ValueError, match="there are 40 objects and 0 labels"):
        measure.fit(test_rows)
    fitted = measure.fit(Examples(test_rows, labels, pd.DataFrame(index=range(40)), np.arange(40)))
    np.testing.assert_array_equal(
        fitted.score(as_examples(test_rows, labels)), fitted.score(test_rows, labels)
    )
    with pytest.raises(ValueError, match="there are 40 objects and 0 labels"):
        fitted.score(test_rows)
