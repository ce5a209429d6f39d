"""House prices whose spread in one county misleads the base model: a generated table.

The features are drawn independently from row to row ([x] rounds to a whole number, N(m, s) is
normal with standard deviation s, Exp(m) exponential with mean m):

- ``county`` and ``heating``: with the shares of :data:`COUNTIES` and :data:`HEATINGS`
- ``floor_area_m2`` = [exp(N(4.55, 0.3))], cut to 30 .. 400
- ``bedrooms`` = [floor_area_m2 / 35 + N(0, 0.6)], cut to 1 .. 7
- ``bathrooms`` = [bedrooms / 2 + N(0, 0.5)], cut to 1 .. 4
- ``plot_area_m2`` = [floor_area_m2 exp(N(1.1, 0.5))]
- ``age_years`` = [Exp(45)], cut to 0 .. 200
- ``station_km`` = Exp(4), rounded to one decimal
- ``school_score``: 1 .. 10, equally likely

Then, completely at random, ``heating`` goes missing in 3 %, ``station_km`` in 4 % and
``school_score`` in 3 % of the rows. The label depends on the columns as they then are: a
missing value acts as gas heating, 4.0 km or a score of 5. With them in place, ``price`` is
``[exp(m + s e)]``, in pounds:

- ``m = 11.2 + 0.009 floor_area_m2 + 0.05 bedrooms + 0.04 bathrooms + 0.0001 plot_area_m2
  - 0.001 age_years - 0.015 station_km + 0.02 school_score + a(county) + b(heating)``
- ``log s = log 0.05 + 0.003 age_years + c(county) + d(heating)``
- ``e`` is N(0, 1), but with probability ``w(county)`` it is N(0, 5)

Here a and b are the levels, c and d the log spreads, and w the wild shares of these tables.

Both ``m`` and ``log s`` are linear in the columns, so least squares finds them; what a model of
log|residual| cannot see is ``w``. In Devon it settles between the many ordinary and the many
unpredictable houses, which makes intervals too narrow for nine houses in ten.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evencover.core.arrays import FloatArray

from .sample import Sample
from .whole_labels import probability_between, to_whole

SEED = 3
ROWS = 10_000

WILD_SPREAD = 5.0


class Value(NamedTuple):
    """A value's share of the houses, and its terms of m, of log s and, of a county, of w."""

    share: float
    level: float
    log_spread: float
    wild: float = 0.0


COUNTIES = {
    "Kent": Value(0.24, 0.60, 0.0, 0.02),
    "Essex": Value(0.22, 0.50, 0.0, 0.02),
    "Norfolk": Value(0.16, 0.0, 0.1, 0.02),
    "Devon": Value(0.13, 0.20, 0.0, 0.45),
    "Somerset": Value(0.13, 0.10, 0.1, 0.02),
    "Cornwall": Value(0.09, 0.25, 0.2, 0.02),
    "Rutland": Value(0.03, 0.15, -0.2, 0.0),
}
HEATINGS = {
    "gas": Value(0.66, 0.0, 0.0),
    "electric": Value(0.17, -0.04, 0.0),
    "oil": Value(0.12, -0.02, 0.2),
    "heat pump": Value(0.035, 0.06, 0.1),
    "solid fuel": Value(0.015, -0.1, 0.4),
}

MISSING_SHARE = {"heating": 0.03, "station_km": 0.04, "school_score": 0.03}
MISSING_ACTS_AS = {"heating": "gas", "station_km": 4.0, "school_score": 5.0}

DESCRIPTION = (
    "Sales of houses in seven English counties, made up for this program. Each row is a house; "
    "its price is to be predicted from its size, age, heating and place. In Devon nearly half "
    "the houses sell at prices nobody could foresee while the others are as predictable as "
    "elsewhere; a model of the typical error understates what Devon's intervals need. Audit by "
    "county: Devon's intervals miss too often, those of most others hold the price a little "
    "oftener than promised, and IFACM evens this out."
)


def sample(seed: int = SEED) -> Sample:
    """Return the sample ``houses``."""
    return Sample(
        description=DESCRIPTION,
        frame=generate(seed),
        target="price",
        task="regression",
        log_target=True,
        penalty=0.1,
    )


def generate(seed: int = SEED, rows: int = ROWS) -> pd.DataFrame:
    """Return the table; the same seed gives the same table."""
    rng = np.random.default_rng(seed)
    frame = _features(rng, rows)
    for column, share in MISSING_SHARE.items():
        frame[column] = frame[column].mask(rng.random(rows) < share)
    return frame.assign(price=redraw(frame, rng))


def redraw(frame: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return new prices for the houses in ``frame``, drawn from the law, shape (n,)."""
    wild = rng.random(len(frame)) < _by(frame["county"], COUNTIES, "wild")
    noise = rng.standard_normal(len(frame)) * np.where(wild, WILD_SPREAD, 1.0)
    return to_whole(_log_level(frame) + _spread(frame) * noise)


def true_coverage(frame: pd.DataFrame, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the exact probability that a price lies in [lower, upper], shape (n,).

    Parameters
    ----------
    frame
        The table's columns; prices, if there, are not looked at.
    lower, upper
        Ends of the intervals in pounds, shape (n,); infinite ends are legal.
    """
    level, spread = _log_level(frame), _spread(frame)
    wild = _by(frame["county"], COUNTIES, "wild")

    def log_cdf(log_price: FloatArray) -> FloatArray:
        noise = (log_price - level) / spread
        ordinary, unforeseeable = stats.norm.cdf(noise), stats.norm.cdf(noise / WILD_SPREAD)
        probability: FloatArray = (1.0 - wild) * ordinary + wild * unforeseeable
        return probability

    return probability_between(lower, upper, log_cdf)


def _features(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    county, heating = (
        rng.choice(list(values), size=rows, p=[value.share for value in values.values()])
        for values in (COUNTIES, HEATINGS)
    )
    floor_area = np.clip(np.rint(np.exp(rng.normal(4.55, 0.3, rows))), 30, 400)
    bedrooms = np.clip(np.rint(floor_area / 35 + rng.normal(0.0, 0.6, rows)), 1, 7)
    bathrooms = np.clip(np.rint(bedrooms / 2 + rng.normal(0.0, 0.5, rows)), 1, 4)
    plot_area = np.rint(floor_area * np.exp(rng.normal(1.1, 0.5, rows)))
    age = np.minimum(np.rint(rng.exponential(45.0, rows)), 200)
    return pd.DataFrame(
        {
            "county": county,
            "heating": heating,
            "floor_area_m2": floor_area.astype(np.int64),
            "bedrooms": bedrooms.astype(np.int64),
            "bathrooms": bathrooms.astype(np.int64),
            "plot_area_m2": plot_area.astype(np.int64),
            "age_years": age.astype(np.int64),
            "station_km": np.round(rng.exponential(4.0, rows), 1),
            "school_score": rng.integers(1, 11, rows).astype(np.float64),
        }
    )


def _log_level(frame: pd.DataFrame) -> FloatArray:
    seen = frame.fillna(MISSING_ACTS_AS)
    numeric = (
        11.2
        + 0.009 * seen["floor_area_m2"]
        + 0.05 * seen["bedrooms"]
        + 0.04 * seen["bathrooms"]
        + 0.0001 * seen["plot_area_m2"]
        - 0.001 * seen["age_years"]
        - 0.015 * seen["station_km"]
        + 0.02 * seen["school_score"]
    )
    level = numeric.to_numpy(dtype=np.float64)
    return level + _by(seen["county"], COUNTIES, "level") + _by(seen["heating"], HEATINGS, "level")


def _spread(frame: pd.DataFrame) -> FloatArray:
    seen = frame.fillna(MISSING_ACTS_AS)
    of_values = (seen["county"], COUNTIES), (seen["heating"], HEATINGS)
    county, heating = (_by(column, values, "log_spread") for column, values in of_values)
    age = seen["age_years"].to_numpy(dtype=np.float64)
    spread: FloatArray = 0.05 * np.exp(0.003 * age + (county + heating))
    return spread


def _by(column: "pd.Series[str]", values: dict[str, Value], term: str) -> FloatArray:
    terms = {name: getattr(value, term) for name, value in values.items()}
    return np.asarray(column.map(terms), dtype=np.float64)
