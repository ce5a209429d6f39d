"""An audit that runs while the page lives: no streamlit here.

A :class:`Job` is what a page sees of a run. The work itself knows only a listener for its
events and a question whether to stop, so that a process can stand behind the same interface.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from evencover.core import AuditResult, InputError
from evencover.core.events import (
    BaseMeasured,
    Evaluation,
    Event,
    LayerAccepted,
    Listener,
    RepeatStarted,
    Stage,
    StageStarted,
    StopRequest,
)

ABANDONED_AFTER_SECONDS = 180.0
"""A hidden tab still wakes once a minute; a page that is silent for longer is gone."""

FAILURE = (
    "Something went wrong inside Evencover. Your table is unchanged; please report what you did."
)

_log = logging.getLogger(__name__)

Work = Callable[[Listener, StopRequest], AuditResult]
State = Literal["running", "done", "failed"]


@dataclass(frozen=True)
class Snapshot:
    """A run as it stands at one moment."""

    state: State = "running"
    stopping: bool = False
    stage: Stage | None = None
    base: BaseMeasured | None = None
    layers: tuple[LayerAccepted, ...] = ()
    evaluations: int = 0
    latest: Evaluation | None = None
    repeat: RepeatStarted | None = None
    result: AuditResult | None = None
    error: str | None = None


class Job:
    """Runs work in a thread of its own and keeps the record of it."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._snapshot = Snapshot()
        self._cancelled = threading.Event()
        self._heard = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the work to end at its next evaluation; what it has stays usable."""
        self._cancelled.set()

    def snapshot(self) -> Snapshot:
        """Return the run as it stands; asking tells the run that somebody watches."""
        self._heard = time.monotonic()
        with self._lock:
            return replace(self._snapshot, stopping=self._cancelled.is_set())

    def wait(self, seconds: float | None = None) -> Snapshot:
        """Return the run once it has ended, or after so many seconds."""
        self._thread.join(seconds)
        return self.snapshot()

    def _should_stop(self) -> bool:
        silent = time.monotonic() - self._heard
        return self._cancelled.is_set() or silent > ABANDONED_AFTER_SECONDS

    def _listen(self, event: Event) -> None:
        with self._lock:
            self._snapshot = _after(event, self._snapshot)

    def _run(self) -> None:
        try:
            result = self._work(self._listen, self._should_stop)
        except InputError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - a page must end its wait whatever happened
            # the message may quote the user's data, so only kind and place are logged
            place = "".join(traceback.format_tb(error.__traceback__)[-1:])
            _log.error("%s in a run, at%s", type(error).__name__, place)
            self._fail(FAILURE)
        else:
            with self._lock:
                self._snapshot = replace(self._snapshot, state="done", result=result)

    def _fail(self, sentence: str) -> None:
        with self._lock:
            self._snapshot = replace(self._snapshot, state="failed", error=sentence)


def _after(event: Event, snapshot: Snapshot) -> Snapshot:
    match event:
        case RepeatStarted():
            return replace(snapshot, repeat=event, base=None, layers=(), latest=None)
        case StageStarted(stage):
            return replace(snapshot, stage=stage)
        case BaseMeasured():
            return replace(snapshot, base=event)
        case Evaluation():
            return replace(snapshot, evaluations=snapshot.evaluations + 1, latest=event)
        case LayerAccepted():
            return replace(snapshot, layers=(*snapshot.layers, event))
