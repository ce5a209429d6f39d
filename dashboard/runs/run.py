"""Runs as the server knows them: job, table, settings and owner of each, and all in their turn.

A few work at once, the rest wait, the last ones are kept. A run is found by its token alone.
"""

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from secrets import token_urlsafe
from typing import Any, Generic, Literal

from evencover.core import AuditResult, AuditSettings, InputError

from .job import DaemonThreads, Job, Outcome
from .upload import LoadedTable, Upload

VISITOR_COOKIE = "evencover-visitor"  # of each browser: the secret that finds the runs of a visitor

_REMEMBERED_TOKENS = 1000

UNKNOWN = (
    "There is no run under this address. Perhaps it was copied in part, or the server was "
    "restarted since. Choose a table and press Run."
)
DROPPED = (
    "This run's results are no longer kept: the server keeps the last {kept} runs of a visitor "
    "that ended, and {in_all} of all. Choose the table and press Run for them again."
)

TABLE_GONE = (
    "The table of this page is no longer here: the server keeps it for a reload by the same "
    "browser, for {hours} hours at most, and not beyond a restart. Choose it again on the page "
    "Data, where your choices wait for it if the address held them."
)


@dataclass(frozen=True)
class Owner:
    """A session, known by a secret that stays on the server and never enters an address."""

    is_present: Callable[[], bool] = field(compare=False)  # whether its page is still open
    secret: str = field(default_factory=token_urlsafe, repr=False)


RunKind = Literal["run", "comparison", "path"]
"""An audit, a comparison of remedies or a path over penalties."""


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
    kind: RunKind = "run"
    token: str = field(default_factory=token_urlsafe, repr=False)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def stop(self, session: Owner) -> None:
        """Stop the run if the session owns it."""
        if session == self.owner:
            self.job.stop()

    def let_go_of_rows(self) -> None:
        """Keep what was found alone."""
        self.table = None
        self.job.replace_result(_without_rows)

    def attach(self, session: Owner) -> None:
        """Let a session that has just come to the run own it, if its owner has gone."""
        if not self.owner.is_present():
            self.owner = session


@dataclass(frozen=True, eq=False)
class TakenUp:
    """A file or table in use before there is a run, which a reload of its page finds again."""

    visitor: str = field(repr=False)
    table: LoadedTable | None
    upload: Upload | None
    reading: Job[LoadedTable] | None
    problem: str | None
    since: float = field(default_factory=time.monotonic)

    @cached_property
    def size_in_bytes(self) -> int:
        """How much memory it takes, about."""
        files = filter(None, (self.upload, self.upload and self.upload.second))
        table = 0 if self.table is None else int(self.table.frame.memory_usage().sum())
        return table + sum(len(file.content) for file in files)


Run = BackgroundRun[AuditResult]
AnyRun = BackgroundRun[Any]


def _without_rows(result: Outcome) -> Outcome:
    if isinstance(result, AuditResult) and result.test_rows is not None:
        return replace(result, test_rows=None)
    return result


class JobManager:
    """Starts runs first come, first served, and keeps what is left of them.

    ``at_once`` runs work at the same time.
    """

    kept_runs = 20  # of a visitor, of those that ended
    kept_in_all = 1000
    kept_table_bytes = 1_000_000_000  # and of their tables and results' rows, the oldest go first
    kept_hours = 12  # what is taken up before a run, in the same bounds beside these

    def __init__(self, at_once: int) -> None:
        self._threads = DaemonThreads(at_once)
        self._lock = threading.RLock()
        self._runs: list[AnyRun] = []
        self._dropped: deque[str] = deque(maxlen=_REMEMBERED_TOKENS)
        self._taken_up: dict[str, TakenUp] = {}

    def submit(self, run: AnyRun) -> None:
        """Start a run as soon as it is its turn."""
        with self._lock:
            self._runs.append(run)
            run.job.start(self._threads, on_end=self._tidy)

    def find(self, token: str) -> Run:
        """Return the audit of this token; raise InputError if there is none, or none any more."""
        with self._lock:
            self._tidy()
            for run in self._runs:
                if run.token == token and run.kind == "run":
                    return run
            if token in self._dropped:
                kept = {"kept": self.kept_runs, "in_all": self.kept_in_all}
                raise InputError("run.dropped", DROPPED, **kept)
        raise InputError("run.unknown", UNKNOWN)

    def of_visitor(self, visitor: str) -> list[AnyRun]:
        """Return the runs of one visitor that are kept, the one started last first."""
        with self._lock:
            self._tidy()
            return [run for run in reversed(self._runs) if visitor and run.visitor == visitor]

    def keep(self, token: str, taken_up: TakenUp | None) -> None:
        """Keep what a page has taken up for its reload, or nothing any more."""
        with self._lock:
            self._taken_up.pop(token, None)
            if taken_up is not None:
                self._taken_up[token] = taken_up
            room, since = self.kept_table_bytes, time.monotonic() - 3600.0 * self.kept_hours
            kept, of_visitor = dict[str, TakenUp](), Counter[str]()
            for name, each in reversed(self._taken_up.items()):
                of_visitor[each.visitor] += 1
                if of_visitor[each.visitor] <= self.kept_runs and each.since > since:
                    room -= each.size_in_bytes
                    kept |= {name: each} if room >= 0 else {}
            self._taken_up = dict(reversed(kept.items()))

    def taken_up(self, token: str, visitor: str) -> TakenUp:
        """Return what a page of this visitor had; raise InputError of what is gone or another's."""
        with self._lock:
            self.keep("", None)  # none that is too old
            found = self._taken_up.get(token)
        if found is None or found.visitor != visitor:
            raise InputError("table.gone", TABLE_GONE, hours=self.kept_hours)
        return found

    def place(self, run: AnyRun) -> int | None:
        """Return a waiting run's place in the queue, 1 for the next; None if it does not wait."""
        with self._lock:
            for other in [*self._runs]:  # which the end of one may shorten
                other.job.leave_queue()
        return run.job.place()

    def _tidy(self) -> None:
        """Keep the last runs alone of those that have ended, and not too many of their rows."""
        with self._lock:
            ended = [run for run in self._runs if run.job.ended_at < math.inf]
            ended.sort(key=lambda run: run.job.ended_at)
            of_visitor, kept = Counter[str](), list[AnyRun]()
            for run in reversed(ended):
                of_visitor[run.visitor] += 1
                if of_visitor[run.visitor] <= self.kept_runs and len(kept) < self.kept_in_all:
                    kept.insert(0, run)
                else:
                    self._runs.remove(run)
                    self._dropped.append(run.token)
            for old in kept:
                if _table_bytes(kept) <= self.kept_table_bytes:
                    break
                old.let_go_of_rows()


def _table_bytes(runs: Sequence[AnyRun]) -> int:
    # of settings of its own each run has another table in use, of the same rows
    tables = [run.table.frame for run in runs if run.table is not None]
    of_tables = {id(frame): int(frame.memory_usage().sum()) for frame in tables}
    results = [run.job.snapshot().result for run in runs]
    rows = [found.test_rows for found in results if isinstance(found, AuditResult)]
    return sum(of_tables.values()) + sum(of.size_in_bytes() for of in rows if of is not None)
