"""How long another person's page takes to answer while an upload is read and profiled.

    python tests/benchmarks/second_session.py [--json FILE] [--mib N] [FILE ...]

Uploads a table of N MiB (200 without an option), made up here, and then each FILE. Meanwhile a
second person goes from page to page. Prints seconds from the click to the drawn page, the median
and the longest, for a server at rest and for each upload, how long the upload took, and the
sentence if the file was refused. Ends with an error if an upload takes ten minutes. On a busy
machine they are as busy as it is.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from upload import homes

sys.path.append(str(Path(__file__).parents[1] / "support"))
import browsing

LONGEST = 600.0
PATIENCE = 60 * browsing.SECONDS
AT_REST = 5.0
REFUSED = "[data-testid=stAlertContentError], [data-testid=stFileChip] [role=alert]"
"""Where the page Data says why there is no table."""
TABLE = "[data-testid=stMain] [data-testid=stDataFrame]"


def write_table(path, mebibytes):
    """Write homes to a file of no more than so many MiB, the last rows over again."""
    rows = homes(100_000).to_csv(index=False).splitlines(keepends=True)
    size = len("".join(rows).encode())
    room = mebibytes * 2**20
    with path.open("w") as file:
        file.write(rows[0])
        for _ in range(int(room // size)):
            file.writelines(rows[1:])


def visit(page):
    """Go to another page and back; return the seconds that each took."""
    seconds = []
    for link, heading in (("Setup", "Setup"), ("Data", "Evencover")):
        started = time.perf_counter()
        page.get_by_role("link", name=link, exact=True).click()
        page.get_by_role("heading", name=heading, exact=True, level=1).wait_for()
        browsing.settle(page)
        seconds.append(time.perf_counter() - started)
    return seconds


def visits_until(page, has_ended):
    seconds = visit(page)
    while not has_ended():
        seconds += visit(page)
    return {"median": statistics.median(seconds), "longest": max(seconds), "visits": len(seconds)}


def during_upload(first, second, path):
    started = time.perf_counter()

    def has_ended():
        if time.perf_counter() - started > LONGEST:
            raise TimeoutError(f"{path.name} was neither read nor refused in {LONGEST:.0f} s")
        return first.locator(f"{REFUSED}, {TABLE}").count() > 0

    first.locator("input[type=file]").first.set_input_files(path)
    figures = visits_until(second, has_ended) | {"upload": time.perf_counter() - started}
    for sentence in first.locator(REFUSED).all_inner_texts():
        print(f"{path.name} was refused: {sentence}", file=sys.stderr)
    return figures


def measure(paths):
    with (
        tempfile.TemporaryDirectory() as name,
        browsing.open_chromium() as chromium,
        browsing.running_server(Path(name)) as server,
    ):
        second = browsing.another(chromium).new_context().new_page()
        second.set_default_timeout(PATIENCE)
        browsing.go_to(second, server.url)
        visit(second)
        until = time.perf_counter() + AT_REST
        figures = {"at rest": visits_until(second, lambda: time.perf_counter() > until)}
        for path in paths:
            first = chromium.new_context().new_page()
            first.set_default_timeout(PATIENCE)
            browsing.go_to(first, server.url)
            figures[path.name] = during_upload(first, second, path)
            print(path.name, figures[path.name], file=sys.stderr)
            first.close()
        return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--mib", type=float, default=200.0, metavar="N")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "homes.csv"
        write_table(table, options.mib)
        figures = measure([table, *options.files])
    for name, found in figures.items():
        print(f"{name:26}" + "".join(f"{key} {value:.2f}  " for key, value in found.items()))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
