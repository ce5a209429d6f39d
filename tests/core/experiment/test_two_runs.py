"""Two audits side by side: the same test rows are counted as pairs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.core import AuditSettings, audit
from evencover.core.experiment.two_runs import two_runs

SETTINGS = AuditSettings(target="y", measure="standard", remedies=("none",))


def draw(seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, 600))
    y = x + rng.normal(size=600) * np.exp(0.8 * z)
    return pd.DataFrame({"x": x, "z": z, "k": rng.choice(["a", "b"], 600), "y": y})


@pytest.fixture(scope="module")
def first():
    return audit(draw(), SETTINGS)


@pytest.fixture(scope="module")
def second():
    return audit(draw(), replace(SETTINGS, measure="normalized"))


def test_the_same_rows_are_pairs_and_tested_by_mcnemar(first, second):
    found = two_runs(first, "base", second, "base")
    before, after = (result.test_rows.outcomes["base"].correct for result in (first, second))
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    assert found.pairing == "same"
    assert (found.change.n, found.change.gained, found.change.lost) == (180, gained, lost)
    exact = stats.binomtest(gained, gained + lost).pvalue
    assert found.change.p_value == pytest.approx(exact)


def test_figures_segments_and_coefficients_stand_beside_each_other(first, second):
    found = two_runs(first, "base", second, "base")
    dcv = next(row for row in found.figures if row.what == "dcv")
    assert (dcv.first, dcv.second) == tuple(r.row("test", "base").dcv for r in (first, second))
    segment = next(s for s in found.segments if (s.variable, s.value) == ("k", "a"))
    accuracy = [
        next(s.accuracy for s in result.segments if (s.variable, s.value) == ("k", "a"))
        for result in (first, second)
    ]
    assert [segment.first, segment.second] == accuracy
    assert segment.p_value is not None
    assert [row.what for row in found.coefficients] == first.data.encoded_features


def test_other_rows_are_no_pairs(first):
    for other in (audit(draw(), replace(SETTINGS, seed=1)), audit(draw(1), SETTINGS)):
        found = two_runs(first, "base", other, "base")
        assert (found.pairing, found.change) == ("other", None)
        assert all(row.p_value is None for row in found.segments)
    gone = two_runs(first, "base", replace(first, test_rows=None), "base")
    assert (gone.pairing, gone.change) == ("gone", None)
