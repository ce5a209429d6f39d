"""What goes from one process to another: in pieces, between which other threads have their turn.

``Connection.send`` and ``recv`` hold the interpreter while a whole table is copied.
"""

import io
import pickle
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

PIECE = 2**20
"""Bytes at a time."""


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
