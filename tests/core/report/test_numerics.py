"""What holds at any scale, with ties, near copies of columns, and labels nearly all alike."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evencover.core import (
    AuditSettings,
    InductiveConformalPredictor,
    NormalizedMeasure,
    StandardMeasure,
    audit,
)
from evencover.core.conformal.rank import CoverageLaw, conformal_threshold, threshold_rank
from evencover.core.conformal.scores import IntervalScores
from evencover.core.rows.weights import scaled, that_count

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)
PARTS = ("train", "calibration", "test")
NEAR = 1.0 + 1e-13
LABELS = {
    "plain": lambda x, e: x + e * np.exp(0.5 * x),
    "ties": lambda x, e: np.round(x + e),
    "all but one": lambda x, _: np.where(np.arange(len(x)) == 99, 1.0, 0.0),
    "many alike": lambda x, e: np.where(x < 0.5, 0.0, np.abs(e)),
    "far": lambda x, e: 1e9 + x + e,
    "heavy": lambda x, e: x + e**9,
}


def table(kind, seed=0, n=240):
    rng = np.random.default_rng(seed)
    x, other, error = rng.normal(size=(3, n))
    x = np.round(x, 1) if kind == "ties" else x
    copies = {"near": x * np.where(other > 0, NEAR, 1.0), "sum": x + other}
    columns = {"x": x, "other": other, "place": rng.choice(["a", "b"], n), **copies}
    label = LABELS[kind](x, error)
    return pd.DataFrame({**columns, "y": label, "part": np.resize(PARTS, n)})


def audited(frame, **options):
    given_ = {"remedies": ("mondrian:place",), "task": "regression", "split_column": "part"}
    return audit(frame, AuditSettings(target="y", **given_ | options), with_replay=False)


def figures(result):
    rows = (row for row in result.results if row.subset == "test")
    return np.array([(row.accuracy, row.dcv, row.inefficiency, row.p_value) for row in rows])


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([-1e300, -1.0, -1e-300, 0.0, 5e-324, 1.0, 1e300]), min_size=1),
    st.sampled_from(LEVELS),
    st.sampled_from(LEVELS),
)
def test_what_is_kept_at_a_level_is_kept_at_a_higher_one(scores, one, other):
    low, high = (conformal_threshold(np.array(scores), level) for level in sorted((one, other)))
    assert high <= low
    assert sum(score < low for score in scores) <= threshold_rank(len(scores), min(one, other))


@pytest.mark.parametrize("measure", [StandardMeasure(), NormalizedMeasure()], ids=["one", "more"])
@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
def test_widths_are_in_the_labels_units_at_any_scale(measure, scale):
    frame = table("plain")
    X, y = frame[["x", "other"]].to_numpy(), frame["y"].to_numpy()

    def widths(unit):
        icp = InductiveConformalPredictor(measure, confidence_level=0.9)
        icp.fit(X[:100], unit * y[:100]).calibrate(X[100:170], unit * y[100:170])
        return icp.predict(X[170:]).sizes

    assert widths(scale) / scale == pytest.approx(widths(1.0), rel=1e-6)


@pytest.mark.parametrize("n", [10, 100, 1000])
@pytest.mark.parametrize("level", LEVELS)
def test_coverage_is_no_less_than_promised_where_scores_are_tied(n, level):
    rng, redrawn = np.random.default_rng(n), 300
    draws = np.floor(4.0 * rng.random((redrawn, n)) ** 3)  # most are 0
    thresholds = np.array([conformal_threshold(scores, level) for scores in draws])
    covered = 1.0 - np.cbrt(np.clip(np.ceil(thresholds), 0.0, 4.0) / 4.0)  # by the law drawn from
    error = covered.std() / redrawn**0.5
    assert covered.mean() >= level - 4.0 * error - 1e-12


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_of_a_million_rows_coverage_is_where_its_law_puts_it(level):
    scores = np.random.default_rng(3).random(10**6)  # coverage is 1 - threshold
    low, high = CoverageLaw.of_calibration(10**6, level).interval(0.9999)
    assert low <= 1.0 - conformal_threshold(scores, level) <= high


@pytest.mark.long
@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("measure", ["standard", "normalized", "quantiles"])
def test_units_do_not_matter_however_large_or_small(kind, measure):
    frame = table(kind)
    wanted = figures(audited(frame, measure=measure))
    for column in ("x", "y"):
        for unit in (2.0**-250, 2.0**250):
            scaled = frame.assign(**{column: unit * frame[column]})
            found = figures(audited(scaled, measure=measure))
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", LABELS)
def test_the_order_of_rows_does_not_matter_to_what_is_not_cross_fitted(kind):
    frame = table(kind)
    shuffled = frame.sample(frac=1.0, random_state=1)
    # but for p-values, which are of permutations drawn
    found, wanted = (figures(audited(each))[:, :3] for each in (shuffled, frame))
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("measure", ["standard", "normalized"])
def test_sets_grow_with_the_level(kind, measure):
    results = [audited(table(kind), measure=measure, confidence_level=level) for level in LEVELS]
    for name in ("base", "mondrian:place"):
        sets = [result.test_rows.sets[name] for result in results]
        for smaller, larger in pairwise(sets):
            assert (larger.lower <= smaller.lower).all()
            assert (larger.upper >= smaller.upper).all()


def test_weights_that_vanish_beside_the_mean_do_not_count_in_any_unit():
    weights = np.array([0.0, np.nan, 1e-300, 1e-14, 1e-9, 1.0, 3.0])
    counting = [False] * 4 + [True] * 3
    for unit in (1.0, 2.0**-40, 2.0**300):
        assert that_count(unit * weights).tolist() == counting
        assert scaled(unit * weights[4:]).mean() == pytest.approx(1.0, rel=1e-15)
    assert scaled(np.array([1.0, 3.0])).tolist() == [1.0, 3.0]  # so many rows each


@pytest.mark.long
def test_rows_of_a_weight_that_vanishes_count_as_if_they_were_not_there():
    rng = np.random.default_rng(5)
    frame = table("plain").drop(columns=["part", "near", "sum"])
    frame["w"] = rng.choice([0.5, 1.0, 2.5], len(frame))
    frame.loc[::4, "w"] = 1e-300
    found, wanted = (
        audit(f, AuditSettings(target="y", weight="w", remedies=("none",)), with_replay=False)
        for f in (frame, frame[frame.w > 0.1])
    )
    np.testing.assert_array_equal(figures(found), figures(wanted))
    assert found.data.rows_without_weight == 60
    told = "Rows of a weight that vanishes beside the others in column 'w', left out: 60."
    assert told in found.notes


@pytest.mark.long
def test_a_label_of_the_smallest_numbers_is_no_constant_and_a_feature_of_them_is_not_called_so():
    frame, tiny = table("plain"), 2.0**-990
    measured = {"measure": "standard", "remedies": ("none",)}
    found, wanted = (audited(f, **measured) for f in (frame.assign(y=tiny * frame.y), frame))
    np.testing.assert_array_equal(figures(found), figures(wanted))
    units = [each.row("test", "base").inefficiency_original_units for each in (found, wanted)]
    assert units[0] == tiny * units[1]
    dropped = audited(frame.assign(x=tiny * frame.x), **measured).data.dropped
    assert {d.column: d.reason for d in dropped}["x"] == "varies by less than can be computed with"


def test_scores_by_a_spread_of_nothing_are_finite_or_infinite_but_never_none():
    lost = IntervalScores(np.zeros(2), np.full(2, -800.0), shift=np.zeros(2))
    scores = lost.from_ends().at(np.array([0.0, 1.0]))
    assert scores[0] == 0.0
    assert scores[1] < -1e300
