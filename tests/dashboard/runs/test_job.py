"""A job runs work in a thread or in a process of its own, and tells how it stands."""

import logging
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from same import without_times

from evencover.core import InputError, audit, to_json
from evencover.core.events import BaseMeasured, LayerAccepted, LayerTried, StageStarted
from evencover.core.tables.reading import told_of_file
from evencover.core.tables.table import Origin
from evencover.dashboard.runs import job as jobs
from evencover.dashboard.runs.job import (
    PIECE,
    DaemonThreads,
    Job,
    done_by,
    in_process,
    receive,
    send,
)

PATIENCE = 60.0
STOPPED_AT_ONCE = "The adjustment (IFACM) was stopped before its first layer: after is as before."


@pytest.fixture
def logged():
    """The records of all that is logged."""
    records, handler = [], logging.Handler()
    handler.emit = records.append
    logging.getLogger().addHandler(handler)
    yield records
    logging.getLogger().removeHandler(handler)


def begun(work):
    job = Job(work)
    job.start(DaemonThreads(1))
    return job


def finished(work):
    return begun(work).wait(PATIENCE)


def wait_until(is_so):
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def heard(table, settings, hear):
    """An audit as work, of which each event is heard once the job has it."""

    def work(on_event, should_stop):
        def listen(event):
            on_event(event)
            hear(event)

        return audit(table, settings, on_event=listen, should_stop=should_stop)

    return work


def test_a_job_that_has_not_begun_has_nothing_to_show():
    snapshot = Job(pytest.fail).snapshot()
    assert snapshot == jobs.Snapshot()
    assert snapshot.is_live


def test_unusable_input_fails_with_its_own_sentence(logged):
    error = InputError("label.constant", "label 'y' is constant; choose another")
    snapshot = finished(Mock(side_effect=error))
    assert (snapshot.error, snapshot.result) == ("label 'y' is constant; choose another", None)
    assert logged == []


def test_lack_of_memory_is_told_as_such_and_is_no_defect(logged):
    snapshot = finished(Mock(side_effect=MemoryError("of 8 rows")))
    assert snapshot.error.startswith("this takes more memory than there is; take fewer rows")
    assert snapshot.result is None
    assert logged == []


def test_a_defect_fails_with_a_sentence_and_logs_kind_and_place_but_quotes_nothing(logged):
    def work(on_event, _should_stop):
        on_event(BaseMeasured(0.1, 2.0))
        raise ValueError(f"could not convert 'salary {4700 + 11}'")

    snapshot = finished(work)
    assert (snapshot.error, snapshot.result) == (jobs.FAILURE, None)
    assert snapshot.base == BaseMeasured(0.1, 2.0)  # what was reached before is kept
    (record,) = logged
    told = logging.Formatter().format(record)
    assert record.levelname == "ERROR"
    assert "ValueError" in told
    assert "test_job.py" in told
    assert "4711" not in told
    assert "Traceback" not in told
    assert record.exc_info is None


def test_stop_ends_a_run_at_its_next_evaluation(table, settings):
    fifth, go_on, told = threading.Event(), threading.Event(), []

    def hear(event):
        told.append(event)
        if isinstance(event, LayerTried) and event.evaluation == 5:
            fifth.set()
            assert go_on.wait(PATIENCE)

    job = begun(heard(table, settings, hear))
    assert fifth.wait(PATIENCE)
    job.stop()
    assert job.snapshot().stopping
    go_on.set()
    snapshot = job.wait(PATIENCE)
    assert snapshot.evaluations == 5
    assert sum(isinstance(event, LayerTried) for event in told) == 5
    assert STOPPED_AT_ONCE in snapshot.result.notes


@pytest.mark.long
def test_a_stopped_run_keeps_its_layers_in_a_whole_result(table, settings, result):
    def stop_after_two(event):
        if isinstance(event, LayerAccepted) and event.iteration == 2:
            job.stop()

    job = Job(heard(table, settings, stop_after_two))
    job.start(DaemonThreads(1))
    snapshot = job.wait(PATIENCE)
    stopped = snapshot.result
    gammas = [[layer.gamma for layer in found.iterations] for found in (stopped, result)]
    assert gammas[0] == gammas[1][:2]
    assert snapshot.layers == tuple(stopped.iterations)
    assert "The adjustment (IFACM) was stopped after 2 layers." in stopped.notes
    assert stopped.row("test", "base") == result.row("test", "base")
    assert stopped.row("training", "ifacm").dcv == pytest.approx(stopped.iterations[1].dcv)
    assert len(stopped.segments) == len(result.segments)


@pytest.mark.long
def test_finished_work_leaves_its_result_and_its_evaluations_and_layers(table, settings, result):
    told = []
    snapshot = finished(heard(table, settings, told.append))
    assert (snapshot.is_live, snapshot.error, snapshot.stopping) == (False, None, False)
    assert snapshot.result.results == result.results
    evaluations = [event for event in told if isinstance(event, LayerTried)]
    layers = [event for event in told if isinstance(event, LayerAccepted)]
    assert (snapshot.evaluations, snapshot.latest) == (len(evaluations), evaluations[-1])
    assert snapshot.layers == tuple(layers)
    assert [layer.iteration for layer in layers] == list(range(1, len(layers) + 1))
    assert [snapshot.base] == [event for event in told if isinstance(event, BaseMeasured)]


def test_a_snapshot_shows_the_run_at_each_moment():
    seen = []

    def work(on_event, _should_stop):
        for event in (
            StageStarted("ifacm"),
            BaseMeasured(0.1, 2.0),
            LayerTried(1, 1, 0.5, 0.1, 0.08, 2.1, 0.08),
            LayerAccepted(1, 0.5, 0.1, 0.08, 2.1, 0.08, 1, 0.2),
        ):
            on_event(event)
            seen.append(job.snapshot())

    job = Job(work)
    job.start(DaemonThreads(1))
    job.wait(PATIENCE)
    assert all(s.is_live for s in seen)
    assert [s.stage for s in seen] == ["ifacm"] * 4
    assert [s.base is None for s in seen] == [True, False, False, False]
    assert [s.evaluations for s in seen] == [0, 0, 1, 1]
    assert [len(s.layers) for s in seen] == [0, 0, 0, 1]


def test_a_run_is_abandoned_only_when_nobody_has_looked_for_long(monkeypatch):
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    asking, end = [], threading.Event()

    def work(_on_event, should_stop):
        asking.append(should_stop)
        end.wait(PATIENCE)

    job = begun(work)
    wait_until(lambda: asking)
    (should_stop,) = asking
    assert not should_stop()
    assert jobs.ABANDONED_AFTER_SECONDS > 2 * 60.0  # a hidden tab wakes once a minute
    now.seconds += jobs.ABANDONED_AFTER_SECONDS
    assert not should_stop()
    now.seconds += 1.0
    assert should_stop()
    job.snapshot()
    assert not should_stop()
    end.set()
    job.wait(PATIENCE)


@pytest.mark.long
def test_two_jobs_at_once_find_what_they_find_one_after_the_other(few, classes, settings):
    together = threading.Barrier(2)

    def meet(event):
        if event == StageStarted("ifacm"):
            together.wait(PATIENCE)

    asked = [(few, settings), (classes, type(settings)(target="kind", penalty=0.1))]
    alone = [finished(heard(*each, lambda _: None)) for each in asked]
    both = [job.wait(PATIENCE) for job in [begun(heard(*each, meet)) for each in asked]]
    for once, again in zip(alone, both, strict=True):
        assert without_times(to_json(once.result)) == without_times(to_json(again.result))


def broken(**_):
    raise ValueError(f"salary {4700 + 11}")


def noisy(*arguments, **options):
    print("said by a library")  # noqa: T201
    os.system("echo said by its child")  # noqa: S605, S607
    return audit(*arguments, **options)


def holding(*arguments, on_event, should_stop, **options):
    """Wait at the third evaluation until told to stop."""

    def tell(event):
        on_event(event)
        while getattr(event, "evaluation", 0) == 3 and not should_stop():
            time.sleep(0.01)

    return audit(*arguments, on_event=tell, should_stop=should_stop, **options)


def dying(**_):
    os._exit(1)


@pytest.fixture
def started(monkeypatch):
    """Every process that is started, to look at and to kill."""
    found = []

    def noted(**options):
        found.append(plain(**options))
        return found[-1]

    plain = jobs._processes.Process
    monkeypatch.setattr(jobs._processes, "Process", noted)
    return found


@pytest.fixture
def held(table, settings):
    """A job whose process waits at its third evaluation until it is told to stop."""
    job = begun(partial(in_process, partial(holding, table, settings)))
    wait_until(lambda: job.snapshot().evaluations == 3)
    yield job
    job.stop()


@pytest.mark.long
def test_a_process_finds_what_a_thread_finds(table, settings):
    told = {"thread": [], "process": []}

    def listened(kind):
        def run(on_event, should_stop):
            def listen(event):
                is_layer = isinstance(event, LayerAccepted)
                told[kind].append(replace(event, seconds=0.0) if is_layer else event)
                on_event(event)

            asked = partial(audit, table, settings, origin=Origin("t.csv", "sha256:0"))
            return done_by(kind, asked)(listen, should_stop)

        return run

    thread, process = (finished(listened(kind)) for kind in told)
    assert without_times(to_json(process.result)) == without_times(to_json(thread.result))
    assert process.result.data.fingerprint == "sha256:0"
    assert (process.evaluations, process.base) == (thread.evaluations, thread.base)
    assert told["process"] == told["thread"]


@pytest.mark.long
def test_a_defect_in_a_process_is_told_and_logged_without_its_message(capfd):
    assert finished(partial(in_process, broken)).error == jobs.FAILURE
    said = capfd.readouterr().err
    assert "ValueError in a run" in said
    assert "4711" not in said
    assert "Traceback" not in said


def hungry(**_asked):
    with told_of_file(Path("t.csv")):  # which would say that there is no more memory
        return len(np.ones(100 * 2**20))  # 800 MiB


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit memory so")
def test_a_process_gets_as_much_memory_as_the_server_allows_and_a_sentence(monkeypatch):
    monkeypatch.setenv("EVENCOVER_WORKER", "process")
    for mib, error in ((600, jobs.TOO_MUCH_MEMORY.format(mib=600)), (2000, None)):
        monkeypatch.setenv("EVENCOVER_MAX_RUN_MIB", str(mib))
        assert finished(partial(in_process, hungry)).error == error


@pytest.mark.long
def test_what_a_library_prints_does_not_garble_the_answers(few, settings, capfd):
    assert finished(partial(in_process, partial(noisy, few, settings))).error is None
    said = capfd.readouterr().out
    assert "said by a library" in said
    assert "said by its child" in said


@pytest.mark.long
def test_a_killed_process_and_one_that_dies_at_once_get_a_sentence(started, held):
    os.kill(started[0].pid, signal.SIGKILL)
    snapshot = held.wait(PATIENCE)
    assert (snapshot.error, snapshot.evaluations) == (jobs.LOST, 3)
    assert finished(partial(in_process, dying)).error == jobs.LOST


def test_a_process_that_cannot_start_gets_a_sentence(monkeypatch):
    refuse = Mock(side_effect=OSError("no room for one more"))
    monkeypatch.setattr(jobs._processes.Process, "start", refuse)
    assert finished(partial(in_process, broken)).error == jobs.LOST


@pytest.mark.long
def test_stop_ends_a_process_with_a_whole_result(started, held, result):
    held.stop()
    snapshot = held.wait(PATIENCE)
    assert (snapshot.cut_short, snapshot.evaluations) == ("asked", 3)
    assert STOPPED_AT_ONCE in snapshot.result.notes
    assert snapshot.result.row("test", "base") == result.row("test", "base")
    assert len(snapshot.result.segments) == len(result.segments)
    assert not started[0].is_alive()


@pytest.mark.long
def test_an_abandoned_process_ends_by_itself(held, monkeypatch):
    monkeypatch.setattr(jobs, "ABANDONED_AFTER_SECONDS", 0.0)
    snapshot = held.wait(PATIENCE)
    assert snapshot.cut_short == "abandoned"
    assert STOPPED_AT_ONCE in snapshot.result.notes


PARENT = """
import sys, threading
from functools import partial
import pandas as pd
from evencover.core import AuditSettings, audit
from multiprocessing import active_children
from evencover.dashboard.runs import job

def listen(event):
    print(active_children()[0].pid, flush=True)
    threading.Event().wait()

frame = pd.read_csv(sys.argv[1])
settings = AuditSettings(target="y", penalty=0.0)
job.in_process(partial(audit, frame, settings), listen, lambda: False)
"""


@pytest.mark.long
def test_a_process_ends_quietly_where_the_server_dies_while_it_sends_the_work(capfd):
    pipe, end = jobs._processes.Pipe()
    process = jobs._processes.Process(target=jobs._do, args=(end,))
    process.start()
    end.close()
    os.write(pipe.fileno(), struct.pack("!i", 1000) + b"not all of it")
    pipe.close()
    process.join(PATIENCE)
    assert (process.exitcode, capfd.readouterr().err) == (0, "")


@pytest.mark.long
def test_a_process_ends_when_the_server_dies(few, tmp_path):
    path = tmp_path / "table.csv"
    few.to_csv(path, index=False)
    command = [sys.executable, "-c", PARENT, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603 - our own
        child = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(child))


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # one that has ended stays as a zombie where nobody collects it
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


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


def test_one_thing_after_the_other_arrives_as_itself_and_a_closed_pipe_is_at_its_end():
    things = [StageStarted("read"), b"x" * (2 * PIECE), "stop", StageStarted("fit")]
    pipe = Recorded()
    for thing in things:
        send(pipe, thing)
    assert [receive(pipe) for _ in things] == things
    send(pipe, b"x" * (3 * PIECE))
    del pipe.messages[-2:]
    with pytest.raises(EOFError):
        receive(pipe)
