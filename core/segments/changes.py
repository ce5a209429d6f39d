"""What an adjustment changes in each group: the same rows before and after."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import IndexArray
from ..rows.outcomes import Outcomes
from .grouping import Variable
from .statistics import effective, paired_interval, paired_p_values
from .tally import Tally, lines

ALL_ROWS = "(all)"
"""The variable, and the value, of all test rows."""


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """How many test rows of a group an adjustment makes right and how many wrong.

    Of the group's n rows ``gained`` are right with ``predictor`` alone and ``lost`` with the
    reference alone. ``change`` is the difference of the two accuracies, by weights where there are
    any; ``low`` and ``high`` are Agresti and Min's 95 % interval for it, ``p_value`` McNemar's,
    exact and two-sided, of "it changes nothing". These three take dependent rows for the
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
    names: Sequence[tuple[str, str]],
    codes: IndexArray,
    outcomes: Mapping[str, Outcomes],
    adjustments: Sequence[str],
) -> list[ChangeRow]:
    """Return the change of each adjustment in each of some groups that share no rows.

    ``names`` are variable and value of the groups, ``codes`` the place in them of each of the n
    test rows, -1 for those in none. The first of ``outcomes`` are the reference's.
    """
    inside = codes >= 0
    before = next(iter(outcomes.values())).part(inside)
    groups = Tally.of(before).by(codes[inside], len(names))
    rows = []
    for predictor in adjustments:
        after = outcomes[predictor].correct[inside]
        gained, lost = after & ~before.correct, before.correct & ~after
        up, down = before.counts * gained, before.counts * lost
        (more, of), (less, _) = (
            effective(groups.shares(kind), groups.n, groups.design_effects) for kind in (up, down)
        )
        low, high = paired_interval(more, less, of)
        columns = {
            "n": groups.n,
            "gained": groups.sums(gained).astype(np.intp),
            "lost": groups.sums(lost).astype(np.intp),
            "change": np.nan_to_num(groups.shares(up - down)),
            "low": low,
            "high": high,
            "p_value": paired_p_values(more, less),
        }
        rows += [
            ChangeRow(predictor=predictor, variable=variable, value=value, **line)
            for (variable, value), line in zip(names, lines(columns), strict=True)
        ]
    return rows


def changes_by_variable(
    variables: Iterable[Variable], outcomes: Mapping[str, Outcomes], adjustments: Sequence[str]
) -> list[ChangeRow]:
    """Return the changes over all test rows, and in each segment of some variables.

    ``outcomes`` and ``adjustments`` are as those of :func:`change_rows`; a cluster that is a
    segment by itself is asked about, no sample of clusters.
    """
    first, *_ = outcomes.values()
    everyone = np.zeros(len(first.correct), dtype=np.intp)
    rows = change_rows([(ALL_ROWS, ALL_ROWS)], everyone, outcomes, adjustments)
    singly = {name: of_one.unclustered for name, of_one in outcomes.items()}
    for variable in variables:
        names = [(variable.name, value) for value in variable.partition.names]
        found = singly if variable.kind == "group" else outcomes
        rows += change_rows(names, variable.partition.codes, found, adjustments)
    return rows
