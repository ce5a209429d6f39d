"""A run's work in a process of its own is as in a thread, seen through the same job."""

import os
import signal
import struct
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial

import pandas as pd
import pytest
from same import without_times

from evencover.core import AuditSettings, InputError, audit
from evencover.core.events import LayerAccepted
from evencover.core.report.result import to_json
from evencover.core.tables.fingerprint import Origin
from evencover.dashboard.runs import job as jobs
from evencover.dashboard.runs import process as work
from evencover.dashboard.runs.job import FAILURE, DaemonThreads, Job
from evencover.dashboard.runs.process import LOST, done_by, in_process

PATIENCE = 60.0


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
    processes = []

    def noted(**options):
        processes.append(plain(**options))
        return processes[-1]

    plain = work._processes.Process
    monkeypatch.setattr(work._processes, "Process", noted)
    return processes


def finished(given):
    job = Job(given)
    job.start(DaemonThreads(1))
    return job.wait(PATIENCE)


@pytest.fixture
def held(table, settings):
    """A job whose process waits at its third evaluation until it is told to stop."""
    job = Job(partial(in_process, partial(holding, table, settings)))
    job.start(DaemonThreads(1))
    deadline = time.monotonic() + PATIENCE
    while job.snapshot().evaluations < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield job
    job.stop()


@pytest.mark.long
def test_a_process_finds_what_a_thread_finds(table, settings):
    told = {}

    def listened(kind):
        def run(on_event, should_stop):
            def listen(event):
                told.setdefault(kind, []).append(event)
                on_event(event)

            asked = partial(audit, table, settings, origin=Origin("t.csv", "sha256:0"))
            return done_by(kind, asked)(listen, should_stop)

        return run

    thread, process = (finished(listened(kind)) for kind in ("thread", "process"))
    assert process.error is None
    assert without_times(to_json(process.result)) == without_times(to_json(thread.result))
    assert process.evaluations == thread.evaluations
    assert process.result.data.fingerprint == "sha256:0"
    assert process.base == thread.base
    timeless = {
        kind: [replace(e, seconds=0.0) if isinstance(e, LayerAccepted) else e for e in events]
        for kind, events in told.items()
    }
    assert timeless["process"] == timeless["thread"]


@pytest.mark.long
def test_the_types_of_columns_reach_the_process(few):
    """What a text file cannot say: categories, missing values, dates."""
    frame = few.assign(
        place=lambda t: t["place"].astype("category"),
        when=pd.date_range("2020", periods=300, freq="h"),
        whole=pd.array([1, None, 3] * 100, dtype="Int64"),
    )
    settings = AuditSettings(target="y")
    process = finished(done_by("process", partial(audit, frame, settings)))
    direct = to_json(audit(frame, settings))
    assert without_times(to_json(process.result)) == without_times(direct)


@pytest.mark.long
def test_unusable_input_gets_the_sentence_of_the_core(few):
    settings = AuditSettings(target="absent")
    with pytest.raises(InputError) as refused:
        audit(few, settings)
    snapshot = finished(done_by("process", partial(audit, few, settings)))
    assert snapshot.error == str(refused.value)


@pytest.mark.long
def test_a_defect_is_told_and_logged_without_its_message(capfd):
    snapshot = finished(partial(in_process, broken))
    assert snapshot.error == FAILURE
    said = capfd.readouterr().err
    assert "ValueError in a run" in said
    assert "4711" not in said
    assert "Traceback" not in said


@pytest.mark.long
def test_what_a_library_prints_does_not_garble_the_answers(few, settings, capfd):
    assert finished(partial(in_process, partial(noisy, few, settings))).error is None
    said = capfd.readouterr().out
    assert "said by a library" in said
    assert "said by its child" in said


@pytest.mark.long
def test_a_killed_process_gets_a_sentence(started, held):
    os.kill(started[0].pid, signal.SIGKILL)
    snapshot = held.wait(PATIENCE)
    assert snapshot.error == LOST
    assert snapshot.evaluations == 3


@pytest.mark.long
def test_a_process_that_dies_at_once_gets_a_sentence():
    snapshot = finished(partial(in_process, dying))
    assert snapshot.error == LOST


def test_a_process_that_cannot_start_gets_a_sentence(monkeypatch):
    def refuse(_):
        raise OSError("no room for one more")

    monkeypatch.setattr(work._processes.Process, "start", refuse)
    snapshot = finished(partial(in_process, broken))
    assert snapshot.error == LOST


@pytest.mark.long
def test_stop_ends_a_process_with_a_whole_result(started, held, result):
    held.stop()
    snapshot = held.wait(PATIENCE)
    assert snapshot.cut_short == "asked"
    assert snapshot.evaluations == 3
    assert (
        "The adjustment (IFACM) was stopped before its first layer: after is as before."
        in snapshot.result.notes
    )
    assert snapshot.result.row("test", "base") == result.row("test", "base")
    assert len(snapshot.result.segments) == len(result.segments)
    assert not started[0].is_alive()


@pytest.mark.long
def test_an_abandoned_process_ends_by_itself(held, monkeypatch):
    monkeypatch.setattr(jobs, "ABANDONED_AFTER_SECONDS", 0.0)
    snapshot = held.wait(PATIENCE)
    assert snapshot.cut_short == "abandoned"
    assert (
        "The adjustment (IFACM) was stopped before its first layer: after is as before."
        in snapshot.result.notes
    )


PARENT = """
import sys, threading
from functools import partial
import pandas as pd
from evencover.core import AuditSettings, audit
from multiprocessing import active_children
from evencover.dashboard.runs import process

def listen(event):
    print(active_children()[0].pid, flush=True)
    threading.Event().wait()

frame = pd.read_csv(sys.argv[1])
settings = AuditSettings(target="y", penalty=0.0)
process.in_process(partial(audit, frame, settings), listen, lambda: False)
"""


@pytest.mark.long
def test_a_process_ends_quietly_where_the_server_dies_while_it_sends_the_work(capfd):
    pipe, end = work._processes.Pipe()
    process = work._processes.Process(target=work._do, args=(end,))
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
    deadline = time.monotonic() + 10.0
    while _is_alive(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # one that has ended stays as a zombie where nobody collects it
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
