"""What the server runs: the dashboard, behind a doorkeeper for its own pages alone.

Run by streamlit as a script, hence the absolute imports.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.starlette import App

from evencover.core.tables.formats import MIB
from evencover.dashboard.runs.log import quote_nothing
from evencover.dashboard.runs.run import VISITOR_COOKIE
from evencover.dashboard.runs.server_settings import server_settings

_POLICY_VIOLATION = 1008
_FORBIDDEN, _NO_ROOM = 403, 507
_NOT_OURS = (
    "Evencover does not answer under this address, or to a page of another one. Whoever runs it "
    "may name addresses of its own: evencover dashboard --known-as https://..."
)
_FULL = "The server holds as many uploads as it may; try again when other pages have been closed."
_THIS_MACHINE = "localhost", "127.0.0.1", "::1"
_UPLOADS = "/_stcore/upload_file/"
_OF_SESSION, _OF_ALL = 3, 20  # times the largest upload: what is held at a time
_NO_FOREIGN_FRAMES = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
}


class OwnPagesOnly:
    """Turns away whoever asks under another name, or from a foreign page or frame.

    A name that leads here may be anybody's, whose pages could read ours; so only this machine's own
    and those that whoever runs the server names are answered. Of an origin that it does not know
    streamlit itself asks a service on the internet for this machine's address. So origins are
    judged here: known are the request's own host, and the addresses that were named, as behind a
    proxy that changes the host.

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

    They go with their page: what was read of them stays with its session.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request or handshake."""
        session, size = scope.get("path", "").split("/")[-2:][0], 0
        if scope.get("method") == "PUT" and _UPLOADS in scope["path"]:
            told = Headers(scope=scope).get("content-length", "")
            size = int(told) if told.isdecimal() else _largest()
        if size and not self._makes_room(session, size):
            await PlainTextResponse(_FULL, _NO_ROOM)(scope, receive, send)
            return
        self._coming[session] += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming -= Counter({session: size})  # without what is at 0
        if scope["type"] == "websocket":
            server = runtime.get_instance()
            for held in [*_manager().file_storage]:
                if not server.is_active_session(held):
                    _manager().remove_session_files(held)

    def _makes_room(self, session: str, size: int) -> bool:
        """Say whether there is room for so many bytes, once the session's oldest have gone."""
        held, largest = _manager().file_storage, _largest()
        room = _OF_SESSION * largest - self._coming[session] - size
        while (own := held.get(session)) and _bytes(own) > room:
            _manager().remove_file(session, next(iter(own)))
        in_all = sum(map(_bytes, [*held.values()])) + self._coming.total()
        return room >= 0 and in_all + size <= _OF_ALL * largest


def _manager() -> Any:  # noqa: ANN401 - of streamlit's own
    return runtime.get_instance().uploaded_file_mgr


def _largest() -> int:
    return server_settings().upload_mib * MIB


def _bytes(files: Mapping[str, UploadedFileRec]) -> int:
    return sum(len(file.data) for file in [*files.values()])


def _is_own(headers: Headers) -> bool:
    host, origin = headers.get("host", ""), headers.get("origin")
    try:
        named = [urlsplit(each) for each in config.get_option("server.corsAllowedOrigins")]
        name, asking = urlsplit(f"//{host}").hostname, urlsplit(origin or f"//{host}")
    except ValueError:  # no address at all
        return False
    known = {(each.scheme, each.netloc) for each in named}
    is_host = name in {*_THIS_MACHINE, *(each.hostname for each in named)}
    return is_host and (asking.netloc == host or (asking.scheme, asking.netloc) in known)


quote_nothing()
app = App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(OwnPagesOnly), Middleware(BoundedUploads)],
)
