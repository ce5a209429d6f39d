"""Houses in town or in the country, new or old: groups that overlap, and what remedies do for each.

The error of a prediction is normal, in thousands, with a standard deviation by place and age; old
houses are harder to tell than new ones, and more of them are in the country.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import norm

from evencover.core import (
    IFACM,
    InductiveConformalPredictor,
    Mondrian,
    OverlappingGroups,
    StandardMeasure,
)
from evencover.core.arrays import FloatArray
from evencover.core.rows.outcomes import IntervalSets

LEVEL = 0.9
TRAINING_ROWS = 2000
CELLS = pd.DataFrame({"country": [0, 0, 1, 1], "old": [0, 1, 0, 1]})  # a row for each kind of house
NAMES = ("town, new", "town, old", "country, new", "country, old")
SHARES: FloatArray = np.array([0.35, 0.15, 0.15, 0.35])
SPREADS: FloatArray = np.array([8.0, 16.0, 16.0, 18.0])
GROUPS: Mapping[str, FloatArray] = {  # the share of each kind in a group
    name: SHARES * inside / np.sum(SHARES * inside)
    for name, inside in {
        "all": np.ones(4),
        "town": 1 - CELLS["country"].to_numpy(),
        "country": CELLS["country"].to_numpy(),
        "new": 1 - CELLS["old"].to_numpy(),
        "old": CELLS["old"].to_numpy(),
        **dict(zip(NAMES, np.eye(4), strict=True)),
    }.items()
}
REMEDIES = {
    "one width": StandardMeasure(),
    "by place": Mondrian(StandardMeasure(), "country"),
    "place and age": OverlappingGroups(StandardMeasure(), ("country", "old")),
    "layers": IFACM(StandardMeasure(), confidence_level=LEVEL),
}


@dataclass(frozen=True)
class Served:
    """What intervals do for each kind of house, shape (4,)."""

    coverage: FloatArray
    width: FloatArray

    def of(self, group: str) -> tuple[float, float]:
        """Return the true coverage and the mean width of a group."""
        return float(self.coverage @ GROUPS[group]), float(self.width @ GROUPS[group])


def draw(rng: np.random.Generator, rows: int) -> tuple[pd.DataFrame, FloatArray]:
    """Return houses, and their prices less what is known of them, shape (n,)."""
    cells = rng.choice(4, size=rows, p=SHARES)
    X = CELLS.iloc[cells].reset_index(drop=True)
    return X, SPREADS[cells] * rng.standard_normal(rows)


@lru_cache(maxsize=64)
def served(remedy: str, rows: int, seed: int) -> Served:
    """Return what a remedy does, learned from so many calibration houses of a draw."""
    rng = np.random.default_rng(seed)
    training, calibration = draw(rng, TRAINING_ROWS), draw(rng, rows)
    predictor = InductiveConformalPredictor(REMEDIES[remedy], confidence_level=LEVEL)
    found = predictor.fit(*training).calibrate(*calibration).predict(CELLS)
    assert isinstance(found, IntervalSets)  # noqa: S101
    held = norm.cdf(found.upper, scale=SPREADS) - norm.cdf(found.lower, scale=SPREADS)
    return Served(np.asarray(held), np.asarray(found.upper - found.lower))
