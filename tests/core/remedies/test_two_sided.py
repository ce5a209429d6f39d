"""Intervals whose misses below and above are held each by itself."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.core import (
    AuditSettings,
    GivenQuantiles,
    NormalizedMeasure,
    StandardMeasure,
    audit,
)
from evencover.core.conformal.predictor import InductiveConformalPredictor
from evencover.core.conformal.rank import threshold_rank
from evencover.core.messages import InputError
from evencover.core.remedies.two_sided import TwoSided
from evencover.core.rows.examples import Examples, ModelOutputs

BASES = {"standard": StandardMeasure, "normalized": NormalizedMeasure, "quantiles": GivenQuantiles}


def skewed(n, seed, *, bent=True):
    """Return examples whose noise is skewed upwards, by a feature in a bend."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    scale = 1.0 + 2.0 * (np.abs(X[:, 0]) > 0.5) * bent
    y = X[:, 1] + scale * (rng.exponential(size=n) - 1.0)
    outputs = ModelOutputs(lower=X[:, 1] - 0.5, upper=X[:, 1] + 1.0)
    return Examples(X, y, pd.DataFrame(index=range(n)), np.arange(n), outputs=outputs), scale


def misses(icp, examples):
    sets, y = icp.predict(examples), examples.y
    return float((y < sets.lower).mean()), float((y > sets.upper).mean())


@pytest.mark.parametrize(
    ("below", "shares", "base"),
    [
        pytest.param(below, shares, base, marks=[pytest.mark.long] * (base == other))
        for below, shares, other in [
            (None, (0.05, 0.05), "standard"),
            (0.02, (0.02, 0.08), "quantiles"),
        ]
        for base in BASES
    ],
)
def test_both_shares_are_held_on_average(base, below, shares):
    """Of calibration rows drawn again: the law's mean is the rank over n + 1."""
    remedy = TwoSided(BASES[base](), below=below)
    icp = InductiveConformalPredictor(remedy).fit(skewed(400, 0, bent=False)[0])
    new = skewed(3_000, 1, bent=False)[0]
    drawn = (skewed(199, seed, bent=False)[0] for seed in range(2, 18))
    found = [misses(icp.calibrate(calibration), new) for calibration in drawn]
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / 4.0
    exact = [threshold_rank(199, 1.0 - share) / 200 for share in shares]
    tolerance = 3.5 * np.hypot(error, np.sqrt(np.array(shares) / 3_000))
    np.testing.assert_array_less(np.abs(mean - exact), tolerance)


@pytest.mark.parametrize("base", BASES)
def test_thresholds_have_exact_rank_and_held_agrees_with_the_ends(base):
    known, _ = skewed(199, 0)
    remedy = TwoSided(BASES[base]())
    icp = InductiveConformalPredictor(remedy).fit(known).calibrate(known)
    sets, y = icp.predict(known), known.y
    assert int((y < sets.lower - 1e-9).sum()) == threshold_rank(199, 0.95) - 1
    assert int((y > sets.upper + 1e-9).sum()) == threshold_rank(199, 0.95) - 1
    inside = (y >= sets.lower - 1e-9) & (y <= sets.upper + 1e-9)
    np.testing.assert_array_equal(icp.covers(known), inside)


@pytest.mark.parametrize(
    ("below", "infinite"), [(0.0, (True, False)), (0.1, (False, True)), (0.05, (False, False))]
)
def test_intervals_with_one_end(below, infinite):
    known, _ = skewed(400, 3)
    icp = InductiveConformalPredictor(TwoSided(StandardMeasure(), below=below))
    sets = icp.fit(known).calibrate(known).predict(known)
    assert (np.isinf(sets.lower).all(), np.isinf(sets.upper).all()) == infinite
    assert icp.covers(known).mean() == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("rows", "ends"), [(18, ["lower", "upper"]), (19, ["upper"]), (98, ["upper"]), (99, [])]
)
def test_ends_for_which_rows_are_too_few_are_told(rows, ends):
    remedy = TwoSided(StandardMeasure(), confidence_level=0.94, below=0.05)
    icp = InductiveConformalPredictor(remedy, confidence_level=0.94).fit(skewed(200, 3)[0])
    sets = icp.calibrate(skewed(rows, 4)[0]).predict(skewed(5, 5)[0])
    infinite = np.isinf([sets.lower[0], sets.upper[0]])
    assert [end for end, is_so in zip(("lower", "upper"), infinite, strict=True) if is_so] == ends
    notes = icp.thresholds_.notes(skewed(5, 5)[0])
    needed = {"lower": 19, "upper": 99}
    assert notes == [
        f"The {end} end of all intervals is infinite: the share of labels allowed beyond it needs "
        f"{needed[end]} calibration rows."
        for end in ends
    ]


def test_ends_move_as_the_training_rows_say():
    icp = InductiveConformalPredictor(TwoSided(StandardMeasure()))
    known, calibration = skewed(4_000, 4)[0], skewed(4_000, 5)[0]
    icp.fit(known).calibrate(calibration)
    new, scale = skewed(8_000, 6)
    sets, center = icp.predict(new), new.X[:, 1]
    law = stats.expon(loc=-scale, scale=scale)
    below, above = law.cdf(sets.lower - center), law.sf(sets.upper - center)
    assert all(by.model_ is not None for by in icp.measure_.adjustments_)
    plain = InductiveConformalPredictor(StandardMeasure()).fit(known).calibrate(calibration)
    sets = plain.predict(new)
    before = law.cdf(sets.lower - center), law.sf(sets.upper - center)
    assert below.std() + above.std() < 0.75 * (before[0].std() + before[1].std())
    plain = InductiveConformalPredictor(TwoSided(StandardMeasure()))
    plain.fit(skewed(150, 7, bent=False)[0])
    assert "the lower end does not move with the features" in plain.measure_.fit_.notes[0]
    assert plain.measure_.fit_.terms == 0


def test_weights_count_rows_as_often():
    known, _ = skewed(1_000, 8)
    times = np.random.default_rng(0).integers(1, 4, 1_000)
    repeated = known.part(np.repeat(np.arange(1_000), times))
    weighted = Examples(known.X, known.y, known.frame, known.rows, weights=times.astype(float))
    icp = InductiveConformalPredictor(TwoSided(StandardMeasure()))
    icp.fit(known)
    found, expected = (icp.calibrate(rows).thresholds_.table[0] for rows in (weighted, repeated))
    np.testing.assert_allclose(found, expected, atol=0.02)
    shares = [
        np.average(miss, weights=times) for miss in _missed(icp.calibrate(weighted), weighted)
    ]
    np.testing.assert_allclose(shares, 0.05, atol=0.005)


def _missed(icp, examples):
    ends = icp.measure_.score_functions(examples).sets(icp.thresholds_.at(examples))
    return examples.y < ends.lower, examples.y > ends.upper


@pytest.mark.parametrize("below", [-0.1, 0.11, 1.5, math.nan])
def test_shares_that_cannot_be(below):
    with pytest.raises(InputError, match="below"):
        AuditSettings(target="y", below=below)
    if not math.isnan(below):
        known, _ = skewed(50, 9)
        with pytest.raises(InputError, match="give one from 0 to"):
            TwoSided(StandardMeasure(), below=below).fit(known)


@pytest.mark.long
def test_an_audit_of_it():
    examples, _ = skewed(900, 10)
    table = pd.DataFrame({"a": examples.X[:, 0], "b": examples.X[:, 1], "y": examples.y})
    settings = AuditSettings(target="y", remedies=["two-sided"], below=0.02)
    result = audit(table, settings)
    assert result.predictors[1].guarantee == TwoSided.guarantee
    row = result.row("test", "two-sided")
    assert audit(table, settings, remedies=[TwoSided()]).row("test", "two-sided") == row
    assert row.missed_below == pytest.approx(0.02, abs=0.02)
    assert row.missed_below < 0.5 * (1.0 - row.accuracy)
    assert any("below intervals in 2 % of rows, and above in 8 %" in note for note in result.notes)
    result = audit(table, AuditSettings(target="y", remedies=["two-sided"], below=0.0))
    assert any("; some intervals become infinite" in sentence for sentence in result.headline)
    with pytest.raises(InputError, match="each end needs intervals, and label 'y'"):
        audit(table.assign(y=table.y > 0), AuditSettings(target="y", remedies=["two-sided"]))
