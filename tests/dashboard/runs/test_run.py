"""The manager bounds, queues and keeps runs; work is held here until a test lets it go."""

import contextlib
import gc
import math
import threading
import time
import weakref
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, to_json
from evencover.core.messages import lack_of_memory
from evencover.core.tables.table import Table
from evencover.dashboard.runs import job as jobs
from evencover.dashboard.runs.job import FAILURE, NOT_BEGUN, NOT_STARTED, DaemonThreads, Job
from evencover.dashboard.runs.run import DROPPED, UNKNOWN, JobManager, Owner, Run, TakenUp
from evencover.dashboard.runs.upload import LoadedTable, Upload

PATIENCE = 60.0
SETTINGS = AuditSettings(target="y")


class Held:
    """Work that begins, and ends when it is let go or told to stop."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self, _on_event, should_stop):
        self.begun.set()
        while not self.let_go.wait(0.01) and not should_stop():
            pass
        return self.outcome


@pytest.fixture
def owner():
    return Owner(lambda: True)


@pytest.fixture
def without_rows(result):
    return replace(result, test_rows=None)


@pytest.fixture
def submit(owner, without_rows):
    """Give a manager a held run; all are let go in the end."""
    given = []

    def give(manager, *, rows=10, table=None, who=owner, outcome=without_rows):
        work = Held(outcome)
        table = Table.of(pd.DataFrame({"y": [0.0] * rows})) if table is None else table
        table = LoadedTable("t.csv", table, [], SETTINGS, "t.csv")
        run = Run(Job(work), SETTINGS, "t.csv", who, table)
        given.append(work)
        manager.submit(run)
        return run, work

    yield give
    for work in given:
        work.let_go.set()


def keeping(**bounds):
    manager = JobManager(1)
    vars(manager).update(bounds)
    return manager


def finish(run, work):
    work.let_go.set()
    assert run.job.wait(PATIENCE).result is not None
    return run


def test_no_more_runs_work_than_are_allowed_and_the_first_to_come_is_the_first_to_begin(submit):
    manager = JobManager(2)
    pairs = [submit(manager) for _ in range(4)]
    order = []
    for number, (run, work) in enumerate(pairs):
        assert all(begun.begun.wait(PATIENCE) for _, begun in pairs[number : number + 2])
        order.append([manager.place(other) for other, _ in pairs])
        assert not any(later.begun.is_set() for _, later in pairs[number + 2 :])
        finish(run, work)
    assert order == [[None, None, 1, 2], [None, None, None, 1], [None] * 4, [None] * 4]


def test_a_failing_run_makes_room_too(submit, owner):
    def broken(_on_event, _should_stop):
        raise InputError("test.no", "no")

    manager = JobManager(1)
    manager.submit(Run(Job(broken), SETTINGS, "t.csv", owner, None))
    _, work = submit(manager)
    assert work.begun.wait(PATIENCE)


def test_a_run_is_found_by_its_token_waiting_working_and_ended_and_by_no_other(submit):
    manager = JobManager(1)
    first, work = submit(manager)
    second, _ = submit(manager)
    assert manager.find(first.token) is first
    assert manager.find(second.token) is second
    finish(first, work)
    assert manager.find(first.token) is first
    for token in ("", "x", "None", "../../etc", "é" * 50):
        with pytest.raises(InputError) as refused:
            manager.find(token)
        assert str(refused.value) == UNKNOWN


def test_tokens_are_long_all_different_and_shown_nowhere(submit):
    manager = JobManager(1)
    runs = [submit(manager)[0] for _ in range(5)]
    assert len({run.token for run in runs}) == 5
    for run in runs:
        assert len(run.token) >= 43  # 256 bits
        assert run.token not in repr(run)
        assert run.owner.secret not in repr(run)


def test_only_the_last_runs_are_kept(submit):
    manager = keeping(kept_runs=2)
    runs = [finish(*submit(manager)) for _ in range(4)]
    for run in runs[:2]:
        with pytest.raises(InputError) as refused:
            manager.find(run.token)
        assert str(refused.value) == DROPPED.format(kept=2, in_all=1000)
    assert [manager.find(run.token) for run in runs[2:]] == runs[2:]


def test_runs_and_tables_are_kept_by_visitor(submit):
    manager = keeping(kept_runs=1, kept_in_all=2)
    runs = []
    for visitor in ("me", "you", "you"):
        run, work = submit(manager)
        run.visitor = visitor
        runs.append(finish(run, work))
    assert manager.of_visitor("me") == [runs[0]]
    assert manager.of_visitor("you") == [runs[2]]
    run, work = submit(manager)
    run.visitor = "they"
    finish(run, work)
    assert [manager.of_visitor(who) for who in ("me", "you", "they")] == [[], [runs[2]], [run]]
    for token, visitor in (("a", "me"), ("b", "you"), ("c", "you")):
        manager.keep(token, taken_up(visitor))
    assert manager.taken_up("a", "me").visitor == "me"
    with pytest.raises(InputError):
        manager.taken_up("b", "you")


def test_a_run_that_cannot_start_is_told_and_gives_its_place_back(submit, monkeypatch):
    manager = JobManager(1)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("no new thread")))
        for _ in range(3):
            run, _ = submit(manager)
            assert run.job.snapshot().error == NOT_STARTED
            assert run.job.ended_at < math.inf
            assert manager.place(run) is None
    finish(*submit(manager))


def test_whatever_work_raises_the_next_run_has_its_turn(submit, owner):
    manager = JobManager(1)
    for error in (SystemExit(), KeyboardInterrupt(), MemoryError(), OSError()):
        run = Run(Job(Mock(side_effect=error)), SETTINGS, "t.csv", owner, None)
        manager.submit(run)
        told = run.job.wait(PATIENCE).error
        assert told == (str(lack_of_memory(error)) if isinstance(error, MemoryError) else FAILURE)
    finish(*submit(manager))


def test_of_one_visitor_one_job_works_at_a_time_and_others_go_before(result):
    threads, works = DaemonThreads(2), [Held(result) for _ in range(4)]
    jobs_ = [Job(work) for work in works]
    for job, whose in zip(jobs_, ("me", "me", "me", "you"), strict=True):
        job.start(threads, whose=whose)
    assert works[0].begun.wait(PATIENCE)
    assert works[3].begun.wait(PATIENCE)
    assert [job.place() for job in jobs_] == [None, 1, 2, None]
    jobs_[1].stop()
    works[3].let_go.set()
    jobs_[3].wait(PATIENCE)
    assert [job.place() for job in jobs_] == [None, None, 1, None]
    assert not works[2].begun.is_set()
    works[0].let_go.set()
    assert works[2].begun.wait(PATIENCE)
    works[2].let_go.set()
    assert jobs_[2].wait(PATIENCE).result is result
    assert not works[1].begun.is_set()


def test_a_dropped_run_frees_its_table(submit):
    manager = keeping(kept_runs=1)
    run, work = submit(manager)
    frame = weakref.ref(run.table.frame)
    finish(run, work)
    del run, work
    finish(*submit(manager))
    manager.of_visitor("")  # whoever asks sees to it, where the end of the run has not yet
    gc.collect()
    assert frame() is None


def test_tables_that_take_too_much_room_go_before_results_one_of_several_runs_once(
    submit, without_rows
):
    manager = keeping(kept_table_bytes=20_000)
    runs = [finish(*submit(manager, rows=1000)) for _ in range(4)]  # of 8 bytes
    assert all(manager.find(run.token).job.snapshot().result is without_rows for run in runs)
    assert [run.table is None for run in runs] == [True, True, False, False]
    manager = keeping(kept_table_bytes=10_000)
    table = Table.of(pd.DataFrame({"y": [0.0] * 1000}))
    runs = [finish(*submit(manager, table=table)) for _ in range(4)]  # as with other choices
    assert all(run.table is not None for run in runs)


def test_rows_of_results_go_with_their_tables(submit, result):
    room = result.test_rows.size_in_bytes()
    rows = result.data.test
    # 7 columns and 9 variables of 8 bytes or more, three arrays of sets twice
    assert room > 8 * rows * (6 + 8 + 6)
    manager = keeping(kept_table_bytes=2 * room + 1000)
    runs = [finish(*submit(manager, outcome=result)) for _ in range(3)]
    kept = [manager.find(run.token).job.snapshot().result for run in runs]
    assert [found.test_rows is None for found in kept] == [True, False, False]
    assert all(to_json(found) == to_json(result) for found in kept)


def test_a_job_lets_go_of_its_work_when_it_ends(table, result):
    frame = table.head(400).copy()
    seen = weakref.ref(frame)
    kept = {"frame": frame}
    job = Job(lambda _on_event, _should_stop, kept=kept: kept and result)
    del frame, kept
    job.start(DaemonThreads(1))
    job.wait(PATIENCE)
    gc.collect()
    assert seen() is None


def test_the_owner_stops_a_working_run_and_nobody_else(submit, owner):
    run, work = submit(JobManager(1))
    assert work.begun.wait(PATIENCE)
    other = Owner(lambda: True)
    run.attach(other)
    run.stop(other)
    assert not run.job.snapshot().stopping
    run.stop(owner)
    assert run.job.wait(PATIENCE).cut_short == "asked"


def test_who_comes_when_the_owner_has_gone_owns_the_run(submit):
    """As after F5: the old page is closed, the new one comes with the token."""
    here = SimpleNamespace(present=True)
    run, _ = submit(JobManager(1), who=Owner(lambda: here.present))
    watcher, reloaded = Owner(lambda: True), Owner(lambda: True)
    run.attach(watcher)
    here.present = False
    run.attach(reloaded)
    run.stop(watcher)  # it was there before, and gains nothing by it
    assert not run.job.snapshot().stopping
    run.stop(reloaded)
    assert run.job.snapshot().stopping


def test_a_waiting_run_that_is_stopped_leaves_the_queue(submit, owner):
    manager = JobManager(1)
    assert submit(manager)[1].begun.wait(PATIENCE)
    (second, work), (third, _) = submit(manager), submit(manager)
    second.stop(owner)
    assert manager.place(third) == 1
    ended_at = second.job.ended_at
    assert manager.place(second) is None
    assert second.job.ended_at == ended_at < math.inf  # once
    snapshot = second.job.wait(0.0)
    assert (snapshot.error, snapshot.cut_short) == (NOT_BEGUN["asked"], "asked")
    assert not work.begun.is_set()
    assert manager.find(second.token) is second


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def test_an_abandoned_working_run_ends_and_makes_room(submit, clock):
    manager = JobManager(1)
    first, work = submit(manager)
    assert work.begun.wait(PATIENCE)
    second, later = submit(manager)
    clock.seconds += 100.0
    second.job.snapshot()
    clock.seconds += 81.0
    assert later.begun.wait(PATIENCE)
    assert first.job.wait(PATIENCE).cut_short == "abandoned"


def test_an_abandoned_waiting_run_ends_without_being_begun(submit, clock):
    manager = JobManager(1)
    first, _ = submit(manager)
    second, work = submit(manager)
    third, _ = submit(manager)
    clock.seconds += 100.0
    first.job.snapshot()
    third.job.snapshot()
    clock.seconds += 81.0
    manager.find(second.token)  # which is no sign of a watcher
    assert second.job.stop_reason == "abandoned"
    assert manager.place(third) == 1
    snapshot = second.job.snapshot()
    assert (snapshot.error, snapshot.cut_short) == (NOT_BEGUN["abandoned"], "abandoned")
    assert not work.begun.is_set()


def test_a_run_ends_at_its_time_limit_however_much_it_is_watched(clock, result):
    work = Held(result)
    job = Job(work, time_limit=60.0)
    clock.seconds += 100.0  # in the queue, which does not count
    job.snapshot()
    job.start(DaemonThreads(1))
    assert work.begun.wait(PATIENCE)
    clock.seconds += 60.0
    assert not job.snapshot().stopping
    clock.seconds += 1.0
    snapshot = job.wait(PATIENCE)
    assert (snapshot.result, snapshot.cut_short) == (result, "overdue")


def test_a_visitor_finds_the_runs_of_their_own_the_last_first(submit):
    manager = JobManager(1)
    runs = [submit(manager)[0] for _ in range(3)]
    for run, visitor in zip(runs, ("me", "you", "me"), strict=True):
        run.visitor = visitor
    assert manager.of_visitor("me") == [runs[2], runs[0]]
    assert manager.of_visitor("you") == [runs[1]]
    assert manager.of_visitor("") == []


def taken_up(visitor="me", *, rows=10, content=b"", **more):
    table = Table.of(pd.DataFrame({"y": [0.0] * rows}))  # of 8 bytes a row, and 132 of its index
    table = LoadedTable("t.csv", table, [], SETTINGS, "t.csv")
    return TakenUp(visitor, table, Upload("t.csv", content), None, None, **more)


def test_what_is_taken_up_is_found_by_its_token_and_its_visitor_and_by_no_other():
    manager, mine = JobManager(1), taken_up()
    manager.keep("token", mine)
    assert manager.taken_up("token", "me") is mine
    refused = []
    for token, visitor in (("token", "you"), ("token", ""), ("", "me"), ("other", "me")):
        with pytest.raises(InputError) as told:
            manager.taken_up(token, visitor)
        refused.append(str(told.value))
    assert len({*refused}) == 1  # whether another has something there is not told
    assert "a secret" not in repr(taken_up("a secret"))
    manager.keep("token", None)
    with pytest.raises(InputError):
        manager.taken_up("token", "me")


def found(manager, *tokens):
    kept = []
    for token in tokens:
        with contextlib.suppress(InputError):
            kept.append((token, manager.taken_up(token, "me")))
    return [token for token, _ in kept]


def test_of_what_is_taken_up_the_last_is_kept_in_number_size_and_time():
    manager = keeping(kept_runs=2)
    for token in "abab":
        manager.keep(token, taken_up())
    manager.keep("c", taken_up())
    assert found(manager, *"abc") == ["b", "c"]
    manager.keep("d", taken_up(since=time.monotonic() - 12 * 3600.0 - 1.0))
    assert found(manager, *"bcd") == ["c"]  # the old one took the place of another
    bound = taken_up().size_in_bytes + 100
    manager = keeping(kept_table_bytes=bound)
    manager.keep("a", taken_up())
    manager.keep("b", taken_up(content=b"x" * 100))
    assert found(manager, *"ab") == ["b"]
    manager.keep("c", taken_up(content=b"x" * 101))
    assert found(manager, *"abc") == []
    assert taken_up(rows=20).size_in_bytes - taken_up().size_in_bytes == 80


def test_a_comparison_is_no_run_to_open(submit):
    manager = JobManager(1)
    run, _ = submit(manager)
    run.kind = "comparison"
    with pytest.raises(InputError, match="There is no run under this address"):
        manager.find(run.token)
