"""For whom coverage is clearly too low: one measure for segments and for rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .by_segment import SegmentRow
from .search.worst_segments import When, WorstSegmentRow
from .statistics import SIZE, q_values, shortfall_p_values, wilson_interval

Group = SegmentRow | WorstSegmentRow
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Coverage of all test rows, beside what was promised.

    Attributes
    ----------
    level
        The confidence level, CL.
    n
        Test rows.
    base, adjusted
        Share of correct sets before and after.
    least, most
        Where chance alone puts that share, that of drawing the calibration rows included.
    """

    level: float
    n: int
    base: float
    adjusted: float
    least: float
    most: float

    def of(self, when: When) -> float:
        """Return the share of correct sets before or after."""
        return self.base if when == "base" else self.adjusted

    def is_low(self, when: When) -> bool:
        """Say whether it is below CL by more than chance explains."""
        return self.of(when) < min(self.least, self.level)

    def is_high(self, when: When) -> bool:
        """Say whether it is above CL by more than chance explains."""
        return self.of(when) > max(self.most, self.level)

    def is_unlucky(self) -> bool:
        """Say whether it is surely below CL before, as the draw of the calibration rows explains.

        More rows like the test rows would not come up to CL, though other calibration rows may.
        """
        _, high = wilson_interval(np.array([round(self.base * self.n)]), np.array([self.n]))
        return bool(high[0] < self.level) and not self.is_low("base")


def clearly_low(rows: Sequence[_Group], when: When, coverage: Coverage) -> list[_Group]:
    """Return the groups that are clearly under-covered, in the order of ``rows``.

    Their 95 % interval lies below CL, and one of these holds: coverage is lower than that of all
    rows, with a q-value of at most 0.05; that of all rows is itself too low, and the group's is
    below CL with such a q-value; or, after the adjustment, the group was clearly under-covered
    before. The last needs no second proof among many looks, and the overall coverage, against
    which q is, may have fallen.
    """
    sure = {id(row) for row in lower_than_all(rows, when, coverage)}
    if coverage.is_low(when):
        sure |= {id(row) for row in _surely_below_level(rows, when, coverage.level)}
    if when == "adjusted":
        sure |= {id(row) for row in clearly_low(rows, "base", coverage)}
    return [row for row in rows if id(row) in sure and _is_below(row, when, coverage.level)]


def lower_than_all(rows: Iterable[_Group], when: When, coverage: Coverage) -> list[_Group]:
    """Return the groups below CL whose coverage is also surely lower than that of all rows."""
    return [
        row
        for row in rows
        if _is_below(row, when, coverage.level)
        and getattr(row, f"accuracy_{when}") < coverage.of(when)
        and getattr(row, f"q_value_{when}") <= SIZE
    ]


def newly_low(low_after: Iterable[_Group], level: float) -> list[_Group]:
    """Return those of the groups too low after whose interval before did not lie below CL."""
    return [row for row in low_after if not _is_below(row, "base", level)]


def _is_below(row: Group, when: When, level: float) -> bool:
    return bool(getattr(row, f"high_{when}") < level)


def _surely_below_level(rows: Sequence[_Group], when: When, level: float) -> list[_Group]:
    n = np.array([row.n for row in rows], dtype=np.intp)
    shares = np.array([getattr(row, f"accuracy_{when}") for row in rows], dtype=np.float64)
    hits = np.rint(np.nan_to_num(shares) * n).astype(np.intp)
    q = q_values(shortfall_p_values(hits, n, level))
    return [row for row, value in zip(rows, q, strict=True) if value <= SIZE]
