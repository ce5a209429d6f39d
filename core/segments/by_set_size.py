"""Size-stratified coverage: accuracy by the size of the prediction set."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..arrays import IndexArray
from ..rows.outcomes import Outcomes
from ..rows.weights import weights_of
from ..tables.columns import Column
from .binning import partition_column
from .statistics import FEWEST_JUDGED
from .tally import Tally

_DIGITS = 6
"""To which widths count as different: those of one width for all differ by rounding errors."""


@dataclass(frozen=True, kw_only=True)
class SizeStratumRow:
    """Share of correct prediction sets among the test rows with sets of one size.

    ``size`` is the number of labels; or a band between quartiles of the widths, with the label
    standardised; or "infinite". ``low`` and ``high`` are Wilson's 95 % interval for the accuracy.

    Before and after an adjustment the strata hold different rows: compare how even accuracy is over
    the strata, not one stratum with its namesake. From Angelopoulos, Bates, Malik and Jordan
    (2021), "Uncertainty sets for image classifiers using conformal prediction".
    """

    predictor: str
    size: str
    n: int
    accuracy: float
    low: float
    high: float


def size_strata(predictor: str, outcomes: Outcomes) -> list[SizeStratumRow]:
    """Return accuracy by size of one predictor's sets, smallest first."""
    if outcomes.are_intervals:
        names, codes = _by_width(outcomes)
    else:
        names = [str(number) for number in range(int(outcomes.largest) + 1)]
        codes = outcomes.sizes.astype(np.intp)
    found = Tally.of(outcomes.unclustered).by(codes, len(names))
    return [
        SizeStratumRow(predictor=predictor, size=size, **of_one)
        for size, of_one in zip(names, found.figures(), strict=True)
        if of_one["n"]
    ]


def size_stratified_coverage(rows: Iterable[SizeStratumRow]) -> float:
    """Return the lowest accuracy of the strata with rows enough; NaN if there is none."""
    return min((row.accuracy for row in rows if row.n >= FEWEST_JUDGED), default=math.nan)


def _by_width(outcomes: Outcomes) -> tuple[list[str], IndexArray]:
    widths = pd.Series([float(f"{width:.{_DIGITS}g}") for width in outcomes.sizes])
    infinite = np.isinf(outcomes.sizes)
    finite = np.flatnonzero(~infinite)
    if not len(finite):
        return ["infinite"], np.zeros(len(widths), dtype=np.intp)
    shown = Column(widths.where(~infinite, widths.iloc[finite].max()), "number")
    bands = partition_column(shown, finite, weights=weights_of(outcomes.weights, finite))
    return [*bands.names, "infinite"], np.where(infinite, len(bands.names), bands.codes)
