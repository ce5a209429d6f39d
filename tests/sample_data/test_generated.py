"""The laws of the generated samples: tables of the fixed seed, and coverage worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.sample_data import GENERATED, houses, kernels, triage
from evencover.sample_data.whole_labels import probability_between, to_whole

HOUSE = {
    "county": "Devon",
    "heating": "oil",
    "floor_area_m2": 100,
    "bedrooms": 3,
    "bathrooms": 2,
    "plot_area_m2": 300,
    "age_years": 50,
    "station_km": 2.0,
    "school_score": 7.0,
}
SETTING = {
    "tile_m": 128,
    "tile_n": 32,
    "threads_m": 16,
    "threads_n": 8,
    "unroll": 2,
    "vector_width": 4,
    "stride_a": 1,
    "stride_b": 0,
    "local_a": 1,
    "local_b": 0,
}
PATIENT = {
    "age": 68,
    "pain": 7,
    "heart_rate": 92,
    "temperature": 38.2,
    "complaint": "fever",
    "contact": "telephone",
    "group": "B",
}


def coverage(module, row, *ends):
    return module.true_coverage(pd.DataFrame([row]), *(np.array([end]) for end in ends)).tolist()


@pytest.mark.parametrize(
    ("name", "shape", "first"),
    [
        ("houses", (10_000, 10), {"county": "Kent", "floor_area_m2": 116, "price": 528520}),
        ("kernels", (8_000, 11), {"tile_m": 128, "local_a": 1, "run_time_us": 26040}),
        ("triage", (8_000, 8), {"age": 89, "contact": "walk-in", "urgency": "routine"}),
    ],
)
def test_the_table_of_the_fixed_seed(name, shape, first):
    sample = GENERATED[name]()
    assert sample.frame.shape == shape
    assert sample.frame.loc[0, [*first]].to_dict() == first
    label = sample.frame[sample.target]
    if name == "triage":
        times = {"self-care": 2768, "routine": 2438, "urgent": 1887, "emergency": 907}
        assert label.value_counts().to_dict() == times
    else:
        assert label.min() > 0
        assert label.sum() == {"houses": 3440887301, "kernels": 328396678}[name]


def test_values_and_their_shares_are_those_of_the_law():
    frame = houses.generate(seed=5, rows=100_000)
    for name, values in (("county", houses.COUNTIES), ("heating", houses.HEATINGS)):
        shares = {value: about.share for value, about in values.items()}
        found = frame[name].value_counts(normalize=True).to_dict()
        assert found == pytest.approx(shares, abs=0.006)
    missing = frame.isna().mean()
    assert missing[missing > 0].to_dict() == pytest.approx(houses.MISSING_SHARE, abs=0.003)

    frame = kernels.generate()
    found = {name: tuple(sorted(frame[name].unique().tolist())) for name in kernels.SETTINGS}
    assert found == kernels.SETTINGS
    assert list(triage.CLASSES) == sorted(triage.CLASSES)
    assert triage.sample().audit_only == ("group",)


def test_true_coverage_of_one_house_worked_out_by_hand():
    level = 11.2 + 0.9 + 0.15 + 0.08 + 0.03 - 0.05 - 0.03 + 0.14 + 0.20 - 0.02
    spread = 0.05 * np.exp(0.15 + 0.2)
    ends = np.log([249_999.5, 310_000.5])
    ordinary = np.diff(stats.norm.cdf((ends - level) / spread))[0]
    wild = np.diff(stats.norm.cdf((ends - level) / (5.0 * spread)))[0]
    got = coverage(houses, HOUSE, 250_000.0, 310_000.0)
    assert got == pytest.approx([0.55 * ordinary + 0.45 * wild], rel=1e-10)


def test_a_missing_value_acts_as_its_default():
    for column, default in {"heating": "gas", "station_km": 4.0, "school_score": 5.0}.items():
        given = (HOUSE | {column: value} for value in (None, default))
        missing, usual = (coverage(houses, row, 250_000.0, 310_000.0) for row in given)
        assert missing == usual


def test_true_coverage_of_one_setting_worked_out_by_hand():
    level = 12.8 - 1.536 - 0.288 - 0.48 - 0.16 + 0.1 - 0.32 + 0.15 - 0.5
    spread = 0.07 * np.exp(0.06 - 0.08)
    shape = 0.7 * 0.85
    size = (np.log(19_000.5) - level) / spread, (level - np.log(16_999.5)) / spread
    above, below = stats.gamma.cdf(np.array(size) ** shape, 1.0 / shape) / 2.0
    got = coverage(kernels, SETTING, 17_000.0, 19_000.0)
    assert got == pytest.approx([above + below], rel=1e-10)


def test_label_probabilities_and_true_coverage_of_one_patient_worked_out_by_hand():
    severity = -1.9 + 0.3 + 0.7 + 0.3 + 0.8 + 0.4 + 0.3
    weight = np.exp([3 * severity - 0.5, severity + 1.5, 0.0, 2 * severity + 1.5])
    expected = 0.37 * weight / weight.sum() + 0.63 / 4
    got = triage.label_probabilities(pd.DataFrame([PATIENT]))[0]
    assert got.tolist() == pytest.approx(expected.tolist(), rel=1e-10)
    frame = pd.DataFrame([PATIENT] * 3)
    emergency, routine, _, _ = triage.label_probabilities(frame)[0]
    members = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    got = triage.true_coverage(frame, members)
    assert got.tolist() == pytest.approx([emergency + routine, 0.0, 1.0], rel=1e-12)


def intervals(module, frame):
    """Return claimed coverage of intervals around the labels, and which new labels they hold."""
    label = module.sample().target
    lower, upper = frame[label].to_numpy() * 0.9, frame[label].to_numpy() * 1.12
    return module.true_coverage(frame, lower, upper), lambda y: (lower <= y) & (y <= upper)


def label_sets(module, frame):
    codes = pd.Index(module.CLASSES).get_indexer(frame["urgency"])
    members = np.eye(4, dtype=bool)[codes] | np.eye(4, dtype=bool)[(codes + 1) % 4]

    def hold(labels):
        drawn = pd.Index(module.CLASSES).get_indexer(labels.ravel()).reshape(labels.shape)
        return members[np.arange(len(frame)), drawn]

    return module.true_coverage(frame, members), hold


@pytest.mark.parametrize(
    ("module", "sets"),
    [
        pytest.param(houses, intervals, marks=pytest.mark.long),
        (kernels, intervals),
        pytest.param(triage, label_sets, marks=pytest.mark.long),
    ],
)
def test_true_coverage_agrees_with_labels_drawn_anew(module, sets):
    times = 2000
    frame = module.generate(seed=6, rows=300)
    claimed, hold = sets(module, frame)
    redrawn = module.redraw(pd.concat([frame] * times), np.random.default_rng(7))
    share = hold(redrawn.reshape(times, -1)).mean(axis=0)
    doubtful = (claimed > 0.01) & (claimed < 0.99)
    assert doubtful.mean() > 0.5
    error = np.sqrt(claimed * (1.0 - claimed) / times)[doubtful]
    z = (share - claimed)[doubtful] / error
    assert np.abs(z).max() < 4.5
    assert abs(z.mean()) < 4.0 / np.sqrt(len(z))
    assert np.mean(z**2) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / len(z)))


def between(lower, upper):
    return float(probability_between(np.array([lower]), np.array([upper]), stats.norm.cdf)[0])


def test_a_whole_number_has_the_probability_of_what_rounds_to_it():
    assert to_whole(np.log([1.4, 1.6, 250_000.2])).tolist() == [1, 2, 250_000]
    expected = stats.norm.cdf(np.log(3.5)) - stats.norm.cdf(np.log(2.5))
    assert between(3.0, 3.0) == pytest.approx(expected, rel=1e-12)
    assert between(2.001, 3.999) == pytest.approx(expected, rel=1e-12)
    assert between(3.1, 3.9) == between(-np.inf, -1.0) == 0.0  # none is between, nor negative
    assert {between(lower, np.inf) for lower in (-np.inf, -5.0, 0.0)} == {1.0}
