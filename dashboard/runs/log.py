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
    threading.excepthook = lambda of: log_defect(of.exc_value or of.exc_type())


def _without_messages(*given: Any, **more: Any) -> logging.LogRecord:  # noqa: ANN401
    record = _record(*given, **more)
    values = record.args if isinstance(record.args, tuple) else ()
    if any(isinstance(value, BaseException) for value in (record.msg, *values)):
        record.msg, record.args = "an error", ()
    if record.exc_info and (error := record.exc_info[1]) is not None:
        place = "".join(traceback.format_tb(error.__traceback__))
        record.msg = f"{record.getMessage()}: {type(error).__name__} at\n{place}"
        record.args, record.exc_info = (), None
    return record
