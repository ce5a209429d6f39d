"""How long each of an audit's default figures takes on a 20,000-row test set.

    python tests/benchmarks/figures.py [--json FILE] [--only made,gpu]

``made`` is a table of 20 numbers with 40,000 training, 20,000 calibration and 20,000 test rows;
``gpu`` is the published data set (``EVENCOVER_DATA``). For the base predictor and the adjusted one
together, on their test rows: the logistic diagnosis, evidence, cross-fitting, excess risk, worst
slab, and what compares rows (segments, gaps, the search for worst segments), in seconds; and all
that an audit does after the fits, on training rows too. All of it is to take a few seconds.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator

from evencover.core import IFACM, AuditSettings, InputError
from evencover.core.conformal.measures import MEASURES
from evencover.core.conformal.predictor import MeasurePredictor
from evencover.core.coverage.cross_fitting import cross_fitted_dcv, excess_risk, out_of_fold
from evencover.core.coverage.dcv_inference import evidence
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.coverage.exchangeability import Sample, check_drift
from evencover.core.coverage.worst_slab import worst_slab_coverage
from evencover.core.experiment.comparison import divide, segment_tables
from evencover.core.experiment.evaluation import Evaluator
from evencover.core.experiment.provenance import audited_objects
from evencover.core.preparation.prepare import prepare
from evencover.core.remedies import RemedyPredictor
from evencover.core.threads import single_blas_thread
from evencover.sample_data import load_sample

sys.path.append(str(Path(__file__).parents[1] / "support"))
from timing import fastest

REPEATS = 3
A_FEW_SECONDS = 5.0
LAYERS = 3
"""Of the adjustment: enough of one to be judged, not to time its search."""


def made():
    """A regression of 20 numbers whose noise depends on some of them."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80_000, 20))
    scale = np.exp(0.5 * X[:, 0] - 0.5 * np.abs(X[:, 1]) + 0.3 * (X[:, 2] > 1.0))
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    table["y"] = X[:, 0] + X[:, 3] + scale * rng.normal(size=len(X))
    return table, AuditSettings(target="y", split="40000,20000,20000")


def gpu():
    sample = load_sample("gpu")
    return sample.frame, AuditSettings(
        target=sample.target,
        confidence_level=sample.confidence_level,
        penalty=sample.penalty,
        drop=sample.drop,
        log_target=sample.log_target,
        split=sample.split,
    )


CASES = {"made": made, "gpu": gpu}


def measure(name):
    table, settings = CASES[name]()
    data, level = prepare(table, settings), settings.confidence_level
    base = MEASURES[settings.measure_for(data.label.task)]().fit(data.train.X, data.train.y)
    ifacm = IFACM(FrozenEstimator(base), confidence_level=level, max_layers=LAYERS)
    remedy = ifacm.fit(data.train, data.train.y)
    predictors = [
        MeasurePredictor("base", "base", base, level),
        RemedyPredictor("ifacm", remedy, level),
    ]

    def evaluated():
        evaluator = Evaluator(data, settings)  # a new one, which remembers no diagnosis
        return evaluator, [evaluator.evaluate(predictor)["test"] for predictor in predictors]

    whole, (evaluator, judged) = fastest(REPEATS, evaluated)
    X = evaluator.subsets["test"].determined
    seconds = dict.fromkeys(("logistic", "evidence", "cross-fitting", "ERT", "worst slab"), 0.0)
    for evaluation in judged:
        for part, took in by_part(data, X, evaluation.outcomes.correct, level).items():
            seconds[part] += took
    on_test = {evaluation.row.predictor: evaluation for evaluation in judged}
    null_model = evaluator.null_model(predictors[0], judged[0].outcomes.correct)

    def by_segment():
        divisions = divide(data, settings)
        test_rows = audited_objects(data, tuple(divisions), on_test, predictors, null_model.law)
        return segment_tables(test_rows, settings, ["ifacm"])

    compared, _ = fastest(REPEATS, by_segment)
    sets = Sample(data.calibration.X), Sample(data.test.X)
    drift, _ = fastest(REPEATS, lambda: check_drift(*sets, null_model))
    total = whole + compared + drift
    return {
        "test rows": len(data.test.y),
        "columns": data.test.X.shape[1],
        **seconds,
        "segments, gaps, rules": compared,
        "drift": drift,
        "both predictors, both sets": whole,
        "all after the fits": total,
        f"at most {A_FEW_SECONDS:g} s": "yes" if total <= A_FEW_SECONDS else "NO",
    }


def by_part(data, X, correct, level):
    """Time the figures of one predictor on the test rows, each by itself."""
    logistic, fitted = fastest(REPEATS, lambda: LogisticEstimator().fit(X, correct))
    certain, _ = fastest(REPEATS, lambda: evidence(X, correct, fitted, level))
    folds, seen_elsewhere = fastest(REPEATS, lambda: out_of_fold(X, correct, LogisticEstimator()))
    crossed, _ = fastest(REPEATS, lambda: cross_fitted_dcv(seen_elsewhere, correct, level))
    excess, _ = fastest(REPEATS, lambda: excess_risk(seen_elsewhere, correct, level))
    slab, _ = fastest(REPEATS, lambda: worst_slab_coverage(data.test.X, correct))
    return {
        "logistic": logistic,
        "evidence": certain,
        "cross-fitting": folds + crossed,
        "ERT": excess,
        "worst slab": slab,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--only", default=",".join(CASES), help="some of " + ",".join(CASES))
    options = parser.parse_args()
    chosen = options.only.split(",")
    if not set(chosen) <= set(CASES):
        parser.error("--only takes some of " + ",".join(CASES))
    figures = {}
    try:
        with single_blas_thread():
            for name in chosen:
                figures[name] = measure(name)
                print(name)
                for what, value in figures[name].items():
                    shown = f"{value:.3f}" if isinstance(value, float) else value
                    print(f"  {what:>28}  {shown}", flush=True)
    except InputError as error:  # the data are not there
        parser.error(str(error))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
