"""Work that goes on while the page lives, an audit or the reading of an upload: no streamlit here.

A job is worked at in a thread, by itself or in wait for a process of its own.
"""

import io
import logging
import math
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from loky.backend import get_context

from evencover.core import InputError, events
from evencover.core.experiment.result import ReplayStep
from evencover.core.messages import lack_of_memory

from .server_settings import WorkerKind

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

ABANDONED_AFTER_SECONDS = 180.0
"""A hidden tab still wakes once a minute; a page that is silent for longer is gone."""

FAILURE = (
    "Something went wrong inside Evencover. Your table is unchanged; please report what you did."
)

_NOTHING_YET: dict[str, Any] = {"layers": (), "steps": (), "latest": None}
"""Of a predictor whose fit begins."""

_log = logging.getLogger(__name__)

Outcome = TypeVar("Outcome")
Work = Callable[[events.Listener, events.StopRequest], Outcome]
"""It knows only a listener for its events and a question whether to stop."""

StopReason = Literal["asked", "abandoned", "overdue"]

NOT_BEGUN: dict[StopReason, str] = {
    "asked": "The run was stopped while it waited for its turn; nothing was computed.",
    "abandoned": "The run was given up while it waited for its turn, because no page watched it "
    "for minutes.",
}
"""Why a run ended in the queue."""

PIECE = 2**20
"""Bytes that go from one process to another at a time, after which other threads have their turn.

``Connection.send`` and ``recv`` hold the interpreter while a whole table is copied.
"""

LOST = (
    "The process that did the work ended before it was done; perhaps the server ran out of "
    "memory. Try again, with fewer columns or rows if it happens twice."
)
STOPPED = "The work was stopped; nothing of it is kept."
_ASK_SECONDS = 0.1
_STOP = "stop"

_processes = get_context("loky")
"""multiprocessing's own "spawn" imports the server's main script, which is the whole page."""


class RunError(Exception):
    """A run cannot go on; the message is one sentence that quotes no data."""


@dataclass(frozen=True)
class Snapshot(Generic[Outcome]):
    """A run as it stands at one moment: it has ended once it has a result or an error."""

    stopping: bool = False  # at its next evaluation
    stage: events.Stage | None = None
    base: events.BaseMeasured | None = None
    layers: tuple[events.LayerAccepted, ...] = ()
    steps: tuple[ReplayStep, ...] = ()  # of the predictor that is being fitted
    evaluations: int = 0
    latest: events.LayerTried | None = None
    step: events.StepDone | None = None
    result: Outcome | None = None
    error: str | None = None  # a Sentence if what was worked on is unusable
    cut_short: StopReason | None = None  # why the work was asked to stop
    seconds: float = 0.0  # since it began

    @property
    def is_live(self) -> bool:
        """Whether it works, or waits for its turn."""
        return self.result is None and self.error is None


class DaemonThreads(Executor):
    """So many threads, which take up in turn what is submitted.

    A server that is ended waits for the threads of a ThreadPoolExecutor, but not for these.
    """

    def __init__(self, number: int) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        for _ in range(number):
            threading.Thread(target=self._work, daemon=True).start()

    def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:  # noqa: ANN401
        """Have it called, unless its future is cancelled before its turn."""
        future: Future[Any] = Future()
        self._calls.put((future, partial(call, *given, **named)))
        return future

    def _work(self) -> None:
        while True:
            future, call = self._calls.get()
            if future.set_running_or_notify_cancel():
                future.set_result(call())
            del future, call  # and what they hold, while the next is waited for


class Job(Generic[Outcome]):
    """Work for one of several threads, and the record of how far it is."""

    def __init__(self, work: Work[Outcome], *, time_limit: float = math.inf) -> None:
        self.ended_at = math.inf  # of the clock that only goes on
        self._work: Work[Outcome] | None = work  # until it is taken: it holds a table
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._snapshot: Snapshot[Outcome] = Snapshot()
        self._future: Future[None] = Future()
        self._on_end: Callable[[], None] = lambda: None
        self._asked_to_stop = False
        self._began: float | None = None
        self._heard = time.monotonic()

    def start(self, threads: Executor, on_end: Callable[[], None] = lambda: None) -> None:
        """Hand the work over, once; ``on_end`` is called when it has ended."""
        self._on_end = on_end
        self._future = threads.submit(self._run)
        self._future.add_done_callback(self._leave)

    def stop(self) -> None:
        """Ask the work to end at its next evaluation; what it has stays usable."""
        self._asked_to_stop = True
        self.leave_queue()

    def leave_queue(self) -> None:
        """End without having begun, if it waits for its turn and ought to stop."""
        if self.stop_reason is not None:
            self._future.cancel()

    def _leave(self, future: Future[None]) -> None:
        if future.cancelled():
            self._run()

    def snapshot(self) -> Snapshot[Outcome]:
        """Return the run as it stands; asking is a sign that somebody watches."""
        self._heard = time.monotonic()
        with self._lock:
            stopping, seconds = self.stop_reason is not None, self._seconds()
            return replace(self._snapshot, stopping=stopping, seconds=seconds)

    def wait(self, seconds: float | None = None) -> Snapshot[Outcome]:
        """Return the run once it has ended, or after so many seconds."""
        with suppress(CancelledError, TimeoutError):
            self._future.result(seconds)
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
        if self._asked_to_stop:
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

    def _listen(self, event: events.Event) -> None:
        with self._lock:
            self._snapshot = _after(event, self._snapshot)

    def _run(self) -> None:
        reason, work, self._work = self.stop_reason, self._work, None
        if reason is not None or work is None:
            self._end(error=NOT_BEGUN[reason or "asked"], cut_short=reason)
            return
        self._began = time.monotonic()
        try:
            result = work(self._listen, self._should_stop)
        except InputError as error:
            self._end(error=error.sentence)
        except RunError as error:
            self._end(error=str(error))
        except Exception as error:  # noqa: BLE001 - a page must end its wait whatever happened
            self._end(error=told_of(error))
        else:
            self._end(result=result)

    def _end(self, **changes: Any) -> None:  # noqa: ANN401 - of any fields
        self._change(**changes)
        self.ended_at = time.monotonic()
        self._on_end()

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - of any fields
        with self._lock:
            self._snapshot = replace(self._snapshot, **changes)


def told_of(error: Exception) -> str:
    """Return what a page says of an error in a run, which is logged unless memory was lacking."""
    if lacking := lack_of_memory(error):
        return lacking.sentence
    log_defect(error)
    return FAILURE


def log_defect(error: Exception) -> None:
    """Log an error's kind and place only: its message may quote the user's data."""
    place = "".join(traceback.format_tb(error.__traceback__)[-1:])
    _log.error("%s in a run, at%s", type(error).__name__, place)


def _after(event: events.Event, snapshot: Snapshot[Outcome]) -> Snapshot[Outcome]:
    changes: dict[str, Any] = {}
    match event:
        case events.RepeatStarted():
            changes = _NOTHING_YET | {"base": None, "step": None}
        case events.StageStarted(stage):
            changes = {"stage": stage}
        case events.BaseMeasured():
            changes = _NOTHING_YET | {"base": event}
        case events.LayerTried():
            changes = {"evaluations": snapshot.evaluations + 1, "latest": event}
        case events.LayerAccepted():
            changes = {"layers": (*snapshot.layers, event)}
        case events.LayerMeasured(ReplayStep() as step):
            changes = {"steps": (*snapshot.steps, step)}
        case events.StepDone():
            changes = {"step": event}
    return replace(snapshot, **changes)


class _Pieces(io.RawIOBase):
    """What is written to a pipe, or read from it, as messages of no more than one piece."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._unread = memoryview(b"")

    def readable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer") -> int:
        view = memoryview(data).cast("B")
        for first in range(0, len(view), PIECE):
            self._pipe.send_bytes(view[first : first + PIECE])
        return len(view)

    def readinto(self, into: "WriteableBuffer") -> int:
        if not self._unread:
            self._unread = memoryview(self._pipe.recv_bytes(PIECE))
        view = memoryview(into).cast("B")
        count = min(len(view), len(self._unread))
        view[:count], self._unread = self._unread[:count], self._unread[count:]
        return count


def send(pipe: Connection, thing: object) -> None:
    """Send what :func:`receive` is to return at the other end."""
    pickle.Pickler(_Pieces(pipe), pickle.HIGHEST_PROTOCOL).dump(thing)


def receive(pipe: Connection) -> Any:  # noqa: ANN401 - whatever was sent
    """Return what our own code sent; raise EOFError or OSError if the other end has gone."""
    return pickle.Unpickler(io.BufferedReader(_Pieces(pipe), PIECE)).load()  # noqa: S301


def done_by(worker: WorkerKind, run: Callable[..., Outcome]) -> Work[Outcome]:
    """Return as work for a job what takes a listener for its events and asks whether to stop."""
    if worker == "process":
        return partial(in_process, run)
    return lambda on_event, should_stop: run(on_event=on_event, should_stop=should_stop)


def in_process(
    run: Callable[..., Outcome],
    on_event: events.Listener,
    should_stop: events.StopRequest,
    *,
    stops_itself: bool = True,
) -> Outcome:
    """Do the work in a process of its own, which gets ``run`` as a pickle.

    What is unpickled on either side was pickled by our own code on the other. Work that never asks
    whether to stop is ended with its process. Raises InputError if what is worked on is unusable,
    RunError if something went wrong, the process is lost, or the work was ended so.
    """
    pipe, end = _processes.Pipe()
    process = _processes.Process(target=_do, args=(end,), daemon=True)
    try:
        process.start()
        end.close()
        send(pipe, run)
        outcome: Outcome = _outcome(pipe, on_event, should_stop, stops_itself=stops_itself)
    except (EOFError, OSError):
        raise RunError(LOST) from None
    else:
        return outcome
    finally:
        pipe.close()
        if process.is_alive():  # one that could not be started cannot be ended
            process.terminate()
            process.join()


@dataclass(frozen=True)
class _Returned:
    """What work has come to, which is no event of it."""

    outcome: Any


def _outcome(
    pipe: Connection,
    on_event: events.Listener,
    should_stop: events.StopRequest,
    *,
    stops_itself: bool,
) -> Any:  # noqa: ANN401 - of whatever work
    stopping = False
    while True:
        if not stopping and should_stop():
            if not stops_itself:
                raise RunError(STOPPED)
            send(pipe, _STOP)
            stopping = True
        if not pipe.poll(_ASK_SECONDS):
            continue
        match receive(pipe):
            case _Returned(outcome):
                return outcome
            case Exception() as error:
                raise error
            case event:
                on_event(event)


def _do(pipe: Connection) -> None:
    """Work in the process; the pipe fails where the server has gone, which ends the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    answer: _Returned | Exception
    with suppress(EOFError, OSError):  # of the pipe: those of the work are answered
        run = receive(pipe)
        try:
            answer = _Returned(run(on_event=partial(send, pipe), should_stop=pipe.poll))
        except (InputError, ConnectionError) as error:
            answer = error
        except Exception as error:  # noqa: BLE001 - the server hears whatever happened
            answer = RunError(told_of(error))
        send(pipe, answer)
