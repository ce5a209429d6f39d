"""The dashboard for everyone: axe, dark and light, by keyboard alone, on a phone, and Back."""

import re
import struct
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import SECONDS, settle
from walking import choose_sample, walk

from evencover.dashboard.export.report import to_html

PNG, SVG = "Download chart as PNG", "Download chart as SVG"

pytestmark = [pytest.mark.browser, pytest.mark.long]

PAGES = ["Data", "Setup", "Run", "Findings", "Segments", "Export"]
BESIDE_THE_PATH = ["Compare", "Runs", "Predict", "Watch", "Learn", "Guide"]
MOST_WORDS = {"Run": 80, "Findings": 250, "Segments": 300}
GRAVE = ("moderate", "serious", "critical")
MOST_STOPS = 27
"""Of the tabulator within Findings: half of what they were with plotly's buttons."""

PROSE = """() => [...document.querySelectorAll(
    '[data-testid=stMain] :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer])'
  )].filter(one => one.checkVisibility() && !one.closest(
    'button, label, summary, [role=tab], [data-testid=stHeading], [data-testid=stMetric]'
  )).map(one => one.innerText).join(' ')"""
NOT_WIDER = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return main.clientWidth <= 390 && main.scrollWidth <= main.clientWidth;
}"""
FOCUSED = """() => {
  const one = document.activeElement, look = getComputedStyle(one);
  return [one.innerText || one.getAttribute('aria-label') || '', look.outlineStyle, look.boxShadow];
}"""

AMONG_ITS_CELLS = """table => table.contains(document.activeElement)
  && !["BUTTON", "INPUT"].includes(document.activeElement.tagName)"""
IN_A_CELL = "() => document.activeElement.getAttribute('role') === 'gridcell'"


LEVELS = """() => [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
  .filter(one => one.checkVisibility()).map(one => Number(one.tagName[1]))"""
LABELS = "all => all.map(one => one.getAttribute('aria-label'))"
IN_MAIN = """() => {
  const one = document.activeElement;
  return one.closest('[data-testid=stMain]') !== null && one.innerText !== undefined;
}"""

BUTTONS_BESIDE = """() => document.activeElement
  .closest('.modebar, [data-testid=stElementToolbar]')?.querySelectorAll('button').length ?? 1"""

IS_DARK = """dark => {
  const colour = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  const [red, green, blue] = colour.match(/\\d+/g).map(Number);
  return (red + green + blue < 3 * 128) === dark;
}"""


def violations(page):
    """The grave ones, by rule and element."""
    found = Axe().run(page).response["violations"]
    return {
        (rule["id"], target)
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
        for target in map(str, node["target"])
    }


def check_headings(page, name):
    """One h1, and no level without the one above it."""
    levels = page.evaluate(LEVELS)
    assert (levels[0], levels.count(1)) == (1, 1), name
    assert all(below - above <= 1 for above, below in pairwise(levels)), (name, levels)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_grave_fault_and_each_is_brief_and_fits_a_phone(chromium, visit, scheme):
    context = chromium.new_context(
        viewport={"width": 1440, "height": 1000}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = visit(context)
    entries = []

    def look(name):
        assert violations(page) == set(), name
        check_headings(page, name)
        charts = page.locator("[data-testid=stPlotlyChart][role=figure]")
        assert all(re.fullmatch(r"\S.+\.", label) for label in charts.evaluate_all(LABELS))
        assert charts.count() == page.locator("[data-testid=stPlotlyChart]").count()
        entries.append(page.evaluate("history.length"))
        words = page.evaluate(PROSE).split()
        assert len(words) <= MOST_WORDS.get(name, 300), (name, " ".join(words))
        assert page.locator("h1").first.bounding_box()["y"] < 80.0
        page.set_viewport_size({"width": 390, "height": 900})
        page.wait_for_function(NOT_WIDER)
        page.set_viewport_size({"width": 1440, "height": 1000})
        page.wait_for_timeout(500)
        # the system may change its look while a page is open
        for shown in ({"light": "dark", "dark": "light"}[scheme], scheme):
            page.emulate_media(color_scheme=shown)
            page.wait_for_function(IS_DARK, arg=shown == "dark")
            charts = page.locator("[data-testid=stPlotlyChart]")
            if charts.count():
                turned = charts.first.evaluate("chart => getComputedStyle(chart).filter")
                assert ("invert" in turned) == (shown == "dark")

    walk(page, choose_sample("Triage"), look)
    assert entries == list(range(entries[0], entries[0] + len(PAGES)))
    for name in reversed(PAGES[2:-1]):
        page.go_back()
        page.get_by_role("heading", name=name, exact=True, level=1).wait_for()
    for name in BESIDE_THE_PATH:
        page.get_by_role("link", name=name, exact=True).click()
        page.locator("h1").first.wait_for()
        page.wait_for_timeout(1000)
        settle(page)
        assert violations(page) == set(), name
        check_headings(page, name)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_has_no_grave_fault(chromium, result, tmp_path, scheme):
    path = tmp_path / "report.html"
    path.write_text(to_html(result, examples=3), encoding="utf-8")
    page = chromium.new_context(color_scheme=scheme).new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-charts=drawn]")
    assert violations(page) == set()
    assert page.get_by_role("main").count() == page.get_by_role("navigation").count() == 1
    charts = page.locator(".chart")
    labels = charts.evaluate_all(LABELS)
    assert all(re.fullmatch(r"\S.+\.", label) for label in labels)
    check_headings(page, "report")
    page.context.close()


def taken_along(page, chart, button):
    """What a button of a chart brings: the name and the content of a file."""
    chart.scroll_into_view_if_needed()
    chart.hover()
    with page.expect_download() as waiting:
        chart.get_by_role("button", name=button).click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


def check_files(page, chart, name, title):
    """Each button brings its file: as large as shown, and twice that; with the chart's name."""
    named, svg = taken_along(page, chart, SVG)
    assert named == f"{name}.svg"
    assert title in svg.decode()
    width, height = map(int, re.findall(r'(?:width|height)="(\d+)"', svg.decode())[:2])
    named, png = taken_along(page, chart, PNG)
    assert named == f"{name}.png"
    assert struct.unpack(">II", png[16:24]) == (2 * width, 2 * height)
    assert chart.evaluate("one => one.querySelectorAll('.modebar-btn').length") == 2


def check_stops(page):
    """Everything that does something is reached, each toolbar by one stop and the arrows."""
    everything = page.locator("[data-testid=stMain] :is(button, a, input, summary)")
    everything.evaluate_all("all => all.forEach((one, i) => { one.dataset.place = i; })")
    visible = "all => all.filter(one => one.checkVisibility()).map(one => one.dataset.place)"
    expected = set(everything.evaluate_all(visible))
    assert len(expected) > 8
    page.locator("h1").first.click()
    stops, reached = 0, set()
    while stops < MOST_STOPS + 1:
        page.keyboard.press("Tab")
        if not page.evaluate(IN_MAIN):
            break
        stops += 1
        for _ in range(page.evaluate(BUTTONS_BESIDE)):
            reached.add(page.evaluate("document.activeElement.dataset.place"))
            page.keyboard.press("ArrowRight")
    assert stops <= MOST_STOPS
    assert expected <= reached


def test_findings_has_half_the_stops_and_charts_are_taken_along(visit):
    page = visit()

    def look(name):
        if name == "Findings":
            check_stops(page)
        if name == "Segments":
            chart = page.locator("[data-testid=stPlotlyChart]").first
            check_files(page, chart, "coverage-by-contact-sample-triage", "Coverage by contact")
            assert chart.locator(".gtitle").count() == 0  # what is seen is as it was

    walk(page, choose_sample("Triage"), look)


def test_charts_of_a_report_are_taken_along(chromium, result, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(to_html(result), encoding="utf-8")
    page = chromium.new_context().new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-charts=drawn]")
    title = "Estimated probability of a correct set"
    chart = page.locator("#histogram")
    name, _ = taken_along(page, chart, SVG)
    assert name.startswith("estimated-probability-of-a-correct-set-")
    check_files(page, chart, name.removesuffix(".svg"), title)
    page.context.close()


def reach(page, name, most=150):
    """Press the tabulator until what has the focus is called so; its focus is plainly seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        text, outline, shadow = page.evaluate(FOCUSED)
        if re.fullmatch(name, text.strip()):
            assert outline != "none" or shadow != "none"
            return
    pytest.fail(f"{name} is not reached by keyboard")


def reach_table(page, table, most=150):
    """Press the tabulator until the table has the focus, after the buttons of its toolbar."""
    table.locator("canvas").first.wait_for()
    for _ in range(most):
        page.keyboard.press("Tab")
        if table.evaluate(AMONG_ITS_CELLS):
            return
    pytest.fail("the table is not reached by keyboard")


def at(page, name):
    page.get_by_role("heading", name=name, exact=True, level=1).wait_for()
    settle(page)


def test_the_whole_path_is_walked_by_keyboard(visit):
    page = visit()
    page.set_default_timeout(60.0 * SECONDS)
    reach(page, "Triage")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Next: Setup", exact=True).wait_for()
    settle(page)
    for button, name in (("Next: Setup", "Setup"), ("Run", "Run")):
        reach(page, f"^{button}$")
        if name == "Run":
            while page.evaluate("document.activeElement.tagName") != "BUTTON":
                reach(page, f"^{button}$")  # the link to the page has the same name
        page.keyboard.press("Enter")
        at(page, name)
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    settle(page)
    reach(page, "^Layers$")
    slider = page.get_by_role("slider", name="Layers")
    last = int(slider.input_value())
    told = page.get_by_text(f"Layer {last} ")
    told.wait_for()
    page.keyboard.press("ArrowLeft")
    page.get_by_text(f"Layer {last - 1} ").wait_for()
    assert int(slider.input_value()) == last - 1
    for button, name in (("See the findings", "Findings"), ("See the segments", "Segments")):
        reach(page, button)
        page.keyboard.press("Enter")
        at(page, name)
    reach(page, "^Groups$")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Search", selected=True).wait_for()
    settle(page)
    reach_table(page, page.locator("[data-testid=stDataFrame]").first)
    page.keyboard.press("ArrowDown")
    page.wait_for_function(IN_A_CELL)
    rule = page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Shift+Space")
    page.get_by_text(f"Filter: {rule}", exact=True).wait_for()
    settle(page)
    reach(page, "^Clear filter$")
    page.keyboard.press("Enter")
    page.get_by_text("No filter", exact=True).wait_for()
