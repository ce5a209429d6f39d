"""How often an audit claims what is not so, and names what is, by simulation.

    python tests/benchmarks/claims.py [--tables 1000] [--planted 200] [--json FILE]

Tables without any fault have 300 to 20,000 rows, five numbers, categories of 2 to 60 values, a
label with even noise, and CL 0.8, 0.9 or 0.99; some have pairs, some rows in groups, of one size or
of many, whose features are alike, some each row three times, with or without a number of its own,
some rows that are like the one before them, some weights, with or without heavy tails, some groups
named beforehand in every way, and some are of intervals or sets as a model gave them. For each kind
the table tells in how many audits any problem of the predictor is claimed, in how many the
adjustment is said to help, and in how many the advice is to keep the predictor, of which none is
given where there is no adjustment.

Planted faults are noise that is larger for one value of 50, for a pair of values at some 5 % of the
rows, in the middle third of a feature, or for an audit-only value that a feature nearly tells, or
that holds a pair of values where it is larger still. Of those that the verdict has the power to
show, the table tells in how many the right group is named, and by how many points its coverage as
told, and that on rows that had no part in naming it, is off its true coverage on average.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from claimed import claims, named
from worlds import FAULTS, KINDS, LEVELS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=1000, metavar="N")
    parser.add_argument("--planted", type=int, default=200, metavar="N", help="of each fault")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every audit there")
    options = parser.parse_args()
    jobs = [(KINDS[i % len(KINDS)], i) for i in range(options.tables)]
    plants = [(fault, i) for fault in FAULTS for i in range(options.planted)]
    with ProcessPoolExecutor(options.processes) as pool:
        valid = list(pool.map(claims, *zip(*jobs, strict=True), chunksize=4))
        faults = list(pool.map(named, *zip(*plants, strict=True), chunksize=4))
    if options.json is not None:
        options.json.write_text(json.dumps({"valid": valid, "planted": faults}, indent=1) + "\n")
    print(f"{'without a fault':<20} {'tables':>7} {'problem':>8} {'helps':>6} {'keep':>6}")
    lines = [("all", valid)]
    lines += [(kind, [row for row in valid if row["kind"] == kind]) for kind in KINDS]
    lines += [(f"CL {cl}", [row for row in valid if row["cl"] == cl]) for cl in LEVELS]
    for name, rows in lines:
        shares = [np.mean([row[key] for row in rows]) for key in ("problem", "helps", "keep")]
        print(f"{name:<20} {len(rows):>7} {shares[0]:>8.3f} {shares[1]:>6.3f} {shares[2]:>6.3f}")
    print("claims:", dict(Counter(kind for row in valid for kind in row["kinds"])))
    print("effects:", dict(Counter(row["effect"] for row in valid)))
    print(f"{'planted':<20} {'tables':>7} {'power':>7} {'right':>7} {'points off':>10}")
    for fault in FAULTS:
        rows = [row for row in faults if row["fault"] == fault]
        able = [row for row in rows if row["power"]]
        right = float(np.mean([row["right"] for row in able]))
        off = 100.0 * float(np.mean([row["off"] for row in able if row["right"]]))
        print(f"{fault:<20} {len(rows):>7} {len(able):>7} {right:>7.3f} {off:>10.2f}")


if __name__ == "__main__":
    main()
