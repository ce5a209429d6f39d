"""The whole path through the dashboard's pages, as a person walks it in a browser."""

from browsing import settle

from evencover.dashboard.wording import page_texts

LEADS_TO = {
    "Next: Setup": "Setup",
    "Run": "Run",
    "See the findings": "Findings",
    "See the segments": "Segments",
    "Next: Export": "Export",
}
"""The one button of each page after the table is chosen, and the page behind it."""

WITHOUT_CHARTS = ("Data", "Setup", "Export")


def walk(page, choose, on_page=lambda _name: None):
    """Go from the open first page to the export; ``on_page`` is told of each page once drawn.

    ``choose`` chooses a table on the first page.
    """
    choose(page)
    page.get_by_role("button", name="Next: Setup", exact=True).wait_for()
    _drawn(page, "Data", on_page)
    for button, name in LEADS_TO.items():
        page.get_by_role("button", name=button, exact=True).click()
        page.get_by_role("heading", name=name, exact=True, level=1).wait_for()
        if name == "Run":
            page.get_by_role("button", name="See the findings", exact=True).wait_for()
        _drawn(page, name, on_page)


def _drawn(page, name, on_page):
    settle(page)
    if name == "Segments":  # which opens on the search where that has the finding
        page.get_by_role("tab", name="Groups").click()
    if name not in WITHOUT_CHARTS:
        page.locator("[data-testid=stPlotlyChart] svg.main-svg").first.wait_for()
    on_page(name)


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


def upload(page, name, content):
    data = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.locator("input[type=file]").first.set_input_files(data)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def set_up(page, table_line):
    """Wait for the table to be taken up, and go on to Setup."""
    page.get_by_text(table_line).wait_for()
    press(page, "Next: Setup")
    at(page, "Setup")


def at(page, title):
    page.get_by_role("heading", name=title, exact=True).wait_for()
    settle(page)


def go_on(page, button, title):
    press(page, button)
    at(page, title)


def open_step(page, name):
    """Go to a step by the navigation."""
    page.get_by_role("link", name=name, exact=True).click()
    at(page, page_texts.TITLE if name == "Data" else name)


def enter(page, label, value):
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")
    settle(page)
