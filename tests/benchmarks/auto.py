"""Whether the remedy that `auto` chooses is as good as the best of its candidates.

    python tests/benchmarks/auto.py [--worlds 35] [--kinds "valid,bend"] [--processes 2]

To be reached: in all kinds what is chosen is on average within .0005 of the ERT L2 of the best and
within 2 % of its interval score, and none is chosen in 90 % of valid worlds.

Of each kind of the worlds of ``tests/support/advised.py`` so many are drawn, with 2,000 and 4,000
rows. By their truth, of the test rows: ERT L2, the mean of (p(x) - CL)^2, and the mean interval
score at CL, width and 2 / eps times what labels are expected to lie beyond. Set beside each other
are what is chosen and the candidate, or none, that has the smallest ERT L2 in that world of those
whose intervals are at most 1.1 times as wide as with none: mean ERT L2 of none, of the best and of
what is chosen; in how many worlds the last is within .0005 of the best; the interval score of what
is chosen as a share of the best one's; and what is chosen how often.
"""

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import norm

from evencover.core import audit
from evencover.core.remedies.names import AUTO
from evencover.core.threads import single_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from advised import world

KINDS = ("valid", "linear noise", "bend", "interaction", "misfit", "seen group")
LEVEL, MOST_GROWTH, NEAR = 0.9, 1.1, 0.0005


def figures(made, result, name):
    """Return true ERT L2, mean width and mean interval score of a predictor's test rows."""
    rows, sets = result.test_rows.rows, result.test_rows.sets[name]
    noise = made.noise[rows]
    low, high = ((ends - made.mean[rows]) / noise for ends in (sets.lower, sets.upper))
    p = norm.cdf(high) - norm.cdf(low)
    # what a normal label is expected to lie below one end, and above the other
    beyond = sum(norm.pdf(end) - end * norm.sf(end) for end in (-low, high))
    score = noise * (high - low + 2.0 / (1.0 - LEVEL) * beyond)
    return np.mean((p - LEVEL) ** 2), np.mean(noise * (high - low)), np.mean(score)


def outcome(job):
    """Return what is chosen in a world, and the figures of none, the best and what is chosen."""
    with single_blas_thread():
        made = world(*job)
        settings = replace(made.settings, remedies=(*AUTO, "auto"))
        result = audit(made.frame, settings, with_replay=False)
        found = {name: figures(made, result, name) for name in result.names}
    none, auto = found["base"], found.pop("auto")
    small = [of for of in found.values() if of[1] <= MOST_GROWTH * none[1]]
    return job[0], result.predictors[-1].fit.choice.remedy, none, min(small), auto


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=35, metavar="N", help="of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="A,B")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    jobs = [(kind, number) for kind in kinds for number in range(options.worlds)]
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(outcome, jobs))
    print(f"{'kind':<13} {'none':>7} {'best':>7} {'auto':>7} {'near':>5} {'score':>6}  chosen")
    for kind in [*kinds, "all"]:
        rows = [row for row in found if kind in (row[0], "all")]
        none, best, auto = (np.array([row[part] for row in rows]) for part in (2, 3, 4))
        near = np.mean(auto[:, 0] <= best[:, 0] + NEAR)
        means = [each[:, 0].mean() for each in (none, best, auto)]
        ratio = np.mean(auto[:, 2] / best[:, 2])
        chosen = dict(Counter(row[1] for row in rows).most_common())
        told = " ".join(f"{mean:>7.5f}" for mean in means)
        print(f"{kind:<13} {told} {near:>5.2f} {ratio:>6.3f}  {chosen}")


if __name__ == "__main__":
    main()
