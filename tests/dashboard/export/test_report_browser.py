"""The report opened from disk, without a network, as who it is mailed to opens it."""

import pytest

from evencover.dashboard.export.report import to_html

pytestmark = [pytest.mark.browser, pytest.mark.long]


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
