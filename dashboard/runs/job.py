"""Work that goes on while the page lives, in a thread or a process: no streamlit here."""

import logging
import math
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from evencover.core import InputError
from evencover.core.events import (
    AfterLayers,
    BaseMeasured,
    Evaluation,
    Event,
    LayerAccepted,
    Listener,
    Permuted,
    RepeatStarted,
    Stage,
    StageStarted,
    StepDone,
    StopRequest,
)

ABANDONED_AFTER_SECONDS = 180.0
"""A hidden tab still wakes once a minute; a page that is silent for longer is gone."""

FAILURE = (
    "Something went wrong inside Evencover. Your table is unchanged; please report what you did."
)

_NOTHING_YET: dict[str, Any] = {"layers": (), "steps": (), "latest": None}
"""Of a predictor whose fit begins."""

_log = logging.getLogger(__name__)

Outcome = TypeVar("Outcome")
Work = Callable[[Listener, StopRequest], Outcome]
"""It knows only a listener for its events and a question whether to stop."""

State = Literal["running", "done", "failed"]
StopReason = Literal["asked", "abandoned", "overdue"]


class RunError(Exception):
    """A run cannot go on; the message is one sentence that quotes no data."""


@dataclass(frozen=True)
class Snapshot(Generic[Outcome]):
    """A run as it stands at one moment."""

    state: State = "running"  # until the run has ended, also while it waits to begin
    stopping: bool = False  # at its next evaluation
    stage: Stage | None = None
    base: BaseMeasured | None = None
    layers: tuple[LayerAccepted, ...] = ()
    steps: tuple[AfterLayers, ...] = ()  # of the predictor that is being fitted
    evaluations: int = 0
    latest: Evaluation | None = None
    repeat: RepeatStarted | None = None
    permuted: Permuted | None = None
    step: StepDone | None = None
    result: Outcome | None = None
    error: str | None = None  # a Sentence if what was worked on is unusable
    cut_short: StopReason | None = None  # why the work was asked to stop
    seconds: float = 0.0  # since it began


class Job(Generic[Outcome]):
    """Runs work in a thread of its own and keeps the record of it."""

    def __init__(self, work: Work[Outcome], *, time_limit: float = math.inf) -> None:
        self._work: Work[Outcome] | None = work
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._snapshot: Snapshot[Outcome] = Snapshot()
        self._cancelled = threading.Event()
        self._ended = threading.Event()
        self._began: float | None = None
        self._heard = time.monotonic()

    def start(self, on_end: Callable[[], None] = lambda: None) -> None:
        """Begin the work, once; ``on_end`` is called when it has ended."""
        # the work holds a table, which is not to live for as long as the record of the run
        work, self._work = self._work, None
        self._began = time.monotonic()
        threading.Thread(target=self._run, args=(work, on_end), daemon=True).start()

    def stop(self) -> None:
        """Ask the work to end at its next evaluation; what it has stays usable."""
        self._cancelled.set()

    def refuse(self, sentence: str) -> None:
        """End a job that has not begun."""
        self._work = None
        self._change(state="failed", error=sentence)
        self._ended.set()

    def snapshot(self) -> Snapshot[Outcome]:
        """Return the run as it stands; asking is a sign that somebody watches."""
        self._heard = time.monotonic()
        with self._lock:
            stopping, seconds = self.stop_reason is not None, self._seconds()
            return replace(self._snapshot, stopping=stopping, seconds=seconds)

    def wait(self, seconds: float | None = None) -> Snapshot[Outcome]:
        """Return the run once it has ended, or after so many seconds."""
        self._ended.wait(seconds)
        return self.snapshot()

    def replace_result(self, change: Callable[[Outcome], Outcome]) -> None:
        """Keep another result in the place of the one that there is, if there is one."""
        with self._lock:
            if self._snapshot.result is not None:
                result = change(self._snapshot.result)
                self._snapshot = replace(self._snapshot, result=result)

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the run ought to stop now, if it ought to; asking this is no sign of a watcher."""
        now = time.monotonic()
        if self._cancelled.is_set():
            return "asked"
        if now - self._heard > ABANDONED_AFTER_SECONDS:
            return "abandoned"
        return "overdue" if self._seconds() > self._time_limit else None

    def _seconds(self) -> float:
        return 0.0 if self._began is None else time.monotonic() - self._began

    def _should_stop(self) -> bool:
        reason = self.stop_reason
        if reason is not None:
            self._change(cut_short=reason)
        return reason is not None

    def _listen(self, event: Event) -> None:
        with self._lock:
            self._snapshot = _after(event, self._snapshot)

    def _run(self, work: Work[Outcome], on_end: Callable[[], None]) -> None:
        try:
            result = work(self._listen, self._should_stop)
        except InputError as error:
            self._change(state="failed", error=error.sentence)
        except RunError as error:
            self._change(state="failed", error=str(error))
        except Exception as error:  # noqa: BLE001 - a page must end its wait whatever happened
            log_defect(error)
            self._change(state="failed", error=FAILURE)
        else:
            self._change(state="done", result=result)
        on_end()
        self._ended.set()

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - of any fields
        with self._lock:
            self._snapshot = replace(self._snapshot, **changes)


def log_defect(error: Exception) -> None:
    """Log an error's kind and place only: its message may quote the user's data."""
    place = "".join(traceback.format_tb(error.__traceback__)[-1:])
    _log.error("%s in a run, at%s", type(error).__name__, place)


def _after(event: Event, snapshot: Snapshot[Outcome]) -> Snapshot[Outcome]:
    changes: dict[str, Any] = {}
    match event:
        case RepeatStarted():
            changes = _NOTHING_YET | {"repeat": event, "base": None, "permuted": None}
        case StageStarted(stage):
            changes = {"stage": stage}
        case BaseMeasured():
            changes = _NOTHING_YET | {"base": event}
        case Evaluation():
            changes = {"evaluations": snapshot.evaluations + 1, "latest": event}
        case LayerAccepted():
            changes = {"layers": (*snapshot.layers, event)}
        case AfterLayers():
            changes = {"steps": (*snapshot.steps, event)}
        case Permuted():
            changes = {"permuted": event}
        case StepDone():
            changes = {"step": event}
    return replace(snapshot, **changes)
