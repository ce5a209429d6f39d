"""The whole dashboard: a server of its own, and a headless Chromium that uses it."""

import contextlib
import importlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",  # pages share the dashboard's compiled code: half the time each
]

SECONDS = 1000.0
PLACES = ["Zwolle-4711", "Xanten-4712", "Quimper-4713"]  # values of tables that no log may hold
HOLDING = Path(__file__).with_name("holding")
"""What makes runs of tables called "held..." wait halfway until they are stopped."""
OFFLINE = Path(__file__).with_name("offline")
"""What cuts a process off from all but this machine, and notes what it asks for."""


class NoBrowserError(Exception):
    """There is no browser to drive; the message says what is missing."""


@contextlib.contextmanager
def open_chromium():
    path = os.environ.get("EVENCOVER_CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise NoBrowserError("there is no Chromium; install it, or name it in EVENCOVER_CHROMIUM")
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        raise NoBrowserError("playwright is not installed") from None
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        launched.close()


@contextlib.contextmanager
def running_server(folder, hook=None, port=None, **variables):
    """A server as a person starts it, away from the repository's own configuration.

    Parameters
    ----------
    hook
        A folder whose sitecustomize the server reads as it starts.
    port
        Where it listens, as one that was ended did.
    variables
        More of its environment.
    """
    port, log = port or _free_port(), folder / "log.txt"
    environment = environment_with(hook) | variables
    command = [
        sys.executable,
        "-m",
        "evencover.dashboard.commands.main",
        "dashboard",
        "--no-browser",
    ]
    with log.open("w") as file:
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            [*command, "--port", str(port)],
            cwd=folder,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://localhost:{port}"
    deadline = time.monotonic() + 60.0
    while not _answers(url):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    yield SimpleNamespace(url=url, log=log)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    try:
        process.wait(20.0)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert process.returncode == 0


def environment_with(hook):
    """The environment of a process that reads a hook's sitecustomize as it starts."""
    found = [*([str(hook)] if hook else []), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, found))}


def go_to(page, address):
    """Open the dashboard's page, and wait until it is drawn."""
    page.goto(address)
    page.wait_for_selector("[data-testid=stApp][data-test-connection-state=CONNECTED]")
    settle(page)


def settle(page):
    page.wait_for_selector("[data-test-script-state=notRunning]")


def assert_calm(log):
    said = log.read_text()
    for word in ("Traceback", "missing ScriptRunContext", "Error", "does not exist", *PLACES):
        assert word not in said
    port = said.split("http://localhost:")[1].split(";")[0]
    address = f"Evencover is at http://localhost:{port}; press Ctrl-C to end it."
    assert said.strip() == address


def _free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def _answers(url):
    try:
        with urlopen(f"{url}/_stcore/health") as response:  # noqa: S310 - our own server
            return response.status == 200
    except OSError:
        return False
