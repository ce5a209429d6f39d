"""What whoever runs the server may set, by environment variables."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from evencover.core import InputError

WorkerKind = Literal["thread", "process"]

MAX_RUNS = "EVENCOVER_MAX_RUNS"
MAX_MINUTES = "EVENCOVER_MAX_MINUTES"
WORKER = "EVENCOVER_WORKER"


@dataclass(frozen=True)
class ServerSettings:
    """How runs are run."""

    max_runs: int = 2  # at the same time; more of them wait in turn
    max_minutes: float = 30.0  # for one run, which is then stopped
    worker: WorkerKind = "thread"  # which starts at once; processes use several cores


def server_settings(environment: Mapping[str, str] = os.environ) -> ServerSettings:
    """Return the settings that the environment asks for.

    Raises
    ------
    InputError
        If a variable's value is unusable.
    """
    default = ServerSettings()
    return ServerSettings(
        max_runs=_count(environment.get(MAX_RUNS, str(default.max_runs))),
        max_minutes=_minutes(environment.get(MAX_MINUTES, str(default.max_minutes))),
        worker=_worker(environment.get(WORKER, default.worker)),
    )


def _count(text: str) -> int:
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        raise _unusable(MAX_RUNS, text, "give a whole number of 1 or more")
    return int(text)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = math.nan
    if not minutes > 0.0:
        raise _unusable(MAX_MINUTES, text, "give a number of minutes above 0")
    return minutes


def _worker(text: str) -> WorkerKind:
    for kind in get_args(WorkerKind):
        if text == kind:
            return kind  # type: ignore[no-any-return]
    raise _unusable(WORKER, text, "choose 'thread' or 'process'")


def _unusable(variable: str, given: str, advice: str) -> InputError:
    return InputError(
        "environment.unusable",
        "{variable} is '{given}'; {advice}",
        variable=variable,
        given=given,
        advice=advice,
    )
