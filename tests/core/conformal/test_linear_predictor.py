"""Scores that are the same whatever company an object is in."""

import numpy as np
import pytest

from evencover.core import (
    IFACM,
    InductiveConformalPredictor,
    NormalizedMeasure,
    ScoringMeasure,
    StandardMeasure,
)
from evencover.core.arrays import linear_predictor

MEASURES = {
    "standard": StandardMeasure(),
    "normalized": NormalizedMeasure(),
    "scoring": ScoringMeasure(3),
    "adjusted": IFACM(NormalizedMeasure(), penalty=0.0),
}


def draw(rng, n, *, classes, features=8):
    """Twenty kinds of object, so that many examples are copies of one another."""
    kinds = np.random.default_rng(5).integers(0, 2, size=(20, features)).astype(float)
    weights = np.random.default_rng(6).normal(size=features)
    X = kinds[rng.integers(0, 20, n)]
    if classes:
        return X, (weights @ X.T > 0.0).astype(int) + (rng.random(n) < 0.2)
    return X, np.round(X @ weights) + rng.integers(-1, 2, n)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 203, 2049])
@pytest.mark.parametrize("d", [1, 2, 8, 51, 130])
def test_each_row_s_sum_is_the_same_alone_in_a_batch_and_anywhere_in_it(n, d):
    rng = np.random.default_rng(n + d)
    X, slopes = rng.normal(size=(n, d)), rng.normal(size=d)
    together = linear_predictor(X, slopes, 0.5)
    alone = [linear_predictor(row[None], slopes, 0.5)[0] for row in X]
    order = rng.permutation(n)
    assert together.tolist() == alone
    assert linear_predictor(X[order], slopes, 0.5).tolist() == together[order].tolist()
    np.testing.assert_allclose(together, X @ slopes + 0.5, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 5))]
)
@pytest.mark.long
def test_copies_of_an_example_are_judged_alike_alone_and_together(name, seed):
    rng, classes = np.random.default_rng(seed), name == "scoring"
    icp = InductiveConformalPredictor(MEASURES[name], confidence_level=0.9)
    icp.fit(*draw(rng, 203, classes=classes)).calibrate(*draw(rng, 201, classes=classes))
    X, y = draw(rng, 407, classes=classes)
    together = icp.covers(X, y)
    alone = [icp.covers(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X))]
    assert together.tolist() == alone
    verdicts = {}
    for row, label, covered in zip(X.tolist(), y.tolist(), together.tolist(), strict=True):
        assert verdicts.setdefault((*row, label), covered) == covered


@pytest.mark.parametrize("seed", range(10))
def test_calibration_rows_themselves_are_covered_as_promised_one_by_one(seed):
    # by definition: at least n - r + 1 of n scores are no smaller than the r-th smallest
    X, y = draw(np.random.default_rng(seed), 203, classes=False)
    icp = InductiveConformalPredictor(NormalizedMeasure(), confidence_level=0.9)
    icp.fit(X, y).calibrate(X, y)
    covered = sum(icp.covers(X[i : i + 1], y[i : i + 1])[0] for i in range(len(X)))
    assert covered >= 203 - 20 + 1
