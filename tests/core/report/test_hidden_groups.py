"""Rows and columns that were once taken for what they are not."""

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, audit
from evencover.core.preparation.split import repeated_rows
from evencover.core.report.audit import check
from evencover.core.tables.dates import WEEKDAYS
from evencover.core.tables.table import Table


def test_equal_rows_of_a_few_codes_are_no_copies():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 40, 2000)
    natural = pd.DataFrame({"code": [f"c{i}" for i in code], "y": np.where(code % 2, "a", "b")})
    assert repeated_rows(Table.of(natural)) is None
    once = pd.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    copied = repeated_rows(Table.of(pd.concat([once] * 3, ignore_index=True)))
    assert np.array_equal(np.bincount(copied), np.full(100, 3))


def test_a_column_that_another_tells_has_segments():
    rng = np.random.default_rng(0)
    title = rng.choice(["Mr", "Dr m", "Mrs", "Ms"], 600)
    frame = pd.DataFrame(
        {"title": title, "sex": np.where(np.isin(title, ["Mr", "Dr m"]), "m", "f")}
    )
    frame["x"] = rng.normal(size=600)
    frame["y"] = frame["x"] + rng.normal(size=600)
    result = audit(frame, AuditSettings(target="y", measure="standard", remedies=("none",)))
    assert {row.value for row in result.segments if row.variable == "sex"} == {"f", "m"}


def test_the_check_knows_of_the_group_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "own": rng.integers(0, 60, 300)})
    frame["own"], frame["y"] = "o" + frame["own"].astype(str), rng.normal(size=300)
    settings = AuditSettings(target="y", group="own", cohorts=(("c", "own = o1"),))
    assert check(frame, settings).roles.group == "own"


def test_one_test_row_has_no_neighbours():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=160), "y": rng.normal(size=160)})
    frame["part"] = ["train"] * 100 + ["calibration"] * 59 + ["test"]
    result = audit(frame, AuditSettings(target="y", split_column="part", estimator="knn"))
    assert result.data.test == 1


def test_a_low_hour_is_named():
    rng = np.random.default_rng(1)
    at = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 24 * 700, 2400), "h")
    frame = pd.DataFrame({"at": at, "x": rng.normal(size=2400)})
    night = at.hour < 6
    frame["y"] = frame["x"] + rng.normal(size=2400) * np.where(night, 3.0, 1.0)
    asked = {"cohorts": (("night", "at (hour) < 6"),), "cuts": (("at (hour)", (6.0, 12.0, 18.0)),)}
    asked["remedies"] = ("none",)
    result = audit(frame, AuditSettings(target="y", measure="standard", **asked))
    assert result.data.features == ["at", "x"]
    base = [row for row in result.segments if row.predictor == "base"]
    rows = {(row.variable, row.value): row for row in base}
    correct = result.test_rows.outcomes["base"].correct[night[result.test_rows.rows]]
    for name in (("at (hour)", "< 6"), ("cohort: night", "inside")):
        assert (rows[name].n, rows[name].accuracy) == (len(correct), correct.mean())
    lowest = min((row for row in base if row.kind == "column"), key=lambda row: row.accuracy)
    assert (lowest.variable, lowest.value) == ("at (hour)", "< 6")
    assert f"{len(correct)} test rows with at (hour) < 6" in " ".join(map(str, result.headline))
    assert "at (hour)" in min(result.worst_segments, key=lambda row: row.rank).rule
    days = [value for variable, value in rows if variable == "at (weekday)"]
    assert days == [*WEEKDAYS]
