"""Whether the remedy that `auto` chooses is as good as the best of its candidates.

    python tests/benchmarks/auto.py [--worlds 35] [--kinds "valid,bend"] [--processes 2]
    python tests/benchmarks/auto.py --data gpu,covtype [--seeds 3]

To be reached: in all kinds, and of all data, what is chosen is on average within .0005 of the
ERT L2 of the best and within 2 % of its interval score, and none is chosen in 90 % of valid worlds.

With --data, of samples and of EVENCOVER_DATA (30,000 rows of gpu and covtype, 21,613 houses of
king_county in log price), means over seeds for either base model: coverage, ERT L2 by cross-fitted
boosted trees on test rows, mean size and mean interval score, for classes the size again, as shares
of those of the linear model without a remedy. The best is here, too, the candidate with the
smallest ERT L2 of those that are small enough.

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
import pandas as pd
from scipy.stats import norm

from evencover.core import AuditSettings, audit
from evencover.core.conformal.predictor import MeasurePredictor
from evencover.core.coverage.diagnosis import excess_risk, out_of_fold
from evencover.core.coverage.estimators import TreesEstimator
from evencover.core.events import ignore, never
from evencover.core.experiment.predictors import Fitting
from evencover.core.preparation.prepare import prepare
from evencover.core.remedies.names import AUTO
from evencover.core.rows.outcomes import IntervalSets
from evencover.core.threads import single_blas_thread, single_openmp_thread
from evencover.sample_data import load_sample

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from advised import world

KINDS = ("valid", "linear noise", "bend", "interaction", "misfit", "seen group")
LEVEL, MOST_GROWTH, NEAR, DEARER = 0.9, 1.1, 0.0005, 1.02
SPLITS = dict.fromkeys(("gpu", "covtype"), "10000,10000,10000")


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


def on_data(name, model, seed):
    """Yield the figures of each predictor, and what is chosen, on the test rows of a sample."""
    sample = load_sample(name)
    split = SPLITS.get(name, sample.split) or "0.4,0.3,0.3"
    asked = {"target": sample.target, "log_target": sample.log_target, "drop": sample.drop}
    settings = AuditSettings(**asked, model=model, split=split, seed=seed)
    data = prepare(sample.frame, settings)
    fitting = Fitting(data, settings, ignore, never)
    for remedy in ("none", *AUTO, "auto"):
        measure = fitting.base_measure
        if remedy != "none":
            measure = fitting.remedy(remedy).fit(data.train, data.train.y)
        predictor = MeasurePredictor(remedy, remedy, measure, LEVEL)
        found, y = predictor.predict(data.test, data.calibration), data.test.labels
        with single_openmp_thread():
            seen = out_of_fold(data.test.X, found.outcomes, TreesEstimator())
        score = found.outcomes.sizes
        if isinstance(found.sets, IntervalSets):
            out = np.maximum(np.maximum(found.sets.lower - y, y - found.sets.upper), 0.0)
            score = score + 2.0 / (1.0 - LEVEL) * out
        yield {
            "data": name,
            "model": model,
            "remedy": remedy,
            "chosen": measure.fit_.choice.remedy if remedy == "auto" else "",
            "coverage": found.outcomes.accuracy,
            "ert_l2": excess_risk(seen, found.outcomes, LEVEL).l2,
            "size": found.outcomes.sizes.mean(),
            "score": score.mean(),
        }


def print_data(names, seeds):
    """Print the table of samples and real data, and whether auto is near the best there."""
    with single_blas_thread():
        rows = [
            row
            for name in names
            for model in ("linear", "boosting")
            for seed in range(seeds)
            for row in on_data(name, model, seed)
        ]
    by = pd.DataFrame(rows).groupby(["data", "model", "remedy"], sort=False)
    table = by.mean(numeric_only=True)
    none = table.xs(("linear", "none"), level=("model", "remedy"))
    of_data = none.reindex(table.index.get_level_values("data"))
    for figure in ("size", "score"):
        table[figure] /= of_data[figure].to_numpy()
    print(table.assign(chosen=by["chosen"].agg(" ".join)).round(5).to_string())
    for (name, model), of in table.groupby(level=[0, 1], sort=False):
        found = of.droplevel([0, 1])
        auto, others = found.loc["auto"], found.drop("auto")
        best = others[others["size"] <= MOST_GROWTH * others.loc["none", "size"]]["ert_l2"].idxmin()
        more = auto["ert_l2"] - others.loc[best, "ert_l2"]
        ratio = auto["score"] / others.loc[best, "score"]
        kept = "yes" if more <= NEAR and ratio <= DEARER else "NO"
        print(f"{name}, {model}: best {best}, auto {more:+.5f} ERT L2, score x {ratio:.3f}: {kept}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=35, metavar="N", help="of each kind")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="A,B")
    parser.add_argument("--processes", type=int, default=2, metavar="N")
    parser.add_argument("--data", metavar="A,B", help="samples and real data in place of worlds")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="of each of the data")
    options = parser.parse_args()
    if options.data:
        print_data(options.data.split(","), options.seeds)
        return
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
