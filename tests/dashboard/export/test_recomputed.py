"""All that is told of test rows, computed anew from the rows that are written, and nothing else."""

import io
import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from evencover.core import AuditSettings, audit
from evencover.dashboard.export.files import to_rows_csv

LEVEL = 0.9
CLOSE = {"rel": 1e-9, "abs": 1e-9}


@pytest.fixture(
    scope="module",
    params=["regression", pytest.param("classification", marks=pytest.mark.long)],
)
def both(request):
    rng = np.random.default_rng(0)
    n = 1500
    frame = pd.DataFrame({"x": rng.normal(size=n), "k": rng.choice(["a", "b", "c"], n)})
    frame["y"] = frame["x"] + np.exp(0.5 * frame["x"]) * rng.normal(size=n)
    if request.param == "classification":
        frame["y"] = np.array(["low", "mid", "top"])[np.digitize(frame["y"], [-1.0, 1.0])]
    frame["w"], frame["day"] = rng.lognormal(0.0, 0.7, n), rng.integers(0, 400, n)
    options = {"weight": "w", "time": "day", "remedies": ("quantile",)}
    result = audit(frame, AuditSettings(target="y", confidence_level=LEVEL, **options))
    return result, pd.read_csv(io.StringIO(to_rows_csv(result)))


def size_of(rows, when):
    if f"set_{when}" in rows:
        return rows[f"set_{when}"].map(lambda text: len(json.loads(text)))
    return rows[f"upper_{when}"] - rows[f"lower_{when}"]


def mean(values, rows):
    return float(np.average(values, weights=rows["w"]))


@pytest.mark.parametrize(("when", "name"), [("base", "base"), ("adjusted", "quantile")])
def test_figures_of_all_rows_are_those_of_the_rows_written(both, when, name):
    result, rows = both
    told, p = result.row("test", name), rows[f"probability_{when}"]
    assert result.data.test == len(rows)
    assert told.accuracy == pytest.approx(mean(rows[f"correct_{when}"], rows), **CLOSE)
    assert told.inefficiency_original_units == pytest.approx(mean(size_of(rows, when), rows))
    assert told.dcv == pytest.approx(mean((p - LEVEL) ** 2, rows) ** 0.5, **CLOSE)
    assert told.dcv_level == pytest.approx(mean(p, rows) - LEVEL, **CLOSE)
    assert told.dcv_spread == pytest.approx(mean((p - mean(p, rows)) ** 2, rows) ** 0.5, **CLOSE)
    assert result.data.effective["test"] == pytest.approx(
        rows["w"].sum() ** 2 / (rows["w"] ** 2).sum()
    )
    assert rows["day"].min() >= 240  # the latest


@pytest.mark.parametrize("when", ["base", "adjusted"])
def test_p_of_x_is_a_weighted_logistic_regression_of_the_rows_written(both, when):
    _, rows = both
    features = pd.get_dummies(rows[["x", "k"]], drop_first=True, dtype=float)
    weights = rows["w"] / rows["w"].mean()
    correct = rows[f"correct_{when}"].astype(float)
    family = sm.families.Binomial()
    fitted = sm.GLM(correct, sm.add_constant(features), family, freq_weights=weights).fit()
    assert rows[f"probability_{when}"].to_numpy() == pytest.approx(
        fitted.fittedvalues.to_numpy(), abs=2e-6
    )


def test_segments_gaps_and_strata_are_those_of_the_rows_written(both):
    result, rows = both
    segments = [row for row in result.segments if row.variable == "k"]
    assert len(segments) == 6
    found = {}
    for row in segments:
        when = "base" if row.predictor == "base" else "adjusted"
        some = rows[rows["k"] == row.value]
        found[row.predictor, row.value] = mean(some[f"correct_{when}"], some)
        assert row.n == len(some)
        assert row.accuracy == pytest.approx(found[row.predictor, row.value], **CLOSE)
        assert row.inefficiency / result.row("test", row.predictor).inefficiency == pytest.approx(
            mean(size_of(some, when), some) / mean(size_of(rows, when), rows)
        )
    gaps = [row for row in result.gaps if row.variable == "k"]
    assert len(gaps) == 2
    for row in gaps:
        expected = found[row.predictor, row.gap_segment] - found[row.predictor, row.reference]
        assert row.gap == pytest.approx(expected, **CLOSE)
    strata = [row for row in result.size_strata if row.predictor == "base"]
    assert sum(row.n for row in strata) == len(rows)
    for row in strata if "set_base" in rows else ():
        some = rows[size_of(rows, "base") == int(row.size)]
        expected = len(some), pytest.approx(mean(some["correct_base"], some), **CLOSE)
        assert (row.n, row.accuracy) == expected
