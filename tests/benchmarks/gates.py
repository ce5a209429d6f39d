"""How often a rule to fail is broken, kept or unsure where the truth is just at its bound.

    python tests/benchmarks/gates.py [--worlds 2000] [--kinds a,b] [--settings a,b] [--json FILE]

The worlds are those of ``tests/support/gated.py``, of 400 to 6,000 test rows: each line is a kind
of rule in a setting, with the shares of worlds in which it is broken, kept and unsure. At its
bound a rule is to be broken in 1 to 4 % and to be kept in at most 4 %. "low-segments" is of worlds
without a low segment, so that it is to be kept or unsure; "one low" has one that is short by what
the rule is to see, so that it must not be kept. Of these two the last column is the share unsure
where, by a power calculation, each segment's rows would show such a shortfall in 80 % of cases. The
clusters of "gap" and "size-ratio" are of one group each; where groups share clusters, rules are
unsure more often than they need be.
"""

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from evencover.core.report.gate import judge
from evencover.core.report.gate_quantities import SHORTFALL
from evencover.core.threads import single_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from gated import KINDS, SETTINGS, world


def outcome(job):
    kind, setting, number = job
    with single_blas_thread():
        result, rule = world(kind, setting, number)
        found = judge(result, [rule])[0].outcome
    rows = result.object_segments("base") if rule.startswith("low") else []
    return found, bool(rows) and all(row.detectable <= SHORTFALL for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=2000, metavar="N", help="of each line")
    parser.add_argument("--kinds", default=",".join(KINDS), help="a,b,c of them")
    parser.add_argument("--settings", default=",".join(SETTINGS), help="a,b,c of them")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every line there")
    options = parser.parse_args()
    lines = []
    print(
        f"{'rule':<14} {'setting':<12} {'broken':>7} {'kept':>7} {'unsure':>7} {'with power':>10}"
    )
    with ProcessPoolExecutor(options.processes) as pool:
        for kind in options.kinds.split(","):
            for setting in options.settings.split(","):
                jobs = [(kind, setting, number) for number in range(options.worlds)]
                judged = list(pool.map(outcome, jobs, chunksize=25))
                found = Counter(verdict for verdict, _ in judged)
                able = [verdict == "unsure" for verdict, has_power in judged if has_power]
                shares = {of: found[of] / len(jobs) for of in ("broken", "kept", "unsure")}
                if able:
                    shares["unsure with power"] = sum(able) / len(able)
                lines.append({"kind": kind, "setting": setting, **shares})
                told = " ".join(f"{100.0 * share:>6.2f}%" for share in shares.values())
                print(f"{kind:<14} {setting:<12} {told}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
