"""Which group of test rows is covered worst, and which is in excess among some rows."""

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import BoolArray, IndexArray
from ..events import GroupCoverage, GroupName, GroupPart
from ..rows.outcomes import Outcomes
from .grouping import Variable
from .statistics import FEWEST_JUDGED
from .tally import Tally

_LEAST_EXCESS = 0.1
"""By so much the group's share of the rows exceeds that of all rows, or there is no telling."""


class Groups:
    """The segments of test rows by columns, counted again and again for other outcomes."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._variables = [one for one in variables if one.kind in ("column", "group")]
        self._sizes = [_counts(one, slice(None)) for one in self._variables]

    def worst(
        self, outcomes: Outcomes, followed: GroupName | None
    ) -> tuple[GroupCoverage | None, GroupCoverage | None]:
        """Return the segment whose interval for coverage ends lowest, and one that is followed.

        Without one that is the lowest, too; None where all are small.
        """
        found = [*self._coverage(outcomes)]
        judged = (one for one in found if one.n >= FEWEST_JUDGED)
        lowest = min(judged, key=lambda one: one.high, default=None)
        if followed is None:
            return lowest, lowest
        return lowest, next(one for one in found if one.name == followed)

    def most_in_excess(self, rows: BoolArray) -> GroupPart | None:
        """Return the segment whose share of some rows, shape (n,), most exceeds that of all.

        None where no share does clearly, or by one row alone, which is of many segments.
        """
        n, best, excess = int(rows.sum()), None, _LEAST_EXCESS
        for variable, sizes in zip(self._variables, self._sizes, strict=True):
            counts = _counts(variable, rows)
            above = counts / max(n, 1) - sizes / len(rows)
            place = int(np.argmax(above))
            if above[place] >= excess and counts[place] > 1:
                excess = float(above[place])
                best = GroupPart(_name(variable, place), int(counts[place]), int(sizes[place]))
        return best

    def _coverage(self, outcomes: Outcomes) -> Iterator[GroupCoverage]:
        tally = Tally.of(outcomes.unclustered)
        for variable, n in zip(self._variables, self._sizes, strict=True):
            found = tally.by(variable.partition.codes, len(n)).figures()
            for place, figures in enumerate(found):
                yield GroupCoverage(_name(variable, place), *figures.values())


def _name(variable: Variable, place: int) -> GroupName:
    partition = variable.partition
    return GroupName(variable.name, partition.names[place], place < partition.bands)


def _counts(variable: Variable, rows: BoolArray | slice) -> IndexArray:
    codes, names = variable.partition.codes, variable.partition.names
    return np.bincount(codes[rows], minlength=len(names))
