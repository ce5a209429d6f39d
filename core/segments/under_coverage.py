"""For whom coverage is clearly too low, and what became of it: one rule for segments and rules.

A group is *clearly too low* where its 95 % interval lies below CL, and its coverage is lower than
that of all rows with a q-value up to the level of its kind. Where coverage of all rows is itself
too low, it is so too where it is below CL with such a q-value. After an adjustment, a group that
was clearly too low before is

- *mended* if clearly more rows became right than wrong, the 95 % interval of the paired change
  lying above 0, and its own interval no longer lies below CL;
- *better* if they did, and it does;
- *unchanged* if chance may have done as much.

A group that is clearly too low after, and was not before, is *new*; any other *fine*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from .by_segment import SegmentRow
from .changes import ChangeRow
from .statistics import Status, q_values, shortfall_p_values, wilson_interval
from .worst_segments import WorstSegmentRow

JudgedRow = SegmentRow | WorstSegmentRow
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)

TOO_LOW: tuple[Status, ...] = ("low", "better", "unchanged", "new")
"""The statuses of groups that have too little coverage still."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One predictor's coverage of all n test rows, beside what was promised.

    Chance alone puts the ``share`` of correct sets between ``least`` and ``most``, that of drawing
    the calibration rows included. Dependent rows say as much as ``effective`` independent ones.
    """

    level: float
    n: int
    share: float
    least: float
    most: float
    effective: int

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
        n = np.array([self.effective])
        _, high = wilson_interval(np.rint(self.share * n).astype(np.intp), n)
        return bool(high[0] < self.level) and not self.is_low


def with_statuses(
    rows: Sequence[_Group],
    coverage: Mapping[str, Coverage],
    changes: Sequence[ChangeRow],
    size: float,
) -> list[_Group]:
    """Return groups with their statuses, None for those that nobody is to judge.

    ``coverage`` is that of all rows by the predictor's name, the reference first; ``changes`` are
    those of its adjustments; ``size`` the level up to which q-values count. A predictor that has
    no changes is no adjustment, and judged by itself.
    """
    first = next(iter(coverage))
    low = {name: _clearly_low(_of(rows, name), coverage[name], size) for name in coverage}
    change = {(row.predictor, row.group): row for row in changes}
    adjusting = {row.predictor for row in changes}

    def status(row: _Group) -> Status | None:
        name, level = row.predictor, coverage[row.predictor].level
        is_low, was_low = row.group in low[name], row.group in low[first]
        fine: Status | None = "fine" if row.family == "objects" else None
        if name not in adjusting:
            return "low" if is_low else fine
        if not was_low:
            return "new" if is_low else fine
        made = change[name, row.group]
        if not made.low > 0.0:
            return "unchanged"
        return "better" if row.high < level else "mended"

    return [replace(row, status=status(row)) for row in rows]


def is_lower_than_all(row: JudgedRow, coverage: Coverage, size: float) -> bool:
    """Say whether coverage is below CL and surely lower than that of all rows."""
    is_below = row.family == "objects" and row.high < coverage.level
    return is_below and row.accuracy < coverage.share and row.q_value <= size


def _of(rows: Sequence[_Group], name: str) -> list[_Group]:
    return [row for row in rows if row.predictor == name]


def _clearly_low(rows: Sequence[_Group], coverage: Coverage, size: float) -> set[object]:
    q = judged_by(rows, coverage)
    return {r.group for r in rows if r.high < coverage.level and q.get(r.group, 1.0) <= size}


def judged_by(rows: Sequence[JudgedRow], coverage: Coverage) -> dict[object, float]:
    """Return by which q-value each group is judged: the smaller, where there are two."""
    judged = [row for row in rows if row.family == "objects"]
    lower = [row.q_value if row.accuracy < coverage.share else 1.0 for row in judged]
    below = _q_below_level(judged, coverage) if coverage.is_low else lower
    return {r.group: min(both) for r, *both in zip(judged, below, lower, strict=True)}


def _q_below_level(rows: Sequence[JudgedRow], coverage: Coverage) -> list[float]:
    n = np.array([row.n_effective for row in rows], dtype=np.intp)
    shares = np.array([row.accuracy for row in rows], dtype=np.float64)
    hits = np.rint(np.nan_to_num(shares) * n).astype(np.intp)
    q: list[float] = q_values(shortfall_p_values(hits, n, coverage.level)).tolist()
    return q
