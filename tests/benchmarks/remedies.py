"""What each remedy does to evenness and size, on published data and in worlds of known coverage.

    python tests/benchmarks/remedies.py [gpu gpu99 covtype linear guard rare houses triage]
        [--seeds 10] [--runs 200] [--json FILE]

Without names all parts are run, one after the other, each on one thread; published data are those
of EVENCOVER_DATA.

gpu, gpu99, covtype: DCV on training and on test rows, mean width or set size of the test rows,
seconds of the fit, Newton steps and size as a share of the base's, means over seeds (of covtype
one), with the paired difference
of the test DCV from IFACM's and its standard error.

linear: by how much the quantile adjustment's check loss exceeds that of scikit-learn's exact solver
on 2,000 rows.

guard: in worlds where a straight line with even noise is true, and with noise that is 1.6 times as
large for a sixth of the rows, the standard deviation of the true coverage over objects, in points,
before, after and after the guarded adjustment; in how many runs the last is at most 1.2 times the
first; and the share of the unguarded gain that is left.

rare: 25,000 rows with two classes and 100 rare one-hot columns, likewise.

houses: accuracy of the county Devon, whose intervals are too narrow. triage: accuracy of each class
under a threshold for each class, and the 99.9 % band of its law.
"""

import argparse
import json
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import QuantileRegressor

from evencover.core import AuditSettings
from evencover.core.conformal.coverage_law import CoverageLaw
from evencover.core.conformal.measures import NormalizedMeasure, StandardMeasure
from evencover.core.events import ignore, never
from evencover.core.experiment.evaluation import Evaluator
from evencover.core.experiment.predictors import Fitting, base, remedy
from evencover.core.preparation.prepare import prepare
from evencover.core.remedies import IFACM, Guarded, QuantileAdjustment
from evencover.core.remedies.quantile.check_loss import check_loss
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
        found = Evaluator(data, settings).evaluate(predictor)
        train, test = found["training"].row, found["test"].row
        rows.append(
            {
                "remedy": name,
                "seed": settings.seed,
                "train_dcv": train.dcv,
                "dcv": test.dcv,
                "size": test.inefficiency,
                "seconds": seconds,
                "steps": getattr(predictor.measure, "n_steps_", np.nan),
                "strength": getattr(predictor.measure, "strength_", np.nan),
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


def linear(options):  # noqa: ARG001
    sample = sample_of("gpu")
    data = prepare(sample.frame, settings_of(sample))
    train = data.train.part(np.arange(2000))
    measure = NormalizedMeasure().fit(train)
    scores = measure.score(train)
    found = []
    for level in (0.9, 0.99):
        share = 1.0 - level
        exact = QuantileRegressor(quantile=share, alpha=0.0).fit(train.X, scores)
        ours = QuantileAdjustment(FrozenEstimator(measure), confidence_level=level)
        adjusted = scores + ours.fit(train).adjustment(train)
        mine = check_loss(adjusted - np.quantile(adjusted, share), share)
        best = check_loss(scores - exact.predict(train.X), share)
        found.append(
            {"level": level, "exact": best, "excess": mine - best, "ridge": ours.ridge_strength_}
        )
    print("\nlinear", *found, sep="\n", flush=True)
    return found


D, RAISED = 10, 1.6


def world(rng, n, planted):
    X = rng.normal(size=(n, D))
    group = X[:, 0] > 1.0
    if planted:
        X[:, 0] = (group - norm.sf(1.0)) / np.sqrt(norm.sf(1.0) * norm.cdf(1.0))
    sd = np.where(group & planted, RAISED, 1.0)
    mean = X @ np.linspace(-1.0, 1.0, D)
    return X, mean, sd, mean + sd * rng.normal(size=n)


def true_spread(measure, X, mean, sd, level=0.9):
    """Return 100 times the spread of coverage at the threshold that makes it ``level`` overall."""
    functions = measure.score_functions(X)
    low, high = -10.0, 10.0
    for _ in range(40):
        threshold = (low + high) / 2.0
        sets = functions.sets(threshold)
        coverage = norm.cdf((sets.upper - mean) / sd) - norm.cdf((sets.lower - mean) / sd)
        low, high = (threshold, high) if coverage.mean() > level else (low, threshold)
    return 100.0 * float(coverage.std())


def guard(options):
    found = []
    for make in (QuantileAdjustment, IFACM):
        for n, planted in ((2000, False), (400, False), (2000, True), (400, True)):
            runs = []
            for number in range(options.runs):
                rng = np.random.default_rng([number, n, planted])
                X, *_, y = world(rng, n, planted)
                test = world(rng, 5000, planted)[:3]
                measure = FrozenEstimator(StandardMeasure().fit(X, y))
                free, held = make(measure).fit(X, y), Guarded(make(measure)).fit(X, y)
                spreads = [true_spread(each, *test) for each in (measure, free, held)]
                runs.append([*spreads, held.strength_])
            before, after, guarded, strength = np.array(runs).T
            row = {
                "remedy": make.title,
                "n_train": n,
                "planted": planted,
                "runs": len(runs),
                "before": before.mean(),
                "after": after.mean(),
                "guarded": guarded.mean(),
                "applied": float((strength > 0.0).mean()),
                "within_1.2": float((guarded <= 1.2 * before).mean()),
                "gain_left": (before - guarded).mean() / (before - after).mean(),
            }
            found.append(row)
            print(pd.DataFrame([row]).round(3).to_string(index=False), flush=True)
    return found


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
    names += ("guarded:ifacm", "guarded:quantile", "mondrian:county")
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


def triage(options):
    sample, found = sample_of("triage"), []
    for seed in range(options.seeds):
        settings = settings_of(sample, seed=seed)
        for data, name, predictor, _ in fitted(sample.frame, settings, ("label",)):
            correct = predictor.predict(data.test, data.calibration).outcomes.correct
            for code, label in enumerate(data.label.classes):
                rows = data.test.y == code
                law = CoverageLaw.of_calibration(
                    int((data.calibration.y == code).sum()), settings.confidence_level
                )
                low, high = law.band(int(rows.sum()), 0.999)
                accuracy = float(correct[rows].mean())
                known = {"remedy": name, "seed": seed, "class": label, "n": int(rows.sum())}
                found.append(known | {"accuracy": accuracy, "within": low <= accuracy <= high})
    table = pd.DataFrame(found).groupby(["remedy", "class"])[["accuracy", "within"]].mean()
    print(f"\ntriage, {options.seeds} seeds\n{table.round(3).to_string()}", flush=True)
    return found


PARTS = {f.__name__: f for f in (gpu, gpu99, covtype, linear, guard, rare, houses, triage)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--runs", type=int, default=200, metavar="N", help="of each guarded world")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    with single_blas_thread():
        found = {name: PARTS[name](options) for name in options.parts or PARTS}
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()
