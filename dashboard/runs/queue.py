"""All runs of a server: a few work at once, the rest wait in turn, the last ones are kept.

Held once for all sessions; free of streamlit. A run is found by its token alone.
"""

import threading
from collections import deque
from functools import partial

from evencover.core import InputError

from .run import AnyRun

KEPT_RUNS = 20
KEPT_TABLE_BYTES = 1_000_000_000
"""Ended runs let their tables and rows go, oldest first, when these take more room than this."""

_REMEMBERED_TOKENS = 1000

STOPPED_IN_QUEUE = "The run was stopped while it waited for its turn; nothing was computed."
ABANDONED_IN_QUEUE = (
    "The run was given up while it waited for its turn, because no page watched it for minutes."
)
UNKNOWN = (
    "There is no run under this address. Perhaps it was copied in part, or the server was "
    "restarted since. Choose a table and press Run."
)
DROPPED = (
    "This run's results are no longer kept: the server keeps the last {kept} runs that ended. "
    "Choose the table and press Run for them again."
)


class JobManager:
    """Starts runs first come, first served, and keeps what is left of them.

    ``at_once`` runs work at the same time; of those that ended ``kept_runs`` are kept, and
    ``kept_table_bytes`` of their tables and results' rows.
    """

    def __init__(
        self, at_once: int, *, kept_runs: int = KEPT_RUNS, kept_table_bytes: int = KEPT_TABLE_BYTES
    ) -> None:
        self._at_once = at_once
        self._kept_runs = kept_runs
        self._kept_table_bytes = kept_table_bytes
        self._lock = threading.RLock()
        self._waiting: list[AnyRun] = []
        self._working: list[AnyRun] = []
        self._ended: list[AnyRun] = []
        self._dropped: deque[str] = deque(maxlen=_REMEMBERED_TOKENS)

    def submit(self, run: AnyRun) -> None:
        """Start a run as soon as it is its turn."""
        with self._lock:
            self._waiting.append(run)
            self._go_on()

    def find(self, token: str) -> AnyRun:
        """Return the run of this token; raise InputError if there is none, or none any more."""
        with self._lock:
            for run in (*self._waiting, *self._working, *self._ended):
                if run.token == token:
                    return run
            if token in self._dropped:
                raise InputError("run.dropped", DROPPED, kept=self._kept_runs)
        raise InputError("run.unknown", UNKNOWN)

    def of_visitor(self, visitor: str) -> list[AnyRun]:
        """Return the runs of one visitor that are kept, the one started last first."""
        with self._lock:
            runs = [*self._ended, *self._working, *self._waiting]
            own = [run for run in runs if visitor and run.visitor == visitor]
            return sorted(own, key=lambda run: run.started, reverse=True)

    def place(self, run: AnyRun) -> int | None:
        """Return a waiting run's place in the queue, 1 for the next; None if it does not wait."""
        with self._lock:
            self._go_on()
            return self._waiting.index(run) + 1 if run in self._waiting else None

    def _go_on(self) -> None:
        for run in list(self._waiting):
            reason = run.job.stop_reason
            if reason is not None:
                run.job.refuse(STOPPED_IN_QUEUE if reason == "asked" else ABANDONED_IN_QUEUE)
                self._waiting.remove(run)
                self._keep(run)
        while self._waiting and len(self._working) < self._at_once:
            run = self._waiting.pop(0)
            self._working.append(run)
            run.job.start(on_end=partial(self._end, run))

    def _end(self, run: AnyRun) -> None:
        with self._lock:
            self._working.remove(run)
            self._keep(run)
            self._go_on()

    def _keep(self, run: AnyRun) -> None:
        self._ended.append(run)
        while len(self._ended) > self._kept_runs:
            self._dropped.append(self._ended.pop(0).token)
        for older in self._ended:
            if self._table_bytes() <= self._kept_table_bytes:
                break
            older.let_go_of_rows()

    def _table_bytes(self) -> int:
        # of settings of its own each run has another table in use, of the same rows
        loaded = [run.table for run in self._ended if run.table is not None]
        tables = {id(table.frame): table for table in loaded}
        of_results = sum(run.row_bytes() for run in self._ended)
        return sum(table.size_in_bytes() for table in tables.values()) + of_results
