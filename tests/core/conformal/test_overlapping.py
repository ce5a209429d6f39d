"""Thresholds for overlapping groups, against general solvers and what they are to equal."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from mapie.conditional_conformal_prediction import _ConditionalConformalMixin
from scipy.optimize import linprog

from evencover.core.conformal.overlapping import PatternRule
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.thresholds import ColumnGroups, ThresholdRule
from evencover.core.conformal.tilted_quantile import TiltedQuantiles
from evencover.core.rows.examples import Examples

LEVELS = (0.5, 0.8, 0.85, 0.9, 0.95, 0.99)


def rows(weights=None, **columns):
    frame = pd.DataFrame(columns)
    n = len(frame)
    return Examples(np.zeros((n, 1)), np.zeros(n), frame, np.arange(n), weights=weights)


def by(*columns):
    return PatternRule(divisions=tuple(map(ColumnGroups, columns)))


def drawn_scores(rng, n):
    scores = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 6, n) / 3.0
    if rng.random() < 0.2:
        scores = np.where(rng.random(n) < 0.1, rng.choice([-np.inf, np.inf], n), scores)
    return scores


@pytest.mark.parametrize("tables", [20, pytest.param(1_000, marks=pytest.mark.long)])
def test_it_is_the_rank_without_groups_and_mondrian_where_none_overlap(tables):
    rng, new = np.random.default_rng(1), rows(g=list("abcdef"))
    for _ in range(tables):
        n, level = int(rng.integers(0, 150)), float(rng.choice(LEVELS))
        known = rows(g=rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.2, 0.07, 0.03]).astype(object))
        scores = drawn_scores(rng, n)
        expected = ThresholdRule(ColumnGroups("g")).learn(scores, known, level).at(new)
        np.testing.assert_array_equal(by("g").learn(scores, known, level).at(new), expected)
        one = by().learn(scores, known, level).at(new)
        assert set(one.tolist()) == {conformal_threshold(scores, level)}


def by_highs(X, scores, share, weights, x):
    """Return the best value of the same programme, and its quantile, by its dual; None if none."""
    bounds = np.column_stack([weights * (share - 1.0), weights * share])
    found = linprog(-scores, A_eq=X.T, b_eq=-share * x, bounds=bounds, method="highs")
    return (-found.fun, -x @ found.eqlin.marginals) if found.status == 0 else None


def overlapping(rng, n):
    groups = [rng.integers(0, count, n) for count in (2, 3, 4)]
    columns = [g == level for g in groups for level in range(1, g.max() + 1)]
    return np.column_stack([np.ones(n), *columns]).astype(float)


@pytest.mark.parametrize("tables", [3, pytest.param(100, marks=pytest.mark.long)])
def test_quantiles_equal_those_of_a_general_solver(tables):
    """Where its optimum is an interval, as with equal scores, any of the best will do."""
    rng = np.random.default_rng(0)
    for number in range(tables):
        n = int(rng.integers(30, 120))
        X, share = overlapping(rng, n), rng.choice([0.5, 0.8, 0.9]) - 1.37e-4
        scores = rng.integers(0, 8, n).astype(float) if number % 4 == 3 else rng.normal(size=n)
        weights = rng.exponential(size=n) + 0.1 if number % 3 == 2 else np.ones(n)
        weights /= weights.mean()
        quantiles, equal = TiltedQuantiles(X, scores, share, weights), 0
        patterns = rng.permutation(np.unique(X, axis=0))[:8]
        for x in patterns:
            found = quantiles.combination(x)
            expected = by_highs(X, scores, share, weights, x)
            assert (found is None) == (expected is None)
            if found is None:
                equal += 1
                continue
            chosen, coefficients = found
            value = coefficients @ scores[chosen]
            np.testing.assert_allclose(coefficients @ X[chosen], x, atol=1e-9)
            equal += abs(value - expected[1]) < 1e-7
            # held at its value, the programme is no worse
            fixed = by_highs(
                np.vstack([X, x]), np.append(scores, value), share, np.append(weights, 1e4), x
            )
            assert fixed[0] <= expected[0] + 1e-6
        assert equal >= 6


def test_thresholds_equal_mapies():
    """Its own way through one programme after another, at a level where the optimum is one."""
    rng, share = np.random.default_rng(5), 0.8937
    X, scores = overlapping(rng, 300), rng.exponential(size=300)
    peer = _ConditionalConformalMixin()
    peer._init_conditional(lambda x: x, randomize=False, exact=True, infinite_params=None, seed=0)
    peer.x_calib = peer.phi_calib = X
    peer.scores_calib = scores
    quantiles = TiltedQuantiles(X, scores, share, np.ones(300))
    for x in np.unique(X, axis=0)[:12]:
        chosen, coefficients = quantiles.combination(x)
        theirs = peer._predict_conditional_cutoff(share, x[None])
        assert coefficients @ scores[chosen] == pytest.approx(theirs, abs=1e-3)


def test_each_of_overlapping_groups_has_its_level_on_average():
    rng, level, held = np.random.default_rng(3), 0.9, []
    for _ in range(60):
        a, b = rng.random(1_500) < 0.1, rng.random(1_500) < 0.3
        scores = -np.abs(rng.normal(size=1_500)) * (1.0 + 2.0 * a + b)
        known, new = (rows(a=a[part], b=b[part]) for part in (slice(500), slice(500, None)))
        right = scores[500:] >= by("a", "b").learn(scores[:500], known, level).at(new)
        held.append([right[a[500:]].mean(), right[b[500:]].mean(), right.mean()])
    mean, error = np.mean(held, axis=0), np.std(held, axis=0) / math.sqrt(60)
    assert (mean > level - 2.5 * error).all()
    assert (mean < level + 0.03).all()


def test_groups_without_rows_enough_and_patterns_unknown_get_every_label():
    known = rows(a=["x", "y"] * 50 + ["z"] * 5, b=["u", "v"] * 50 + ["w"] * 5)
    scores = np.arange(105.0)
    new = rows(a=["x", "y", "z", "new", "x"], b=["u", "v", "w", "u", "v"])
    learned = by("a", "b").learn(scores, known, 0.9)
    assert np.isinf(learned.at(new)).tolist() == [False, False, True, True, True]
    first, second = learned.notes(new)
    assert "Groups of 'a' with fewer than 9 calibration rows" in first
    assert "2 (z, new)" in first
    assert "1 (w)" in second
    empty = by("a").learn(np.array([]), rows(a=[]), 0.9)
    assert empty.at(new).tolist() == [-math.inf] * 5


def test_rules_divide_into_those_they_hold_for_and_others():
    rng = np.random.default_rng(0)
    age, scores = rng.integers(20, 80, 400), rng.normal(size=400)
    known = rows(age=age)
    rule = PatternRule(divisions=(ColumnGroups("age >= 60", is_rule=True),))
    found = rule.learn(scores, known, 0.9).at(rows(age=[70, 30]))
    expected = [
        conformal_threshold(scores[age >= 60], 0.9),
        conformal_threshold(scores[age < 60], 0.9),
    ]
    assert found.tolist() == expected
    assert rule.count(known) == 2
    assert PatternRule(divisions=(ColumnGroups("age", (40.0, 60.0)),)).count(known) == 3


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_weights(spread):
    rng = np.random.default_rng(2)
    g, scores = rng.choice(list("ab"), 2_000), rng.normal(size=2_000)
    weights = np.exp(spread * rng.normal(size=2_000))
    learned = by("g").learn(scores, rows(weights, g=g), 0.9)
    (note,) = learned.notes(rows(weights, g=g))
    assert "nearly" in note
    for group, found in zip("ab", learned.at(rows(g=["a", "b"])), strict=True):
        inside = g == group
        share = np.average(scores[inside] >= found, weights=weights[inside])
        assert share == pytest.approx(0.9, abs=0.012)
        if not spread:
            assert found == conformal_threshold(scores[inside], 0.9)


def test_the_pivots_end_on_sums_of_ties():
    """Integer scores of all patterns of 4 columns: many bases of one point."""
    cells = np.array(list(product([0, 1], [0, 1], [0, 1], [0, 1])) * 30, dtype=float)
    scores = np.tile(np.arange(5.0), 96)
    X = np.hstack([np.ones((480, 1)), cells])
    quantiles = TiltedQuantiles(X, scores, 0.9, np.ones(480))
    for x in X[:16]:
        chosen, coefficients = quantiles.combination(x)
        assert coefficients @ scores[chosen] == 4.0


def test_scores_that_rounding_parts_count_as_ties():
    """As of labels and predictions of one decimal: 2.1 - 2.0 is no more than 1.1 - 1.0."""
    rng = np.random.default_rng(0)
    middle, off = rng.normal(size=300).round(1), rng.integers(0, 4, 300)
    scores = np.abs((middle + off * 0.1) - middle)
    assert len(np.unique(scores)) == 16
    g, h = rng.choice(list("abc"), 300), rng.choice(list("uv"), 300)
    learned = by("g", "h").learn(-scores, rows(g=g, h=h), 0.9)
    assert learned.at(rows(g=["a", "c"], h=["u", "v"])) == pytest.approx(-0.3, abs=1e-9)
