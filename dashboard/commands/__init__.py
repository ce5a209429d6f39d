"""The commands ``evencover``, ``audit``, ``reproduce``, ``dashboard``; may import all but pages."""

import sys

from ..terminal import INTERRUPTED


def start() -> int:
    """Load the command line and run it; an interrupt is no traceback."""
    try:
        from .main import main as run  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("evencover: interrupted, nothing written\n")
        return INTERRUPTED
    return run()
