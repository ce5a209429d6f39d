"""The README's picture, made anew: coverage by county of the sample Houses, before and after.

python tests/benchmarks/picture.py dashboard/guide/houses.svg
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from plotly.offline import get_plotlyjs

from evencover.core import AuditSettings, audit
from evencover.sample_data import load_sample

SIZE = {"width": 760, "height": 420}
DRAW = """([figure, size]) => Plotly.newPlot("chart", figure.data, figure.layout).then(
    chart => Plotly.toImage(chart, {format: "svg", imageDataOnly: true, ...size}))"""


def main(path):
    sample = load_sample("houses")
    settings = AuditSettings(
        target=sample.target, log_target=True, penalty=sample.penalty, remedies=("ifacm",)
    )
    figure = audit(sample.frame, settings).figure("segments", variable="county")
    figure.update_layout(paper_bgcolor="white", title=None, **SIZE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("EVENCOVER_CHROMIUM") or shutil.which("chromium"),
            args=["--no-sandbox"],
        )
        page = browser.new_page()
        page.set_content("<div id=chart></div>")
        page.add_script_tag(content=get_plotlyjs())
        drawn = page.evaluate(DRAW, [figure.to_plotly_json(), SIZE])
    Path(path).write_text(drawn + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
