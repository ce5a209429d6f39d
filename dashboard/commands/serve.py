"""Streamlit's own command, which takes an interrupt for a failure: here it is the usual end."""

import contextlib
import os
import signal
import threading
import time

import click
from streamlit.web.cli import main as streamlit

_LOOK_SECONDS = 1.0


def main() -> None:
    """Run streamlit with this process's arguments until it is interrupted, or left alone."""
    threading.Thread(target=_end_after, args=(os.getppid(),), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, click.Abort):
        streamlit(prog_name="streamlit", standalone_mode=False)


def _end_after(parent: int) -> None:
    """End this process once its parent has gone, as after SIGKILL, or it would keep the port."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
