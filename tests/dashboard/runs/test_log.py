"""What is logged of an error quotes nobody's data."""

import logging
import threading

import pytest

from evencover.dashboard.runs.log import quote_nothing

CELL = "salary 4711"


@pytest.fixture
def logged(monkeypatch):
    """All that is written, of a logger that nobody knows."""
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    plain, lines, handler = logging.getLogRecordFactory(), [], logging.Handler()
    handler.emit = lambda record: lines.append(logging.Formatter().format(record))
    logging.getLogger().addHandler(handler)
    quote_nothing()
    yield lines
    logging.setLogRecordFactory(plain)
    logging.getLogger().removeHandler(handler)


def fails():
    raise ValueError(CELL)


def test_an_error_is_logged_by_kind_and_place_whoever_logs_it(logged):
    log = logging.getLogger("another")
    try:
        fails()
    except ValueError as error:
        log.exception("Uncaught %s", "app execution")
        log.error("it says %s", error)  # noqa: TRY400
        log.error(error)  # noqa: TRY400
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    assert logged[0].startswith("Uncaught app execution: ValueError at\n")
    assert "in fails" in logged[0]
    assert logged[1:3] == ["an error"] * 2
    assert "ValueError" in logged[3]
    assert not any("4711" in line or "Traceback" in line for line in logged)


def test_what_is_no_error_is_logged_as_it_is(logged):
    logging.getLogger("another").warning("%d of %s", 3, "them")
    assert logged == ["3 of them"]
