"""The process of one run: reads a request, writes events and the outcome, and ends.

Started by the server as a module of its own. multiprocessing would not do: its "spawn" imports the
server's main script, which is the whole page.
"""

import contextlib
import os
import sys
import threading
from typing import IO

from evencover.core import InputError, audit

from .job import log_defect
from .pipe import Answer, Defect, Refusal, Request, receive_request, send


def main() -> None:
    """Do the work of one run."""
    orders, answers = sys.stdin.buffer, _take_standard_output()
    request = receive_request(orders)
    stop = threading.Event()
    threading.Thread(target=_heed, args=(orders, stop), daemon=True).start()
    with contextlib.suppress(BrokenPipeError):  # the server has gone, and so does this
        send(_outcome(request, answers, stop), answers)
    os._exit(0)  # an orderly end would stumble over the thread that reads


def _take_standard_output() -> IO[bytes]:
    """Return standard output; whatever else is printed goes to standard error from now on."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _heed(orders: IO[bytes], stop: threading.Event) -> None:
    while orders.read(1):
        stop.set()
    os._exit(1)  # the server has gone, or needs no more


def _outcome(request: Request, answers: IO[bytes], stop: threading.Event) -> Answer:
    try:
        return audit(
            request.frame,
            request.settings,
            source=request.source,
            fingerprint=request.fingerprint,
            on_event=lambda event: send(event, answers),
            should_stop=stop.is_set,
        )
    except InputError as error:
        return Refusal(str(error))
    except Exception as error:  # noqa: BLE001 - the server is told whatever happened
        log_defect(error)
        return Defect()


if __name__ == "__main__":
    main()
