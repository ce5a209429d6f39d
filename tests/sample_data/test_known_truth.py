"""The samples do what they are made for: the base fails a known segment, IFACM mends it.

Coverage here is the true one, from the law, of the test rows' prediction sets; it varies with
the calibration set by about 0.006.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

from evencover.core import IFACM, InductiveConformalPredictor, NormalizedMeasure, ScoringMeasure
from evencover.sample_data import houses, kernels, triage


@dataclass
class Audited:
    """The test rows, and the true coverage of their sets before and after IFACM."""

    test: pd.DataFrame
    base: np.ndarray
    adjusted: np.ndarray

    def by(self, column):
        """Mean true coverage of base and adjusted sets in each segment."""
        coverage = pd.DataFrame({"base": self.base, "adjusted": self.adjusted})
        return coverage.groupby(self.test[column].to_numpy()).mean()


def distance(coverage):
    """Root mean square distance of segments' coverages from CL, each segment counting once."""
    return float(np.sqrt(np.mean((coverage - 0.9) ** 2)))


def parts(n):
    return np.split(np.arange(n), [int(0.4 * n), int(0.7 * n)])


def encode(features, train):
    numbers = features.select_dtypes("number")
    texts = features.select_dtypes(exclude="number")
    blocks = [numbers.fillna(numbers.iloc[train].mean()), numbers.isna().astype(float)]
    if len(texts.columns):
        blocks.append(pd.get_dummies(texts, dummy_na=True, dtype=float))
    matrix = pd.concat(blocks, axis=1).to_numpy(dtype=float)
    matrix = matrix[:, matrix[train].std(axis=0) > 0.0]
    return (matrix - matrix[train].mean(axis=0)) / matrix[train].std(axis=0)


def predicted_sets(measure, X, y):
    train, calibration, test = parts(len(X))
    icp = InductiveConformalPredictor(measure, confidence_level=0.9)
    return icp.fit(X[train], y[train]).calibrate(X[calibration], y[calibration]).predict(X[test])


def audit_regression(module):
    sample = module.sample()
    train, _, test = parts(len(sample.frame))
    X = encode(sample.frame.drop(columns=sample.target), train)
    log_label = np.log(sample.frame[sample.target].to_numpy(dtype=float))
    mean, scale = log_label[train].mean(), log_label[train].std()
    rows = sample.frame.iloc[test]

    def truth(measure):
        sets = predicted_sets(measure, X, (log_label - mean) / scale)
        lower, upper = np.exp(mean + scale * sets.lower), np.exp(mean + scale * sets.upper)
        return module.true_coverage(rows, lower, upper)

    base = NormalizedMeasure()
    return Audited(rows, truth(base), truth(IFACM(base, penalty=sample.penalty)))


@cache
def audited(module):
    return audit_triage() if module is triage else audit_regression(module)


def audit_triage():
    sample = triage.sample()
    train, _, test = parts(len(sample.frame))
    X = encode(sample.frame.drop(columns=[sample.target, *sample.audit_only]), train)
    y = pd.Index(triage.CLASSES).get_indexer(sample.frame[sample.target])
    rows = sample.frame.iloc[test]
    base = ScoringMeasure()
    before, after = (
        triage.true_coverage(rows, predicted_sets(measure, X, y).members)
        for measure in (base, IFACM(base, penalty=sample.penalty))
    )
    return Audited(rows, before, after)


def assert_as_asked_overall(found):
    assert found.base.mean() == pytest.approx(0.9, abs=0.02)
    assert found.adjusted.mean() == pytest.approx(0.9, abs=0.02)


def test_houses_the_base_fails_devon_alone_which_ifacm_mends():
    assert_as_asked_overall(audited(houses))
    county = audited(houses).by("county")
    assert county.loc["Devon", "base"] < 0.82
    assert county["base"].drop("Devon").min() > 0.88
    assert 0.86 < county.loc["Devon", "adjusted"] < 0.94
    assert county["adjusted"].min() > 0.86
    assert distance(county["adjusted"]) < 0.6 * distance(county["base"])


def test_kernels_base_coverage_falls_with_the_tile_and_ifacm_mends_every_one():
    assert_as_asked_overall(audited(kernels))
    tile = audited(kernels).by("tile_m")
    base = tile["base"]
    assert base[128] < 0.84
    assert base[16] > 0.93
    assert base[64] > base[128] + 0.05
    assert tile["adjusted"].between(0.87, 0.93).all()
    assert distance(tile["adjusted"]) < 0.5 * distance(base)


def test_triage_the_base_fails_telephone_calls_and_ifacm_mends_what_it_sees_alone():
    assert_as_asked_overall(audited(triage))
    contact = audited(triage).by("contact")
    assert contact.loc["telephone", "base"] < 0.85
    assert contact["base"].drop("telephone").min() > 0.91
    assert contact["adjusted"].between(0.875, 0.925).all()
    assert distance(contact["adjusted"]) < 0.5 * distance(contact["base"])
    group = audited(triage).by("group")
    assert group.loc["B", "base"] < 0.85
    assert group.loc["B", "adjusted"] < 0.85
    gap = group.loc["A"] - group.loc["B"]
    assert gap["base"] > 0.06
    assert gap["adjusted"] == pytest.approx(gap["base"], abs=0.03)
