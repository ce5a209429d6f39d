"""The commands ``evencover``, ``audit``, ``reproduce``, ``dashboard``; may import all but pages."""

import signal
import sys
from types import FrameType

from ..terminal import INTERRUPTED, UNUSABLE

_LEAST_MIB = 512  # of address space: with less some library crashes, or waits for ever


def start() -> int:
    """Load the command line and run it; an interrupt, or an end from outside, is no traceback."""
    if not _has_room():
        sys.stderr.write(f"evencover: the limit of memory (ulimit -v) is below {_LEAST_MIB} MiB\n")
        return UNUSABLE
    for number in _ENDS:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _end)
    try:
        from .main import main as run  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("evencover: interrupted, nothing written\n")
        return INTERRUPTED
    return run()


_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _end(_number: int, _frame: FrameType | None) -> None:
    """End as by Ctrl-C: what is half written goes, and no second signal is to stop that."""
    for number in _ENDS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _has_room() -> bool:
    if sys.platform == "win32":
        return True
    import resource  # noqa: PLC0415 - not on Windows

    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return most == resource.RLIM_INFINITY or most >= _LEAST_MIB * 2**20
