"""IFACM with a smooth update, and with layers that end before they fit noise."""

import math

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator

from evencover.core.conformal.measures import StandardMeasure
from evencover.core.remedies import IFACM
from evencover.core.remedies.ifacm.choices import LogOddsUpdate, RestartedSearch, SignUpdate
from evencover.core.remedies.ifacm.ifacm import CrossFittedIFACM, FloorIFACM, SmoothIFACM


def test_the_smooth_update_by_hand():
    """At CL 0.9 the log-odds are log 9; at 0.75 log 3, so that the gap is log 3."""
    p = np.array([0.75, 0.9, 27 / 28, 0.0, 1.0])
    gap = math.log(3.0)
    expected = [gap / 2.0, 0.0, -gap / 2.0, 1.0, -1.0]
    assert LogOddsUpdate()(p, 0.9, 2.0) == pytest.approx(expected, abs=1e-12)
    near = np.array([0.3, 0.89, 0.91])
    assert LogOddsUpdate()(near, 0.9, 1e-9).tolist() == SignUpdate()(near, 0.9, 1e-9).tolist()


def draw(seed, slope):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 3))
    y = X @ [1.0, -0.5, 0.0] + np.exp(slope * X[:, 0]) * rng.normal(size=600)
    return FrozenEstimator(StandardMeasure().fit(X, y)), X, y


def test_its_variants_make_coverage_more_even():
    measure, X, y = draw(0, 0.4)
    for make in (IFACM, SmoothIFACM, FloorIFACM):
        fitted = make(measure, penalty=0.0, search=RestartedSearch()).fit(X, y)
        assert fitted.fit_.layers
        assert fitted.fit_.layers[-1].dcv < 0.5 * fitted.base_figures_.dcv


def test_at_the_floor_there_are_no_more_layers():
    floor, fewer = math.sqrt(4 * 0.09 / 600), 0
    for seed in range(6):
        measure, X, y = draw(seed, 0.15)
        whole, ended = (make(measure, penalty=0.0).fit(X, y) for make in (IFACM, FloorIFACM))
        n = len(ended.fit_.layers)
        assert all(layer.dcv > floor for layer in ended.fit_.layers[:-1])
        assert ended.adjustment(X) == pytest.approx(whole.steps(X)[:n].sum(axis=0))
        fewer += n < len(whole.fit_.layers)
    assert fewer > 0


def test_where_coverage_is_even_cross_fitting_lets_few_layers_in():
    layers = dict.fromkeys((IFACM, CrossFittedIFACM), 0)
    for seed in range(6):
        measure, X, y = draw(seed, 0.0)
        for make in layers:
            layers[make] += len(make(measure, penalty=0.0).fit(X, y).fit_.layers)
    assert layers[CrossFittedIFACM] < 0.5 * layers[IFACM]
