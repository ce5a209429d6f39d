"""A run on a Dask cluster tells and comes to what it does here."""

import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from clustered import cluster_of_two, kill_the_busy
from same import timeless

from evencover.core import AuditSettings, InputError, audit
from evencover.core.events import LayerAccepted
from evencover.dashboard.runs.job import DaemonThreads, Job, on_cluster

SETTINGS = AuditSettings(target="y", search="paper", seed=3, penalty=0.0)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def table():
    rng, n = np.random.default_rng(0), 400
    x, z = rng.normal(size=(2, n))
    return pd.DataFrame({"x": x, "z": z, "y": x + rng.normal(size=n) * np.exp(0.8 * z)})


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    pytest.importorskip("distributed")
    with cluster_of_two(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def finished(two, run, *, stop=False):
    job = Job(partial(on_cluster, two.address, run))
    job.start(DaemonThreads(1))
    while stop and job.snapshot().stage is None and job.snapshot().is_live:
        time.sleep(0.01)
    if stop:
        job.stop()
    return job.wait(60.0)


def test_an_audit_is_the_same_to_the_last_digit_and_its_layers_are_told(table, two):
    here = []
    result = audit(table, SETTINGS, on_event=here.append)
    there = finished(two, partial(audit, table, SETTINGS))
    np.testing.assert_equal(timeless(there.result), timeless(result))
    layers = [event for event in here if isinstance(event, LayerAccepted)]
    assert len(there.layers) == len(layers) > 0


def test_an_audit_is_stopped_there(table, two):
    many = AuditSettings(target="y", repeats=200)
    found = finished(two, partial(audit, table, many), stop=True)
    assert found.cut_short == "asked"
    assert found.result is not None
    assert found.result.stopped


def test_a_worker_that_is_killed_costs_no_result(table, tmp_path):
    with cluster_of_two(tmp_path) as two:
        job = Job(partial(on_cluster, two.address, partial(audit, table, SETTINGS)))
        job.start(DaemonThreads(1))
        while job.snapshot().stage is None and job.snapshot().is_live:
            time.sleep(0.01)
        kill_the_busy(two)
        there = job.wait(60.0)
    np.testing.assert_equal(timeless(there.result), timeless(audit(table, SETTINGS)))


def test_what_is_unusable_is_told_as_here(table, two):
    nowhere = AuditSettings(target="nowhere")
    with pytest.raises(InputError) as here:
        audit(table, nowhere)
    assert finished(two, partial(audit, table, nowhere)).error == here.value.sentence


def test_a_cluster_that_is_not_there_is_told(table):
    job = Job(partial(on_cluster, "127.0.0.1:1", partial(audit, table, SETTINGS)))
    job.start(DaemonThreads(1))
    assert "'127.0.0.1:1' cannot be used" in job.wait(60.0).error
