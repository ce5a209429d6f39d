"""What DCV is by chance alone, in a predictor's figures: by formula, or by drawing outcomes."""

import math
from dataclasses import replace

from ..coverage.dcv import Deviation, noise_floor
from ..coverage.null_model import Chance
from .figures import ResultRow

NORMAL_95 = 1.96


def with_floors(
    row: ResultRow,
    floor: Deviation | None,
    terms: int | None,
    n_train: float,
    confidence_level: float,
) -> ResultRow:
    """Return a row with its floors, by that of a faultless predictor which was not adjusted.

    An adjustment of so many ``terms`` (None: known by no number) carries the noise of ``n_train``
    training rows: ``terms w / n_train``.
    """
    if floor is None:
        return row
    # a DCV is the root mean square of p(x) - CL, which noise alone makes about normal
    reach = NORMAL_95 * floor.value
    row = replace(
        row,
        dcv_floor_unadjusted=floor.value,
        noise_low=max(0.0, confidence_level - reach),
        noise_high=min(1.0, confidence_level + reach),
    )
    if terms is None:
        return row
    carried = noise_floor(terms, n_train, confidence_level) if terms else 0.0
    own = Deviation(floor.level, math.hypot(floor.spread, carried))
    return replace(row, dcv_floor=own.value, dcv_spread_floor=own.spread)


def wants_draws(row: ResultRow) -> bool:
    """Say whether a row of test rows can have a floor, but none that a formula tells."""
    return row.dcv_floor_unadjusted is None and row.dcv_formula != "none"


def with_chance(row: ResultRow, chance: Chance) -> ResultRow:
    """Return a row of test rows with what was simulated."""
    simulated = None if chance.floor is None else chance.floor.value
    permuted = chance.p_values[row.predictor]
    return replace(row, dcv_floor_simulated=simulated, p_value_permuted=permuted)
