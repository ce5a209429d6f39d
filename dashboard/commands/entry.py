"""Where the command ``evencover`` starts: an interrupt while it loads is no traceback either."""

import sys

from ..terminal import INTERRUPTED


def main() -> int:
    """Load the command line, which takes seconds, and run it."""
    try:
        from .main import main as run  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("evencover: interrupted, nothing written\n")
        return INTERRUPTED
    return run()
