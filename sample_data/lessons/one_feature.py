"""One feature x, uniform on [-1, 1]; the label is ``x + s(x) e`` with e standard normal.

``s(x) = 0.4 exp(0.8 x)``: the further right, the harder to predict. The base measure has one width
for all; what it, IFACM after each layer, and the quantile adjustment cover is in closed form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator

from evencover.core.arrays import BoolArray, FloatArray
from evencover.core.conformal.interval_measures import StandardMeasure
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.coverage.dcv import deviation
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.remedies.ifacm.choices import RESTARTED_SEARCH
from evencover.core.remedies.ifacm.ifacm import IFACM
from evencover.core.remedies.quantile import QuantileAdjustment
from evencover.core.rows.outcomes import IntervalSets

LEVEL = 0.9
ROWS = 500  # of the training, the calibration and the test set each

PENALTY = 0.5
GRID: FloatArray = np.linspace(-1.0, 1.0, 401)
_SEEDS = (8, 7, 27, 32, 37, 38, 5, 16)
"""Of draws, counted from 1, in which the first layer does something that can be seen."""


@dataclass(frozen=True)
class Stage:
    """A predictor on the grid and on the test rows; arrays of shape (401,) and (500,).

    ``p`` is the estimate of p(x) from the test rows, ``dcv`` what comes of it there, and
    ``true_dcv`` the same of the true coverage over all x.
    """

    lower: FloatArray
    upper: FloatArray
    coverage: FloatArray
    p: FloatArray
    held: BoolArray
    mean_width: float
    dcv: float

    @property
    def mean_coverage(self) -> float:
        """The true coverage on average over x."""
        return float(np.mean(self.coverage))

    @property
    def true_dcv(self) -> float:
        """The root mean square of true coverage less the level."""
        return float(np.sqrt(np.mean((self.coverage - LEVEL) ** 2)))


@dataclass(frozen=True)
class Path:
    """A remedy: the base predictor's stage, and one after each layer, or after its one fit."""

    stages: Sequence[Stage]
    gammas: Sequence[float]
    deltas: Sequence[float]


def spread(x: FloatArray) -> FloatArray:
    """Return s(x)."""
    return np.asarray(0.4 * np.exp(0.8 * x))


def draw_rows(rng: np.random.Generator, rows: int = ROWS) -> tuple[FloatArray, FloatArray]:
    """Return objects, shape (n, 1), and labels, shape (n,)."""
    x = rng.uniform(-1.0, 1.0, rows)
    return x[:, None], x + spread(x) * rng.standard_normal(rows)


def true_coverage(x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the exact probability that the label of x lies in [lower, upper], shape (n,)."""
    return np.asarray(norm.cdf(upper, x, spread(x)) - norm.cdf(lower, x, spread(x)))


def test_rows(draw: int) -> tuple[FloatArray, FloatArray]:
    """Return the test rows."""
    return _rows(draw)[2]


@lru_cache(maxsize=len(_SEEDS))
def _rows(draw: int) -> list[tuple[FloatArray, FloatArray]]:
    rng = np.random.default_rng(_SEEDS[draw - 1])
    return [draw_rows(rng) for _ in range(3)]


@lru_cache(maxsize=len(_SEEDS))
def _base(draw: int) -> StandardMeasure:
    return StandardMeasure().fit(*_rows(draw)[0])


@lru_cache(maxsize=2 * len(_SEEDS))
def ifacm_path(estimator: str, draw: int) -> Path:
    """Return IFACM's path, with p(x) by an estimator of that name."""
    remedy = IFACM(
        FrozenEstimator(_base(draw)),
        confidence_level=LEVEL,
        penalty=PENALTY,
        estimator=ESTIMATORS[estimator](),
        search=RESTARTED_SEARCH,
    ).fit(*_rows(draw)[0])
    steps = [
        np.cumsum(np.vstack([np.zeros(len(X)), remedy.steps(X)]), axis=0) for X in _objects(draw)
    ]
    stages = [_stage(shifts, estimator, draw) for shifts in zip(*steps, strict=True)]
    layers = remedy.fit_.layers
    return Path(stages, [one.gamma for one in layers], [one.delta for one in layers])


@lru_cache(maxsize=len(_SEEDS))
def quantile_path(draw: int) -> Path:
    """Return the path of the quantile adjustment, of one fit."""
    remedy = QuantileAdjustment(FrozenEstimator(_base(draw)), confidence_level=LEVEL)
    remedy.fit(*_rows(draw)[0])
    adjusted = [remedy.adjustment(X) for X in _objects(draw)]
    shifts = [[np.zeros(len(one)) for one in adjusted], adjusted]
    return Path([_stage(one, "logistic", draw) for one in shifts], [], [])


def _objects(draw: int) -> list[FloatArray]:
    """Return those of calibration, of test and of the grid."""
    _, (calibration, _), (test, _) = _rows(draw)
    return [calibration, test, GRID[:, None]]


def _stage(shifts: Sequence[FloatArray], estimator: str, draw: int) -> Stage:
    """Return the predictor of the base scores and what is added to them, of each of the objects."""
    _, (_, calibration_labels), (test, labels) = _rows(draw)
    scores = [
        _base(draw).score_functions(X).shifted(shift)
        for X, shift in zip(_objects(draw), shifts, strict=True)
    ]
    threshold = conformal_threshold(scores[0].at(calibration_labels), LEVEL)
    held = scores[1].at(labels) >= threshold
    fitted = ESTIMATORS[estimator]().fit(test, held)
    on_grid = scores[2].sets(threshold)
    assert isinstance(on_grid, IntervalSets)  # noqa: S101
    return Stage(
        on_grid.lower,
        on_grid.upper,
        true_coverage(GRID, on_grid.lower, on_grid.upper),
        fitted.predict(GRID[:, None]),
        held,
        scores[1].mean_size(threshold),
        deviation(fitted.predict(test), LEVEL).value,
    )
