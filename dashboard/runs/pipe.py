"""What a server and its worker process tell each other, and how.

Objects go as pickles. Unpickling runs whatever a pickle says, so it is safe only between these
two: both are our own code, and the pipes are private to them. Nothing a person uploads is ever
unpickled; a table has been parsed as text or Parquet before it comes here.
"""

import pickle
from dataclasses import dataclass
from typing import IO

import pandas as pd

from evencover.core import AuditResult, AuditSettings
from evencover.core.events import Event

STOP = b"s"
"""Sent to the worker after the request; the end of its input says that the server has gone."""


@dataclass(frozen=True)
class Request:
    """What the worker is to do."""

    frame: pd.DataFrame
    settings: AuditSettings
    source: str
    fingerprint: str | None


@dataclass(frozen=True)
class Refusal:
    """Table and settings do not go together."""

    sentence: str


@dataclass(frozen=True)
class Defect:
    """Something went wrong; the worker has logged what may be logged."""


Answer = Event | AuditResult | Refusal | Defect


def send(message: Request | Answer, pipe: IO[bytes]) -> None:
    """Write a message."""
    pickle.dump(message, pipe, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def receive_request(pipe: IO[bytes]) -> Request:
    """Read what is to be done."""
    request: Request = pickle.load(pipe)  # noqa: S301 - see above
    return request


def receive_answer(pipe: IO[bytes]) -> Answer | None:
    """Read an event or an outcome; None if the other side has gone."""
    try:
        answer: Answer = pickle.load(pipe)  # noqa: S301 - see above
    except (EOFError, pickle.UnpicklingError):
        return None
    return answer
