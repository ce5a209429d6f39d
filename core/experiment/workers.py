"""Tasks done at once by joblib, in processes of this machine or wherever its backend is."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from ..errors import InputError
from ..messages import Passage

_Key = TypeVar("_Key")
_Outcome = TypeVar("_Outcome")

_REGISTERED_BY = {"ray": ("ray.util.joblib", "register_ray")}
"""Backends that joblib does not look for by itself."""


@dataclass(frozen=True)
class Workers:
    """How many tasks go on at once, and where: by joblib's backend of that name.

    Such are "loky", "threading", and "dask" or "ray" of a cluster. With neither both are those of
    a ``joblib.parallel_config`` around the call, or one task follows the other.
    """

    count: int | None = None
    backend: str | None = None

    def at_work(self) -> AbstractContextManager[Any]:
        """Return the context of the tasks; InputError if there is no such backend."""
        if self.count is not None and self.count < 1:
            sentence = "workers is {given}; give a whole number of 1 or more"
            raise InputError("workers.few", sentence, given=self.count)
        if self.backend is None:
            return nullcontext() if self.count is None else parallel_config(n_jobs=self.count)
        try:
            if self.backend in _REGISTERED_BY:
                module, function = _REGISTERED_BY[self.backend]
                getattr(import_module(module), function)()
            chosen: AbstractContextManager[Any] = parallel_config(self.backend, n_jobs=self.count)
        except (ImportError, ValueError) as error:
            sentence = "the backend '{backend}' cannot be used: {why}"
            why = Passage(str(error).partition("\n")[0].rstrip("."))
            raise InputError("workers.backend", sentence, backend=self.backend, why=why) from None
        return chosen


def done_at_once() -> int:
    """Return how many tasks run at once in this context."""
    return int(effective_n_jobs(None))


def in_turn(tasks: Mapping[_Key, Callable[[], _Outcome]]) -> Iterator[tuple[_Key, _Outcome]]:
    """Yield what tasks come to, one after the other here."""
    return ((key, task()) for key, task in tasks.items())


def outcomes(tasks: Mapping[_Key, Callable[[], _Outcome]]) -> Iterator[tuple[_Key, _Outcome]]:
    """Yield what tasks come to, as they end where the backend tells."""
    # copies of large arrays that are written to are the worker's own
    how: dict[str, Any] = {"mmap_mode": "c", "batch_size": 1}
    try:
        parallel = Parallel(return_as="generator_unordered", **how)
    except ValueError:  # the backend gives all together
        parallel = Parallel(**how)
    yield from parallel(delayed(_done)(key, task) for key, task in tasks.items())


def _done(key: _Key, task: Callable[[], _Outcome]) -> tuple[_Key, _Outcome]:
    return key, task()
