"""The commands ``evencover``, ``audit``, ``reproduce``, ``dashboard``; may import all the rest."""

import gc
import sys

from ..terminal import INTERRUPTED


def start() -> int:
    """Load the command line, which takes seconds, and run it; an interrupt is no traceback."""
    gc.disable()  # of what is loaded nothing is garbage: to look for some takes a sixth of the time
    try:
        from .main import main as run  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("evencover: interrupted, nothing written\n")
        return INTERRUPTED
    finally:
        gc.enable()
    gc.freeze()  # nor is it looked at later
    return run()
