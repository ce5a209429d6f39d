"""What the server's door lets in, and that nobody outside is asked: with a blocked network, and a
proxy that notes requests."""

import asyncio
import contextlib
import re
import socket
import socketserver
import subprocess
import sys
import threading
from types import SimpleNamespace
from unittest.mock import AsyncMock
from urllib.parse import urlparse
from urllib.request import urlopen

import browsing
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from walking import choose_sample, walk

from evencover.core import AuditSettings
from evencover.core.tables.formats import MIB
from evencover.dashboard.options import SETTINGS_PARAMETER, pack
from evencover.dashboard.pages import server
from evencover.dashboard.pages.server import OwnPagesOnly
from evencover.dashboard.runs.run import VISITOR_COOKIE


def cookies_set(**headers):
    """The cookies that come with the answer to a request."""
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    named = headers | {"host": "localhost:8501"}
    given = [(name.encode(), value.encode()) for name, value in named.items()]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": given}
    asyncio.run(OwnPagesOnly(app)(scope, None, send))
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


def test_a_browser_is_given_a_secret_of_its_own_that_no_script_reads():
    (one,), (other,) = cookies_set(), cookies_set(cookie="theme=dark")
    name, _, rest = one.partition("=")
    secret, *ways = rest.split("; ")
    assert name == VISITOR_COOKIE
    assert len(secret) >= 40
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(ways)
    assert secret not in other


def answer(app, *, path="/", method="GET", **headers):
    """The status of the answer to a request; 200 where it was let through."""
    sent = []

    async def send(message):
        sent.append(message)

    given = [(name.replace("_", "-").encode(), str(of).encode()) for name, of in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": given}
    asyncio.run(app(scope, None, send))
    return sent[0]["status"]


async def let_through(_scope, _receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8501", None, 200),
        ("127.0.0.1:8501", "http://127.0.0.1:8501", 200),
        ("[::1]:8501", None, 200),
        ("localhost:8501", "https://a.example", 200),  # a proxy that changes the host
        ("a.example", "https://a.example", 200),  # and one that does not
        ("b.example:8443", "http://b.example:8443", 200),
        ("", None, 403),
        ("[bad", None, 403),
        ("evil.example:8501", "http://evil.example:8501", 403),  # a name made to lead here
        ("localhost.evil.example", None, 403),
        ("localhost:8501", "http://localhost:9999", 403),  # another program's page
        ("localhost:8501", "http://a.example", 403),
        ("localhost:8501", "https://a.example:8443", 403),
        ("localhost:8501", "http://b.example", 403),
        ("localhost:8501", "null", 403),
        ("localhost:8501", "http://[bad", 403),
    ],
)
def test_who_is_answered_under_which_name_and_from_which_page(monkeypatch, host, origin, status):
    named = ["https://a.example/audits", "http://b.example:8443"]
    monkeypatch.setattr(server.config, "get_option", {"server.corsAllowedOrigins": named}.get)
    headers = {"host": host} | ({} if origin is None else {"origin": origin})
    assert answer(OwnPagesOnly(let_through), **headers) == status


@pytest.fixture
def uploads(monkeypatch):
    """The files that sessions hold, of which one may take a MiB."""
    manager = MemoryUploadedFileManager("/up")
    at = SimpleNamespace(uploaded_file_mgr=manager, is_active_session="open".__eq__)
    monkeypatch.setattr(server.runtime, "get_instance", lambda: at)
    monkeypatch.setenv("EVENCOVER_MAX_MIB", "1")
    return manager


def put(app, session, size):
    path = f"/base/_stcore/upload_file/{session}/new"
    told = {} if size is None else {"content_length": size}
    return answer(app, path=path, method="PUT", **told)


def hold(manager, session, *sizes):
    for number, size in enumerate(sizes):
        manager.add_file(session, UploadedFileRec(f"{number}", "t.csv", "text/csv", b"x" * size))


def test_of_a_session_the_last_uploads_are_kept_and_in_all_no_more_come(uploads):
    app = server.BoundedUploads(let_through)
    hold(uploads, "mine", MIB, MIB - 10, 10)
    assert put(app, "mine", MIB) == 200  # three fit, of this size
    assert [*uploads.file_storage["mine"]] == ["0", "1", "2"]
    assert put(app, "mine", MIB + 1) == 200
    assert [*uploads.file_storage["mine"]] == ["1", "2"]
    assert put(app, "mine", 2 * MIB + 1) == 200
    assert [*uploads.file_storage["mine"]] == ["2"]
    assert put(app, "mine", 3 * MIB + 1) == 507  # which streamlit refuses, too
    for number in range(19):
        hold(uploads, f"other {number}", MIB)
    assert put(app, "yours", MIB) == 200  # it is not held yet
    assert put(app, "yours", MIB + 1) == 507
    assert put(app, "yours", None) == 200  # it may be as large as one may be
    hold(uploads, "yours", 1)
    assert put(app, "yours", None) == 507
    assert not app._coming


@pytest.mark.usefixtures("uploads")
def test_what_is_on_its_way_counts_too():
    statuses = []

    async def slow(*given):
        statuses.append(await asyncio.to_thread(put, app, "mine", 2 * MIB))
        await let_through(*given)

    app = server.BoundedUploads(slow)
    assert put(app, "mine", 2 * MIB) == 200
    assert statuses == [507]


def test_uploads_go_with_their_page(uploads):
    hold(uploads, "open", 1)
    hold(uploads, "closed", 1)
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": []}
    asyncio.run(server.BoundedUploads(let_through)(scope, None, AsyncMock()))
    assert [*uploads.file_storage] == ["open"]


def test_a_browser_keeps_the_secret_that_it_has():
    assert cookies_set(cookie=f"{VISITOR_COOKIE}=mine") == []


BEHIND_PROXY = "https://evencover.example"
WALK = 60 * browsing.SECONDS


class Refusing(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.requests.append(self.rfile.readline().decode())
        self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def watch(tmp_path):
    """The environment of a process without a network, and what it has asked for."""
    noted = tmp_path / "requests.txt"
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as proxy:
        proxy.requests = []
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        yield SimpleNamespace(
            variables={
                **dict.fromkeys(
                    ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"), address
                ),
                **dict.fromkeys(("NO_PROXY", "no_proxy"), "localhost,127.0.0.1"),
                "EVENCOVER_TEST_REQUESTS": str(noted),
                "EVENCOVER_DATA": "",
                "SCIKIT_LEARN_DATA": str(tmp_path / "cache"),
                "STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS": BEHIND_PROXY,
            },
            asked=lambda: [*proxy.requests, *(noted.read_text() if noted.exists() else "").split()],
        )
        proxy.shutdown()


@pytest.fixture
def cut_off(watch, chromium, tmp_path):
    """A server without a network, a page that notes its requests, and all that was asked for."""
    with (
        browsing.running_server(tmp_path, browsing.OFFLINE, **watch.variables) as server,
        contextlib.closing(chromium.new_context()) as person,
    ):
        elsewhere = []

        def note(request):
            if urlparse(request.url).hostname not in (None, "localhost", "127.0.0.1"):
                elsewhere.append(request.url)

        person.on("request", note)
        page = person.new_page()
        page.set_default_timeout(WALK)
        asked = lambda: [*elsewhere, *watch.asked()]  # noqa: E731
        yield SimpleNamespace(url=server.url, page=page, asked=asked)


def handshake(url, origin, host=None):
    """Return the status of a websocket's handshake."""
    there = urlparse(url)
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host or there.netloc}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *([f"Origin: {origin}"] if origin else []),
    ]
    with socket.create_connection((there.hostname, there.port), timeout=30.0) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(1000).split()[1])


@pytest.mark.browser
@pytest.mark.long
def test_whose_handshakes_are_answered_nobody_outside_is_asked(cut_off):
    own, port = cut_off.url, urlparse(cut_off.url).port
    answered = {
        origin: handshake(own, origin)
        for origin in (None, own, f"http://127.0.0.1:{port}", BEHIND_PROXY, "null", "http://[bad")
    }
    foreign = [f"http://example.org:{port}", "https://evencover.example.org", "http://localhost:1"]
    answered |= {origin: handshake(own, origin) for origin in foreign}
    assert answered == {
        **dict.fromkeys((None, own, BEHIND_PROXY), 101),
        **dict.fromkeys((f"http://127.0.0.1:{port}", "null", "http://[bad", *foreign), 403),
    }
    # a proxy that passes the host on, and a name that was made to lead here
    assert handshake(own, BEHIND_PROXY, host=BEHIND_PROXY.partition("//")[2]) == 101
    assert handshake(own, "https://b.example", host="b.example") == 403
    assert cut_off.asked() == []


@pytest.mark.browser
@pytest.mark.long
def test_foreign_pages_cannot_frame_the_dashboard(cut_off):
    with urlopen(cut_off.url) as response:  # noqa: S310 - our own server
        assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert response.headers["Content-Security-Policy"] == "frame-ancestors 'self'"
    page = cut_off.page
    # a page without a server has an origin of its own
    page.goto(f"data:text/html,<iframe src='{cut_off.url}'></iframe>")
    frame = page.frames[1]
    frame.wait_for_load_state()
    assert frame.locator("[data-testid=stApp]").count() == 0
    assert not frame.url.startswith(cut_off.url)


@pytest.mark.browser
@pytest.mark.long
def test_only_the_click_on_a_published_sample_asks_for_something(cut_off):
    page = cut_off.page
    browsing.go_to(page, cut_off.url)
    walk(page, choose_sample("Triage"))
    table = "a,b,y\n" + "".join(f"{i},{i * 7 % 13},{i * i}\n" for i in range(60))
    browsing.go_to(page, cut_off.url)
    file = {"name": "t.csv", "mimeType": "text/csv", "buffer": table.encode()}
    page.locator("input[type=file]").first.set_input_files(file)
    page.get_by_text("60 rows").wait_for()
    settings = pack(AuditSettings(target="price"), "sample:king_county")
    browsing.go_to(page, f"{cut_off.url}/?{SETTINGS_PARAMETER}={settings}")
    fetch = page.get_by_role("button", name="Fetch King county", exact=True)
    fetch.wait_for()
    assert cut_off.asked() == []
    fetch.click()
    page.get_by_text("king_county could not be downloaded").wait_for()
    assert cut_off.asked() != []


def audit(watch, tmp_path, *arguments):
    """Run the command without a network, and return its exit status."""
    command = [sys.executable, "-m", "evencover.dashboard.commands.main", "audit", *arguments]
    environment = browsing.environment_with(browsing.OFFLINE) | watch.variables
    return subprocess.run(  # noqa: S603 - our own arguments
        [*command, "--quiet"], cwd=tmp_path, env=environment, check=False, capture_output=True
    ).returncode


@pytest.mark.browser
@pytest.mark.long
def test_a_command_asks_for_a_published_sample_alone(watch, tmp_path):
    outputs = ("--html", "r.html", "--json", "r.json", "--csv", "tables")
    assert audit(watch, tmp_path, "sample:triage", *outputs) == 0
    assert watch.asked() == []
    links = re.findall(r'(?:src|href)="(https?:[^"]*)"', (tmp_path / "r.html").read_text())
    assert links == []
    assert audit(watch, tmp_path, "sample:king_county") == 2
    assert watch.asked() != []
