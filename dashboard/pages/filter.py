"""The filter that a person clicks together, and a result seen through it; no streamlit here."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from evencover.core import AuditResult, InputError
from evencover.core.arrays import BoolArray
from evencover.core.exploration.groups import GroupFigures, MapCell, group_figures
from evencover.core.report.audit import with_cohorts
from evencover.core.segments.audited_rows import TestRows
from evencover.core.segments.binning import OUTSIDE
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.rules import Between, Bound, Rule

from ..wording.rows import ShownSegment, segments

Cohorts = tuple[tuple[str, str], ...]  # names and rules


@dataclass(frozen=True)
class Part:
    """The rows in one segment of a variable, or, without one, those that a rule holds for.

    ``words`` say which; of a rule they are the rule. ``rule`` is that of a segment, if it has one.
    """

    words: str
    variable: str = ""
    value: str = ""
    rule: str = ""

    def mask(self, test_rows: TestRows) -> BoolArray:
        """Say which test rows it holds, shape (n,)."""
        if not self.variable:
            return parse_rule(self.words).holds(test_rows.table)
        for variable in test_rows.variables:
            if variable.name == self.variable and self.value in variable.partition.names:
                return variable.partition.rows(self.value)
        unknown = "there is no segment {words}; take it out of the filter"
        raise InputError("segment.unknown", unknown, words=self.words)

    def subject(self) -> frozenset[str]:
        """Return what it goes by: the variable, or the columns that the rule names."""
        return frozenset([self.variable] if self.variable else parse_rule(self.words).columns)


@dataclass(frozen=True)
class Filter:
    """Parts that all have to hold; without any, all test rows."""

    parts: tuple[Part, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts)

    def words(self) -> str:
        """Return what the rows have in common."""
        return " and ".join(part.words for part in self.parts)

    def mask(self, test_rows: TestRows) -> BoolArray | None:
        """Say which test rows it leaves, shape (n,); None where it leaves all.

        A part that names what the test rows do not have is an :class:`InputError`.
        """
        if not self.parts:
            return None
        inside: BoolArray = np.logical_and.reduce([part.mask(test_rows) for part in self.parts])
        return inside

    def as_rule(self) -> str:
        """Return the filter as one rule; empty where a part of it cannot be said by a rule."""
        rules = [part.rule if part.variable else part.words for part in self.parts]
        return " and ".join(rules) if all(rules) else ""

    def adding(self, *parts: Part) -> "Filter":
        """Return the filter with more parts, each in place of those that go by no more than it."""
        kept = self.parts
        for part in parts:
            kept = (*(other for other in kept if not other.subject() <= part.subject()), part)
        return Filter(kept)

    def without(self, part: Part) -> "Filter":
        """Return the filter without one of its parts."""
        return Filter(tuple(kept for kept in self.parts if kept != part))

    def of_these(self, test_rows: TestRows) -> "Filter":
        """Return the filter without parts that name what the test rows do not have."""
        known = []
        for part in self.parts:
            with suppress(InputError):
                part.mask(test_rows)
                known.append(part)
        return Filter(tuple(known))


@dataclass(frozen=True, eq=False)
class LookedAt:
    """A result as the run gave it and with a session's cohorts, and what its filter leaves.

    ``where`` says which test rows it leaves, shape (n,), None for all; ``figures`` are theirs.
    """

    of_run: AuditResult
    cohorts: Cohorts
    filter: Filter
    result: AuditResult
    test_rows: TestRows
    where: BoolArray | None
    figures: GroupFigures

    @classmethod
    def of(
        cls, run: AuditResult, cohorts: Cohorts, asked: Filter, last: "LookedAt | None" = None
    ) -> "LookedAt":
        """Look at a run's result; parts of the filter that it does not know are left out.

        What was computed for the last look is taken from it, or the whole of it where it is of
        the same, as every rerun of a page asks anew.
        """
        if last is not None and last.of_run is run and last.cohorts == cohorts:
            if last.filter == asked:
                return last
            result = last.result
        else:
            is_own = run.asked is not None and run.asked.all_cohorts == cohorts
            result = run if is_own else with_cohorts(run, cohorts)
        test_rows = result.test_rows
        assert test_rows is not None  # noqa: S101 - asked by whoever looks
        known = asked.of_these(test_rows)
        where = known.mask(test_rows)
        return cls(run, cohorts, known, result, test_rows, where, group_figures(test_rows, where))

    @property
    def n(self) -> int:
        """How many test rows the filter leaves."""
        return self.figures.n

    def besides(self, *subjects: str) -> tuple[Filter, BoolArray | None]:
        """Return the filter but for what goes by these alone, and the rows that it leaves.

        A chart of these, in which one part was clicked, goes on to show the others.
        """
        named = frozenset(subjects)
        others = Filter(tuple(p for p in self.filter.parts if not p.subject() <= named))
        return others, others.mask(self.test_rows)


def part_of(one: ShownSegment) -> Part:
    """Return the part of the filter that is a segment."""
    outside = one.kind in ("cohort", "look") and one.value == OUTSIDE
    words = f"outside {one.group}" if outside else one.group
    return Part(words, one.variable, one.value, one.first.rule)


def parts_by_segment(result: AuditResult) -> dict[tuple[str, str], Part]:
    """Return the parts for all segments, by their variable and value."""
    return {one.first.group: part_of(one) for one in segments(result)}


def part_on_map(latitude: str, longitude: str, cell: MapCell) -> Part:
    """Return the rule for exactly the rows of a cell of the map."""
    sides = ((latitude, cell.south, cell.north), (longitude, cell.west, cell.east))
    within = [
        Between(name, Bound(repr(low), included=True), Bound(repr(high), included=False))
        for name, low, high in sides
    ]
    return Part(str(Rule(tuple(within))))
