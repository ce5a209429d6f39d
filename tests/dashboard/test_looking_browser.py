"""Clicks on charts, in a real browser: they become the filter, once."""

import re

import numpy as np
import pandas as pd
import pytest
from browsing import settle

pytestmark = pytest.mark.browser


def test_a_clicked_point_becomes_the_filter(visit):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    frame = pd.DataFrame(X, columns=["a", "b"]).round(3)
    frame["home"] = rng.choice(["hut", "flat"], 600, p=[0.25, 0.75])
    frame["y"] = (X.sum(axis=1) + rng.normal(size=600)).round(3)
    page = visit()
    data = {"name": "t.csv", "mimeType": "text/csv", "buffer": frame.to_csv(index=False).encode()}
    page.locator("input[type=file]").first.set_input_files(data)
    for button in ("Next: Setup", "Run", "See the findings", "See the segments"):
        page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("heading", name="Segments", exact=True, level=1).wait_for()
    chart = page.locator("[class*=segment-chart]").first
    chart.locator(".ytick text").first.wait_for()
    told = re.compile(r"^(.+)\s+\(n = (\d+)\)$")
    names = [told.match(name) for name in chart.locator(".ytick text").all_text_contents()]
    box = chart.locator(".scatterlayer .trace").first.locator(".point").nth(1).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0)
    banner = page.locator(".st-key-filter")
    banner.get_by_text(f"{names[1][2]} test rows").wait_for()
    assert names[1][1].strip() in banner.inner_text()
    settle(page)
    page.get_by_role("link", name="Findings", exact=True).click()
    banner.get_by_text(f"{names[1][2]} test rows").wait_for()
    page.get_by_role("button", name="Clear filter", exact=True).click()
    banner.wait_for(state="detached")
    page.get_by_role("link", name="Segments", exact=True).click()
    page.get_by_text("No filter: all 180 test rows").wait_for()
