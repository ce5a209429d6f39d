"""Worlds of known truth at the bound of a rule to fail, as results without a whole audit."""

import math

import numpy as np
import pandas as pd
from rows import drift_of, result_of, result_row
from scipy.special import expit, logit

from evencover.core.conformal.rank import CoverageLaw
from evencover.core.coverage.dcv import deviation, noise_floor
from evencover.core.coverage.dcv_inference import evidence
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.coverage.exchangeability import BAND
from evencover.core.experiment.result import AuditedPredictor, DataSummary
from evencover.core.rows.outcomes import IntervalSets, Outcomes
from evencover.core.segments.audited_rows import TestRows
from evencover.core.segments.binning import partition_column
from evencover.core.segments.by_segment import gap_rows, segment_rows
from evencover.core.segments.grouping import Variable
from evencover.core.segments.worst_segments import WorstSegments
from evencover.core.tables.table import Table

LEVEL = 0.9
SETTINGS = ("alone", "columns", "weights", "clusters", "calibration")
"""A group column alone; beside 15 columns; with lognormal weights on which coverage depends, with
clusters of some five alike rows; and with the coverage that 100 calibration rows happen to give."""
KINDS = (
    *("coverage", "condition", "gap", "gap of four", "low-segments", "one low", "dcv"),
    *("dcv of few", "width", "size-ratio"),
)


def world(kind, setting, number, n=None):
    """Return a result of simulated test rows, and a rule whose bound is the truth behind them.

    Of "low-segments" there is none that is low; of "one low" one, by the 10 points asked about.
    """
    rng = np.random.default_rng([number, KINDS.index(kind), SETTINGS.index(setting)])
    n = n or int(np.exp(rng.uniform(np.log(400), np.log(6000))))
    n = min(n, 500) if kind == "dcv of few" else n
    law = CoverageLaw(LEVEL)
    if setting == "calibration":
        law = CoverageLaw.of_calibration(100, LEVEL)
    weights = np.exp(0.8 * rng.normal(size=n)) if setting == "weights" else None
    clusters = rng.integers(0, n // 5, n) if setting == "clusters" else None
    groups = 4 if kind in ("gap of four", "low-segments", "one low") else 2
    group = rng.choice(groups, n, p=rng.dirichlet(np.full(groups, 8.0)))
    if clusters is not None:  # each of one group, as a person is
        group = group[clusters]
    frame = pd.DataFrame({"g": [f"g{code}" for code in group]})
    X = None
    if kind.startswith("dcv"):
        X = rng.normal(size=(n, 6 if kind == "dcv of few" else 3))
    if setting == "columns":
        frame = frame.join(pd.DataFrame(rng.normal(size=(n, 15))).add_prefix("x"))
    level = law.draw(rng) if setting == "calibration" else LEVEL
    p, rule = truth(kind, rng, level, group, X)
    if weights is not None and X is None:  # heavy rows are covered less, all by weight as before
        p = np.clip(p + 0.02 - 0.02 * np.minimum(weights / math.exp(0.64), CUT) / MEAN, 0.0, 1.0)
    luck = rng.random(n)
    if clusters is not None:
        luck = np.where(rng.random(n) < 0.6, rng.random(n)[clusters], luck)
    sizes = sizes_of(rng, kind, group, clusters)
    outcomes = Outcomes(luck < p, sizes, weights=weights, clusters=clusters)
    return assembled(frame, outcomes, law, X), rule


CUT = 4.0
_DRAWN = np.exp(0.8 * np.random.default_rng(1).normal(size=1_000_000))
MEAN = float(np.sum(_DRAWN * np.minimum(_DRAWN / math.exp(0.64), CUT)) / np.sum(_DRAWN))


def truth(kind, rng, level, group, X):
    """Return each row's coverage, and the rule at whose bound it is."""
    p = np.full(len(group), level)
    if kind.startswith("dcv"):
        slope = rng.uniform(0.2, 0.5)
        z = np.random.default_rng(99).normal(size=200_000)
        off = deviation(expit(logit(level) + slope * z), LEVEL).value
        return expit(logit(level) + slope * X[:, 0]), f"dcv > {off:.10f}"
    if kind.startswith("gap"):
        gap = rng.uniform(0.02, 0.1)
        return np.where(group == 0, level, level - gap), f"gap(g) > {gap:.10f}"
    if kind == "one low":
        p[group == 0] = LEVEL - 0.1 - 1e-9
    if kind in ("low-segments", "one low"):
        return p, "low-segments > 0"
    if kind == "size-ratio":
        return p, "size-ratio(g) > 1.5"
    if kind == "width":
        return p, "width > 1"
    of = "" if kind == "coverage" else "(g = g0)"
    return p, f"coverage{of} < {level:.10f}"


def sizes_of(rng, kind, group, clusters):
    """Draw widths with a mean of 1, of the first group of two of 1.5 where its ratio is asked."""
    spread = 0.5 * rng.normal(size=len(group))
    if clusters is not None:
        spread = 0.6 * spread + 0.4 * rng.normal(size=len(group))[clusters]
        spread = spread * 0.5 / math.sqrt(0.3**2 + 0.4**2)
    sizes = np.exp(spread - 0.125)
    return np.where((group == 0) & (kind == "size-ratio"), 1.5, 1.0) * sizes


def assembled(frame, outcomes, law, X):
    """Return the result of an audit that has so much of it as rules to fail look at."""
    table, rows = Table.of(frame), np.arange(len(frame))
    variables = [
        Variable(name, "column", partition_column(table[name], rows), (name,)) for name in frame
    ]
    segments = segment_rows(variables, {"base": outcomes}, LEVEL)
    row = result_row("base", accuracy=outcomes.accuracy)
    row = row if X is None else dcv_row(outcomes, X, law)
    independent = max(1, round(len(frame) / outcomes.design_effect))
    band = law.band(independent, BAND)
    ends = np.zeros(len(frame)), outcomes.sizes
    test_rows = TestRows(
        *(table, rows, "y", "regression", (), tuple(variables)),
        sets={"base": IntervalSets(*ends)},
        outcomes={"base": outcomes},
        probabilities={},
        steps={},
        searched=WorstSegments([], {}, np.ones(len(frame), dtype=bool)),
        law=law,
        objects=X,
    )
    return result_of(
        segments,
        rows=[row],
        settings={"cl": LEVEL, "estimator": "logistic"},
        data=DataSummary(len(frame), 0, 400, 100, len(frame), [], [], []),
        predictors=[AuditedPredictor("base", "base", "", is_calibrated=not law.is_fixed)],
        drift=drift_of(outcomes.accuracy, *band, independent),
        gaps=gap_rows(segments, law, {}),
        changes=[],
        comparisons=[],
        test_rows=test_rows,
    ).judged()


def dcv_row(outcomes, X, law):
    """Return the figures of DCV."""
    fitted = LogisticEstimator().fit(X, outcomes.correct, outcomes.weights)
    seen = deviation(fitted.probabilities(X), LEVEL, outcomes.weights)
    found = evidence(X, outcomes, fitted, LEVEL)
    floor = math.hypot(noise_floor(X.shape[1] + 1, len(X), LEVEL), math.sqrt(law.variance))
    figures = {"dcv": seen.value, "dcv_floor": floor, "accuracy": outcomes.accuracy}
    return result_row("base", **figures | vars(found))
