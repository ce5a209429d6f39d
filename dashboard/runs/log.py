"""A log that quotes nobody's data: of an error it has the kind and the place alone."""

import logging
import threading
import traceback
from typing import Any

_log = logging.getLogger(__name__)
_record = logging.getLogRecordFactory()


def log_defect(error: BaseException) -> None:
    """Log an error's kind and place only: its message may quote the user's data."""
    place = "".join(traceback.format_tb(error.__traceback__)[-1:])
    _log.error("%s in a run, at%s", type(error).__name__, place)


def quote_nothing() -> None:
    """Let whatever logs in this process, streamlit too, log errors so."""
    logging.setLogRecordFactory(_without_messages)
    threading.excepthook = lambda of: log_defect(of.exc_value) if of.exc_value else None


def _without_messages(*given: Any, **more: Any) -> logging.LogRecord:  # noqa: ANN401
    record = _record(*given, **more)
    error, args = record.exc_info and record.exc_info[1], record.args
    record.msg = _kind(record.msg)
    if isinstance(args, tuple):
        record.args = tuple(map(_kind, args))
    if error is not None and error is not False:
        told = "".join(traceback.format_tb(error.__traceback__)).rstrip()
        record.msg = f"{record.getMessage()}: {type(error).__name__}, at\n{told}"
        record.args, record.exc_info = (), None
    return record


def _kind(told: object) -> object:
    return type(told).__name__ if isinstance(told, BaseException) else told
