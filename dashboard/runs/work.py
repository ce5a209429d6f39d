"""The work of a run: an audit in this process, or in one of its own."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO

import pandas as pd

from evencover import core
from evencover.core import AuditResult, AuditSettings, InputError
from evencover.core.events import Listener, StopRequest

from .job import FAILURE, RunError, Work
from .pipe import STOP, Defect, Refusal, Request, receive_answer, send
from .server_settings import WorkerKind

LOST = (
    "The run's process ended before its work was done; perhaps the server ran out of memory. "
    "Press Run to try again, with fewer columns or rows if it happens twice."
)
_COMMAND = [sys.executable, "-P", "-m", "evencover.dashboard.runs.worker_process"]
_ASK_SECONDS = 0.1


def make_work(
    worker: WorkerKind,
    frame: pd.DataFrame,
    settings: AuditSettings,
    source: str,
    fingerprint: str | None = None,
) -> Work:
    """Return the audit of a table as work for a job."""
    request = Request(frame, settings, source, fingerprint)

    def in_thread(on_event: Listener, should_stop: StopRequest) -> AuditResult:
        return core.audit(
            frame,
            settings,
            source=source,
            fingerprint=fingerprint,
            on_event=on_event,
            should_stop=should_stop,
        )

    def in_process(on_event: Listener, should_stop: StopRequest) -> AuditResult:
        try:
            return _audit_in_process(request, on_event, should_stop)
        except BrokenPipeError:
            raise RunError(LOST) from None

    return in_process if worker == "process" else in_thread


def _audit_in_process(
    request: Request, on_event: Listener, should_stop: StopRequest
) -> AuditResult:
    # a session of its own: Ctrl-C is for the server, with whose end the worker ends
    with subprocess.Popen(  # noqa: S603 - our own command
        _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdin is not None  # noqa: S101 - for the type checker
        assert process.stdout is not None  # noqa: S101
        send(request, process.stdin)
        with _stop_passed_on(should_stop, process.stdin):
            return _outcome(process.stdout, on_event)


@contextlib.contextmanager
def _stop_passed_on(should_stop: StopRequest, pipe: IO[bytes]) -> Iterator[None]:
    """Ask again and again whether to stop, and tell the worker when it is so."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_ASK_SECONDS):
            if should_stop():
                with contextlib.suppress(BrokenPipeError):
                    pipe.write(STOP)
                    pipe.flush()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _outcome(pipe: IO[bytes], on_event: Listener) -> AuditResult:
    while True:
        match receive_answer(pipe):
            case None:
                raise RunError(LOST)
            case AuditResult() as result:
                return result
            case Refusal(sentence):
                raise InputError(sentence)
            case Defect():
                raise RunError(FAILURE)
            case event:
                on_event(event)
