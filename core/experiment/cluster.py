"""A Dask cluster in place of this machine."""

from asyncio import run, wait_for
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Any

from joblib import cpu_count, parallel_config

from ..messages import InputError, Passage

_SECONDS, _AT_FIRST = 5, 30  # for a scheduler to answer, and for its first worker
_ALIKE = ("evencover", "numpy", "scipy", "scikit-learn", "pandas")  # what last digits hang on
_OTHERS = "its workers have other versions than there are here of one of " + ", ".join(_ALIKE)
_NO_DASK = "a Dask cluster needs the package 'distributed', which is not installed; install it"
_UNUSABLE = "the cluster '{address}' cannot be used: {why}"
_LOST = "the cluster lost the work; perhaps its workers ran out of memory, or it was ended"


@contextmanager
def cluster(address: str | None = None, count: int | None = None) -> Iterator[Any]:
    """Let joblib work on this scheduler's cluster, or on one of this machine; yield its client."""
    try:
        dask, config = import_module("distributed"), import_module("dask.config")
        lost = (dask.KilledWorker, dask.scheduler.NoWorkerError, dask.comm.CommClosedError)
    except ImportError:
        raise InputError("cluster.package", _NO_DASK) from None
    count = min(count or cpu_count(), cpu_count())
    # in this process: workers of their own take longer to start than some machines let them
    how: dict[str, Any] = {"n_workers": count, "threads_per_worker": 1, "processes": False}
    how["dashboard_address"] = ":0"
    with ExitStack() as stack:
        # a task brings its rows along: what is scattered before it is lost with its worker
        stack.enter_context(config.set({"distributed.admin.large-graph-warning-threshold": "1PB"}))
        try:
            if address is not None:
                how = {"timeout": _SECONDS}
                with ThreadPoolExecutor(1) as pool:  # a notebook's own thread has a loop already
                    pool.submit(run, wait_for(_knock(dask, address), _SECONDS)).result()
            client = stack.enter_context(dask.Client(address, set_as_default=False, **how))
            client.submit(_versions, pure=False).result(_AT_FIRST)
            if {*client.run(_versions).values()} != {_versions()}:
                raise ImportError(_OTHERS)  # noqa: TRY301 - it is told as others are
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            why = Passage(str(error).partition("\n")[0].rstrip(".") or "it does not answer")
            raise InputError("cluster", _UNUSABLE, address=address or "local", why=why) from None
        try:
            with parallel_config("dask", client=client):
                yield client
        except (*lost, CancelledError):
            raise InputError("cluster.lost", _LOST) from None


async def _knock(dask: Any, address: str) -> None:  # noqa: ANN401
    """Connect and leave: the client's own bound does not hold where nobody answers."""
    how = dask.Security().get_connection_args("client")
    await (await dask.comm.connect(address, timeout=_SECONDS, **how)).close()


def _versions() -> tuple[str, ...]:
    return tuple(map(version, _ALIKE))
