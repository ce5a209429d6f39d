import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.sample_data import houses

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


def test_the_table_of_the_fixed_seed():
    frame = houses.generate()
    assert frame.shape == (10_000, 10)
    assert frame["price"].min() > 0
    assert int(frame["price"].sum()) == 3440887301
    assert frame.loc[0, ["county", "floor_area_m2", "price"]].tolist() == [
        "Kent",
        np.int64(116),
        np.int64(528520),
    ]


def test_shares_of_counties_heatings_and_missing_values_are_those_of_the_law():
    frame = houses.generate(seed=5, rows=100_000)
    counties = frame["county"].value_counts(normalize=True)
    heatings = frame["heating"].value_counts(normalize=True)
    assert counties.to_dict() == pytest.approx(houses.COUNTY_SHARE, abs=0.006)
    assert heatings.to_dict() == pytest.approx(houses.HEATING_SHARE, abs=0.006)
    missing = frame.isna().mean()
    assert missing[missing > 0].to_dict() == pytest.approx(houses.MISSING_SHARE, abs=0.003)


def test_true_coverage_of_one_house_worked_out_by_hand():
    level = 11.2 + 0.9 + 0.15 + 0.08 + 0.03 - 0.05 - 0.03 + 0.14 + 0.20 - 0.02
    spread = 0.05 * np.exp(0.15 + 0.2)
    ends = np.log([249_999.5, 310_000.5])
    ordinary = np.diff(stats.norm.cdf((ends - level) / spread))[0]
    wild = np.diff(stats.norm.cdf((ends - level) / (5.0 * spread)))[0]
    got = houses.true_coverage(pd.DataFrame([HOUSE]), np.array([250_000.0]), np.array([310_000.0]))
    assert got.tolist() == pytest.approx([0.55 * ordinary + 0.45 * wild], rel=1e-10)


@pytest.mark.parametrize(
    ("column", "stands_for"), [("heating", "gas"), ("station_km", 4.0), ("school_score", 5.0)]
)
def test_a_missing_value_acts_as_its_default(column, stands_for):
    lower, upper = np.array([250_000.0]), np.array([310_000.0])
    missing = houses.true_coverage(pd.DataFrame([HOUSE | {column: None}]), lower, upper)
    default = houses.true_coverage(pd.DataFrame([HOUSE | {column: stands_for}]), lower, upper)
    assert missing.tolist() == default.tolist()


@pytest.mark.long
def test_true_coverage_agrees_with_redrawn_prices(agrees_with_redraws):
    frame = houses.generate(seed=6, rows=300)
    lower, upper = frame["price"].to_numpy() * 0.9, frame["price"].to_numpy() * 1.12
    claimed = houses.true_coverage(frame, lower, upper)

    def held(rng, times):
        prices = houses.redraw(pd.concat([frame] * times), rng).reshape(times, -1)
        return (lower <= prices) & (prices <= upper)

    agrees_with_redraws(claimed, held)
