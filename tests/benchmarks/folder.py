"""How long, and in how much memory, are 20 million rows of ready-made bounds audited?

``python tests/benchmarks/folder.py FOLDER`` makes the rows as Parquet files in FOLDER, if they are
not there, and audits them by five variables and a pair in a process of its own. With ``--compare
N`` the first N files alone are audited, and every count and width is compared with what pandas
makes of them.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

FILES, ROWS = 20, 1_000_000
AUDIT = ("--target", "y", "--lower", "low", "--upper", "high", "--pairs", "region:sex")
CUTS = {"x": (-1.0, 0.0, 1.0), "age": (30.0, 50.0, 70.0)}
MOST_SECONDS, MOST_MIB = 60, 2048


def make(folder, files=FILES, rows=ROWS):
    """Make the files: bounds of 90 % that are too narrow in one region and for large x."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"part-{number:04}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng(number)
        region = rng.choice([f"region {i}" for i in range(20)], rows)
        x, age = rng.normal(size=rows), rng.integers(18, 90, rows).astype(float)
        age[rng.random(rows) < 0.01] = np.nan
        spread = np.where(region == "region 3", 1.3, 1.0) * np.exp(0.1 * x)
        center = 2.0 * x + 0.01 * np.nan_to_num(age, nan=50.0)
        pd.DataFrame(
            {
                "x": x,
                "age": age,
                "region": region,
                "sex": rng.choice(["f", "m"], rows),
                "rooms": rng.integers(1, 7, rows),
                "low": center - 1.645,
                "high": center + 1.645,
                "y": center + spread * rng.normal(size=rows),
            }
        ).to_parquet(path, index=False)


def audited(table, out):
    """Run the command, and return its seconds, peak memory in MiB, and its result."""
    cuts = [f"--cuts={name}={','.join(map(str, points))}" for name, points in CUTS.items()]
    command = [str(Path(sys.executable).with_name("evencover")), "audit", str(table), *AUDIT, *cuts]
    started = time.perf_counter()
    subprocess.run([*command, "--json", str(out), "--quiet"], check=True)  # noqa: S603 - our own
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return seconds, peak, json.loads(out.read_text(encoding="utf-8"))


def differences(found, files):
    """Return the largest differences of counts, accuracies and widths from those by pandas."""
    rows = pd.concat([pd.read_parquet(path) for path in files], ignore_index=True)
    rows["right"] = rows["y"].between(rows["low"], rows["high"])
    rows["width"] = (rows["high"] - rows["low"]) / rows["y"].std(ddof=0)
    for name, points in CUTS.items():
        bands = pd.cut(rows[name], [-np.inf, *points, np.inf], right=False)
        shown = [f"{point:g}" for point in points]
        inner = (f"{low} to {high}" for low, high in pairwise(shown))
        names = [f"< {shown[0]}", *inner, f">= {shown[-1]}"]
        rows[name] = bands.cat.rename_categories(names).astype(object).fillna("(missing)")
    rows["rooms"] = rows["rooms"].astype(str)
    rows["region × sex"] = rows["region"] + " × " + rows["sex"]
    segments = pd.DataFrame(found["segments"]).set_index(["variable", "value"])
    off = dict.fromkeys(("n", "accuracy", "inefficiency"), 0.0)
    for name in ("x", "age", "region", "sex", "rooms", "region × sex"):
        groups = rows.groupby(name).agg(
            n=("y", "size"), accuracy=("right", "mean"), inefficiency=("width", "mean")
        )
        own = segments.loc[name].loc[groups.index]
        for figure, column in zip(off, ("n", "accuracy_base", "inefficiency_base"), strict=True):
            off[figure] = max(off[figure], float((own[column] - groups[figure]).abs().max()))
    return off


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compare", type=int, metavar="N")
    options = parser.parse_args()
    make(options.folder)
    with tempfile.TemporaryDirectory() as name:
        table, out = options.folder, Path(name) / "audit.json"
        files = sorted(table.glob("*.parquet"))[: options.compare]
        if options.compare is not None:
            table = Path(name) / "rows"
            table.mkdir()
            for path in files:
                (table / path.name).symlink_to(path.resolve())
        seconds, peak, found = audited(table, out)
    rows, drawn = found["data"]["test"], found["data"]["sample"]
    print(f"{rows:,} rows, of which {drawn:,} were drawn: {seconds:.1f} s (at most {MOST_SECONDS})")
    print(f"{peak:,.0f} MiB (at most {MOST_MIB:,})")
    if options.compare is not None:
        print("largest differences from pandas:", differences(found, files))


if __name__ == "__main__":
    main()
