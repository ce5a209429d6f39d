"""Coverage of overlapping groups on average over draws of calibration rows, and what it takes.

    python tests/benchmarks/groups.py [coverage speed] [--worlds 200] [--draws 20] [--rows 1000]

coverage: in worlds of sex (2), race (5) and age (4), each with shares and spreads of its own, and
spreads where groups meet, the true coverage of each group at CL 0.9, on average over draws of
calibration rows, in which nothing but these is random; beside it that of one threshold, and of
where two groups meet, for which nothing is promised. Excess is that of groups with at least 100
expected calibration rows. speed: seconds of CPU for 100 patterns of groups with 5,000 calibration
rows and 15 columns, beside MAPIE's exact way (for a few of the patterns) and HiGHS, and how far
thresholds are from theirs.
"""

import argparse
import time
from itertools import product

import numpy as np
import pandas as pd
from mapie.conditional_conformal_prediction import _ConditionalConformalMixin
from scipy import stats
from scipy.optimize import linprog

from evencover.core.conformal.overlapping import PatternRule
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.thresholds import ColumnGroups
from evencover.core.conformal.tilted_quantile import TiltedQuantiles
from evencover.core.rows.examples import Examples
from evencover.core.threads import single_blas_thread

COUNTS, LEVEL = (2, 5, 4), 0.9
CELLS = np.array(list(product(*map(range, COUNTS))))
NAMES = ("sex", "race", "age")
RULE = PatternRule(divisions=tuple(map(ColumnGroups, NAMES)))


def examples(cells):
    frame = pd.DataFrame(cells, columns=NAMES).astype(str)
    return Examples(np.zeros((len(cells), 1)), np.zeros(0), frame, np.arange(len(cells)))


def groups_of(cells):
    """Yield the name of each group, and which cells are in it; then where two of them meet."""
    single = [(f"{NAMES[d]} {g}", cells[:, d] == g) for d in range(3) for g in range(COUNTS[d])]
    yield from single
    for one, other in product(single, single):
        if one[0] < other[0] and (one[1] & other[1]).any():
            yield f"{one[0]} and {other[0]}", one[1] & other[1]


def coverage(asked):
    found, alone, expected = [], [], []
    for world in range(asked.worlds):
        rng = np.random.default_rng(world)
        shares = [rng.dirichlet(np.full(count, 1.5)) for count in COUNTS]
        weights = np.prod([share[CELLS[:, d]] for d, share in enumerate(shares)], axis=0)
        weights = weights * rng.uniform(0.5, 1.5, len(CELLS))
        weights /= weights.sum()
        effects = [rng.normal(0.0, 0.4, count) for count in COUNTS]
        spread = np.sum([effect[CELLS[:, d]] for d, effect in enumerate(effects)], axis=0)
        spread = np.exp(spread + rng.normal(0.0, 0.2, len(CELLS)))
        by_draw = np.zeros((asked.draws, 2, len(CELLS)))
        for draw in range(asked.draws):
            rows = rng.choice(len(CELLS), asked.rows, p=weights)
            scores = -np.abs(rng.normal(size=asked.rows)) * spread[rows]
            learned = RULE.learn(scores, examples(CELLS[rows]), LEVEL)
            reach = learned.at(examples(CELLS)), conformal_threshold(scores, LEVEL)
            for which, threshold in enumerate(reach):
                by_draw[draw, which] = 2.0 * stats.norm.cdf(-threshold / spread) - 1.0
        mean = by_draw.mean(axis=0)
        groups = [(weights * inside, name) for name, inside in groups_of(CELLS)]
        found.append([mean[0] @ w / w.sum() for w, _ in groups])
        alone.append([mean[1] @ w / w.sum() for w, _ in groups])
        expected.append([asked.rows * w.sum() for w, _ in groups])
    names = [name for name, _ in groups_of(CELLS)]
    table = pd.DataFrame(
        {"group": np.tile(names, asked.worlds), "coverage": np.ravel(found)}
        | {"one threshold": np.ravel(alone), "rows": np.ravel(expected)}
    )
    meet = table["group"].str.contains(" and ")
    by_group = table[~meet].groupby("group")[["coverage", "one threshold", "rows"]]
    print(by_group.agg({"coverage": ["mean", "sem"], "one threshold": ["mean", "min"]}).round(4))
    large = table[~meet & (table["rows"] >= 100)].groupby("group")["coverage"].mean()
    print(f"lowest group {table[~meet].groupby('group')['coverage'].mean().min():.4f}")
    print(f"highest of those with 100 rows {large.max():.4f}")
    low = table[~meet].assign(band=pd.cut(table["rows"], [0, 10, 30, 100, 300, 1e9]))
    print(low.groupby("band", observed=True)[["coverage", "one threshold"]].mean().round(4))
    crossed = table[meet & (table["rows"] >= 10)]["coverage"]
    print(
        f"where groups meet: 5 % quantile {crossed.quantile(0.05):.3f}, mean {crossed.mean():.3f}"
    )


def by_highs(X, scores, share, x):
    """Return the quantile by the dual programme; infinite if that has no solution."""
    bounds = (share - 1.0, share)
    found = linprog(-scores, A_eq=X.T, b_eq=-share * x, bounds=bounds, method="highs")
    return -x @ found.eqlin.marginals if found.status == 0 else np.inf


def speed(asked):  # noqa: ARG001
    rng, counts = np.random.default_rng(0), (2, 5, 4, 4, 4)
    groups = [rng.integers(0, count, 5_000) for count in counts]
    columns = [
        g == level for g, count in zip(groups, counts, strict=True) for level in range(1, count)
    ]
    X = np.column_stack([np.ones(5_000), *columns]).astype(float)
    scores = np.abs(rng.normal(size=5_000)) * np.exp(0.3 * groups[1])
    patterns, share = np.unique(X, axis=0)[:100], LEVEL - 1e-9
    began = time.process_time()
    quantiles = TiltedQuantiles(X, scores, share, np.ones(5_000))
    ours = [rows[1] @ scores[rows[0]] for rows in map(quantiles.combination, patterns)]
    print(f"{X.shape[1]} columns; ours {time.process_time() - began:.3f} s for 100 patterns")
    few, peer = patterns[:10], _ConditionalConformalMixin()
    peer._init_conditional(lambda x: x, randomize=False, exact=True, infinite_params=None, seed=0)
    peer.x_calib = peer.phi_calib = X
    peer.scores_calib = scores
    for name, solve in (
        ("MAPIE", lambda x: peer._predict_conditional_cutoff(share, x[None])),
        ("HiGHS", lambda x: by_highs(X, scores, share, x)),
    ):
        began = time.process_time()
        theirs = [solve(x) for x in few]
        seconds = (time.process_time() - began) * len(patterns) / len(few)
        apart = np.abs(np.array(theirs) - ours[: len(few)]).max()
        print(f"{name} {seconds:.1f} s for as many, at most {apart:.2g} apart")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="coverage, speed")
    for name, default in (("worlds", 200), ("draws", 20), ("rows", 1_000)):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N")
    asked = parser.parse_args()
    with single_blas_thread():
        for part in asked.parts or ("coverage", "speed"):
            {"coverage": coverage, "speed": speed}[part](asked)


if __name__ == "__main__":
    main()
