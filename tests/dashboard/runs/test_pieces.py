"""Whatever goes from one process to another arrives as it was, in pieces of bounded size."""

from multiprocessing import Pipe

import numpy as np
import pandas as pd
import pytest

from evencover.core.events import StageStarted
from evencover.dashboard.runs.process import PIECE, receive, send


class Recorded:
    """The two ends of a pipe that holds all that is sent."""

    def __init__(self):
        self.messages = []

    def send_bytes(self, message):
        self.messages.append(bytes(message))

    def recv_bytes(self, _most):
        if not self.messages:
            raise EOFError
        return self.messages.pop(0)


@pytest.fixture
def frame():
    """Columns of 4 MB each, of every layout that a table has."""
    rows = 2**19
    return pd.DataFrame(
        {
            "number": np.arange(rows, dtype=float),
            "whole": np.arange(rows),
            "word": pd.Series([f"w{row:07d}" for row in range(rows)], dtype="str"),
            "gap": pd.array([1, None] * (rows // 2), dtype="Int64"),
            "kind": pd.Categorical(["a", "b"] * (rows // 2)),
        }
    )


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 7])
def test_bytes_go_in_pieces_whose_size_is_bounded(size):
    content = np.random.default_rng(size).bytes(size)
    pipe = Recorded()
    send(pipe, ("t.csv", content))
    assert max(map(len, pipe.messages)) <= PIECE
    assert sum(map(len, pipe.messages)) < size + 200  # nothing goes twice
    assert receive(pipe) == ("t.csv", content)
    assert pipe.messages == []


@pytest.mark.long
def test_a_table_goes_in_pieces_and_can_be_written_to(frame):
    pipe = Recorded()
    send(pipe, frame)
    assert max(map(len, pipe.messages)) <= PIECE
    arrived = receive(pipe)
    pd.testing.assert_frame_equal(arrived, frame)
    arrived.loc[0, "number"] = -1.0
    assert arrived["number"].iloc[:2].tolist() == [-1.0, 1.0]


def test_one_thing_after_the_other_arrives_as_itself():
    pipe, things = (
        Recorded(),
        [StageStarted("read"), b"x" * (2 * PIECE), "stop", StageStarted("fit")],
    )
    for thing in things:
        send(pipe, thing)
    assert [receive(pipe) for _ in things] == things


def test_a_pipe_that_is_closed_halfway_is_at_its_end():
    pipe = Recorded()
    send(pipe, b"x" * (3 * PIECE))
    del pipe.messages[-2:]
    with pytest.raises(EOFError):
        receive(pipe)


def test_it_goes_through_a_pipe_of_the_system():
    near, far = Pipe()
    send(near, {"a": 1})
    assert far.poll(5.0)
    assert receive(far) == {"a": 1}
    assert not far.poll(0.0)
    near.close()
    with pytest.raises(EOFError):
        receive(far)
