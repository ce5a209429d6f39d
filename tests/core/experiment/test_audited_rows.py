"""The test rows that an audit keeps, against its own tables and against the way to them."""

import numpy as np
import pandas as pd
import pytest
from rows import by_name
from sklearn.frozen import FrozenEstimator

from evencover.core import (
    IFACM,
    AuditSettings,
    InductiveConformalPredictor,
    NormalizedMeasure,
    audit,
)
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.split import repeated_rows
from evencover.core.report.audit import check
from evencover.core.report.result import to_json
from evencover.core.scoring.columns import WEEKDAYS
from evencover.core.segments.audited_rows import Untested, untested_values
from evencover.core.tables.table import Table
from evencover.sample_data import load_sample


@pytest.fixture(scope="module")
def houses():
    table = load_sample("houses").frame.head(3000)
    # a row without a label, so that rows of the table and of those used are not the same
    table.loc[[1, 50], "price"] = np.nan
    usual = {"penalty": 0.0, "search": "paper", "remedies": ("ifacm",)}
    settings = AuditSettings(target="price", log_target=True, **usual)
    return table, settings, audit(table, settings)


TRIAGE = AuditSettings(target="urgency", audit_only=("group",), remedies=("ifacm",))


@pytest.fixture(scope="module")
def triage():
    table = load_sample("triage").frame.head(1000)
    return table, audit(table, TRIAGE)


def test_rows_are_those_of_the_table_and_intervals_hold_labels_called_correct(houses):
    table, _, result = houses
    test_rows = result.test_rows
    assert len(test_rows.rows) == result.data.test
    for name in test_rows.table.frame:
        assert test_rows.table.frame[name].equals(table[name].iloc[test_rows.rows])
    assert list(test_rows.table.frame) == [*result.data.features, "price"]
    price = test_rows.table.frame["price"].to_numpy()
    assert list(test_rows.sets) == ["base", "ifacm"]
    assert all(outcomes.are_intervals for outcomes in test_rows.outcomes.values())
    for name, sets in test_rows.sets.items():
        held = (sets.lower <= price) & (price <= sets.upper)
        outcomes = test_rows.outcomes[name]
        assert (held == outcomes.correct).all()
        row = result.row("test", name)
        assert outcomes.accuracy == row.accuracy
        assert (sets.upper - sets.lower).mean() == pytest.approx(row.inefficiency_original_units)
        assert outcomes.sizes.mean() == pytest.approx(row.inefficiency)
        off = np.sqrt(np.mean((test_rows.probabilities[name] - 0.9) ** 2))
        assert off == pytest.approx(row.dcv)


def test_steps_are_what_the_layers_add(houses):
    """Against IFACM and the ICP taken by hand: the adjusted interval is the base's, stretched."""
    table, settings, result = houses
    data = prepare(table, settings)
    base = NormalizedMeasure().fit(data.train.X, data.train.y)
    ifacm = IFACM(FrozenEstimator(base), penalty=0.0).fit(data.train.X, data.train.y)
    assert list(result.test_rows.steps) == ["ifacm"]
    steps = result.test_rows.steps["ifacm"]
    assert steps.shape == (len(result.iterations), len(data.test.y))
    assert len(steps) >= 2
    for layer, step in zip(result.iterations, steps, strict=True):
        assert set(np.abs(step)) <= {0.0, layer.gamma}
    assert (np.cumsum(steps, axis=0)[-1] == ifacm.adjustment(data.test.X)).all()
    icps = []
    for measure in (base, ifacm):
        icp = InductiveConformalPredictor(FrozenEstimator(measure)).fit(data.train.X, data.train.y)
        icps.append(icp.calibrate(data.calibration.X, data.calibration.y))
    test_rows = result.test_rows
    stretched = np.exp(steps.sum(axis=0) + icps[0].threshold_ - icps[1].threshold_)
    before, after = (np.log(sets.upper / sets.lower) for sets in test_rows.sets.values())
    assert after == pytest.approx(before * stretched)


def test_sets_hold_the_classes_that_are_called_correct(triage):
    table, result = triage
    test_rows = result.test_rows
    assert test_rows.classes == tuple(sorted(table["urgency"].unique()))
    place = [test_rows.classes.index(label) for label in test_rows.table.frame["urgency"]]
    for name, outcomes in test_rows.outcomes.items():
        members = test_rows.sets[name].members
        assert (members[np.arange(len(place)), place] == outcomes.correct).all()
        assert (members.sum(axis=1) == outcomes.sizes).all()
    assert "group" in test_rows.table.frame
    largest = {outcomes.largest for outcomes in test_rows.outcomes.values()}
    assert largest == {len(test_rows.classes)}
    assert result.asked == TRIAGE
    assert not {"test_rows", "asked"} & to_json(result).keys()
    assert "test_rows" not in repr(result)


def test_variables_are_those_of_the_segments_and_the_histogram_counts_each_row(triage):
    _, result = triage
    for variable in result.test_rows.variables:
        rows = [row for row in by_name(result.segments) if row.variable == variable.name]
        assert [row.value for row in rows] == variable.partition.names
        counts = np.bincount(variable.partition.codes, minlength=len(rows))
        assert [row.n for row in rows] == counts.tolist()
    for name, p in result.test_rows.probabilities.items():
        bins = by_name(result.probabilities, name)
        assert sum(b.n for b in bins) == result.data.test
        for number in (0, 7, 39):
            low, high = bins[number].low, bins[number].high
            last = (p <= high) if number == 39 else (p < high)
            assert bins[number].n == ((p >= low) & last).sum()


@pytest.mark.long
def test_a_faultless_predictor_stays_in_the_noise_band():
    """Known truth: pure noise around a constant, so coverage is the same for all."""
    rng = np.random.default_rng(2)
    inside, rows = 0.0, []
    for _ in range(5):
        X = rng.normal(size=(2000, 5))
        frame = pd.DataFrame(X, columns=list("abcde")).assign(y=rng.normal(size=2000))
        options = {"measure": "standard", "remedies": ("none",)}
        result = audit(frame, AuditSettings(target="y", **options))
        row = result.row("test", "base")
        p = result.test_rows.probabilities["base"]
        inside += np.mean((p >= row.noise_low) & (p <= row.noise_high)) / 5.0
        rows.append(row)
    assert 0.90 < inside < 0.98
    floor = rows[0].dcv_floor
    assert rows[0].noise_low == pytest.approx(0.9 - 1.96 * floor)
    assert rows[0].noise_high == pytest.approx(min(1.0, 0.9 + 1.96 * floor))


def test_large_values_without_a_test_row_are_counted():
    owner = ["A"] * 10 + ["B"] * 6 + ["C"] * 3 + ["D"] + [None] * 5 + ["E"] * 15
    table = Table.of(pd.DataFrame({"owner": owner, "number": np.r_[np.zeros(20), np.ones(20)]}))
    test = np.arange(25, 40)  # of 40 rows 2 are one in twenty: D is too small to be told
    owners = [Untested("owner", *of) for of in (("A", 10), ("B", 6), ("C", 3))]
    found = untested_values(table, ["owner", "number"], test)
    assert found == [Untested("number", "0", 20), *owners]


def test_the_headline_says_of_whom_nothing_is_known():
    rng = np.random.default_rng(0)
    n = 600
    day = np.arange(n)
    owner = np.where(day < 200, "first", np.where(day % 2, "odd", "even"))
    frame = pd.DataFrame({"day": day, "owner": owner, "x": rng.normal(size=n)})
    frame["y"] = frame["x"] + rng.normal(size=n)
    result = audit(frame, AuditSettings(target="y", time="day", remedies=("none",)))
    assert result.data.untested == [Untested("owner", "first", 200)]
    told = "No row of owner = first (200 rows) is a test row: nothing is known of it."
    assert told in " ".join(result.headline)


def test_equal_rows_of_a_few_codes_are_no_copies():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 40, 2000)
    natural = pd.DataFrame({"code": [f"c{i}" for i in code], "y": np.where(code % 2, "a", "b")})
    assert repeated_rows(Table.of(natural), list(natural)) is None
    once = pd.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    copied = repeated_rows(Table.of(pd.concat([once] * 3, ignore_index=True)), ["x", "y"])
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
    result = audit(
        frame, AuditSettings(target="y", split_column="part", estimator="knn", remedies=("none",))
    )
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
