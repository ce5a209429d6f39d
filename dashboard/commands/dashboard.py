"""Starting the dashboard's server."""

import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from evencover.core import InputError

from ..runs.server_settings import server_settings
from ..terminal.console import Parser

SERVER_OPTIONS = {
    "server.address": "localhost",
    "server.fileWatcherType": "none",
    "server.showEmailPrompt": "false",
    "browser.gatherUsageStats": "false",
    "browser.serverAddress": "localhost",
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "warning",
    "logger.enableRich": "false",
    "theme.light.textColor": "#1A1A1A",
    "theme.dark.textColor": "#F2F0ED",
}
"""The same as in .streamlit/config.toml, which holds for a server started from a clone's root:
nobody but this machine is served, nothing is sent, no traceback and no advertisement is shown.
Looking for changes of the code after every rerun would hold up all pages for half a second."""

_STREAMLIT = f"{__package__}.serve"
FIRST_PORT = 8501
LAST_PORT = 65535


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.set_defaults(
        run=lambda options: launch(
            port=options.port,
            browser=not options.no_browser,
            known_as=options.known_as,
            base_path=options.base_path,
        )
    )
    parser.add_argument("--port", type=int, help="port to serve on (default: the first free)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    help_ = (
        "an address that people reach it by, such as https://audits.example.org of a proxy on this "
        "machine; may be repeated (default: this machine's own alone)"
    )
    parser.add_argument("--known-as", action="append", default=[], metavar="ADDRESS", help=help_)
    help_ = "path that a proxy serves it under and passes on, such as /evencover (default: none)"
    parser.add_argument("--base-path", default="", metavar="PATH", help=help_)


def launch(
    *,
    port: int | None = None,
    browser: bool = True,
    known_as: Sequence[str] = (),
    base_path: str = "",
) -> int:
    """Serve the dashboard until it is interrupted; return the server's exit status."""
    for address in known_as:
        if not re.fullmatch(r"https?://[\w.-]+(:\d+)?(/.*)?", address):
            sentence = "--known-as is '{given}'; give an address such as https://audits.example.org"
            raise InputError("address.unusable", sentence, given=address)
    base = base_path.strip("/")
    if not re.fullmatch(r"[\w.~-]*(/[\w.~-]+)*", base, re.ASCII):
        sentence = "--base-path is '{given}'; give a path such as /evencover"
        raise InputError("address.path", sentence, given=base_path)
    settings = server_settings()  # a fault in them the server's first run would find too late
    if port is not None and not 1 <= port <= LAST_PORT:
        sentence = "--port is {port}; give a number from 1 to {most}"
        raise InputError("port.number", sentence, port=port, most=LAST_PORT)
    if port is not None and not _is_free(port):
        sentence = "port {port} is in use; give another, or leave it out for the first free one"
        raise InputError("port.busy", sentence, port=port)
    port = _free_port() if port is None else port
    options = SERVER_OPTIONS | {
        "server.headless": str(not browser).lower(),
        "server.port": str(port),
        "server.maxUploadSize": str(settings.upload_megabytes),
        "server.baseUrlPath": base,
    }
    place = f"http://localhost:{port}{base and f'/{base}'}"
    sys.stderr.write(f"Evencover is at {place}; press Ctrl-C to end it.\n")
    app = Path(__file__).parents[1] / "pages" / "server.py"
    command = [sys.executable, "-m", _STREAMLIT, "run", str(app)]
    command += [f"--{name}={value}" for name, value in options.items()]
    command += [f"--server.corsAllowedOrigins={address}" for address in known_as]
    try:
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own arguments
    except KeyboardInterrupt:
        return 0


def _free_port() -> int:
    return next(filter(_is_free, range(FIRST_PORT, FIRST_PORT + 100)), FIRST_PORT)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("localhost", port)) != 0
