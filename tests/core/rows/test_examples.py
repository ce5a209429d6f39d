"""Examples are arrays and rows of the table; outcomes of rows that are alike, and weights."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import held
from scipy import stats

from evencover.core import NormalizedMeasure, ScoringMeasure, StandardMeasure
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.rows import weights
from evencover.core.rows.examples import Examples, ModelOutputs, as_examples

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "region": list("abab"), "id": [7, 8, 9, 10]})
X = FRAME[["x"]].to_numpy()


def examples(rows):
    rows = np.array(rows)
    return Examples(X[rows], 10.0 * X[rows, 0], FRAME, rows)


def test_the_table_has_their_rows_by_position_whatever_role_a_column_has():
    found = examples([3, 0])
    assert found.table.to_dict("list") == {"x": [4.0, 1.0], "region": ["b", "a"], "id": [10, 7]}
    assert found.table is found.table
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


def test_they_are_used_as_their_matrix_and_made_of_one():
    found = examples([1, 2])
    assert len(found) == 2
    np.testing.assert_array_equal(np.asarray(found), [[2.0], [3.0]])
    assert np.asarray(found, dtype=np.float32).dtype == np.float32
    assert np.shares_memory(np.asarray(found), found.X)
    assert not np.shares_memory(np.array(found), found.X)
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


T, NORMAL = stats.t.ppf, stats.norm.ppf(0.995)


def test_three_small_clusters_by_hand():
    # of pairs in a cluster: (1, 1) off by 0.4 each, (0, 0) by -0.6 each; the single row has none
    rows = held(np.array([1, 1, 0, 0, 1], dtype=bool), np.array([0, 0, 1, 1, 2]))
    pairs = (2 * 0.4 * 0.4 + 2 * 0.6 * 0.6) / 4
    assert rows.correlation == pytest.approx(min(1.0, pairs / 0.24), rel=1e-12)
    mixed = held(np.array([1, 0, 0, 1, 1, 1, 1, 1], dtype=bool), np.arange(8) // 2)
    pairs = (4 * -0.75 * 0.25 + 4 * 0.25**2) / 8
    assert mixed.correlation == max(0.0, pairs)
    assert mixed.design_effect == 1.0
    # without clusters or with equal outcomes rows are independent
    for plain in (held(np.arange(9) < 5), *(held([of] * 9, np.arange(9) // 3) for of in (0, 1))):
        assert plain.design_effect == 1.0


def test_rows_three_times_are_a_third_as_many():
    rng = np.random.default_rng(0)
    once = rng.random(500) < 0.9
    rows = held(np.repeat(once, 3), np.repeat(np.arange(500), 3))
    assert rows.correlation == pytest.approx(1.0, abs=1e-9)
    assert rows.design_effect == pytest.approx(3.0 * (T(0.995, 499) / NORMAL) ** 2, rel=1e-9)
    assert 1500 / rows.design_effect == pytest.approx(500, rel=0.01)


def test_one_cluster_shows_nothing_of_how_alike_its_rows_are():
    rows = held(np.arange(6) > 0, np.zeros(6, dtype=np.intp))
    assert rows.design_effect == 6.0
    assert rows.design_effects(np.array([0, 0, 0, 0, 2, 2]), 3).tolist() == [4.0, 1.0, 2.0]


def test_segments_that_part_the_copies_hold_independent_rows():
    once = np.random.default_rng(1).random(500) < 0.9
    rows = held(np.repeat(once, 3), np.repeat(np.arange(500), 3))
    assert rows.design_effects(np.arange(1500) % 3, 3) == pytest.approx([1.0] * 3)
    halves = rows.design_effects((np.arange(1500) >= 750).astype(int), 3)
    assert halves[:2] == pytest.approx([3.0, 3.0], rel=0.02)
    assert halves[2] == 1.0


def test_few_large_clusters_are_few_whatever_the_small_ones():
    """One cluster holds half of the rows: what its rows have in common is seen once."""
    clusters = np.concatenate([np.zeros(300, dtype=int), 1 + np.arange(300) // 3])
    rows = held(clusters > 0, clusters)
    equal = held(np.repeat(np.arange(200) % 10 > 0, 3), np.arange(600) // 3)
    assert 600 / equal.design_effect == pytest.approx(200, rel=0.02)
    # no more than a coin or two
    assert 600 / rows.design_effect < 4.0


def test_shares_vary_as_the_design_effect_says():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(100), 8)
    shares, effects = [], []
    for _ in range(400):
        common = rng.normal(size=100)[clusters]
        correct = 0.6 * common + 0.8 * rng.normal(size=800) < 1.28
        shares.append(correct.mean())
        effects.append(held(correct, clusters).design_effect)
    independent = np.mean(shares) * (1.0 - np.mean(shares)) / 800
    widened = (T(0.995, 99) / NORMAL) ** 2
    assert np.mean(effects) / widened == pytest.approx(np.var(shares) / independent, rel=0.2)


REPEATED = st.lists(
    st.tuples(st.floats(-1e3, 1e3).map(lambda v: round(v, 3)), st.integers(1, 6)), min_size=1
)


@given(REPEATED, st.floats(0.0, 1.0))
def test_whole_weights_repeat_rows(rows, share):
    values, times = (np.array(column) for column in zip(*rows, strict=True))
    w, repeated = times.astype(float), np.repeat(values, times)
    assert weights.weighted_mean(values, w) == pytest.approx(repeated.mean(), rel=1e-9, abs=1e-9)
    assert weights.weighted_deviation(values, w) == pytest.approx(repeated.std(), abs=1e-6)
    assert weights.weighted_median(values, w) == pytest.approx(np.median(repeated), abs=1e-9)
    expected = np.quantile(repeated, [share, 0.25])
    assert weights.weighted_quantiles(values, np.array([share, 0.25]), w) == pytest.approx(
        expected, abs=1e-6
    )


def test_a_share_of_rows_is_never_above_1():
    rng = np.random.default_rng(0)
    X, right = rng.normal(size=(60, 2)), np.ones(60, dtype=bool)
    for _ in range(50):
        w = rng.exponential(size=60)
        assert weights.weighted_mean(right, w) == 1.0
        _, p = LogisticEstimator().fits(X, w)(right)
        assert (p == 1.0).all()


def test_sums_and_effective_sizes_by_hand():
    w = np.array([0.5, 2.0, 3.0])
    assert (weights.total(w, 3), weights.total(None, 3)) == (5.5, 3.0)
    assert weights.effective_size(np.array([1.0, 1.0, 2.0]), 3) == pytest.approx(16 / 6)
    assert weights.effective_size(np.full(7, 0.3), 7) == pytest.approx(7.0)
    assert weights.effective_size(None, 7) == 7.0


def test_only_whole_weights_are_taken_as_numbers_of_rows():
    assert weights.scaled(np.array([2.0, 4.0])).tolist() == [2.0, 4.0]
    assert weights.scaled(np.array([0.5, 1.0])) == pytest.approx([2 / 3, 4 / 3])
