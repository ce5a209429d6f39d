"""How often an audit warns where even coverage makes decisions by sets less even, and where not.

    python tests/benchmarks/harm.py [--worlds 200] [--processes 2]

In each world classes are to be predicted for a larger and a smaller group, coverage is mended for
each by ``groups:``, and somebody decides at once where a set holds one class alone, and lets all
others wait. In worlds with harm the classes of the smaller group are harder to tell, and the even
coverage is bought with larger sets for it and smaller ones for the other: the gap between the
groups' shares of rows decided on at once becomes larger. In worlds without the groups differ in
nothing. The table tells that gap before and after, on the test rows, in how many worlds it becomes
larger, and in how many the finding on sizes warns.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, audit
from evencover.core.threads import single_blas_thread

ROWS = 9_000
CLASSES = 4
_SETTINGS = {"audit_only": ("grp",), "use_protected": True, "remedies": ("groups:grp",)}


def table(number, *, harm):
    """Draw a world: features tell the class, if there is harm less well in the smaller group."""
    rng = np.random.default_rng([number, harm])
    label = rng.integers(CLASSES, size=ROWS)
    smaller = rng.random(ROWS) < 0.3
    noise = np.where(smaller & harm, rng.uniform(1.3, 1.6), 1.0)
    angle = 2.0 * np.pi * label / CLASSES
    x = 2.4 * np.column_stack([np.cos(angle), np.sin(angle)])
    x += noise[:, None] * rng.normal(size=x.shape)
    frame = pd.DataFrame(x, columns=["u", "v"])
    frame["grp"], frame["y"] = np.where(smaller, "B", "A"), [f"c{k}" for k in label]
    return frame


def gap(result, name):
    """Return by how much the groups' shares of test rows that are decided on at once differ."""
    rows = result.test_rows
    at_once, inside = rows.sets[name].sizes == 1.0, (rows.table.frame["grp"] == "B").to_numpy()
    return abs(at_once[inside].mean() - at_once[~inside].mean())


def outcome(job):
    """Return the gaps before and after in one world, and whether the audit warns."""
    number, harm = job
    settings = AuditSettings(target="y", seed=number, **_SETTINGS)
    with single_blas_thread():
        result = audit(table(number, harm=harm), settings, with_replay=False)
    kinds = [finding.kind for finding in result.findings]
    return harm, gap(result, "base"), gap(result, result.names[1]), "sizes-uneven" in kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=200, metavar="N", help="of each kind")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    options = parser.parse_args()
    jobs = [(number, harm) for harm in (True, False) for number in range(options.worlds)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(outcome, jobs))
    print(f"{'worlds':<12} {'gap before':>10} {'after':>8} {'wider in':>9} {'warned':>8}")
    for harm in (True, False):
        before, after, warned = np.array([row[1:] for row in found if row[0] == harm]).T
        told = f"{before.mean():>10.3f} {after.mean():>8.3f} {np.mean(after > before):>9.2f}"
        print(f"{'with harm' if harm else 'without':<12} {told} {warned.mean():>8.3f}")


if __name__ == "__main__":
    main()
