"""What newer rows are set beside: how calibration and test rows fell, as counts of many."""

from dataclasses import dataclass

from .groups import ByRule, Division
from .plain import DamagedError, Plain


@dataclass(frozen=True)
class WatchedGroup(Plain):
    """A group, and how many of its test rows sets held and missed."""

    by: ByRule
    held: int
    missed: int

    def check(self) -> None:
        if min(self.held, self.missed) < 0:
            raise DamagedError("a group has fewer rows than none")


@dataclass(frozen=True)
class WatchedColumn(Plain):
    """A column, and how many rows each group of it has, those not known last."""

    by: Division
    counts: tuple[int, ...]

    def check(self) -> None:
        if len(self.counts) != len(self.by.groups) + 1 or min(self.counts) < 0:
            raise DamagedError("a column's counts do not fit its groups")


@dataclass(frozen=True)
class Reference(Plain):
    """What newer rows are set beside.

    By ``levels``, ascending thresholds of calibration rows, sets lie within each other, and
    ``ranks`` says by how many of n + 1 ranks each differs from the one before, and the last from
    all; both are empty where no single threshold decides. ``held`` and ``missed`` are of all test
    rows; ``columns`` have counts of calibration and test rows. Where rows may be alike by the
    column ``alike``, one says as much as ``worth`` of an independent row.
    """

    levels: tuple[float, ...]
    ranks: tuple[int, ...]
    held: int
    missed: int
    groups: tuple[WatchedGroup, ...]
    columns: tuple[WatchedColumn, ...]
    alike: str = ""
    worth: float = 1.0

    def check(self) -> None:
        fits = len(self.ranks) == len(self.levels) + 1 if self.levels else not self.ranks
        ascends = list(self.levels) == sorted(self.levels) and min((1, *self.ranks)) > 0
        if not (fits and ascends and min(self.held, self.missed) >= 0 < self.worth <= 1.0):
            raise DamagedError("the reference's levels and counts do not fit together")
