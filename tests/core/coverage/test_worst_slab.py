"""The worst slab: found as by brute force, and judged without flattery."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evencover.core.coverage import worst_slab as module
from evencover.core.coverage.worst_slab import worst_slab, worst_slab_coverage


def by_brute_force(X, correct, directions):
    """The lowest coverage of all slabs with at least a tenth of the rows."""
    least, best = math.ceil(0.1 * len(X)), math.inf
    for direction in directions:
        along = np.array([sum(a * b for a, b in zip(x, direction, strict=True)) for x in X])
        for low in along:
            for high in along:
                inside = (low <= along) & (along <= high)
                if inside.sum() >= least:
                    best = min(best, correct[inside].mean())
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("digits", [8, 0])
def test_it_is_the_one_of_brute_force(seed, digits):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(40, 2)), digits)
    correct = rng.random(40) < 0.8
    directions = np.round(rng.normal(size=(3, 2)), 1)
    slab = worst_slab(X, correct, directions)
    inside = slab.holds(X)
    assert inside.sum() >= 4
    assert correct[inside].mean() == pytest.approx(
        by_brute_force(X, correct, directions), abs=1e-12
    )


@given(data=st.data(), rows=st.integers(2, 14))
def test_it_is_the_one_of_brute_force_whatever_ties_there_are(data, rows):
    few = st.integers(-2, 2)
    X = data.draw(arrays.arrays(float, (rows, 2), elements=few))
    directions = data.draw(arrays.arrays(float, (3, 2), elements=few))
    correct = data.draw(arrays.arrays(bool, rows))
    inside = worst_slab(X, correct, directions).holds(X)
    assert inside.sum() >= math.ceil(0.1 * rows)
    lowest = by_brute_force(X, correct, directions)
    assert correct[inside].mean() == pytest.approx(lowest, abs=1e-12)


def test_more_directions_never_find_a_better_one():
    rng = np.random.default_rng(4)
    X, correct = rng.normal(size=(300, 3)), rng.random(300) < 0.9
    directions = rng.normal(size=(40, 3))
    found = [correct[worst_slab(X, correct, directions[:m]).holds(X)].mean() for m in range(1, 41)]
    assert found == sorted(found, reverse=True)
    alone = [correct[worst_slab(X, correct, along[None]).holds(X)].mean() for along in directions]
    assert found == np.minimum.accumulate(alone).tolist()


def test_a_planted_slab_is_found_and_judged_on_other_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 3))
    inside = np.abs(X[:, 0] - 1.0) < 0.4
    correct = rng.random(20_000) < np.where(inside, 0.6, 0.9)
    assert worst_slab_coverage(X, correct) == pytest.approx(0.6, abs=0.08)


def test_even_coverage_is_not_made_to_look_bad():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(40):
        X = rng.normal(size=(2000, 4))
        found.append(worst_slab_coverage(X, rng.random(2000) < 0.9))
    assert np.mean(found) == pytest.approx(0.9, abs=3.5 * np.std(found) / math.sqrt(40))


def test_the_same_rows_give_the_same():
    rng = np.random.default_rng(3)
    X, correct = rng.normal(size=(500, 2)), rng.random(500) < 0.9
    assert worst_slab_coverage(X, correct) == worst_slab_coverage(X, correct)


def test_too_few_rows_say_nothing():
    assert math.isnan(worst_slab_coverage(np.zeros((99, 1)), np.ones(99, dtype=bool)))


@pytest.mark.parametrize("outcome", [True, False])
def test_equal_outcomes_and_equal_objects(outcome):
    correct = np.full(200, outcome)
    assert worst_slab_coverage(np.zeros((200, 2)), correct) == float(outcome)
    assert module.SHARE == 0.1
