"""A Dask cluster of processes of their own: a scheduler and two workers, as in the guide."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

PATIENCE = 60.0


def squared_slowly(mark, number):
    """Square a number; the first time that it is asked for, for minutes."""
    if not mark.exists():
        mark.touch()
        time.sleep(600.0)
    return number**2


@contextmanager
def cluster_of_two(folder):
    """Yield the scheduler's address and the processes, which end with the context."""
    told = folder / "scheduler.json"
    here = ("--scheduler-file", str(told), "--no-dashboard")
    scheduler = _started("scheduler", "--host", "127.0.0.1", "--port", "0", *here)
    options = (*here, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
    workers = [_started("worker", *options) for _ in range(2)]
    try:
        deadline = time.monotonic() + PATIENCE
        while not told.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads(told.read_text())["address"]
        _wait_for_two(address)
        yield SimpleNamespace(address=address, workers=workers, scheduler=scheduler)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _started(*arguments):
    command = [sys.executable, "-m", "dask", *arguments]
    nowhere = subprocess.DEVNULL
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    environment["DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT"] = "3s"
    return subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment)  # noqa: S603


def _wait_for_two(address):
    with import_module("distributed").Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)


def kill_the_busy(two):
    """Kill the worker that has something to do."""
    with import_module("distributed").Client(two.address, set_as_default=False) as client:
        busy = [worker for worker, tasks in client.processing().items() if tasks]
        of_pid = client.run(os.getpid, workers=busy)
    next(worker for worker in two.workers if worker.pid in of_pid.values()).kill()
