"""A Dask cluster in place of this machine."""

from asyncio import run, wait_for
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from importlib.metadata import version
from typing import Any

from joblib import cpu_count, parallel_config

from ..messages import InputError, Passage

_SECONDS = 5  # for a scheduler to answer, and for its first worker
_ALIKE = ("evencover", "numpy", "scipy", "scikit-learn", "pandas")  # what last digits hang on
_OTHERS = "its workers have other versions than there are here of one of " + ", ".join(_ALIKE)
_NO_DASK = "a Dask cluster needs the package 'distributed', which is not installed; install it"
_UNUSABLE = "the cluster '{address}' cannot be used: {why}"
_LOST = "the cluster lost the work; perhaps its workers ran out of memory, or it was ended"


@contextmanager
def cluster(address: str | None = None, count: int | None = None) -> Iterator[Any]:
    """Let joblib work on the cluster of this scheduler, or else of the client that there is.

    With neither it is one of this machine, which ends with the context. Yields the client.
    """
    try:
        dask, config = import_module("distributed"), import_module("dask.config")
    except ImportError:
        raise InputError("cluster.package", _NO_DASK) from None
    with ExitStack() as stack:
        # a task brings its rows along: what is scattered before it is lost with its worker
        stack.enter_context(config.set({"distributed.admin.large-graph-warning-threshold": "1PB"}))
        try:
            client = stack.enter_context(_client(dask, address, count))
            client.submit(_versions, pure=False).result(_SECONDS)
            if {*client.run(_versions).values()} != {_versions()}:
                raise ImportError(_OTHERS)  # noqa: TRY301 - it is told as others are
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            why = Passage(str(error).partition("\n")[0].rstrip(".") or "it does not answer")
            about = {"address": address or "local", "why": why}
            raise InputError("cluster.unusable", _UNUSABLE, **about) from None
        try:
            with parallel_config("dask", client=client):
                yield client
        except (dask.KilledWorker, CancelledError, dask.comm.CommClosedError):
            raise InputError("cluster.lost", _LOST) from None


def _client(dask: Any, address: str | None, count: int | None) -> Any:  # noqa: ANN401
    if address is not None:
        with ThreadPoolExecutor(1) as pool:  # a notebook's own thread has a loop already
            pool.submit(run, wait_for(_knock(dask, address), _SECONDS)).result()
        return dask.Client(address, timeout=_SECONDS, set_as_default=False)
    try:
        return nullcontext(dask.get_client())
    except ValueError:  # there is none
        how = {"threads_per_worker": 1, "dashboard_address": ":0", "set_as_default": False}
        return dask.Client(n_workers=min(count or cpu_count(), cpu_count()), **how)


async def _knock(dask: Any, address: str) -> None:  # noqa: ANN401
    """Connect and leave: the client's own bound does not hold where nobody answers."""
    how = dask.Security().get_connection_args("client")
    await (await dask.comm.connect(address, timeout=_SECONDS, **how)).close()


def _versions() -> tuple[str, ...]:
    return tuple(map(version, _ALIKE))
