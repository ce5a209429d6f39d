"""Tasks done at once by joblib, in processes of this machine or wherever its backend is."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from ...errors import InputError

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")

_REGISTERED_BY = {"ray": ("ray.util.joblib", "register_ray")}
"""Backends that joblib does not look for by itself."""


def at_work(workers: int | None, backend: str | None) -> AbstractContextManager[Any]:
    """Return the context in which so many tasks run at once, by a backend of joblib's.

    With neither it is that of whoever calls, such as a ``joblib.parallel_config``, or one task
    after the other. InputError if there is no such backend.
    """
    if workers is not None and workers < 1:
        sentence = "workers is {given}; give a whole number of 1 or more"
        raise InputError("workers.few", sentence, given=workers)
    if backend is None:
        return nullcontext() if workers is None else parallel_config(n_jobs=workers)
    try:
        module, function = _REGISTERED_BY.get(backend, (None, ""))
        if module is not None:
            getattr(import_module(module), function)()
        context: AbstractContextManager[Any] = parallel_config(backend=backend, n_jobs=workers)
    except (ImportError, ValueError) as error:
        sentence = "the backend '{backend}' cannot be used: {why}"
        why = str(error).partition("\n")[0].rstrip(".")
        raise InputError("workers.backend", sentence, backend=backend, why=why) from None
    return context


def done_at_once() -> int:
    """Return how many tasks run at once in this context."""
    return int(effective_n_jobs(None))


def outcomes(
    function: Callable[[_Task], _Outcome], tasks: Sequence[_Task]
) -> Iterator[tuple[int, _Outcome]]:
    """Yield the place of each task and what it comes to, as they end where the backend tells."""
    # copies of large arrays that are written to are the worker's own
    how: dict[str, Any] = {"mmap_mode": "c", "batch_size": 1}
    try:
        parallel = Parallel(return_as="generator_unordered", **how)
    except ValueError:  # the backend gives all together
        parallel = Parallel(**how)
    yield from parallel(delayed(_placed)(function, place, task) for place, task in enumerate(tasks))


def _placed(
    function: Callable[[_Task], _Outcome], place: int, task: _Task
) -> tuple[int, _Outcome]:
    return place, function(task)
