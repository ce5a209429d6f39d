"""Coverage and size of sets over time, and by how many steps ahead a row was forecast."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..arrays import FloatArray, IndexArray
from ..conformal.adaptive import adapted
from ..conformal.rank import exact_significance
from ..preparation.settings import AuditSettings
from ..scoring.columns import LARGEST
from ..tables.columns import Column
from .audited_rows import TestRows
from .grouping import MOST_SHOWN
from .statistics import FEWEST_JUDGED, LEVEL
from .tally import ByGroup, Tally, lines

_DATES = {"h": "%Y-%m-%d %H:00", "D": "%Y-%m-%d", "W": "week of %Y-%m-%d", "M": "%Y-%m", "Y": "%Y"}
"""How the first moment of a period is written, by pandas' name for its length."""


@dataclass(frozen=True, kw_only=True)
class PeriodRow:
    """One predictor's coverage of the n test rows of a period of time, or of a horizon.

    ``start`` is where the ``period`` begins along a column: a number or ISO date, of a horizon its
    name. From ``band_low`` to ``band_high`` so many rows' coverage lies by chance in 95 % of
    cases, the draw of calibration rows included, if it is the same in all. ``size`` is the mean
    number of labels in a set, or mean width in the label's own units. ``adapted`` is coverage by
    adaptive conformal inference; None with several thresholds, or weights, and of horizons.
    """

    predictor: str
    kind: Literal["time", "horizon"]
    column: str
    period: str
    start: float | str
    n: int
    coverage: float
    band_low: float
    band_high: float
    size: float
    adapted: float | None = None

    @property
    def is_outside(self) -> bool:
        """Whether coverage lies outside of the band, and the rows are enough to say so."""
        return self.n >= FEWEST_JUDGED and not self.band_low <= self.coverage <= self.band_high


Periods = tuple[Sequence[str], Sequence[float | str], IndexArray]
"""Names and starts of periods in order, and each row's period, shape (n,), -1 where it has none."""


def period_rows(test_rows: TestRows, settings: AuditSettings) -> list[PeriodRow]:
    """Return each predictor's figures by period of the time column, then by horizon."""
    rows: list[PeriodRow] = []
    if settings.time is not None:
        time = test_rows.beside[settings.time]
        # of rows in any order in time, those of a group alone may be alike
        found = _rows(test_rows, periods_of(time), time, are_clustered=settings.group is not None)
        rows += [PeriodRow(kind="time", column=settings.time, **row) for row in found]
    for variable in test_rows.variables:
        if variable.columns == (settings.horizon,) and variable.kind == "column":
            names, codes = variable.partition.names, variable.partition.codes
            found = _rows(test_rows, (names, names, codes))
            rows += [PeriodRow(kind="horizon", column=variable.name, **row) for row in found]
    return rows


def periods_of(column: Column) -> Periods:
    """Divide time by the shortest periods of which there are few, and most with rows enough.

    Hours, days, weeks, months or years of dates; single whole numbers, or bands of 1, 2 or 5 times
    a power of ten; the longest where none are such.
    """
    for found in _by_number(column.numbers) if column.holds == "number" else _by_date(column.dates):
        counts = np.bincount(found[2][found[2] >= 0], minlength=1)
        if len(counts) <= MOST_SHOWN and np.median(counts) >= FEWEST_JUDGED:
            break
    return found


def _by_date(dates: pd.Series) -> Iterator[Periods]:
    is_whole = (dates.dropna() == dates.dropna().dt.normalize()).all()
    for length, written in [*_DATES.items()][int(is_whole) :]:
        codes, found = pd.factorize(dates.dt.to_period(length), sort=True)
        starts = pd.PeriodIndex(found, freq=length).start_time
        yield [*starts.strftime(written)], [day.isoformat() for day in starts], codes


def _by_number(values: FloatArray) -> Iterator[Periods]:
    values = np.where(np.abs(values) < LARGEST, values, np.nan)
    known = values[~np.isnan(values)]
    span = float(np.ptp(known)) if len(known) else 0.0
    if (known == np.round(known)).all():
        codes, found = pd.factorize(values, sort=True)
        yield [f"{start:.15g}" for start in found], found.tolist(), codes
    first = math.floor(math.log10(span / MOST_SHOWN)) if span > 0.0 else 0
    for length in (unit * 10.0**power for power in range(first, first + 4) for unit in (1, 2, 5)):
        codes, found = pd.factorize(np.floor(values / length), sort=True)
        starts = [float(f"{start:.12g}") for start in found * length]  # without rounding errors
        yield [f"from {start:.12g}" for start in starts], starts, codes


def _rows(
    test_rows: TestRows, by: Periods, time: Column | None = None, *, are_clustered: bool = True
) -> Iterator[dict[str, Any]]:
    """Yield by predictor and period what a row has, of those with test rows."""
    (names, starts, codes), band = by, cache(test_rows.law.band)
    known, level = codes >= 0, float(exact_significance(test_rows.law.level))
    for name, sets in test_rows.sets.items():
        outcomes = replace(test_rows.outcomes[name], sizes=sets.sizes)
        tally = Tally.of((outcomes if are_clustered else outcomes.unclustered).part(known))
        groups = ByGroup(tally, codes[known], len(names))
        figures = {"n": groups.n, "coverage": groups.accuracy, "size": groups.shares(tally.size)}
        if time is not None and outcomes.p_values is not None and outcomes.weights is None:
            held = adapted(outcomes.p_values, np.argsort(time.ordered, kind="stable"), level)
            figures["adapted"] = groups.shares(held[known])
        told = zip(names, starts, groups.effective.tolist(), lines(figures), strict=True)
        for period, start, worth, of_period in told:
            if of_period["n"]:
                low, high = band(worth, LEVEL)
                ends = {"band_low": low, "band_high": high}
                yield {"predictor": name, "period": period, "start": start, **ends, **of_period}
