"""A job runs work in a thread and tells how it stands; no streamlit is involved."""

import logging
import threading
from types import SimpleNamespace

import pytest
from same import without_times

from evencover.core import InputError, audit
from evencover.core.events import BaseMeasured, Evaluation, LayerAccepted, StageStarted
from evencover.core.report.result import to_json
from evencover.dashboard.runs import job as jobs
from evencover.dashboard.runs.job import FAILURE, DaemonThreads, Job

PATIENCE = 60.0


@pytest.fixture
def work(table, settings):
    """A real audit, of which several layers come."""

    def run(on_event, should_stop):
        return audit(table, settings, on_event=on_event, should_stop=should_stop)

    return run


@pytest.fixture
def logged():
    """The records of all that is logged."""
    records, handler = [], logging.Handler()
    handler.emit = records.append
    logging.getLogger().addHandler(handler)
    yield records
    logging.getLogger().removeHandler(handler)


def finished(work):
    job = Job(work)
    job.start(DaemonThreads(1))
    return job.wait(PATIENCE)


def failing(error):
    def work(_on_event, _should_stop):
        raise error

    return work


def test_a_job_that_has_not_begun_has_nothing_to_show():
    snapshot = Job(failing(AssertionError())).snapshot()
    assert snapshot == jobs.Snapshot()
    assert snapshot.is_live


def test_unusable_input_fails_with_its_own_sentence(logged):
    error = InputError("label.constant", "label 'y' is constant; choose another")
    snapshot = finished(failing(error))
    assert snapshot.error == "label 'y' is constant; choose another"
    assert snapshot.result is None
    assert logged == []


def test_a_defect_fails_with_a_sentence_that_quotes_nothing():
    snapshot = finished(failing(ValueError("could not convert 'salary 4711'")))
    assert (snapshot.error, snapshot.result) == (FAILURE, None)


def test_a_defect_logs_kind_and_place_but_neither_message_nor_traceback(logged):
    finished(failing(ValueError(f"could not convert 'salary {4700 + 11}'")))
    (record,) = logged
    told = logging.Formatter().format(record)
    assert record.levelname == "ERROR"
    assert "ValueError" in told
    assert "test_job.py" in told
    assert "4711" not in told
    assert "Traceback" not in told
    assert record.exc_info is None


def test_a_defect_keeps_what_was_reached_before_it():
    def work(on_event, _should_stop):
        on_event(BaseMeasured(0.1, 2.0))
        raise RuntimeError

    assert finished(work).base == BaseMeasured(0.1, 2.0)


def test_stop_ends_a_run_at_its_next_evaluation(table, settings):
    fifth, go_on = threading.Event(), threading.Event()
    told = []

    def work(on_event, should_stop):
        def listen(event):
            on_event(event)
            told.append(event)
            if isinstance(event, Evaluation) and event.evaluation == 5:
                fifth.set()
                assert go_on.wait(PATIENCE)

        return audit(table, settings, on_event=listen, should_stop=should_stop)

    job = Job(work)
    job.start(DaemonThreads(1))
    assert fifth.wait(PATIENCE)
    job.stop()
    assert job.snapshot().stopping
    go_on.set()
    snapshot = job.wait(PATIENCE)
    assert snapshot.evaluations == 5
    assert sum(isinstance(event, Evaluation) for event in told) == 5
    assert (
        "The adjustment (IFACM) was stopped before its first layer: after is as before."
        in snapshot.result.notes
    )


def test_a_stopped_run_keeps_its_layers_in_a_whole_result(work, result):
    job = Job(lambda on_event, should_stop: work(stopping_after_layer(2, on_event), should_stop))

    def stopping_after_layer(last, on_event):
        def listen(event):
            on_event(event)
            if isinstance(event, LayerAccepted) and event.iteration == last:
                job.stop()

        return listen

    job.start(DaemonThreads(1))
    snapshot = job.wait(PATIENCE)
    stopped = snapshot.result
    assert [layer.gamma for layer in stopped.iterations] == [
        layer.gamma for layer in result.iterations[:2]
    ]
    assert snapshot.layers == tuple(stopped.iterations)
    assert "The adjustment (IFACM) was stopped after 2 layers." in stopped.notes
    assert stopped.row("test", "base") == result.row("test", "base")
    assert stopped.row("training", "ifacm").dcv == pytest.approx(stopped.iterations[1].dcv)
    assert len(stopped.segments) == len(result.segments)


def test_finished_work_leaves_its_result_and_its_evaluations_and_layers(table, settings, result):
    told = []

    def work(on_event, should_stop):
        def listen(event):
            told.append(event)
            on_event(event)

        return audit(table, settings, on_event=listen, should_stop=should_stop)

    snapshot = finished(work)
    assert (snapshot.is_live, snapshot.error, snapshot.stopping) == (False, None, False)
    assert snapshot.result.results == result.results
    evaluations = [event for event in told if isinstance(event, Evaluation)]
    layers = [event for event in told if isinstance(event, LayerAccepted)]
    assert snapshot.evaluations == len(evaluations)
    assert snapshot.latest == evaluations[-1]
    assert snapshot.layers == tuple(layers)
    assert [layer.iteration for layer in layers] == list(range(1, len(layers) + 1))
    assert [snapshot.base] == [event for event in told if isinstance(event, BaseMeasured)]


def test_a_snapshot_shows_the_run_at_each_moment():
    job, seen = None, []

    def work(on_event, _should_stop):
        for event in (
            StageStarted("ifacm"),
            BaseMeasured(0.1, 2.0),
            Evaluation(1, 1, 0.5, 0.1, 0.08, 2.1, 0.08),
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


def test_an_abandoned_run_ends_by_itself(work, monkeypatch):
    def unwatched(*told):
        monkeypatch.setattr(jobs, "ABANDONED_AFTER_SECONDS", 0.0)
        return work(*told)

    snapshot = finished(unwatched)
    assert snapshot.cut_short == "abandoned"
    assert (
        "The adjustment (IFACM) was stopped before its first layer: after is as before."
        in snapshot.result.notes
    )


def test_a_run_is_abandoned_only_when_nobody_has_looked_for_long(monkeypatch):
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    asking, end = [], threading.Event()

    def work(_on_event, should_stop):
        asking.append(should_stop)
        end.wait(PATIENCE)

    job = Job(work)
    job.start(DaemonThreads(1))
    while not asking:
        pass
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

    def work(frame, chosen, *, meet):
        def run(on_event, should_stop):
            def listen(event):
                if meet and event == StageStarted("ifacm"):
                    together.wait(PATIENCE)
                on_event(event)

            return audit(frame, chosen, on_event=listen, should_stop=should_stop)

        return run

    other = type(settings)(target="kind", penalty=0.1)
    alone = [
        finished(work(few, settings, meet=False)),
        finished(work(classes, other, meet=False)),
    ]
    pair = [Job(work(few, settings, meet=True)), Job(work(classes, other, meet=True))]
    for job in pair:
        job.start(DaemonThreads(1))
    both = [job.wait(PATIENCE) for job in pair]
    for once, again in zip(alone, both, strict=True):
        assert without_times(to_json(once.result)) == without_times(to_json(again.result))
