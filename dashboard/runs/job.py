"""Work that goes on while the page lives, an audit or the reading of an upload: no streamlit here.

A job is worked at in a thread, by itself or in wait for a process of its own.
"""

import io
import math
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from loky.backend import get_context

from evencover.core import InputError, events
from evencover.core.experiment.cluster import cluster
from evencover.core.experiment.result import ReplayStep
from evencover.core.messages import lack_of_memory
from evencover.core.tables.formats import MIB

from .log import log_defect
from .server_settings import WorkerKind, server_settings

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

ABANDONED_AFTER_SECONDS = 180.0
"""A hidden tab still wakes once a minute; a page that is silent for longer is gone."""

FAILURE = (
    "Something went wrong inside Evencover. Your table is unchanged; please report what you did."
)

_NOTHING_YET: dict[str, Any] = {"layers": (), "steps": (), "latest": None}
"""Of a predictor whose fit begins."""

Outcome = TypeVar("Outcome")
Work = Callable[[events.Listener, events.StopRequest], Outcome]
"""It knows only a listener for its events and a question whether to stop."""

_Waiting = tuple[Future[None], Callable[[], None], str]
"""A call, and whose it is."""

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
    "The process that did the work ended before it was done; perhaps it took more memory than "
    "there is, or than it may. Try again, with fewer columns or rows if it happens twice."
)
TOO_MUCH_MEMORY = (
    "This takes more than the {mib} MiB of memory that this server allows one run "
    "(EVENCOVER_MAX_RUN_MIB). Take fewer rows or columns, or ask whoever runs the server for more."
)
NOT_STARTED = (
    "The work could not be started, as the server is short of threads or memory. Try again later."
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


class DaemonThreads:
    """So many threads at most, which take up in turn what is submitted; of anybody one at a time.

    A server that is ended waits for the threads of a ThreadPoolExecutor, but not for these, and
    whatever a call does, its thread goes on.
    """

    def __init__(self, number: int) -> None:
        self._number, self._alive = number, 0
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._served: list[str] = []

    def submit(self, call: Callable[[], None], whose: str = "") -> Future[None]:
        """Have it called, unless its future is cancelled before its turn; nobody's may be many."""
        future: Future[None] = Future()
        with self._lock:
            self._waiting.append((future, call, whose))
            if self._alive < self._number and (taken := self._taken()) is not None:
                try:
                    threading.Thread(target=self._work, args=(taken,), daemon=True).start()
                    self._alive += 1
                except (RuntimeError, MemoryError):
                    self._served.remove(whose)
                    future.set_exception(RunError(NOT_STARTED))
        return future

    def place(self, future: Future[None]) -> int | None:
        """Return the place in the queue, 1 for the next; None if it does not wait."""
        with self._lock:
            waiting = [other for other, *_ in self._waiting if not other.done()]
        return waiting.index(future) + 1 if future in waiting else None

    def _work(self, taken: _Waiting | None) -> None:
        while taken is not None:
            future, call, whose = taken
            try:
                if future.set_running_or_notify_cancel():
                    call()
                    future.set_result(None)
            except BaseException as error:  # noqa: BLE001 - also what is to end a process
                future.set_exception(error)
            del future, call, taken  # and what they hold
            with self._lock:
                self._served.remove(whose)
                taken = self._taken()
                self._alive -= taken is None

    def _taken(self) -> _Waiting | None:
        """Take what is next in turn out of the queue."""
        for each in self._waiting:
            if not each[2] or each[2] not in self._served:
                self._waiting.remove(each)
                self._served.append(each[2])
                return each
        return None


class Job(Generic[Outcome]):
    """Work for one of several threads, and the record of how far it is."""

    def __init__(self, work: Work[Outcome], *, time_limit: float = math.inf) -> None:
        self.ended_at = math.inf  # of the clock that only goes on
        self._work: Work[Outcome] | None = work  # until it is taken: it holds a table
        self._time_limit = time_limit
        self._lock = threading.Lock()
        self._snapshot: Snapshot[Outcome] = Snapshot()
        self._future: Future[None] = Future()
        self._threads = DaemonThreads(0)
        self._on_end: Callable[[], None] = lambda: None
        self._asked_to_stop = False
        self._began: float | None = None
        self._heard = time.monotonic()

    def start(
        self, threads: DaemonThreads, on_end: Callable[[], None] = lambda: None, whose: str = ""
    ) -> None:
        """Hand the work over, once; ``on_end`` is called when it has ended."""
        self._on_end, self._threads = on_end, threads
        self._future = threads.submit(self._run, whose)
        self._future.add_done_callback(self._leave)

    def place(self) -> int | None:
        """Return the place in the queue, 1 for the next; None if it does not wait."""
        return self._threads.place(self._future)

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
        elif (error := future.exception()) is not None and self.ended_at == math.inf:
            self._end(error=str(error) if isinstance(error, RunError) else FAILURE)

    def snapshot(self) -> Snapshot[Outcome]:
        """Return the run as it stands; asking is a sign that somebody watches."""
        self._heard = time.monotonic()
        with self._lock:
            stopping, seconds = self.stop_reason is not None, self._seconds()
            return replace(self._snapshot, stopping=stopping, seconds=seconds)

    def wait(self, seconds: float | None = None) -> Snapshot[Outcome]:
        """Return the run once it has ended, or after so many seconds."""
        with suppress(CancelledError, TimeoutError):
            self._future.exception(seconds)
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
        mib = server_settings().run_mib
        return TOO_MUCH_MEMORY.format(mib=mib) if mib else lacking.sentence
    log_defect(error)
    return FAILURE


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


def on_cluster(
    scheduler: str, run: Callable[..., Any], hear: events.Listener, stops: events.StopRequest
) -> Any:  # noqa: ANN401 - of whatever work
    """Do the work as a task of a Dask cluster, whose next worker begins anew if one is lost."""
    with cluster(scheduler) as client:
        dask, name = import_module("distributed"), client.id
        future, stop = client.submit(_do_there, run, name), dask.Event(name, client=client)
        with closing(dask.Queue(name, client=client)) as heard:
            while not future.done():
                if stops():
                    stop.set()
                with suppress(TimeoutError):
                    hear(pickle.loads(heard.get(_ASK_SECONDS)))  # noqa: S301 - our own
        return future.result()


def _do_there(run: Callable[..., Any], name: str) -> Any:  # noqa: ANN401 - of whatever work
    dask = import_module("distributed")
    with closing(dask.Queue(name)) as told:
        tell, stop = lambda event: told.put(pickle.dumps(event)), dask.Event(name)
        return run(on_event=tell, should_stop=stop.is_set)


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
            _bound_memory(server_settings().run_mib)
            answer = _Returned(run(on_event=partial(send, pipe), should_stop=pipe.poll))
        except Exception as error:  # noqa: BLE001 - the server hears whatever happened
            is_told = isinstance(error, InputError | ConnectionError)
            at_limit = server_settings().run_mib and lack_of_memory(error)
            answer = error if is_told and not at_limit else RunError(told_of(error))
        send(pipe, answer)


def _bound_memory(mib: int) -> None:
    """Have the system refuse this process, and its own, more memory than so many MiB; 0 for none.

    It is what they may write to: mere addresses, which libraries reserve by the GiB, do not count.
    """
    if mib:
        import resource  # noqa: PLC0415 - not on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (mib * MIB, mib * MIB))
