"""Tables made on the spot, the results of audits of them, and a browser."""

import contextlib
import os
import re
from urllib.parse import urljoin, urlparse

import browsing
import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit
from evencover.core.tables.table import Origin

STREAMLIT_ASKS = re.compile("/[a-z]+/_stcore/(health|host-config)")


def draw_table(rows=3000, columns=5, seed=5):
    """Return numbers whose noise has heavier tails for a larger x0, and is wider for a larger x1.

    The labels depend on a category ``place`` too; with C = 0 several layers are accepted.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    tail = np.clip(1.2 + 0.6 * X[:, 0] + 0.4 * X[:, 3] * (X[:, 4] > 0.0), 0.3, 4.0)
    noise = np.sign(rng.normal(size=rows)) * rng.exponential(size=rows) ** tail
    place = rng.choice(["Ayr", "Bude", "Cobh"], size=rows, p=[0.5, 0.3, 0.2])
    label = X @ np.linspace(1.0, 0.1, columns) + np.exp(0.3 * X[:, 1]) * noise + (place == "Ayr")
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(columns)]).round(3)
    return frame.assign(place=place, y=label.round(3))


def draw_classes(rows=600, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    odds = np.column_stack([X[:, 0], X[:, 1], -X[:, 0]]) * 2.0
    kind = np.argmax(odds + rng.gumbel(size=odds.shape), axis=1)
    names = np.array(["low", "mid", "top"])
    return pd.DataFrame(X, columns=["a", "b", "c"]).round(3).assign(kind=names[kind])


@pytest.fixture(scope="session")
def table():
    """A table on which IFACM adds several layers within half a second."""
    return draw_table()


@pytest.fixture(scope="session")
def few(table):
    """Its first rows, for what holds of any table and any run."""
    return table.head(300)


@pytest.fixture(scope="session")
def classes():
    return draw_classes()


@pytest.fixture(scope="session")
def csv_texts(table, few, classes):
    return {
        "table.csv": table.to_csv(index=False),
        "few.csv": few.to_csv(index=False),
        "classes.csv": classes.to_csv(index=False),
    }


@pytest.fixture(scope="session")
def settings():
    return AuditSettings(target="y", penalty=0.0, remedies=("ifacm",))


@pytest.fixture(scope="session")
def result(table, settings):
    found = audit(table, settings)
    assert len(found.iterations) >= 2
    return found


@pytest.fixture(scope="session")
def regression(table):
    """The result of an audit with rows in every table."""
    asked = AuditSettings(
        target="y",
        penalty=0.0,
        audit_only=("place",),
        horizon="place",
        pairs=(("place", "x0"),),
        remedies=("ifacm",),
    )
    return audit(table, asked, origin=Origin("table.csv"))


@pytest.fixture(scope="session")
def classification(classes):
    """The same of labels, with repeats and permutations."""
    asked = AuditSettings(
        target="kind", confidence_level=0.8, repeats=2, permutations=2, remedies=("ifacm",)
    )
    return audit(classes, asked, origin=Origin("classes.csv"))


@pytest.fixture(scope="session")
def infinite_result(table):
    """Of too few calibration rows for the level: every interval is infinite."""
    options = {"confidence_level": 0.99, "split": "40,20,30", "remedies": ("ifacm",)}
    return audit(table.head(90), AuditSettings(target="y", **options))


@pytest.fixture(scope="session")
def photo():
    """The content of a file that holds no table."""
    return b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


@pytest.fixture(scope="session")
def chromium():
    """The one browser of all tests; without it they skip here and fail in CI."""
    with contextlib.ExitStack() as stack:
        try:
            launched = stack.enter_context(browsing.open_chromium())
        except browsing.NoBrowserError as error:
            if os.environ.get("CI") == "true":
                pytest.fail(str(error))
            pytest.skip(str(error))
        yield launched


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):  # noqa: ARG001 - without a browser no server is needed
    folder = tmp_path_factory.mktemp("server")
    with browsing.running_server(folder, browsing.HOLDING) as running:
        yield running
    browsing.assert_calm(running.log)


@pytest.fixture(scope="session")
def person(chromium, server):
    """A person's browser; a page of it stays open, which keeps the dashboard's code for others."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    browsing.go_to(context.new_page(), server.url)
    return context


@pytest.fixture
def visit(person, server):
    """Open the dashboard, as the same person or another; in the end nothing may be wrong."""
    pages, told = [], []

    def note_request(request):
        if urlparse(request.url).hostname not in (None, "localhost", "127.0.0.1"):
            told.append(request.url)

    def note_message(message):
        # on a page but the first, streamlit's own code asks for these in the page's folder first
        asked = STREAMLIT_ASKS.fullmatch(urlparse(message.location["url"]).path)
        if message.type == "error" and not (asked and "404" in message.text):
            told.append(message.text)

    def open_page(whose=person, address=server.url):
        page = whose.new_page()
        page.set_default_timeout(150 * browsing.SECONDS)
        page.on("request", note_request)
        page.on("websocket", note_request)
        page.on("console", note_message)
        page.on("pageerror", lambda error: told.append(str(error)))
        pages.append(page)
        browsing.go_to(page, urljoin(server.url, address))
        return page

    yield open_page
    exceptions = sum(page.locator("[data-testid=stException]").count() for page in pages)
    for page in pages:
        page.close()
    assert told == []
    assert exceptions == 0
    browsing.assert_calm(server.log)
