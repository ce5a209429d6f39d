"""Run times whose tails grow with the tile size: a generated table.

Each row is one setting of a matrix multiplication on a graphics processor. The settings are
drawn independently, every value of a parameter equally likely:

- ``tile_m``, ``tile_n``: 16, 32, 64, 128
- ``threads_m``, ``threads_n``: 8, 16, 32
- ``unroll``: 2, 8
- ``vector_width``: 1, 2, 4, 8
- ``stride_a``, ``stride_b``, ``local_a``, ``local_b``: 0, 1

The label ``run_time_us`` is ``[exp(m + s e)]`` whole microseconds:

- ``m = 12.8 - 0.012 tile_m - 0.009 tile_n - 0.03 threads_m - 0.02 threads_n + 0.05 unroll
  - 0.08 vector_width + 0.15 stride_a + 0.1 stride_b - 0.5 local_a - 0.3 local_b``
- ``s = 0.07 exp(0.03 unroll - 0.005 threads_m)``
- ``e`` is generalised normal, with density proportional to ``exp(-|e|**q)``, and its shape is
  ``q = r(tile_m) (1 - 0.15 local_a)`` with r = 3, 2, 1.2, 0.7 for a tile of 16, 32, 64, 128

A shape of 2 is the normal distribution; below it tails are heavier, above lighter. ``m`` is
linear in the columns and so nearly is E log|s e|, which the base model therefore knows; the
shape, by which the 90 % point of |e| exceeds its typical value, it does not.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evencover.core.arrays import FloatArray

from .sample import Sample
from .whole_labels import probability_between, to_whole

SEED = 3
ROWS = 8_000

SETTINGS = {
    "tile_m": (16, 32, 64, 128),
    "tile_n": (16, 32, 64, 128),
    "threads_m": (8, 16, 32),
    "threads_n": (8, 16, 32),
    "unroll": (2, 8),
    "vector_width": (1, 2, 4, 8),
    "stride_a": (0, 1),
    "stride_b": (0, 1),
    "local_a": (0, 1),
    "local_b": (0, 1),
}
LOG_LEVEL = {
    "tile_m": -0.012,
    "tile_n": -0.009,
    "threads_m": -0.03,
    "threads_n": -0.02,
    "unroll": 0.05,
    "vector_width": -0.08,
    "stride_a": 0.15,
    "stride_b": 0.1,
    "local_a": -0.5,
    "local_b": -0.3,
}
TILE_SHAPE = {16: 3.0, 32: 2.0, 64: 1.2, 128: 0.7}

DESCRIPTION = (
    "Run times of a matrix multiplication on a graphics processor under different tuning "
    "settings, made up for this program. Each row is one setting; the run time in microseconds "
    "is to be predicted. Runs with small tiles scatter within narrow bounds, while runs with "
    "large tiles are mostly close to what is expected and now and then far off. Audit by "
    "tile_m: the larger the tile, the more often the intervals miss, until IFACM evens this out."
)


def sample(seed: int = SEED) -> Sample:
    """Return the sample ``kernels``."""
    return Sample(
        description=DESCRIPTION,
        frame=generate(seed),
        target="run_time_us",
        task="regression",
        log_target=True,
        penalty=0.1,
    )


def generate(seed: int = SEED, rows: int = ROWS) -> pd.DataFrame:
    """Return the table; the same seed gives the same table."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.choice(values, rows) for name, values in SETTINGS.items()})
    return frame.assign(run_time_us=redraw(frame, rng))


def redraw(frame: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return new run times for the settings in ``frame``, drawn from the law, shape (n,)."""
    shape = _shape(frame)
    size = rng.gamma(1.0 / shape) ** (1.0 / shape)
    sign = np.where(rng.random(len(frame)) < 0.5, -1.0, 1.0)  # noqa: PLR2004 - a fair coin
    return to_whole(_log_level(frame) + _spread(frame) * sign * size)


def true_coverage(frame: pd.DataFrame, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return the exact probability that a run time lies in [lower, upper], shape (n,).

    Parameters
    ----------
    frame
        The table's columns; run times, if there, are not looked at.
    lower, upper
        Ends of the intervals in microseconds, shape (n,); infinite ends are legal.
    """
    level, spread, shape = _log_level(frame), _spread(frame), _shape(frame)

    def log_cdf(log_time: FloatArray) -> FloatArray:
        return np.asarray(stats.gennorm.cdf((log_time - level) / spread, shape))

    return probability_between(lower, upper, log_cdf)


def _log_level(frame: pd.DataFrame) -> FloatArray:
    settings = frame[list(LOG_LEVEL)].to_numpy(dtype=np.float64)
    level: FloatArray = 12.8 + settings @ np.array(list(LOG_LEVEL.values()))
    return level


def _spread(frame: pd.DataFrame) -> FloatArray:
    log_spread = 0.03 * frame["unroll"] - 0.005 * frame["threads_m"]
    spread: FloatArray = 0.07 * np.exp(log_spread.to_numpy(dtype=np.float64))
    return spread


def _shape(frame: pd.DataFrame) -> FloatArray:
    of_tile = frame["tile_m"].map(TILE_SHAPE).to_numpy(dtype=np.float64)
    return of_tile * (1.0 - 0.15 * frame["local_a"].to_numpy(dtype=np.float64))
