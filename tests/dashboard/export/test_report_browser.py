"""The report opened from disk, without a network, as who it is mailed to opens and prints it."""

import re
from dataclasses import replace

import pytest

from evencover.core.report.gate import Gate
from evencover.dashboard.export.report import to_html

pytestmark = [pytest.mark.browser, pytest.mark.long]

A4_WIDTH = round((210 - 2 * 12) / 25.4 * 96)
"""Of what is printed, within its margins, in pixels of CSS."""
SMALLEST_POINTS = 8.0
PRINTED_POINTS = """() => [...document.querySelectorAll("body *")]
  .filter(one => one.checkVisibility() && !one.matches("script, style")
    && [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim()))
  .map(one => 0.75 * parseFloat(getComputedStyle(one).fontSize))"""
ONLY = "main > :not({}), body > :not(main) {{ display: none !important; }}"
PRINTED_HEIGHTS = {"A4": 297, "Letter": 279.4}
"""Of paper in mm, 28 of which are margins."""

NO_SCRIPT = "<head><meta http-equiv=Content-Security-Policy content=\"script-src 'none'\">"


def pages_of(pdf):
    return len(re.findall(rb"/Type /Page\b", pdf))


@pytest.fixture
def opened(chromium, result, tmp_path):
    """A report as a page of the browser, its charts drawn."""
    path = tmp_path / "report.html"
    path.write_text(to_html(result, examples=3), encoding="utf-8")
    page = chromium.new_context().new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-charts=drawn]")
    yield page
    page.context.close()


def test_no_print_on_a4_is_small_or_cut_off(opened):
    opened.set_viewport_size({"width": A4_WIDTH, "height": 1000})
    opened.emulate_media(media="print")
    points = opened.evaluate(PRINTED_POINTS)
    assert len(points) > 100
    assert min(points) >= SMALLEST_POINTS
    # what is wider would be printed smaller than its style says
    assert opened.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH


@pytest.fixture(params=["drawn", "no script may run"])
def printed(request, chromium, result, tmp_path):
    """A report with a long name and rules, with its scripts and where none may run."""
    path = tmp_path / "report.html"
    named = result.settings | {"table": "a long name of a table " * 8}
    page = to_html(replace(result, settings=named, gates=rules(result)))
    may_run = request.param == "drawn"
    path.write_text(page if may_run else page.replace("<head>", NO_SCRIPT, 1), encoding="utf-8")
    shown = chromium.new_context().new_page()
    shown.goto(path.as_uri())
    shown.wait_for_selector(f"html{'[data-charts=drawn]' if may_run else ':not([data-charts])'}")
    yield shown
    shown.context.close()


def rules(result):
    """As many as one may want to see kept."""
    every = ("low-segments > 0", "coverage < 0.88", "coverage(place = Ayr) < 0.88", "dcv > 0.5")
    return [Gate.parse(text).judge(result) for text in every]


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_pages_to_sign_are_one_printed_page_each_before_the_annex(printed, paper):
    assert pages_of(printed.pdf(format=paper)) > 3
    following = "(ids) => ids.map((id) => document.getElementById(id).nextElementSibling.id)"
    assert printed.evaluate(following, ["lead", "now"]) == ["now", "annex"]
    printed.set_viewport_size({"width": A4_WIDTH, "height": 1000})
    printed.emulate_media(media="print")
    high = (PRINTED_HEIGHTS[paper] - 28) / 25.4 * 96
    for sheet in printed.locator(".sheet").all():
        assert 0.2 * high < sheet.bounding_box()["height"] < high
        assert sheet.evaluate("one => getComputedStyle(one).breakAfter") == "page"
    printed.emulate_media()
    style = printed.add_style_tag(content=ONLY.format(".sheet"))
    assert pages_of(printed.pdf(format=paper)) == 2
    for one in ("#lead", "#now"):
        style.evaluate("(style, text) => { style.textContent = text; }", ONLY.format(one))
        assert pages_of(printed.pdf(format=paper)) == 1


def test_the_picture_stands_where_no_script_may_run(printed):
    whole = printed.locator("#who > svg").bounding_box()
    texts = printed.locator("#who > svg > svg > text")
    assert texts.count() == 6
    for mark in printed.locator("#who > svg g, #who > svg text, #who > svg rect").all():
        box = mark.bounding_box()
        assert whole["x"] <= box["x"]
        assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 1
        assert whole["y"] - 1 <= box["y"]
        assert box["y"] + box["height"] <= whole["y"] + whole["height"]
    assert printed.get_by_role("img", name="Who is failed: 1 of 30 groups too low").count()
    notes = printed.locator(".chart").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::before').content)"
    )
    if printed.locator("html[data-charts]").count():
        assert set(notes) == {"none"}
    else:
        assert all("none may run here; the tables hold its figures" in note for note in notes)


def test_a_report_from_disk_draws_its_charts_at_any_width(chromium, result, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(to_html(result, examples=3), encoding="utf-8")
    person = chromium.new_context(offline=True)
    told, asked = [], []
    for width in (1440, 390):
        page = person.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-charts=drawn]")
        charts = page.locator(".chart")
        assert charts.count() == page.locator(".chart .cartesianlayer .subplot").count() >= 8
        for chart in charts.all():
            box = chart.bounding_box()
            assert 0 < box["width"] <= width
        # nothing is wider than the page; tables are pushed sideways within their own frame
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        bars = page.locator("#histogram .bars .point").count()
        assert bars == len(result.probabilities)
    assert told == []
    assert set(asked) == {path.as_uri()}
