"""A run as the server knows it: its job, its table and settings, and who owns it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from secrets import token_urlsafe
from typing import Any, Generic

from evencover.core import AuditResult, AuditSettings
from evencover.core.experiment.compare import PenaltyPath, RemedyComparison

from .job import Job, Outcome
from .loaded_table import LoadedTable


@dataclass(frozen=True)
class Owner:
    """A session, known by a secret that stays on the server and never enters an address."""

    is_present: Callable[[], bool] = field(compare=False)  # whether its page is still open
    secret: str = field(default_factory=token_urlsafe, repr=False)


@dataclass(eq=False)
class BackgroundRun(Generic[Outcome]):
    """A job with the table and settings it runs with.

    Who may do what: the token, which is in the page's address, lets whoever has it watch the run
    and read its results and table. Only the owner may stop it: the session that started it. A
    reload (F5) is a new session, which would leave a run that nobody can stop; so a session that
    attaches becomes the owner if the former owner's page is closed by then. A page that was
    opened as a watcher stays one until it is reloaded: it cannot take a run from an owner who
    presses F5. Only whoever has the ``visitor``, a secret that their browser keeps, finds it in a
    list.
    """

    job: Job[Outcome]
    settings: AuditSettings
    name: str
    owner: Owner
    table: LoadedTable | None  # None once it and the result's rows were dropped to save memory
    visitor: str = field(default="", repr=False)
    token: str = field(default_factory=token_urlsafe, repr=False)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def stop(self, session: Owner) -> None:
        """Stop the run if the session owns it."""
        if session == self.owner:
            self.job.stop()

    def let_go_of_rows(self) -> None:
        """Keep what was found alone."""
        self.table = None

    def row_bytes(self) -> int:
        """Return the room that the rows of the result take."""
        return 0

    def attach(self, session: Owner) -> None:
        """Let a session that has just come to the run own it, if its owner has gone."""
        if not self.owner.is_present():
            self.owner = session


@dataclass(eq=False)
class Run(BackgroundRun[AuditResult]):
    """An audit."""

    def let_go_of_rows(self) -> None:
        """Keep what was found alone."""
        super().let_go_of_rows()
        self.job.replace_result(_without_rows)

    def row_bytes(self) -> int:
        """Return the room that the rows of the result take."""
        result = self.job.snapshot().result
        return 0 if result is None or result.test_rows is None else result.test_rows.size_in_bytes()


@dataclass(eq=False)
class ComparisonRun(BackgroundRun[RemedyComparison]):
    """A comparison of remedies."""


@dataclass(eq=False)
class PathRun(BackgroundRun[PenaltyPath]):
    """A path over penalties."""


AnyRun = BackgroundRun[Any]


def _without_rows(result: AuditResult) -> AuditResult:
    return result if result.test_rows is None else replace(result, test_rows=None)
