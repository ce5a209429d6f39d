"""What each remedy does to evenness and size, on published data and in worlds of known coverage.

    python tests/benchmarks/remedies.py [gpu gpu99 covtype rare houses] [--seeds 10] [--json FILE]

Without names all parts are run, one after the other, each on one thread; published data are those
of EVENCOVER_DATA.

gpu, gpu99, covtype: DCV on training and on test rows, mean width or set size of the test rows,
seconds of the fit, Newton steps and size as a share of the base's, means over seeds (of covtype
one), with the paired difference of the test DCV from IFACM's and its standard error. rare: the same
of 25,000 rows with two classes and 100 rare one-hot columns. houses: accuracy of the county Devon,
whose intervals are too narrow.
"""

import argparse
import json
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.core import AuditSettings
from evencover.core.events import ignore, never
from evencover.core.experiment.evaluation import Evaluator
from evencover.core.experiment.predictors import Fitting, base, remedy
from evencover.core.preparation.prepare import prepare
from evencover.core.threads import single_blas_thread
from evencover.sample_data import Sample, load_sample

sample_of = cache(load_sample)


def settings_of(sample: Sample, **more):
    return AuditSettings(
        target=sample.target,
        log_target=sample.log_target,
        drop=sample.drop,
        audit_only=sample.audit_only,
        split=sample.split,
        **{"penalty": sample.penalty, "confidence_level": sample.confidence_level} | more,
    )


def fitted(frame, settings, names):
    """Yield the prepared data, and each predictor with its name and the seconds of its fit."""
    data = prepare(frame, settings)
    fitting = Fitting(data, settings, ignore, never, with_replay=False)
    _ = fitting.base_measure
    for name in ("base", *names):
        began = time.perf_counter()
        predictor = base(fitting) if name == "base" else remedy(name).fit(fitting)
        yield data, name, predictor, time.perf_counter() - began


def figures(frame, settings, names):
    rows = []
    for data, name, predictor, seconds in fitted(frame, settings, names):
        evaluator = Evaluator(data, settings)
        train, test = map(evaluator.row, evaluator.evaluate(predictor).values())
        rows.append(
            {
                "remedy": name,
                "seed": settings.seed,
                "train_dcv": train.dcv,
                "dcv": test.dcv,
                "size": test.inefficiency,
                "seconds": seconds,
                "steps": getattr(predictor.measure, "n_steps_", np.nan),
                "converged": getattr(predictor.measure, "converged_", True),
                "of_base": test.inefficiency / (rows[0]["size"] if rows else test.inefficiency),
            }
        )
    return rows


def shown(title, rows):
    table = pd.DataFrame(rows)
    paired = table.pivot_table(index="seed", columns="remedy", values="dcv")
    means = table.groupby("remedy", sort=False).mean().drop(columns="seed")
    against = paired.sub(paired["ifacm"], axis=0)
    means["dcv-ifacm"] = against.mean()
    means["its_se"] = against.std() / np.sqrt(len(against))
    means["most_steps"] = table.groupby("remedy")["steps"].max()
    means["most_of_base"] = table.groupby("remedy")["of_base"].max()
    print(f"\n{title}\n{means.round(5).to_string()}", flush=True)
    return means.reset_index().to_dict("records")


def published(name, names=("ifacm", "quantile"), seeds=10, **more):
    sample = sample_of(name)
    rows = [
        row
        for seed in range(seeds)
        for row in figures(sample.frame, settings_of(sample, seed=seed, **more), names)
    ]
    return shown(f"{name} {more}, {seeds} seeds", rows)


def gpu(options):
    return published("gpu", ("ifacm", "ifacm-smooth", "quantile"), options.seeds)


def gpu99(options):
    return published("gpu", seeds=options.seeds, confidence_level=0.99)


def covtype(options):  # noqa: ARG001
    return published("covtype", seeds=1)


def draw_rare(seed, n=25_000, columns=100):
    rng = np.random.default_rng([seed, n])
    shares = rng.uniform(0.001, 0.01, columns)
    indicators = (rng.random((n, columns)) < shares).astype(int)
    x = rng.normal(size=(n, 3))
    odds = 1.5 * x[:, 0] - x[:, 1] + indicators @ rng.normal(size=columns)
    flipped = rng.random(n) < 0.05 + 0.3 * (indicators[:, :20].any(axis=1))
    label = np.where((rng.logistic(size=n) < 2.0 * odds) ^ flipped, "yes", "no")
    frame = pd.DataFrame(indicators, columns=[f"rare{i}" for i in range(columns)])
    return frame.assign(**{f"x{i}": x[:, i] for i in range(3)}, label=label)


def rare(options):
    rows = []
    for seed in range(min(options.seeds, 5)):
        settings = AuditSettings(target="label", seed=seed, penalty=0.1)
        rows += figures(draw_rare(seed), settings, ("ifacm", "quantile"))
    return shown("rare", rows)


def houses(options):
    sample = sample_of("houses")
    names = ("ifacm", "ifacm-smooth", "ifacm-crossfitted", "ifacm-floor", "quantile")
    names += ("auto", "mondrian:county")
    accuracy, sizes = defaultdict(list), defaultdict(list)
    for seed in range(options.seeds):
        settings = settings_of(sample, seed=seed)
        for data, name, predictor, _ in fitted(sample.frame, settings, names):
            found = predictor.predict(data.test, data.calibration).outcomes
            devon = (data.test.table["county"] == "Devon").to_numpy()
            accuracy[name].append(100.0 * found.correct[devon].mean())
            sizes[name].append(found.sizes.mean())
    table = pd.DataFrame(
        {"Devon": pd.DataFrame(accuracy).mean(), "size": pd.DataFrame(sizes).mean()}
    )
    print(f"\nhouses, {options.seeds} seeds\n{table.round(3).to_string()}", flush=True)
    return table.reset_index().to_dict("records")


PARTS = {f.__name__: f for f in (gpu, gpu99, covtype, rare, houses)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    with single_blas_thread():
        found = {name: PARTS[name](options) for name in options.parts or PARTS}
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()
