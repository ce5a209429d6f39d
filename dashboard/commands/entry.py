"""Where the command ``evencover`` starts: an interrupt while it loads is no traceback either."""

import gc
import sys

from ..terminal import INTERRUPTED


def main() -> int:
    """Load the command line, which takes seconds, and run it."""
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
