import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evencover.sample_data import kernels

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


def test_the_table_of_the_fixed_seed():
    frame = kernels.generate()
    assert frame.shape == (8_000, 11)
    assert frame["run_time_us"].min() > 0
    assert int(frame["run_time_us"].sum()) == 328396678
    assert frame.loc[0, ["tile_m", "local_a", "run_time_us"]].tolist() == [128, 1, 26040]


def test_settings_take_the_values_of_the_law():
    frame = kernels.generate()
    found = {name: tuple(sorted(frame[name].unique().tolist())) for name in kernels.SETTINGS}
    assert found == kernels.SETTINGS


def test_true_coverage_of_one_setting_worked_out_by_hand():
    level = 12.8 - 1.536 - 0.288 - 0.48 - 0.16 + 0.1 - 0.32 + 0.15 - 0.5
    spread = 0.07 * np.exp(0.06 - 0.08)
    shape = 0.7 * 0.85
    size = (np.log(19_000.5) - level) / spread, (level - np.log(16_999.5)) / spread
    above, below = stats.gamma.cdf(np.array(size) ** shape, 1.0 / shape) / 2.0
    got = kernels.true_coverage(pd.DataFrame([SETTING]), np.array([17_000.0]), np.array([19_000.0]))
    assert got.tolist() == pytest.approx([above + below], rel=1e-10)


def test_true_coverage_agrees_with_redrawn_run_times(agrees_with_redraws):
    frame = kernels.generate(seed=6, rows=300)
    times_us = frame["run_time_us"].to_numpy()
    lower, upper = times_us * 0.9, times_us * 1.12
    claimed = kernels.true_coverage(frame, lower, upper)

    def held(rng, times):
        redrawn = kernels.redraw(pd.concat([frame] * times), rng).reshape(times, -1)
        return (lower <= redrawn) & (redrawn <= upper)

    agrees_with_redraws(claimed, held)
