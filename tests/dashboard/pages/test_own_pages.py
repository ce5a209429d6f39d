"""What the door of the server gives to every browser, and takes from it."""

import asyncio

from evencover.dashboard.pages.server import OwnPagesOnly
from evencover.dashboard.runs.run import VISITOR_COOKIE


def cookies_set(**headers):
    """The cookies that come with the answer to a request."""
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in headers.items()]
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


def test_a_browser_keeps_the_secret_that_it_has():
    assert cookies_set(cookie=f"{VISITOR_COOKIE}=mine") == []
