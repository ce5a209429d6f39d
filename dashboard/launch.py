"""Starting the dashboard's server."""

import subprocess
import sys
from pathlib import Path

from .server_settings import server_settings

OPTIONS = {
    "server.address": "localhost",
    "server.showEmailPrompt": "false",
    "browser.gatherUsageStats": "false",
    "browser.serverAddress": "localhost",
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "theme.base": "light",
    "theme.textColor": "#1A1A1A",
}
"""The same as in .streamlit/config.toml, which holds for a server started from a clone's root:
nobody but this machine is served, nothing is sent, no traceback is shown."""


def launch(*, port: int | None = None, browser: bool = True) -> int:
    """Serve the dashboard until it is interrupted; return the server's exit status.

    Raises
    ------
    InputError
        If an environment variable is unusable, which the server's first run would find too late.
    """
    server_settings()
    options = OPTIONS | {"server.headless": str(not browser).lower()}
    if port is not None:
        options["server.port"] = str(port)
    app = Path(__file__).with_name("app.py")
    command = [sys.executable, "-m", "streamlit", "run", str(app)]
    command += [f"--{name}={value}" for name, value in options.items()]
    try:
        return subprocess.run(command, check=False).returncode  # noqa: S603 - our own arguments
    except KeyboardInterrupt:
        return 0
