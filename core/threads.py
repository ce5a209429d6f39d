"""One BLAS thread for the many small products of a fit.

Measured on two cores: alone, an IFACM fit (20,000 x 14) takes the same time with one thread as
with two; beside another busy process it takes 1.3 s with one and 37 s with two, whose
spinning threads wait for each other. One thread also makes the last digits independent of the
number of cores.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit: Any = None


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread; runs may overlap, the last to end restores the number."""
    global _inside, _limit  # noqa: PLW0603 - the number of BLAS threads is global
    with _lock:
        if _inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limit.restore_original_limits()


@contextmanager
def single_openmp_thread() -> Iterator[None]:
    """Limit OpenMP to one thread, of the caller's own loops only.

    scikit-learn's trees and neighbours use it. Beside other busy processes two threads wait for
    each other: 42 s instead of 1 for one fit of 100 small trees, 20,000 x 14.
    """
    with _controller().limit(limits=1, user_api="openmp"):
        yield
