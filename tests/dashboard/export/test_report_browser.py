"""The report opened from disk, without a network, as who it is mailed to opens and prints it."""

import re

import pytest

from evencover.dashboard.export.report import to_html

pytestmark = [pytest.mark.browser, pytest.mark.long]

A4_WIDTH = round((210 - 2 * 12) / 25.4 * 96)
"""Of what is printed, within its margins, in pixels of CSS."""
SMALLEST_POINTS = 8.0
PRINTED_POINTS = """() => [...document.querySelectorAll("body *")]
  .filter(one => one.checkVisibility() && !one.matches("script, style")
    && [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim()))
  .map(one => 0.75 * parseFloat(getComputedStyle(one).fontSize))"""
ALL_BUT_THE_FIRST_PAGE = "main > :not(#lead), main ~ * { display: none !important; }"


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


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_first_printed_page_has_the_verdict_and_what_now(opened, paper):
    assert pages_of(opened.pdf(format=paper)) > 1
    opened.add_style_tag(content=ALL_BUT_THE_FIRST_PAGE)
    first = opened.locator("header, #lead")
    assert first.count() == 2
    assert all(one.is_visible() for one in first.all())
    assert opened.locator("#lead .lead p").count() > 0
    assert opened.locator("#lead").get_by_text("What now?").is_visible()
    assert pages_of(opened.pdf(format=paper)) == 1


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
