"""How often the search for worst segments finds what is there, and what is not, by simulation.

    python tests/benchmarks/worst.py [--seeds 100] [--json FILE]

20,000 test rows with ten numbers and five categories. Coverage is 0.9, but 0.75 in a segment of 4 %
of the rows that two variables define, or nowhere. Each line is one kind of segment: in how many
seeds a rule on just these two variables is flagged (q at most 0.05 and coverage below that of all
rows), in how many the surest rule is that one, in how many anything is flagged that has neither of
them, before or after an adjustment that mends the segment, and the mean seconds for one search of
both predictors. On clean rows only the last two say something.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from evencover.core.segments.search.worst_segments import worst_segments
from evencover.core.tables.table import Table
from evencover.core.threads import single_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from planted import KINDS, N, draw_coverage, draw_rows, planted


def flagged(rows, predictor, accuracy):
    return [
        row
        for row in rows
        if row.predictor == predictor and row.q_value <= 0.05 and row.accuracy < accuracy
    ]


def one(kind, number):
    rng = np.random.default_rng([number, list(KINDS).index(kind) if kind in KINDS else 9])
    frame = draw_rows(rng)
    names = set(KINDS.get(kind, ()))
    inside = planted(frame, kind) if names else np.zeros(N, dtype=bool)
    base, adjusted = draw_coverage(rng, inside)
    started = time.perf_counter()
    rows = worst_segments(Table.of(frame), {"base": base, "ifacm": adjusted})
    seconds = time.perf_counter() - started
    before, after = flagged(rows, "base", base.mean()), flagged(rows, "ifacm", adjusted.mean())
    surest = next(row for row in rows if row.predictor == "base")
    return {
        "found": any(set(row.variables) == names for row in before),
        "surest": set(surest.variables) == names and surest in before,
        "false": any(not names & set(row.variables) for row in before) or bool(after),
        "seconds": seconds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    lines = []
    print(f"{'segment':<20} {'seeds':>6} {'found':>6} {'surest':>6} {'false':>6} {'seconds':>8}")
    with single_blas_thread():
        for kind in (*KINDS, "none"):
            runs = [one(kind, number) for number in range(options.seeds)]
            counts = {name: sum(run[name] for run in runs) for name in ("found", "surest", "false")}
            seconds = float(np.mean([run["seconds"] for run in runs]))
            lines.append({"segment": kind, "seeds": len(runs)} | counts | {"seconds": seconds})
            shown = "".join(f" {count:>6}" for count in counts.values())
            print(f"{kind:<20} {len(runs):>6}{shown} {seconds:>8.2f}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
