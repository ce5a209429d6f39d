"""The whole path through the dashboard's pages, as a person walks it in a browser."""

import time

from browsing import go_to, settle

LEADS_TO = {
    "Next: Setup": "Setup",
    "Run": "Run",
    "See the findings": "Findings",
    "See the segments": "Segments",
    "Next: Export": "Export",
}
"""The one button of each page after the table is chosen, and the page behind it."""

WITHOUT_CHARTS = ("Data", "Setup", "Export")


def walk(page, address, choose, on_page=lambda _name: None):
    """Go from the data to the export; return the seconds from each click to the drawn page.

    Parameters
    ----------
    choose
        Chooses a table on the first page.
    on_page
        Told of each page once it is drawn.
    """
    go_to(page, address)
    seconds = {"Data": _timed(lambda: choose(page), page, "Data", "Next: Setup")}
    on_page("Data")
    for button, name in LEADS_TO.items():
        found = page.get_by_role("button", name=button, exact=True)
        found.wait_for()
        waits_for = {"Run": "See the findings"}.get(name)
        seconds[name] = _timed(found.click, page, name, waits_for)
        on_page(name)
    return seconds


def choose_sample(title):
    """Return how a person chooses a sample."""

    def choose(page):
        page.get_by_role("button", name=title, exact=True).click()

    return choose


def choose_file(path):
    """Return how a person uploads a file."""

    def choose(page):
        page.locator("input[type=file]").first.set_input_files(path)

    return choose


def _timed(click, page, name, waits_for):
    started = time.perf_counter()
    click()
    if name != "Data":
        page.get_by_role("heading", name=name, exact=True, level=1).wait_for()
    if waits_for is not None:
        page.get_by_role("button", name=waits_for, exact=True).wait_for()
    settle(page)
    if name not in WITHOUT_CHARTS:
        page.locator("[data-testid=stPlotlyChart] svg.main-svg").first.wait_for()
    return time.perf_counter() - started
