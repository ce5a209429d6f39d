"""How often the search for worst segments finds what is there, and what is not, by simulation.

    python tests/benchmarks/worst.py [--seeds 100] [--clean 400] [--json FILE]

Each line is one kind of segment in which coverage is low, among rows with ten numbers and five or
six categories where it is 0.9: its test rows on average and their coverage, in how many seeds a
rule on just its variables is flagged (q at most the level of the search, and coverage below that of
all rows), in how many the surest rule is that one, in how many anything is flagged that has none
of its variables, before or after an adjustment that mends the segment, and the mean seconds for one
search of both predictors. "Off" is the coverage of the rule found less that of the segment's rows
in the half that it is judged on, in points on average: flattery, or rows beside the segment.

The last lines are tables without any fault: of 300 to 6,000 test rows, with numbers and categories
of 2 to 300 even or uneven values, some missing, and a confidence level of 0.8, 0.9 or 0.95. In
the last of them outcomes are alike in clusters of 10 rows, whose values are alike, too, and the
search knows of it.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.core.levels import SEARCH
from evencover.core.segments.search.worst_segments import worst_segments
from evencover.core.tables.table import Table
from evencover.core.threads import single_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from planted import KINDS, N, draw_coverage, draw_rows, inside_of


@dataclass(frozen=True)
class Fault:
    """A segment of low coverage: what defines it, and in how many rows and states."""

    names: tuple[str, ...]
    bad: float
    n: int = N
    states: int = 0
    top: float = 0.2


FAULTS = {
    **{name: Fault(names, 0.75) for name, names in KINDS.items()},
    "small, categories": Fault(("brand", "heating"), 0.26, n=3500),
    "small, numbers": Fault(("income", "x0"), 0.26, n=28_000, top=0.05),
    "small, one of 50": Fault(("state",), 0.41, n=6000, states=50),
    "one of 50, a pair": Fault(("state", "district"), 0.26, states=50),
    "one of 50, a number": Fault(("state", "x0"), 0.41, states=50),
    "small, one of 300": Fault(("state",), 0.41, states=300),
    "a fifth of the rows": Fault(("district",), 0.8, n=6000, states=50),
}


def flagged(rows, predictor, accuracy):
    return [
        row
        for row in rows
        if row.predictor == predictor and row.q_value <= SEARCH and row.accuracy < accuracy
    ]


def one(fault, number):
    rng = np.random.default_rng([number, fault.n, fault.states, len(fault.names)])
    frame = draw_rows(rng, fault.n, fault.states)
    names = set(fault.names)
    inside = inside_of(frame, fault.names, fault.top)
    base, adjusted = draw_coverage(rng, inside, fault.bad)
    started = time.perf_counter()
    searched = worst_segments(Table.of(frame), {"base": base, "ifacm": adjusted})
    seconds = time.perf_counter() - started
    rows = searched.rows
    before, after = flagged(rows, "base", base.mean()), flagged(rows, "ifacm", adjusted.mean())
    right = [row for row in before if set(row.variables) == names]
    true = base[inside & searched.judging].mean()
    return {
        "rows": int(inside.sum()),
        "found": bool(right),
        "surest": bool(right) and right[0] is before[0],
        "false": any(not names & set(row.variables) for row in before) or bool(after),
        "off": 100.0 * (right[0].accuracy - true) if right else np.nan,
        "seconds": seconds,
    }


def draw_clean(rng, clustered):
    """A table without any fault, the outcomes, and the clusters that they are alike in."""
    n = int(np.exp(rng.uniform(np.log(300), np.log(6000))))
    clusters = np.arange(n) // 10 if clustered else np.arange(n)
    count = int(clusters.max()) + 1

    def spread(values):
        return values[clusters]

    frame = pd.DataFrame(index=range(n))
    for i in range(rng.integers(1, 9)):
        frame[f"x{i}"] = spread(rng.lognormal(size=count) if i % 2 else rng.normal(size=count))
        if i % 3 == 0:
            frame.loc[rng.random(n) < 0.1, f"x{i}"] = np.nan
    for i in range(rng.integers(1, 5)):
        values = int(np.exp(rng.uniform(np.log(2), np.log(300))))
        weights = 1.0 / np.arange(1, values + 1) ** rng.choice([0.0, 1.0])
        chosen = rng.choice(values, count, p=weights / weights.sum())
        frame[f"c{i}"] = spread(np.array([f"v{value}" for value in chosen]))
    level = rng.choice([0.8, 0.9, 0.95])
    # a beta law of the clusters' coverage, so that two rows of one are correlated by 1/6
    share = spread(rng.beta(5.0 * level, 5.0 * (1.0 - level), count)) if clustered else level
    return frame, rng.random(n) < share, clusters if clustered else None


def any_false(number, clustered):
    frame, correct, clusters = draw_clean(np.random.default_rng([number, 77]), clustered)
    found = worst_segments(Table.of(frame), {"base": correct}, groups=clusters)
    return bool(flagged(found.rows, "base", correct.mean()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, metavar="N")
    parser.add_argument("--clean", type=int, default=400, metavar="N", help="tables without faults")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    lines = []
    heads = "rows", "found", "surest", "false", "off", "seconds"
    print(f"{'segment':<22} {'seeds':>6}" + "".join(f" {head:>8}" for head in heads))
    with single_blas_thread():
        for name, fault in FAULTS.items():
            runs = [one(fault, number) for number in range(options.seeds)]
            figures = pd.DataFrame(runs).agg(
                {head: "mean" if head in ("rows", "off", "seconds") else "sum" for head in heads}
            )
            lines.append({"segment": name, "seeds": len(runs)} | figures.to_dict())
            shown = "".join(f" {figures[head]:>8.4g}" for head in heads)
            print(f"{name:<22} {len(runs):>6}{shown}", flush=True)
        for name, clustered in (("none", False), ("none, clusters", True)):
            false = sum(any_false(number, clustered) for number in range(options.clean))
            lines.append({"segment": name, "seeds": options.clean, "false": false})
            print(f"{name:<22} {options.clean:>6} {'':>26} {false:>8}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
