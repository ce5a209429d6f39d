"""Coverage is more even, or not, by judges that an adjustment was not fitted to."""

import numpy as np
import pytest

from evencover.core.coverage.diagnosis import out_of_fold
from evencover.core.coverage.evenness import JUDGES, by_trees, class_shares, evenness
from evencover.core.rows.outcomes import Outcomes


def drawn(p, seed=0, n=4_000):
    """Objects with two features, and outcomes with coverage ``p`` of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    correct = rng.random(n) < p(X)
    return X, Outcomes(correct, np.ones(n))


def compared(*ways, **options):
    X = drawn(ways[0], **options)[0]
    rows = tuple(drawn(way, **options)[1] for way in ways)
    return evenness(*(seen_together(X, each) for each in rows), rows)


def seen_together(X, outcomes):
    return np.mean([out_of_fold(X, outcomes, judge()) for judge in JUDGES.values()], axis=0)


def test_the_level_is_no_part_of_it():
    """As another draw of thresholds moves it: all rows alike from 90 to 93 %."""
    found = compared(lambda X: 0.9 + 0.0 * X[:, 0], lambda X: 0.93 + 0.0 * X[:, 0])
    assert max(found["spread_before"], found["spread_after"]) < 0.02
    assert found["unevenness_p_value"] > 0.05


@pytest.mark.parametrize(
    ("before", "spread"),
    [
        (lambda X: np.clip(0.9 + 0.05 * X[:, 0], 0.0, 1.0), 0.048),
        (lambda X: np.where(np.abs(X[:, 0]) < 0.6745, 0.83, 0.97), 0.07),  # no line sees this
        (lambda X: np.where((X > 0.0).all(axis=1), 0.75, 0.95), 0.0866),
    ],
)
def test_what_lines_and_trees_see_is_told(before, spread):
    found = compared(before, lambda X: 0.9 + 0.0 * X[:, 0])
    assert found["spread_before"] == pytest.approx(spread, rel=0.3)
    assert found["spread_after"] < 0.02
    assert found["unevenness_p_value"] < 0.01
    assert found["unevenness_change"] < 0.0


def test_classes_are_judged_by_shares_of_other_folds():
    rng = np.random.default_rng(0)
    labels = rng.choice(3, 2_000, p=[0.6, 0.3, 0.1])
    sure = Outcomes(rng.random(2_000) < np.array([0.93, 0.9, 0.7])[labels], np.ones(2_000))
    even = Outcomes(rng.random(2_000) < 0.9, np.ones(2_000))
    shares = [class_shares(labels, each) for each in (sure, even)]
    for k, share in enumerate((0.93, 0.9, 0.7)):
        assert shares[0][labels == k].mean() == pytest.approx(share, abs=0.05)
    found = evenness(*shares, (sure, even))
    assert found["spread_before"] == pytest.approx(0.068, rel=0.3)
    assert found["unevenness_p_value"] < 0.01


@pytest.mark.parametrize(
    ("p", "is_found"),
    [
        (lambda X: 0.9 + 0.0 * X[:, 0], False),
        (lambda X: np.where((X > 0.76).all(axis=1), 0.6, 0.9), True),  # a pair at 5 % of rows
    ],
)
@pytest.mark.parametrize(
    "rows", ["alone", pytest.param("weighted", marks=pytest.mark.long), "clustered"]
)
def test_trees_tell_a_pair_from_nothing(p, is_found, rows):
    X, outcomes = drawn(p, n=3_000)
    ones = np.ones(len(X))
    beside = {"weighted": {"weights": ones}, "clustered": {"clusters": np.arange(len(X))}}
    outcomes = Outcomes(outcomes.correct, ones, **beside.get(rows, {}))
    found = by_trees(X, outcomes, out_of_fold(X, outcomes, JUDGES["trees"]()), 0.9)
    assert (found["p_value_trees"] < 0.005) == is_found
    truth = 0.3**2 * (X > 0.76).all(axis=1).mean() * is_found
    assert found["ert_l2_trees_low"] <= truth
    assert found["ert_l2_trees"] <= truth + 0.001
    assert (found["dcv_crossfitted_trees"] > 0.02) == is_found


@pytest.mark.parametrize("correct", [np.ones(200, dtype=bool), np.zeros(200, dtype=bool)])
def test_of_outcomes_that_are_alike_trees_tell_nothing(correct):
    X, outcomes = np.arange(200.0)[:, None], Outcomes(correct)
    found = by_trees(X, outcomes, out_of_fold(X, outcomes, JUDGES["trees"]()), 0.9)
    assert np.isnan(found["p_value_trees"])
