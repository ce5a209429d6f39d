"""Adaptive conformal inference beside a naive second implementation and its bound."""

import math

import numpy as np
import pandas as pd
import pytest

from evencover.core import InductiveConformalPredictor, StandardMeasure
from evencover.core.conformal.adaptive import STEP, adapted
from evencover.core.remedies.mondrian import Mondrian


def naive(calibration, scores, significance):
    """Recalibrate for every row: a label is held if it reaches the score of the level's rank."""
    level, errors = significance, []
    for score in scores:
        rank = math.floor(level * (len(calibration) + 1))
        if rank < 1:
            missed = level >= 1.0
        elif rank > len(calibration):
            missed = True
        else:
            missed = score < np.sort(calibration)[rank - 1]
        errors.append(missed)
        level = level + STEP * (significance - missed)
    return ~np.array(errors)


def p_values(calibration, scores):
    return ((calibration[None, :] <= scores[:, None]).sum(axis=1) + 1) / (len(calibration) + 1)


def drifting(n, seed=0):
    """Scores of calibration rows, and of later ones that become ever worse."""
    rng = np.random.default_rng(seed)
    calibration = -np.abs(rng.normal(size=300))
    return calibration, -np.abs(rng.normal(size=n)) * np.linspace(1.0, 4.0, n)


def test_it_is_the_naive_loop_in_the_order_of_time():
    calibration, scores = drifting(500)
    order = np.random.default_rng(1).permutation(500)  # the rows stand in another order than time
    held = adapted(p_values(calibration, scores), order, 0.1)
    assert held[order].tolist() == naive(calibration, scores[order], 0.1).tolist()


def test_a_level_beyond_its_ends_holds_all_or_nothing():
    """50 misses in a row bring the level below 0, where even the worst label is held."""
    order = np.arange(60)
    missed = ~adapted(np.full(60, 1.0 / 301), order, 0.1)
    assert missed[:22].all()
    assert not missed[-1]
    alternating = adapted(np.full(4000, 1.0), np.arange(4000), 0.9)
    assert not alternating.all()  # above 1 even the best is missed


@pytest.mark.parametrize("seed", range(3))
def test_the_average_over_time_is_kept_under_drift(seed):
    n = 8000
    p = p_values(*drifting(n, seed))
    errors = ~adapted(p, np.arange(n), 0.1)
    assert abs(errors.mean() - 0.1) <= (0.9 + STEP) / (n * STEP)
    assert (p <= 0.1).mean() > 0.3  # what comes of it if nothing is adapted


def test_p_values_are_there_where_one_threshold_is_for_all():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600), "group": np.arange(600) % 2})
    y = frame["x"] + rng.normal(size=600)
    parts = [(frame[rows], y[rows]) for rows in (slice(0, 200), slice(200, 399), slice(399, 600))]
    icp = InductiveConformalPredictor(StandardMeasure()).fit(*parts[0]).calibrate(*parts[1])
    outcomes = icp.judged(*parts[2]).outcomes
    assert outcomes.p_values.tolist() == icp.p_values(*parts[2]).tolist()
    assert (outcomes.p_values > 0.1).tolist() == outcomes.correct.tolist()
    some = np.array([3, 1, 4])
    assert outcomes.part(some).p_values.tolist() == outcomes.p_values[some].tolist()
    assert icp.judged_by_itself(*parts[1]).outcomes.p_values is None
    several = InductiveConformalPredictor(Mondrian(StandardMeasure(), "group"))
    assert several.fit(*parts[0]).calibrate(*parts[1]).judged(*parts[2]).outcomes.p_values is None
