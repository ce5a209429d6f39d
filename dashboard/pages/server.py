"""What the server runs: the dashboard, behind a doorkeeper for its own pages alone.

Run by streamlit as a script, hence the absolute imports.
"""

import asyncio
from collections import Counter
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.starlette import App

from evencover.core.tables.formats import MIB
from evencover.dashboard.runs.log import quote_nothing
from evencover.dashboard.runs.run import VISITOR_COOKIE
from evencover.dashboard.runs.server_settings import server_settings

_POLICY_VIOLATION = 1008
_FORBIDDEN, _NO_LENGTH, _NO_ROOM = 403, 411, 507
_NOT_OURS = (
    "Evencover does not answer under this address, or to a page of another one. Whoever runs it "
    "may name addresses of its own: evencover dashboard --known-as https://..."
)
_FULL = "The server holds as many uploads as it may; try again when other pages have been closed."
_UPLOADS = "/_stcore/upload_file/"
_NO_FOREIGN_FRAMES = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


class OwnPagesOnly:
    """Turns away whoever asks under another name, or from a foreign page or frame.

    A name of somebody else's may be made to lead here, to let their pages read ours; so only this
    machine's own and those that whoever runs the server names are answered. Of an origin that it does not know streamlit itself asks whether it is this machine's own, and
    for that asks a service on the internet for this machine's address. So origins are judged here,
    by what is known without asking: the request's own host, and the addresses that were named, as
    behind a proxy that changes the host.

    Each browser is given a cookie, a random secret by which a session that begins anew, as after a
    reload, finds the runs of the last ones; no script and no foreign page can read it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or handshake."""
        is_socket = scope["type"] == "websocket"
        if scope["type"] != "lifespan" and not _is_own(Headers(scope=scope)):
            if is_socket:
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            else:
                await PlainTextResponse(_NOT_OURS, _FORBIDDEN)(scope, receive, send)
            return
        if is_socket:
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


class BoundedUploads:
    """Bounds what uploads take: of a session the last that fit are kept, and in all no more come.

    They go with their page, once it has been away for as long as streamlit waits for it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or handshake."""
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            away = {name for name in _held() if not runtime.get_instance().is_active_session(name)}
            wait = config.get_option("server.disconnectedSessionTTL")
            asyncio.get_running_loop().call_later(wait, _drop, away)
        elif scope.get("method") != "PUT" or _UPLOADS not in scope["path"]:
            await self._app(scope, receive, send)
        else:
            await self._take(scope, receive, send)

    async def _take(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = Headers(scope=scope).get("content-length", "")
        size, session = length.isdecimal() and int(length), scope["path"].split("/")[-2]
        if not size:
            await PlainTextResponse("", _NO_LENGTH)(scope, receive, send)
        elif not self._makes_room(session, size):
            await PlainTextResponse(_FULL, _NO_ROOM)(scope, receive, send)
        else:
            self._coming[session] += size
            try:
                await self._app(scope, receive, send)
            finally:
                self._coming[session] -= size

    def _makes_room(self, session: str, size: int) -> bool:
        """Say whether there is room for so many bytes, once the session's oldest have gone."""
        settings, held = server_settings(), _held()
        own = held.pop(session, {})
        room = settings.session_mib * MIB - self._coming[session] - size
        while own and sum(own.values()) > room:
            oldest = next(iter(own))
            runtime.get_instance().uploaded_file_mgr.remove_file(session, oldest)
            del own[oldest]
        in_all = sum(sum(files.values()) for files in (own, *held.values()))
        return room >= 0 and in_all + self._coming.total() + size <= settings.uploads_mib * MIB


def _held() -> dict[str, dict[str, int]]:
    """Return how large the files are that are held, by session and file, the oldest first."""
    storage = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
    return {
        session: {name: len(file.data) for name, file in files.copy().items()}
        for session, files in storage.copy().items()
    }


def _drop(sessions: set[str]) -> None:
    server = runtime.get_instance()
    for session in sessions:
        if not server.is_active_session(session):
            server.uploaded_file_mgr.remove_session_files(session)


def _is_own(headers: Headers) -> bool:
    named = [urlsplit(each) for each in config.get_option("server.corsAllowedOrigins")]
    host, origin = headers.get("host", ""), headers.get("origin")
    try:
        if not _is_local(name := urlsplit(f"//{host}").hostname or "") and name not in {
            each.hostname for each in named
        }:
            return False
        asking = urlsplit(origin or f"//{host}")  # no browser, or its own address
        known = {(each.scheme, each.netloc) for each in named}
        return asking.netloc == host or (asking.scheme, asking.netloc) in known
    except ValueError:  # no address at all
        return False


def _is_local(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


quote_nothing()
app = App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(OwnPagesOnly), Middleware(BoundedUploads)],
)
