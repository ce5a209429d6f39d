"""How often an audit's advice, followed, is the best there is in worlds of known truth.

    python tests/benchmarks/advice.py [--worlds 100] [--kinds "bend,misfit"] [--json FILE]

Of each of twelve kinds of worlds so many are drawn: labels whose distribution given the features is
known, so that coverage is, too. The advice of an audit with default remedies is followed, at most
twice, and the predictor that is then advised set beside each of the remedies that there are. The
table tells in how many worlds its true coverage deviates over the rows (over the classes, in that
kind) by at most 2 points more than that of the best remedy, whose sets may be half as large again;
and in how many it is harmful: by more than 1 point less even than the predictor was before.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from evencover.core.threads import single_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from advised import WORLDS, outcome


def judged(job):
    """Return what following the advice comes to in one world."""
    with single_blas_thread():
        return outcome(*job)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100, metavar="N", help="of each kind")
    parser.add_argument("--kinds", default=",".join(WORLDS), metavar="A,B")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every world there")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    jobs = [(kind, number) for kind in kinds for number in range(options.worlds)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(judged, jobs))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print(f"{'kind':<18} {'right':>6} {'harm':>6}  chosen; advice")
    for kind in [*kinds, "all"]:
        rows = [row for row in found if kind in (row["kind"], "all")]
        shares = [np.mean([row[key] for row in rows]) for key in ("right", "harmful")]
        chosen = dict(Counter(row["chosen"] for row in rows).most_common())
        told = dict(Counter(each for row in rows for each in row["told"]).most_common())
        print(f"{kind:<18} {shares[0]:>6.2f} {shares[1]:>6.2f}  {chosen}; {told}")


if __name__ == "__main__":
    main()
