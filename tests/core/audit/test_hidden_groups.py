"""Rows and columns that were once taken for what they are not."""

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, audit
from evencover.core.audit.check import check
from evencover.core.coverage.dependent_rows import DependentRows
from evencover.core.preparation.dependence import repeated_rows
from evencover.core.tables.table import Table


def test_one_cluster_says_as_much_as_one_row():
    correct = np.arange(100) < 90
    assert DependentRows(correct, np.zeros(100, dtype=np.intp)).design_effect == 100.0


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
    result = audit(frame, AuditSettings(target="y", measure="standard"))
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
