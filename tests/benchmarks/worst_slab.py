"""How long worst-slab coverage takes, beside a bare sort for each direction.

    python tests/benchmarks/worst_slab.py [--rows 100000] [--directions 1000] [--json FILE]

It is to take less than a minute for 100,000 rows, 20 predictors and 1,000 directions on two cores.
``search`` looks for the slab on all the rows, ``coverage`` on one half of them and judges it on the
other, as an audit does. The ratio to the sort tells more than the seconds on a busy machine.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from evencover.core.coverage.worst_slab import worst_slab, worst_slab_coverage
from evencover.core.threads import single_blas_thread

sys.path.append(str(Path(__file__).parents[1] / "support"))
from timing import fastest

PREDICTORS = 20
LONGEST = 60.0


def measure(rows, directions):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(rows, PREDICTORS))
    correct = rng.random(rows) < expit(logit(0.9) + 0.3 * X[:, 0])
    looked_along = rng.normal(size=(directions, PREDICTORS))
    values = rng.normal(size=rows)
    sort, _ = fastest(20, lambda: np.argsort(values))
    search, slab = fastest(1, lambda: worst_slab(X, correct, looked_along))
    whole, coverage = fastest(1, lambda: worst_slab_coverage(X, correct, directions=directions))
    return {
        "rows": rows,
        "predictors": PREDICTORS,
        "directions": directions,
        "search, s": search,
        "coverage, s": whole,
        "bare sorts, s": sort * directions,
        "search to bare sorts": search / (sort * directions),
        "where it was found": float(correct[slab.holds(X)].mean()),
        "on the other half": coverage,
        "under a minute": "yes" if max(search, whole) < LONGEST else "NO",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000, metavar="N")
    parser.add_argument("--directions", type=int, default=1000, metavar="M")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    with single_blas_thread():
        figures = measure(options.rows, options.directions)
    for name, figure in figures.items():
        print(f"{name:>22}  {figure:.4g}" if isinstance(figure, float) else f"{name:>22}  {figure}")
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
