"""The work of a run: an audit in this process, or in one of its own."""

import contextlib
import signal
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection

import pandas as pd
from loky.backend import get_context

from evencover import core
from evencover.core import AuditResult, AuditSettings, InputError
from evencover.core.events import Listener, StopRequest

from .job import FAILURE, RunError, Work, log_defect
from .server_settings import WorkerKind

LOST = (
    "The run's process ended before its work was done; perhaps the server ran out of memory. "
    "Press Run to try again, with fewer columns or rows if it happens twice."
)
_Audit = Callable[..., AuditResult]
_ASK_SECONDS = 0.1
_STOP = "stop"

_processes = get_context("loky")
"""multiprocessing's own "spawn" imports the server's main script, which is the whole page."""


def make_work(
    worker: WorkerKind,
    frame: pd.DataFrame,
    settings: AuditSettings,
    source: str,
    fingerprint: str | None = None,
) -> Work:
    """Return the audit of a table as work for a job."""
    run = partial(core.audit, frame, settings, source=source, fingerprint=fingerprint)
    if worker == "process":
        return partial(in_process, run)
    return lambda on_event, should_stop: run(on_event=on_event, should_stop=should_stop)


def in_process(run: _Audit, on_event: Listener, should_stop: StopRequest) -> AuditResult:
    """Do the work in a process of its own, which gets ``run`` as a pickle.

    What is unpickled on either side was pickled by our own code on the other. Raises InputError if
    table and settings do not go together, RunError if something went wrong or the process is lost.
    """
    pipe, end = _processes.Pipe()
    process = _processes.Process(target=_do, args=(run, end), daemon=True)
    try:
        process.start()
        end.close()
        return _outcome(pipe, on_event, should_stop)
    except (EOFError, OSError):
        raise RunError(LOST) from None
    finally:
        pipe.close()
        process.terminate()
        process.join()


def _outcome(pipe: Connection, on_event: Listener, should_stop: StopRequest) -> AuditResult:
    stopping = False
    while True:
        if not stopping and should_stop():
            pipe.send(_STOP)
            stopping = True
        if not pipe.poll(_ASK_SECONDS):
            continue
        match pipe.recv():
            case AuditResult() as result:
                return result
            case Exception() as error:
                raise error
            case event:
                on_event(event)


def _do(run: _Audit, pipe: Connection) -> None:
    """Work in the process; sending fails where the server has gone, which ends the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    with contextlib.suppress(ConnectionError):
        pipe.send(_answer(run, pipe))


def _answer(run: _Audit, pipe: Connection) -> AuditResult | Exception:
    try:
        return run(on_event=pipe.send, should_stop=pipe.poll)
    except (InputError, ConnectionError) as error:
        return error
    except Exception as error:  # noqa: BLE001 - the server hears whatever happened
        log_defect(error)
        return RunError(FAILURE)
