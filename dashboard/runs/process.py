"""Work in this process, or in one of its own: an audit, or the reading of an upload."""

import contextlib
import io
import pickle
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from loky.backend import get_context

from evencover.core import InputError
from evencover.core.events import Listener, StopRequest

from .job import FAILURE, Outcome, RunError, Work, log_defect
from .server_settings import WorkerKind

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

PIECE = 2**20
"""Bytes that go from one process to another at a time, after which other threads have their turn.

``Connection.send`` and ``recv`` hold the interpreter while a whole table is copied.
"""


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


LOST = (
    "The process that did the work ended before it was done; perhaps the server ran out of "
    "memory. Try again, with fewer columns or rows if it happens twice."
)
STOPPED = "The work was stopped; nothing of it is kept."
_ASK_SECONDS = 0.1
_STOP = "stop"

_processes = get_context("loky")
"""multiprocessing's own "spawn" imports the server's main script, which is the whole page."""


def done_by(worker: WorkerKind, run: Callable[..., Outcome]) -> Work[Outcome]:
    """Return as work for a job what takes a listener for its events and asks whether to stop."""
    if worker == "process":
        return partial(in_process, run)
    return lambda on_event, should_stop: run(on_event=on_event, should_stop=should_stop)


def in_process(
    run: Callable[..., Outcome],
    on_event: Listener,
    should_stop: StopRequest,
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
    pipe: Connection, on_event: Listener, should_stop: StopRequest, *, stops_itself: bool
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
    with contextlib.suppress(EOFError, OSError):  # of the pipe: those of the work are answered
        run = receive(pipe)
        try:
            answer = _Returned(run(on_event=partial(send, pipe), should_stop=pipe.poll))
        except (InputError, ConnectionError) as error:
            answer = error
        except Exception as error:  # noqa: BLE001 - the server hears whatever happened
            log_defect(error)
            answer = RunError(FAILURE)
        send(pipe, answer)
