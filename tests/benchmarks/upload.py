"""How long a 50 MB table takes from choosing the file to the drawn preview.

    python tests/benchmarks/upload.py [--json FILE] [--repeats N]

Prints seconds, the smallest of N repeats each; on a busy machine they are as busy as it is.
"""

import argparse
import functools
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, parse_table
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.outputs.guess import guess_label
from evencover.core.preparation.roles import columns_in_use
from evencover.core.tables.reading import read_chosen, read_table

sys.path.append(str(Path(__file__).parents[1] / "support"))
import browsing
from timing import fastest

ROWS = 500_000
NUMBERS = 40


def homes(rows=ROWS):
    """Numbers, words, dates and names, with gaps: 50 MB as CSV."""
    rng = np.random.default_rng(7)
    days = pd.to_timedelta(rng.integers(0, 2000, rows), unit="D")
    return pd.DataFrame(
        {
            "number": np.arange(rows) + 100_000,
            "area": rng.normal(100.0, 20.0, rows).round(2),
            "rooms": rng.integers(1, 9, rows),
            "latitude": rng.uniform(47.0, 48.0, rows).round(5),
            "longitude": rng.uniform(-122.0, -121.0, rows).round(5),
            "built": rng.integers(1900, 2015, rows),
            "kind": rng.choice(["flat", "house", "terrace", "bungalow"], rows),
            "town": rng.choice([f"Town no. {i}" for i in range(300)], rows),
            "sold": (pd.Timestamp("2014-01-01") + days).strftime("%Y-%m-%d"),
            "owner": [f"Owner {i:06d}" for i in rng.permutation(rows)],
            "score": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows).round(4)),
            "price": rng.normal(300_000.0, 10_000.0, rows).round(1),
        }
    )


def time_csv(path, repeats):
    read, content = fastest(repeats, path.read_bytes)
    parse, table = fastest(repeats, lambda: parse_table(content, path.name))
    profile, _ = fastest(
        repeats, lambda: profile_columns(table.frame, AuditSettings(target=guess_label(table)))
    )
    return {
        "megabytes": len(content) / 1e6,
        "read": read,
        "parse": parse,
        "profile": profile,
        "read, parse and profile": read + parse + profile,
    }


def time_parquet(folder, repeats):
    """Compare all columns with 2 of them, each repeat of the one beside one of the other."""
    path = folder / "numbers.parquet"
    values = np.random.default_rng(8).normal(size=(ROWS, NUMBERS))
    pd.DataFrame(values, columns=[f"x{i}" for i in range(NUMBERS)]).to_parquet(path)
    settings = AuditSettings(target="x0", features=("x1",))
    in_use = functools.partial(columns_in_use, settings=settings)
    pairs = [
        (
            fastest(1, lambda: read_table(path).frame)[0],
            fastest(1, lambda: read_chosen(path, in_use))[0],
        )
        for _ in range(repeats)
    ]
    whole, part = (min(seconds) for seconds in zip(*pairs, strict=True))
    return {
        f"Parquet, {NUMBERS} columns": whole,
        f"Parquet, 2 of {NUMBERS}": part,
        "Parquet, part to whole": part / whole,
    }


def time_browser(path, folder, repeats):
    """Time a person's wait: from choosing the file until the columns' table stands.

    The first visit, which also loads the dashboard's code into the browser, comes by itself.
    """
    with browsing.open_chromium() as chromium, browsing.running_server(folder) as server:
        person = chromium.new_context()

        def upload():
            page = person.new_page()
            page.set_default_timeout(120_000.0)
            browsing.go_to(page, server.url)
            started = time.perf_counter()
            page.locator("input[type=file]").first.set_input_files(path)
            page.get_by_text(f"{ROWS:,} rows").wait_for()
            page.locator("[data-testid=stDataFrame] canvas").first.wait_for()
            browsing.settle(page)
            seconds = time.perf_counter() - started
            page.close()
            return seconds

        return {
            "browser, first visit": upload(),
            "browser, later visits": min(upload() for _ in range(repeats)),
        }


def measure(repeats):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "homes.csv"
        homes().to_csv(path, index=False)
        figures = time_csv(path, repeats) | time_parquet(folder, repeats)
        try:
            figures |= time_browser(path, folder, repeats)
        except browsing.NoBrowserError as error:
            print(f"not timed in the browser: {error}", file=sys.stderr)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    options = parser.parse_args()
    figures = measure(options.repeats)
    for name, figure in figures.items():
        print(f"{name:26}{figure:9.3f}")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
