"""How long each page of the dashboard takes from the click to its drawing.

    python tests/benchmarks/pages.py [--json FILE] [--screens FOLDER]

Walks the whole path with a sample, with King County (from the folder EVENCOVER_DATA) and with an
upload of 100,000 rows. The page Run is drawn when its run has ended. With --screens a picture of
every page is kept at 1440, 768 and 390 pixels. Seconds of one visit; on a busy machine they are as
busy as it is.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from evencover.sample_data import houses

sys.path.append(str(Path(__file__).parents[1] / "support"))
import browsing
import walking

ROWS = 100_000
WIDTHS = (1440, 768, 390)
HEIGHT = 1000


def photographer(page, folder, name):
    """Return what keeps pictures of a drawn page; nothing without a folder."""

    def keep(title):
        if folder is None:
            return
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.wait_for_timeout(1500.0)
            # the page scrolls within itself: a picture of it all needs a window of its height
            tall = page.locator("[data-testid=stMain]").evaluate("main => main.scrollHeight")
            page.set_viewport_size({"width": width, "height": max(HEIGHT, tall)})
            page.wait_for_timeout(1500.0)
            page.screenshot(path=folder / f"{name}-{title}-{width}.png")
        page.set_viewport_size({"width": WIDTHS[0], "height": HEIGHT})
        page.wait_for_timeout(1000.0)

    return keep


def measure(screens):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        upload = folder / "houses.csv"
        houses.generate(rows=ROWS).to_csv(upload, index=False)
        tables = {
            "Houses": walking.choose_sample("Houses"),
            "King county": walking.choose_sample("King county"),
            f"{ROWS:,} rows uploaded": walking.choose_file(upload),
        }
        figures = {}
        with browsing.open_chromium() as chromium, browsing.running_server(folder) as server:
            person = chromium.new_context(viewport={"width": WIDTHS[0], "height": HEIGHT})
            for title, choose in tables.items():
                page = person.new_page()
                page.set_default_timeout(120_000.0)
                keep = photographer(page, screens, title.split()[0].lower())
                figures[title] = walking.walk(page, server.url, choose, keep)
                page.close()
        return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--screens", type=Path, metavar="FOLDER", help="keep pictures of the pages")
    options = parser.parse_args()
    if options.screens is not None:
        options.screens.mkdir(exist_ok=True)
    figures = measure(options.screens)
    names = list(next(iter(figures.values())))
    print(" " * 26 + "".join(f"{name:>10}" for name in names))
    for title, seconds in figures.items():
        print(f"{title:26}" + "".join(f"{seconds[name]:10.2f}" for name in names))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
