"""What whoever runs the server, or the command line, may set by environment variables."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, get_args

from evencover.core import InputError
from evencover.core.tables.formats import Bounds
from evencover.core.tables.reading import BOUNDS

WorkerKind = Literal["thread", "process"]

MAX_RUNS = "EVENCOVER_MAX_RUNS"
MAX_MINUTES = "EVENCOVER_MAX_MINUTES"
WORKER = "EVENCOVER_WORKER"
RUN_MIB = "EVENCOVER_MAX_RUN_MIB"
SCHEDULER = "EVENCOVER_DASK"
_VARIABLES = {
    "mib": "EVENCOVER_MAX_MIB",
    "columns": "EVENCOVER_MAX_COLUMNS",
    "cells": "EVENCOVER_MAX_CELLS",
    "text": "EVENCOVER_MAX_TEXT",
}
"""What sets each of the bounds of a table."""


@dataclass(frozen=True)
class ServerSettings:
    """How runs are run, and how large a table may be."""

    max_runs: int = 2  # at the same time; more of them wait in turn
    max_minutes: float = 30.0  # for one run, which is then stopped
    worker: WorkerKind = "thread"  # which starts at once; processes use several cores
    bounds: Bounds = BOUNDS
    upload_mib: int = 200  # by the same variable, as an upload is held in memory beside its table
    run_mib: int = 0  # of memory for one run in its process; 0 for no limit
    scheduler: str | None = None  # of a Dask cluster, in place of a worker here

    @property
    def upload_megabytes(self) -> int:
        """The least number of millions of bytes, in which browsers count, that holds it."""
        return -(-self.upload_mib * 2**20 // 10**6)


def server_settings(environment: Mapping[str, str] = os.environ) -> ServerSettings:
    """Return the settings that the environment asks for; raise InputError if one is unusable."""
    default = ServerSettings()
    runs = _whole(environment, MAX_RUNS, default.max_runs)
    minutes = environment.get(MAX_MINUTES, str(default.max_minutes))
    try:
        limit = float(minutes)
    except ValueError:
        limit = math.nan
    if not limit > 0.0:
        raise _unusable(MAX_MINUTES, minutes, "give a number of minutes above 0")
    worker = environment.get(WORKER, default.worker)
    kind = next((kind for kind in get_args(WorkerKind) if kind == worker), None)
    if kind is None:
        raise _unusable(WORKER, worker, "choose 'thread' or 'process'")
    bounds = {
        name: _whole(environment, variable, getattr(default.bounds, name))
        for name, variable in _VARIABLES.items()
    }
    upload = _whole(environment, _VARIABLES["mib"], default.upload_mib)
    memory = _whole(environment, RUN_MIB, 1) if RUN_MIB in environment else default.run_mib
    if memory and (kind != "process" or find_spec("resource") is None):
        advice = f"this limits a process: set {WORKER} to 'process', on Linux, or unset it"
        raise _unusable(RUN_MIB, str(memory), advice)
    return ServerSettings(
        runs, limit, kind, Bounds(**bounds), upload, memory, environment.get(SCHEDULER)
    )


def _whole(environment: Mapping[str, str], variable: str, default: int) -> int:
    given = environment.get(variable, str(default))
    if not re.fullmatch("0*[1-9][0-9]{0,8}", given):
        raise _unusable(variable, given, "give a whole number of 1 or more")
    return int(given)


def _unusable(variable: str, given: str, advice: str) -> InputError:
    sentence = f"{{variable}} is '{{given}}'; {advice}"
    return InputError("environment.unusable", sentence, variable=variable, given=given)
