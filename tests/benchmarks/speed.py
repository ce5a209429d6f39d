"""How fast IFACM is, beside the straightforward way and the limits it is held to.

    python tests/benchmarks/speed.py [--json FILE] [--only kc,gpu,covtype,growth,scoring]

The real data sets come from the folder EVENCOVER_DATA or are downloaded. BLAS has one thread
throughout, as in an audit. Seconds are the smallest of the repeats.
"""

import argparse
import concurrent.futures
import functools
import json
import multiprocessing
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from evencover.core import IFACM, AuditSettings, InputError, NormalizedMeasure
from evencover.core.conformal.names import MEASURES
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.coverage.dcv import deviation
from evencover.core.events import LayerAccepted, LayerTried
from evencover.core.preparation.prepare import prepare
from evencover.core.threads import single_blas_thread
from evencover.sample_data import load_sample

SAMPLES = {"kc": "king_county", "gpu": "gpu", "covtype": "covtype"}
FIT_REPEATS = {"kc": 5, "gpu": 3, "covtype": 1}
BASELINE_EVALUATIONS = {"covtype": 20}
LARGEST_DIFFERENCE = 1e-6
GROWTH_ROWS = (10_000, 100_000, 1_000_000)
GROWTH_PREDICTORS = 30
GROWTH_LAYERS = 2
GROWTH_REPEATS = {10_000: 5, 100_000: 4, 1_000_000: 2}
LARGEST_GROWTH = 12.0
LARGEST_MEMORY = 3.0
SCORED_ROWS = 100_000
SCORING_REPEATS = 7
LARGEST_SCORING_RATIO = 4.0


def fastest(repeats, work):
    """Return the seconds that the work takes at best, and what it returns."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - started)
    return min(seconds), result


@functools.cache
def prepared(name):
    """Return a real data set's parts as an audit makes them, with the base measure fitted."""
    sample = load_sample(SAMPLES[name])
    settings = AuditSettings(
        target=sample.target,
        task=sample.task,
        confidence_level=sample.confidence_level,
        penalty=sample.penalty,
        drop=sample.drop,
        log_target=sample.log_target,
        split=sample.split,
    )
    data = prepare(sample.frame, settings)
    measure = MEASURES[settings.measure_for(data.label.task)]
    base = measure(**data.label.measure_parameters).fit(data.train.X, data.train.y)
    return SimpleNamespace(settings=settings, data=data, base=base)


def new_ifacm(case, **bounds):
    return IFACM(
        FrozenEstimator(case.base),
        confidence_level=case.settings.confidence_level,
        penalty=case.settings.penalty,
        **bounds,
    )


# 1. the search


def fit_watched(case):
    """Fit IFACM, and keep every point of its search and the p(x) that each layer sets out from."""
    events, probabilities, step = [], [], IFACM.step

    def noted_step(ifacm, probability, *parameters):
        if not probabilities or probabilities[-1] is not probability:
            probabilities.append(probability)
        return step(ifacm, probability, *parameters)

    ifacm, train = new_ifacm(case), case.data.train
    with mock.patch.object(IFACM, "step", noted_step):
        seconds, _ = fastest(1, lambda: ifacm.fit(train.X, train.y, on_event=events.append))
    return SimpleNamespace(ifacm=ifacm, seconds=seconds, events=events, probabilities=probabilities)


@functools.cache
def fastest_run(name):
    runs = (fit_watched(prepared(name)) for _ in range(FIT_REPEATS[name]))
    return min(runs, key=lambda run: run.seconds)


def points(case, run):
    """Yield each evaluation of a search with the layers before it, and the p(x) it adds to."""
    step = fitted_step(case)
    shift = np.zeros(len(case.data.train.y))
    for event in run.events:
        match event:
            case LayerTried():
                yield event, shift, run.probabilities[event.iteration - 1]
            case LayerAccepted():
                probability = run.probabilities[event.iteration - 1]
                shift = shift + step(probability, event.gamma, event.delta)


def fitted_step(case):
    level = case.settings.confidence_level

    def step(probability, gamma, delta):
        low, high = probability < level - delta, probability > level + delta
        return gamma * (low.astype(float) - high)

    return step


def refit_all(case, run, evaluations):
    """Evaluate points of the search in the straightforward way; all, or so many spread over it."""
    X, y, level = case.data.train.X, case.data.train.y, case.settings.confidence_level
    functions, step = case.base.score_functions(X), fitted_step(case)

    def evaluate(event, shift, probability):
        adjusted = functions.shifted(shift + step(probability, event.gamma, event.delta))
        scores = adjusted.at(y)
        threshold = conformal_threshold(scores, level)
        adjusted.mean_size(threshold)
        return deviation(refit(X, scores >= threshold), level).value

    total = sum(isinstance(event, LayerTried) for event in run.events)
    count = total if evaluations is None else min(evaluations, total)
    chosen = set(np.linspace(0, total - 1, count).round().astype(int).tolist())
    seconds, largest = 0.0, 0.0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        for number, (event, shift, probability) in enumerate(points(case, run)):
            if number not in chosen:
                continue
            took, dcv = fastest(1, functools.partial(evaluate, event, shift, probability))
            seconds += took
            largest = max(largest, abs(dcv - event.dcv) / dcv)
    return SimpleNamespace(seconds=seconds, count=count, largest=largest, warned=len(caught))


def refit(X, correct):
    if correct.all() or not correct.any():
        return np.full(len(X), float(correct[0]))
    model = LogisticRegression(C=1e6, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    return model.fit(X, correct).predict_proba(X)[:, 1]


def time_search(name):
    case, run = prepared(name), fastest_run(name)
    dcvs = [event.dcv for event in run.events if isinstance(event, LayerTried)]
    evaluations = len(dcvs)
    baseline = refit_all(case, run, BASELINE_EVALUATIONS.get(name))
    each = 1000.0 / evaluations
    ours, theirs = run.seconds * each, 1000.0 * baseline.seconds / baseline.count
    rows, columns = case.data.train.X.shape
    return {
        "rows": rows,
        "columns": columns,
        "seconds": run.seconds,
        "evaluations": evaluations,
        "layers": sum(isinstance(event, LayerAccepted) for event in run.events),
        "different outcomes": len(set(dcvs)),
        "ms per evaluation": ours,
        "refitting: evaluations timed": baseline.count,
        "refitting: ms per evaluation": theirs,
        "refitting: seconds in all": theirs * evaluations / 1000.0,
        "refitting: unconverged": baseline.warned,
        "refitting to ours": theirs / ours,
        "largest relative DCV difference": baseline.largest,
        "difference <= 1e-6": verdict(baseline.largest <= LARGEST_DIFFERENCE),
    }


# 2. growth


def noisy_table(rows):
    """A regression whose noise depends on some of its predictors."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(rows, GROWTH_PREDICTORS))
    scale = np.exp(0.5 * X[:, 0] - 0.5 * np.abs(X[:, 1]) + 0.3 * (X[:, 2] > 1.0))
    return X, X[:, 0] + X[:, 3] + scale * rng.normal(size=rows)


def resident(field):
    """Return a figure of this process in bytes: VmRSS now, VmHWM at most since the last reset."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise KeyError(field)


@single_blas_thread()
def grow(rows):
    """Fit the largest sets alone in a process: time, and memory at its peak."""
    at_first = resident("VmRSS")
    X, y = noisy_table(rows)
    base = NormalizedMeasure().fit(X, y)
    events = []

    def fit():
        events.clear()
        ifacm = IFACM(FrozenEstimator(base), max_layers=GROWTH_LAYERS)
        return ifacm.fit(X, y, on_event=events.append)

    held = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    first, _ = fastest(1, fit)
    peak = resident("VmHWM")
    later, _ = fastest(GROWTH_REPEATS[rows] - 1, fit) if GROWTH_REPEATS[rows] > 1 else (first, None)
    dcvs = [event.dcv for event in events if isinstance(event, LayerTried)]
    evaluations = len(dcvs)
    return {
        "evaluations": evaluations,
        "different outcomes": len(set(dcvs)),
        "layers": sum(isinstance(event, LayerAccepted) for event in events),
        "ms per evaluation": 1000.0 * min(first, later) / evaluations,
        "matrix, MB": X.nbytes / 1e6,
        "peak beyond what was held, of the matrix": (peak - held) / X.nbytes,
        "matrix included": 1.0 + (peak - held) / X.nbytes,
        "all since the data came": (peak - at_first) / X.nbytes,
    }


def time_growth():
    table = {}
    for rows in GROWTH_ROWS:
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as alone:
            table[rows] = alone.submit(grow, rows).result()
    each = [table[rows]["ms per evaluation"] for rows in GROWTH_ROWS]
    memory = table[GROWTH_ROWS[-1]]["matrix included"]
    limits = {
        "10k to 100k, times": each[1] / each[0],
        "100k to 1M, times": each[2] / each[1],
        f"at most {LARGEST_GROWTH:g}": verdict(each[2] / each[1] <= LARGEST_GROWTH),
        f"memory under {LARGEST_MEMORY:g} matrices": verdict(memory < LARGEST_MEMORY),
    }
    return {f"{rows:,} rows": figures for rows, figures in table.items()} | {"limits": limits}


# 3. scoring


def time_scoring(name):
    """Compare scoring with layers and without, in alternation."""
    case, adjusted = prepared(name), fastest_run(name).ifacm
    drawn = np.random.default_rng(5).integers(len(case.data.table), size=SCORED_ROWS)
    X = case.data.encoder.transform(case.data.table.rows(drawn))
    models = [model for model in vars(case.base).values() if hasattr(model, "predict")]
    rounds = [
        (
            fastest(1, lambda: [own_prediction(model, X) for model in models])[0],
            fastest(1, lambda: case.base.score_functions(X))[0],
            fastest(1, lambda: adjusted.score_functions(X))[0],
        )
        for _ in range(SCORING_REPEATS)
    ]
    base, scores, whole = (1000.0 * min(seconds) for seconds in zip(*rounds, strict=True))
    return {
        "objects": SCORED_ROWS,
        "layers": len(adjusted.layers_),
        "base, by scikit-learn, ms": base,
        "base's scores, ms": scores,
        "adjusted, ms": whole,
        "adjusted to base": whole / base,
        f"at most {LARGEST_SCORING_RATIO:g}": verdict(whole / base <= LARGEST_SCORING_RATIO),
    }


def own_prediction(model, X):
    """What scikit-learn's model gives that the scores are made of."""
    return model.predict_log_proba(X) if hasattr(model, "classes_") else model.predict(X)


def verdict(holds):
    return "yes" if holds else "NO"


def print_table(title, columns):
    """Print one column for each case, one row for each figure."""
    print(f"\n{title}")
    rows = dict.fromkeys(name for figures in columns.values() for name in figures)
    width = max(map(len, rows))
    print(" " * width + "".join(f"{name:>16}" for name in columns))
    for row in rows:
        cells = "".join(f"{shown(figures.get(row, '')):>16}" for figures in columns.values())
        print(f"{row:{width}}{cells}", flush=True)


def shown(figure):
    if not isinstance(figure, float):
        return str(figure)
    return f"{figure:.2e}" if 0.0 < abs(figure) < 1e-3 else f"{figure:.3f}"


def measure(only):
    figures = {}

    def tell(part, title, columns):
        figures[part] = columns
        print_table(title, columns)

    searches = [name for name in SAMPLES if name in only]
    if searches:
        title = "The search of IFACM, and the same points refitted from scratch by scikit-learn"
        tell("search", title, {name: time_search(name) for name in searches})
        for name, count in BASELINE_EVALUATIONS.items():
            if name in searches:
                print(f"({name}: {count} evaluations spread over the search were refitted, scaled)")
    if "growth" in only:
        table = time_growth()
        limits = table.pop("limits")
        tell("growth", f"Growth, {GROWTH_PREDICTORS} predictors, {GROWTH_LAYERS} layers", table)
        tell("growth limits", "Limits of growth", {"": limits})
    if "scoring" in only:
        title = f"Scoring {SCORED_ROWS:,} new objects"
        tell("scoring", title, {name: time_scoring(name) for name in ("gpu", "covtype")})
    return figures


def main():
    parts = [*SAMPLES, "growth", "scoring"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--only", default=",".join(parts), help="some of " + ",".join(parts))
    options = parser.parse_args()
    only = options.only.split(",")
    if not set(only) <= set(parts):
        parser.error("--only takes some of " + ",".join(parts))
    try:
        with single_blas_thread():
            figures = measure(only)
    except InputError as error:  # the data are not there
        parser.error(str(error))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
