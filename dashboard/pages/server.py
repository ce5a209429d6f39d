"""What the server runs: the dashboard, behind a doorkeeper for its own pages alone.

Run by streamlit as a script, hence the absolute imports.
"""

from pathlib import Path
from secrets import token_urlsafe
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.starlette import App

from evencover.dashboard.runs.run import VISITOR_COOKIE

_POLICY_VIOLATION = 1008
_NO_FOREIGN_FRAMES = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


class OwnPagesOnly:
    """Turns away handshakes of foreign pages, and keeps pages out of the frames of foreign ones.

    Of an origin that it does not know streamlit itself asks whether it is this machine's own, and
    for that asks a service on the internet for this machine's address. So origins are judged here,
    by what is known without asking: the request's own host, and the addresses that whoever runs
    the server names in streamlit's options, as behind a proxy that changes the host.

    Each browser is given a cookie, a random secret by which a session that begins anew, as after a
    reload, finds the runs of the last ones; no script and no foreign page can read it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or handshake."""
        if scope["type"] == "websocket":
            if not _is_own(Headers(scope=scope)):
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
                return
            # without an origin streamlit asks nobody
            kept = [(name, value) for name, value in scope["headers"] if name != b"origin"]
            scope = {**scope, "headers": kept}

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_NO_FOREIGN_FRAMES)
                if VISITOR_COOKIE not in HTTPConnection(scope).cookies:
                    kept = f"{VISITOR_COOKIE}={token_urlsafe()}; Path=/; HttpOnly; SameSite=Lax"
                    headers.append("set-cookie", kept)
            await send(message)

        await self._app(scope, receive, send_guarded)


def _is_own(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:  # no browser
        return True
    named = [config.get_option("browser.serverAddress")]
    named += config.get_option("server.corsAllowedOrigins")
    try:
        is_same = urlsplit(origin).netloc == headers.get("host")
        return is_same or _host(origin) in map(_host, named)
    except ValueError:  # no address at all
        return False


def _host(address: str) -> str | None:
    """Return the host's name of an address, which may be that name alone."""
    return urlsplit(address if "//" in address else f"//{address}").hostname


app = App(Path(__file__).with_name("app.py"), middleware=[Middleware(OwnPagesOnly)])
