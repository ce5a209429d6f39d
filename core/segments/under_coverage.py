"""For whom coverage is clearly too low, and what an adjustment changes for the same rows.

One rule for segments and for rules found by search.

A group is *clearly too low* where its 95 % interval lies below CL, and its coverage is lower than
that of all rows, and than CL, with a q-value up to the level of its kind. Where coverage of all
rows is itself too low, one of both is enough. After an adjustment the same rule
tells who is clearly too low. A group that was before is

- *better* if it is after, too, though clearly more rows became right than wrong, the 95 % interval
  of the paired change lying above 0;
- *unchanged* if it is, and they did not, or if clearly more became wrong;
- *mended* if it is not, they did, and its own interval no longer lies below CL;
- *unclear* if it is not clearly too low, and not clearly mended.

A group that is clearly too low after, and was not before, is *new*; any other *fine*.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from .. import levels
from ..arrays import IndexArray
from ..rows.outcomes import Outcomes
from . import statistics
from .by_segment import SegmentRow
from .grouping import Variable
from .tally import ByGroup, Tally, lines
from .worst_segments import WorstSegmentRow, WorstSegments

JudgedRow = SegmentRow | WorstSegmentRow
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)

ALL_ROWS = "(all)"  # the variable, and the value, of all test rows

TOO_LOW: tuple[statistics.Status, ...] = ("low", "better", "unchanged", "new")
"""The statuses of groups that have too little coverage still."""


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """How many test rows of a group an adjustment makes right and how many wrong.

    Of the group's n rows ``gained`` are right with ``predictor`` alone and ``lost`` with the
    reference alone. ``change`` is the difference of the two accuracies, by weights where there are
    any; ``low`` and ``high`` are Agresti and Min's 95 % interval for it, ``p_value`` that of
    "it changes nothing" by the same, two-sided. These three take dependent rows for the
    independent ones that say as much. A rule found by search has its words as ``variable``; all
    rows are "(all)".
    """

    predictor: str
    variable: str
    value: str
    n: int
    gained: int
    lost: int
    change: float
    low: float
    high: float
    p_value: float

    @property
    def group(self) -> tuple[str, str]:
        """Which rows they are of, whatever the predictor."""
        return self.variable, self.value

    @property
    def is_clear(self) -> bool:
        """Whether it is more than chance explains."""
        return not self.low <= 0.0 <= self.high


def change_rows(
    variables: Iterable[Variable],
    outcomes: Mapping[str, Outcomes],
    searched: WorstSegments | None = None,
) -> list[ChangeRow]:
    """Return the changes over all test rows, in each segment of some variables, and under rules.

    The first of ``outcomes`` are the reference's, the others those of adjustments. A cluster that
    is a segment by itself is asked about, no sample of clusters. Rules found by search are judged
    on the rows that had no part in it.
    """
    everyone = np.zeros(len(next(iter(outcomes.values())).correct), dtype=np.intp)
    rows = _changes([(ALL_ROWS, ALL_ROWS)], everyone, outcomes)
    singly = {name: of_one.unclustered for name, of_one in outcomes.items()}
    for variable in variables:
        names = [(variable.name, value) for value in variable.partition.names]
        found = singly if variable.kind == "group" else outcomes
        rows += _changes(names, variable.partition.codes, found)
    if searched is not None:
        for rule, inside in searched.holds.items():
            codes = np.where(inside & searched.judging, 0, -1)
            rows += _changes([(rule, "")], codes, outcomes)
    return rows


def _changes(
    names: Sequence[tuple[str, str]], codes: IndexArray, outcomes: Mapping[str, Outcomes]
) -> list[ChangeRow]:
    """Return the change of each adjustment in each of some groups that share no rows.

    ``names`` are variable and value of the groups, ``codes`` the place of each test row in them, -1
    for none.
    """
    inside = codes >= 0
    first, *adjustments = outcomes
    before = outcomes[first].part(inside)
    groups = ByGroup(Tally.of(before), codes[inside], len(names))
    rows = []
    for predictor in adjustments:
        after = outcomes[predictor].correct[inside]
        gained, lost = after & ~before.correct, before.correct & ~after
        up, down = groups.shares(before.counts * gained), groups.shares(before.counts * lost)
        more, n = statistics.effective(up, groups.n, groups.design_effects)
        less, _ = statistics.effective(down, groups.n, groups.design_effects)
        low, high = statistics.paired_interval(more, less, n)
        columns = {
            "n": groups.n,
            "gained": groups.sums(gained).astype(np.intp),
            "lost": groups.sums(lost).astype(np.intp),
            "change": np.nan_to_num(groups.shares(before.counts * gained - before.counts * lost)),
            "low": low,
            "high": high,
            "p_value": statistics.paired_p_values(more, less, n),
        }
        rows += [
            ChangeRow(predictor=predictor, variable=variable, value=value, **line)
            for (variable, value), line in zip(names, lines(columns), strict=True)
        ]
    return rows


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """One predictor's coverage of all test rows, beside what was promised.

    Chance alone puts the ``share`` of correct sets between ``least`` and ``most``, that of drawing
    the calibration rows included. Dependent rows say as much as ``effective`` independent ones.
    """

    level: float
    share: float
    least: float
    most: float
    effective: int

    @property
    def is_low(self) -> bool:
        """Whether it is below CL by more than chance explains."""
        return self.share < min(self.least, self.level)

    @property
    def is_known(self) -> bool:
        """Whether the rows say enough of all for any group to be called worse off than they are."""
        return self.effective >= statistics.FEWEST_JUDGED

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
        _, high = statistics.wilson_interval(np.rint(self.share * n).astype(np.intp), n)
        return bool(high[0] < self.level) and not self.is_low


def with_statuses(
    rows: Sequence[_Group],
    coverage: Mapping[str, Coverage],
    changes: Sequence[ChangeRow],
) -> list[_Group]:
    """Return groups with their statuses, None for those that nobody is to judge.

    ``coverage`` is that of all rows by the predictor's name, the reference first; ``changes`` are
    those of its adjustments. Up to which level q-values count goes by the family.
    """
    first = next(iter(coverage))
    q: dict[tuple[str, object], float] = {}
    for name, of_all in coverage.items():
        own = [row for row in rows if row.predictor == name and of_all.is_known]
        q |= {(name, group): value for group, value in _judged_by(own, of_all).items()}
    low = {
        (row.predictor, row.group)
        for row in rows
        if row.high < coverage[row.predictor].level
        and q.get((row.predictor, row.group), 1.0) <= levels.GROUPS.get(row.family, 0.0)
    }
    change = {(row.predictor, row.group): row for row in changes}

    def status(row: _Group) -> statistics.Status | None:
        name, level = row.predictor, coverage[row.predictor].level
        is_low, was_low = ((each, row.group) in low for each in (name, first))
        fine: statistics.Status | None = "fine" if row.family in levels.GROUPS else None
        if name == first:
            return "low" if is_low else fine
        if not was_low:
            return "new" if is_low else fine
        made = change[name, row.group]
        if is_low or made.high < 0.0:
            return "better" if made.low > 0.0 else "unchanged"
        return "mended" if made.low > 0.0 and row.high >= level else "unclear"

    def judged_q(row: _Group) -> float:
        return q.get((row.predictor, row.group), row.q_value)

    return [replace(row, status=status(row), judged_q=judged_q(row)) for row in rows]


def _judged_by(rows: Sequence[JudgedRow], coverage: Coverage) -> dict[object, float]:
    """Return by which q-value each group is judged, of being lower than all rows and than CL."""
    judged_q: dict[object, float] = {}
    for family in levels.GROUPS:
        judged = [row for row in rows if row.family == family]
        n = np.array([row.n_effective for row in judged], dtype=np.intp)
        hits = np.rint(n * np.array([row.accuracy for row in judged])).astype(np.intp)
        short = statistics.shortfall_p_values(hits, n, coverage.level)
        if coverage.is_low:
            lower = [row.q_value if row.accuracy < coverage.share else 1.0 for row in judged]
            q = np.minimum(lower, statistics.q_values(short))
        else:
            lower = [row.p_value if row.accuracy < coverage.share else 1.0 for row in judged]
            q = statistics.q_values(np.maximum(lower, short))
        judged_q |= zip((row.group for row in judged), q.tolist(), strict=True)
    return judged_q
