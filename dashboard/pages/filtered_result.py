"""A result as a session looks at it: with its cohorts, through its filter; no streamlit here."""

from dataclasses import dataclass

from evencover.core import AuditResult
from evencover.core.arrays import BoolArray
from evencover.core.audit.cohorts import with_cohorts
from evencover.core.exploration import GroupFigures, group_figures
from evencover.core.segments.test_rows import AuditedObjects

from .filter import Filter

Cohorts = tuple[tuple[str, str], ...]
"""Names and rules."""


@dataclass(frozen=True, eq=False)
class LookedAt:
    """A result with a session's cohorts, and the test rows that its filter leaves.

    Attributes
    ----------
    of_run
        The result as the run gave it.
    result
        The same with the cohorts.
    where
        Which test rows the filter leaves, shape (n,); None for all.
    figures
        Those of the rows left.
    """

    of_run: AuditResult
    cohorts: Cohorts
    filter: Filter
    result: AuditResult
    where: BoolArray | None
    figures: GroupFigures

    @classmethod
    def of(
        cls, run: AuditResult, cohorts: Cohorts, asked: Filter, last: "LookedAt | None" = None
    ) -> "LookedAt":
        """Look at a run's result; parts of the filter that it does not know are left out."""
        if last is not None and last.of_run is run and last.cohorts == cohorts:
            result = last.result
        else:
            own = tuple(run.settings["cohorts"].items())
            result = run if own == cohorts else with_cohorts(run, cohorts)
        objects = objects_of(result)
        known = asked.of_these(objects)
        where = known.mask(objects)
        return cls(run, cohorts, known, result, where, group_figures(objects, where))

    @property
    def objects(self) -> AuditedObjects:
        """The test rows."""
        return objects_of(self.result)

    @property
    def n(self) -> int:
        """How many test rows the filter leaves."""
        return self.figures.n

    def besides(self, *subjects: str) -> tuple[Filter, BoolArray | None]:
        """Return the filter but for what goes by these alone, and the rows that it leaves.

        A chart of these, in which one part was clicked, goes on to show the others.
        """
        others = self.filter.besides(subjects)
        return others, others.mask(self.objects)

    def is_of(self, run: AuditResult, cohorts: Cohorts, asked: Filter) -> bool:
        """Say whether this is how a session looks at the result."""
        return self.of_run is run and self.cohorts == cohorts and self.filter == asked


def objects_of(result: AuditResult) -> AuditedObjects:
    """Return the test rows of a result that has them."""
    assert result.objects is not None  # noqa: S101 - asked by whoever looks
    return result.objects
