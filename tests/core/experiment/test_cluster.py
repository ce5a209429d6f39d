"""Tasks on a Dask cluster come to what they come to here; what cannot be used is one sentence."""

import socket
import sys
import time
from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd
import pytest
from clustered import cluster_of_two, kill_the_busy, squared_slowly

from evencover.core import AuditSettings, InputError, audit, load
from evencover.core.events import StepDone
from evencover.core.experiment import cluster as module
from evencover.core.experiment.cluster import cluster
from evencover.core.experiment.comparison import compare
from evencover.core.experiment.experiment import Workers, _outcomes

SETTINGS = AuditSettings(target="y", search="paper", seed=3, audit_only=("sex",))
REMEDIES = ("quantile", "ifacm")


@pytest.fixture(scope="module")
def table():
    rng, n = np.random.default_rng(0), 400
    x, z = rng.normal(size=(2, n))
    y = x + rng.normal(size=n) * np.exp(0.8 * z)
    return pd.DataFrame({"x": x, "z": z, "y": y, "sex": rng.choice(["f", "m"], n)})


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    pytest.importorskip("distributed")
    with cluster_of_two(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def without_times(comparison):
    plain = asdict(comparison) | {"seconds": None}
    plain["rows"] = [row | {"fit_seconds": None} for row in plain["rows"]]
    return plain


@pytest.mark.long
def test_a_comparison_is_the_same_on_a_cluster_to_the_last_digit(table, two):
    heard = []
    workers = Workers(scheduler=two.address)
    there = compare(table, SETTINGS, REMEDIES, seeds=3, workers=workers, on_event=heard.append)
    here = compare(table, SETTINGS, REMEDIES, seeds=3)
    np.testing.assert_equal(without_times(there), without_times(here))
    assert [event.done for event in heard if isinstance(event, StepDone)] == [*range(1, 13)]


@pytest.mark.long
def test_a_comparison_is_stopped_on_a_cluster(table, two):
    steps = []
    found = compare(
        table,
        SETTINGS,
        REMEDIES,
        seeds=6,
        workers=Workers(scheduler=two.address),
        on_event=steps.append,
        should_stop=lambda: len(steps) >= 9,
    )
    assert found.stopped
    assert len(found.seeds) == 2  # of two workers two seeds are done at once


@pytest.mark.long
def test_without_an_address_there_is_a_cluster_until_the_work_ends():
    pytest.importorskip("distributed")
    with cluster(count=1) as client:
        assert len(client.ncores()) == 1
        assert client.submit(abs, -2).result() == 2
    assert client.status == "closed"


@pytest.mark.long
def test_a_worker_that_is_killed_costs_no_result(tmp_path):
    pytest.importorskip("distributed")
    with cluster_of_two(tmp_path) as two, Workers(scheduler=two.address).at_work():
        marks = [tmp_path / str(number) for number in range(4)]
        for mark in marks[1:]:
            mark.touch()
        tasks = {n: partial(squared_slowly, mark, n) for n, mark in enumerate(marks)}
        found = _outcomes(tasks)
        first = [next(found) for _ in range(3)]  # the other worker does all but the slow one
        kill_the_busy(two)
        assert dict([*first, *found]) == {0: 0, 1: 1, 2: 4, 3: 9}


def without_workers(two):
    with Workers(scheduler=two.address).at_work():
        for worker in two.workers:
            worker.kill()
        return [*_outcomes({0: partial(pow, 2, 3)})]


@pytest.mark.long
def test_a_cluster_that_has_gone_is_told(tmp_path):
    pytest.importorskip("distributed")
    with cluster_of_two(tmp_path) as two, pytest.raises(InputError, match="lost the work"):
        without_workers(two)


@pytest.mark.long
def test_a_saved_predictor_scores_partitions_there(table, two, tmp_path):
    frames = pytest.importorskip("dask.dataframe")
    audit(table, SETTINGS).predictor("base").save(tmp_path / "base.evencover")
    predictor = load(tmp_path / "base.evencover")
    parts = frames.from_pandas(table, npartitions=3)
    with cluster(two.address) as client:
        there = client.compute(predictor.predict(parts)).result()
    pd.testing.assert_frame_equal(
        there, predictor.predict(table), check_dtype=False, check_exact=True
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "the cluster '127.0.0.1:1' cannot be used: "),
        ("nonsense", "the cluster 'nonsense' cannot be used: missing port number"),
        ("tcp://x:y", "'tcp://x:y' cannot be used"),
        ("odd://x:1", "'odd://x:1' cannot be used: unknown address scheme"),
        ("", "missing port number"),
        ("silent", "cannot be used: "),
    ],
)
def test_a_scheduler_that_cannot_be_reached_is_told_within_seconds(address, said):
    pytest.importorskip("distributed")
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        if address == "silent":
            address = f"127.0.0.1:{mute.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(InputError) as told, Workers(scheduler=address).at_work():
            pass
        assert said in str(told.value)
        assert time.monotonic() - began < 15.0


def test_without_the_package_that_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="needs the package 'distributed'"), cluster("x:1"):
        pass


@pytest.mark.long
def test_a_cluster_of_other_versions_is_refused(two, monkeypatch):
    monkeypatch.setattr(module, "version", lambda package: f"no version of {package}")
    with pytest.raises(InputError, match="other versions than there are here of one of evencover"):
        Workers(scheduler=two.address).at_work().__enter__()
