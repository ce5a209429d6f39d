"""Rows of results with only what a test looks at."""

import dataclasses
import math

import numpy as np
import pandas as pd

from evencover.core.coverage.exchangeability import Drift
from evencover.core.experiment.result import (
    AdjustmentRow,
    AuditedPredictor,
    DataSummary,
    ResultRow,
    Seconds,
)
from evencover.core.report.result import AuditResult
from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.by_audit_only import AuditOnlyRow
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.statistics import paired_interval, paired_p_values
from evencover.core.segments.under_coverage import ALL_ROWS, ChangeRow, Coverage
from evencover.core.segments.worst_segments import WorstSegmentRow

NAMES = ("base", "ifacm")
PREDICTORS = [AuditedPredictor("base", "base", ""), AuditedPredictor("ifacm", "IFACM", "")]
UNLAYERED = [PREDICTORS[0], dataclasses.replace(PREDICTORS[1], adjusts=False)]
ALL = (ALL_ROWS, ALL_ROWS)

_FIGURES = [
    field.name
    for field in dataclasses.fields(SegmentRow)
    if field.default is dataclasses.MISSING
    and field.name not in ("predictor", "variable", "value", "n", "n_effective")
]


def held(correct, clusters=None, *, weights=None):
    """Outcomes of sets that hold one label each, or none."""
    correct = np.asarray(correct, dtype=bool)
    return Outcomes(correct, np.ones(len(correct)), weights=weights, clusters=clusters)


def segment_row(predictor, variable, value, n, *figures, **others):
    """One predictor's row of a segment: its accuracy, the ends of its interval, and by name.

    One called like an open band is taken for one, and its kind is by default a column.
    """
    given = dict(zip(("accuracy", "low", "high"), figures, strict=False))
    return SegmentRow(
        predictor=predictor,
        variable=variable,
        value=value,
        n=n,
        is_band=value.startswith(("< ", ">= ")),
        **dict.fromkeys(_FIGURES, math.nan)
        | {"n_effective": n, "columns": [variable]}
        | given
        | others,
    )


def segment_pair(variable, value, n, base, ifacm, **others):
    """The rows of a segment: figures before and after, each as :func:`segment_row` takes them."""
    return [
        segment_row(name, variable, value, n, *figures, **others)
        for name, figures in zip(NAMES, (base, ifacm), strict=True)
    ]


FINE = ("fine", "fine")


def pair_with_q(variable, value, n, base, ifacm, q=(0.5, 0.5), status=FINE, **others):
    """The same, with their q-values and statuses before and after."""
    pair = segment_pair(variable, value, n, base, ifacm, **{"detectable": 0.1} | others)
    told = zip(q, status, strict=True)
    judged = ({"p_value": v, "q_value": v, "judged_q": v, "status": s} for v, s in told)
    return changed(pair, *judged)


def rule_pair(rule, n, base, ifacm, q=(0.5, 0.5), status=FINE, **others):
    """The rows of a rule: accuracy and interval, q-values and statuses before and after."""
    usual = {"variables": [], "found_on": ("base",), "rank": 1, "n_effective": n, "n_test": 2 * n}
    return [
        WorstSegmentRow(
            predictor=name,
            rule=rule,
            n=n,
            **dict(zip(("accuracy", "low", "high"), figures, strict=True)),
            p_value=q_value,
            q_value=q_value,
            judged_q=q_value,
            status=own,
            **usual | others,
        )
        for name, figures, q_value, own in zip(NAMES, (base, ifacm), q, status, strict=True)
    ]


def change(group, n, gained, lost, predictor="ifacm"):
    """What an adjustment changes in a group of n independent rows."""
    one, other, of = (np.array([count]) for count in (gained, lost, n))
    low, high = paired_interval(one, other, of)
    return ChangeRow(
        predictor=predictor,
        variable=group[0],
        value=group[1],
        n=n,
        gained=gained,
        lost=lost,
        change=(gained - lost) / n,
        low=float(low[0]),
        high=float(high[0]),
        p_value=float(paired_p_values(one, other, of)[0]),
    )


def comparison(predictor="ifacm", **figures):
    """What an adjustment changes over all rows: nothing that is clear, unless given."""
    usual = {
        "size_ratio_median": 1.014,
        "size_ratio_mean": 1.02,
        "unevenness_change": -0.0001,
        "unevenness_standard_error": 0.0002,
        "unevenness_p_value": 0.6,
        "spread_before": 0.05,
        "spread_after": 0.015,
        "spread_p_value_before": 0.001,
        "spread_p_value_after": 0.2,
        "cost": 0.01,
        "found": 0.03,
        "found_p_value": 1e-6,
        "mended": 0.9,
    }
    return AdjustmentRow(predictor=predictor, **usual | figures)


def audit_only_row(predictor, p_value, column="race"):
    """A row of one audit-only column, of a predictor and with a p-value."""
    return AuditOnlyRow(
        column=column,
        joint=False,
        predictor=predictor,
        dcv=0.05,
        dcv_floor=0.01,
        dcv_spread_floor=0.01,
        dcv_corrected=0.048,
        dcv_corrected_low=0.03,
        dcv_corrected_high=0.06,
        p_value=p_value,
        parameters=2,
        converged=True,
        dcv_formula="good",
    )


def drift_of(accuracy=0.905, low=0.88, high=0.92, n=1000):
    """Where chance puts the accuracy of n independent rows that are like the calibration rows."""
    return Drift(accuracy, low, high, auc=0.5, auc_standard_error=0.01, rows_effective=n)


def coverage(share, least=0.88, most=0.92, n=1000, level=0.9):
    """Coverage of all test rows, and where chance puts it."""
    return Coverage(level=level, share=share, least=least, most=most, effective=n)


def changed(pair, base=(), ifacm=(), **shared):
    """The rows of a group with other figures before and after, and of both."""
    own = zip(pair, (base, ifacm), strict=True)
    return [dataclasses.replace(row, **shared, **dict(figures)) for row, figures in own]


CALM = pair_with_q("age", "< 30", 500, (0.91, 0.88, 0.93), (0.9, 0.87, 0.92))
DEVON = pair_with_q(
    *("county", "Devon", 412, (0.81, 0.77, 0.85), (0.89, 0.86, 0.92)),
    q=(0.002, 0.7),
    status=("low", "mended"),
)
SPOILT = pair_with_q(
    *("sex", "f", 200, (0.9, 0.86, 0.93), (0.8, 0.74, 0.85)),
    q=(0.9, 0.001),
    status=("fine", "new"),
)
RULE = rule_pair(
    *("age >= 65 and sex = f", 100, (0.7, 0.6, 0.78), (0.85, 0.77, 0.91)),
    q=(1e-5, 0.4),
    status=("low", "unchanged"),
    variables=["age", "sex"],
)
"""A group that is as it should be, one that is mended, one that is spoilt, and a rule."""


def long(*pairs):
    """The rows of groups as results hold them: those of one predictor after the other."""
    return [row for rows in zip(*pairs, strict=True) for row in rows]


def by_name(rows, name="base"):
    """Those of the rows that are of one predictor."""
    return [row for row in rows if row.predictor == name]


def result_row(predictor, subset="test", **figures):
    """One predictor's figures of a subset, None but for those given."""
    blank = dict.fromkeys([field.name for field in dataclasses.fields(ResultRow)][2:])
    blank["inefficiency_original_units"] = figures.get("inefficiency", 1.0)
    return ResultRow(subset, predictor, **blank | figures)


def result_of(segments=(), *, rows=(), settings=(), **others):
    """A result of rows made by hand; an adjustment changes nothing that is clear."""
    usual = {"cl": 0.9, "target": "price", "task": "regression", "audit_only": [], "group": None}
    usual |= {"not_protected": []}
    usual |= {"lower": None, "upper": None, "c": 0.5, "ifacm_estimator": "logistic"}
    figures = {
        "data": DataSummary(1000, 0, 400, 30, 1000, [], [], []),
        "predictors": PREDICTORS,
        "results": list(rows) or [result_row(name, accuracy=0.9) for name in NAMES],
        "seconds": Seconds(0.0, {}, 0.0),
        "drift": drift_of(),
        "comparisons": [comparison()],
        "changes": [change(ALL, 1000, 20, 20)],
        "notes": [],
    }
    return AuditResult(
        settings=usual | dict(settings),
        segments=list(segments),
        coefficients=[],
        **figures | others,
    )


def homes_and_owners(rows=500):
    """A table of prices: women sell themselves, no agency does it for them."""
    rng = np.random.default_rng(11)
    sex = rng.choice(["f", "m"], rows)
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(10, 90, rows))
    return pd.DataFrame(
        {
            "id": [f"home {i}" for i in range(rows)],
            "age": age,
            "sex": sex,
            "owner": np.where((sex == "m") & (rng.random(rows) < 0.4), "agency", "self"),
            "price": 100.0 + 5.0 * rng.normal(size=rows) + (sex == "m"),
        }
    )
