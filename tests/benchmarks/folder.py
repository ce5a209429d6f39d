"""How long, and in how much memory, are 20 million rows of ready-made bounds audited?

``python tests/benchmarks/folder.py FOLDER`` makes the rows as Parquet files in FOLDER, if they are
not there, and audits them by five variables and a pair in a process of its own. With ``--compare``
the first files are audited by pandas, too, as one table in memory, and counts are compared.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

FILES, ROWS = 20, 1_000_000
AUDIT = ("--target", "y", "--lower", "low", "--upper", "high", "--pairs", "region:sex")
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


def in_a_process(table, out, *more):
    """Run the command, and return its seconds, peak memory in MiB, and its result."""
    command = [sys.executable, "-m", "evencover.dashboard.commands.entry", "audit", str(table)]
    started = time.perf_counter()
    subprocess.run([*command, *AUDIT, *more, "--json", str(out), "--quiet"], check=True)  # noqa: S603 - our own
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return seconds, peak, json.loads(out.read_text(encoding="utf-8"))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--compare", type=int, default=0, metavar="FILES")
    given = options.parse_args()
    make(given.folder)
    out = given.folder.parent / "audit.json"
    seconds, peak, found = in_a_process(given.folder, out)
    print(f"{found['data']['test']:,} rows: {seconds:.1f} s of {MOST_SECONDS}, {peak:,.0f} MiB of ")
    print(f"{MOST_MIB:,}; sample {found['data']['sample']:,}")


if __name__ == "__main__":
    main()
