"""For whom coverage is clearly too low: one measure for segments and for rules."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .by_segment import SegmentRow
from .search.worst_segments import WorstSegmentRow
from .statistics import SIZE, q_values, shortfall_p_values, wilson_interval

Group = SegmentRow | WorstSegmentRow
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One predictor's coverage of all n test rows, beside what was promised.

    Chance alone puts the ``share`` of correct sets between ``least`` and ``most``, that of drawing
    the calibration rows included.
    """

    level: float
    n: int
    share: float
    least: float
    most: float

    @property
    def is_low(self) -> bool:
        """Whether it is below CL by more than chance explains."""
        return self.share < min(self.least, self.level)

    @property
    def is_high(self) -> bool:
        """Whether it is above CL by more than chance explains."""
        return self.share > max(self.most, self.level)

    @property
    def is_unlucky(self) -> bool:
        """Whether it is surely below CL, as the draw of the calibration rows explains.

        More rows like the test rows would not come up to CL, though other calibration rows may.
        """
        _, high = wilson_interval(np.array([round(self.share * self.n)]), np.array([self.n]))
        return bool(high[0] < self.level) and not self.is_low


def clearly_low(
    rows: Sequence[_Group], coverage: Coverage, low_before: Collection[object] = ()
) -> list[_Group]:
    """Return the groups of one predictor that are clearly under-covered, in the order of ``rows``.

    Their 95 % interval lies below CL, and one of these holds: coverage is lower than that of all
    rows, with a q-value of at most 0.05; that of all rows is itself too low, and the group's is
    below CL with such a q-value; or the group is ``low_before`` the adjustment. The last needs no
    second proof among many looks, and the overall coverage, against which q is, may have fallen.
    """
    sure = {row.group for row in lower_than_all(rows, coverage)} | set(low_before)
    if coverage.is_low:
        sure |= {row.group for row in _surely_below_level(rows, coverage.level)}
    return [row for row in rows if row.group in sure and is_below(row, coverage.level)]


def lower_than_all(rows: Iterable[_Group], coverage: Coverage) -> list[_Group]:
    """Return the groups below CL whose coverage is also surely lower than that of all rows."""
    return [
        row
        for row in rows
        if is_below(row, coverage.level) and row.accuracy < coverage.share and row.q_value <= SIZE
    ]


def is_below(row: Group, level: float) -> bool:
    """Say whether the interval of a group's coverage lies below CL."""
    return row.high < level


def _surely_below_level(rows: Sequence[_Group], level: float) -> list[_Group]:
    n = np.array([row.n for row in rows], dtype=np.intp)
    shares = np.array([row.accuracy for row in rows], dtype=np.float64)
    hits = np.rint(np.nan_to_num(shares) * n).astype(np.intp)
    q = q_values(shortfall_p_values(hits, n, level))
    return [row for row, value in zip(rows, q, strict=True) if value <= SIZE]
