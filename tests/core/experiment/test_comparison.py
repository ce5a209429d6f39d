"""Remedies side by side: figures are those of audits by each seed; a path, of each penalty's."""

import math
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fakes import Idle

from evencover.core import AuditSettings, InputError, StandardMeasure, audit
from evencover.core.events import StepDone
from evencover.core.experiment.comparison import PenaltyRow, compare, knee, penalty_path
from evencover.core.experiment.experiment import Workers
from evencover.core.remedies.quantile import QuantileAdjustment

REMEDIES = ("quantile", "mondrian:k")
SETTINGS = AuditSettings(target="y", search="paper", seed=3, audit_only=("sex",))


def draw(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    y = x + rng.normal(size=n) * np.exp(0.8 * z)
    return pd.DataFrame({"x": x, "z": z, "k": rng.choice(["a", "b"], n), "y": y}).assign(
        sex=np.where(z + rng.normal(size=n) > 0.0, "f", "m")
    )


@pytest.fixture(scope="module")
def table():
    return draw()


@pytest.fixture(scope="module")
def found(table):
    return compare(table, SETTINGS, ("base", *REMEDIES), seeds=2)


def without_times(comparison):
    rows = [{k: v for k, v in asdict(row).items() if k != "fit_seconds"} for row in comparison.rows]
    return rows, comparison.groups, comparison.differences, comparison.verdict


@pytest.mark.long
def test_the_rows_are_those_of_an_audit_by_each_seed(table, found):
    assert (found.seeds, found.remedies) == ([3, 4], ["base", *REMEDIES])
    for seed in found.seeds:
        result = audit(table, replace(SETTINGS, remedies=REMEDIES, seed=seed))
        rows = [row for row in found.rows if row.seed == seed]
        assert len(rows) == len(result.results)
        for row in rows:
            same = result.row(row.segment, row.remedy)
            for figure in ("accuracy", "inefficiency", "dcv", "dcv_floor", "dcv_corrected"):
                assert getattr(row, figure) == getattr(same, figure)
        base = next(row for row in rows if (row.remedy, row.segment) == ("base", "test"))
        judged = [s for s in result.segments if s.predictor == "base" and s.family == "objects"]
        assert base.worst_segment_coverage == min(segment.accuracy for segment in judged)
        sizes = [s.inefficiency for s in judged if s.variable == "sex"]
        assert (base.size_gap, base.size_gap_of) == (max(sizes) - min(sizes), "sex")


def test_a_remedy_brings_its_promise(found):
    assert found.settings["remedy"] == list(REMEDIES)
    by_name = {row.remedy: row.guarantee for row in found.rows}
    assert "for no group by itself" in by_name["base"] == by_name["quantile"]
    assert "each group" in by_name["mondrian:k"]


def test_differences_are_paired_by_seed(found):
    (difference,) = [
        d for d in found.differences if (d.remedy, d.figure) == ("quantile", "inefficiency")
    ]
    after, before = (
        [row.inefficiency for row in found.test_rows(name)] for name in ("quantile", "base")
    )
    assert difference.mean == pytest.approx(np.mean(np.subtract(after, before)))
    assert difference.seeds == 2


@pytest.mark.long
def test_figures_are_the_same_by_two_workers(table, found):
    assert without_times(
        compare(table, SETTINGS, REMEDIES, seeds=2, workers=Workers(2))
    ) == without_times(found)


@pytest.mark.long
def test_the_backend_may_be_that_of_the_caller(table, found):
    by_threads = compare(table, SETTINGS, REMEDIES, seeds=2, workers=Workers(2, "threading"))
    assert without_times(by_threads) == without_times(found)
    with pytest.raises(InputError, match="'nowhere' cannot be used"):
        compare(table, SETTINGS, REMEDIES, workers=Workers(2, "nowhere"))
    with pytest.raises(InputError, match="workers is 0"):
        compare(table, SETTINGS, REMEDIES, workers=Workers(0))


def test_a_remedy_that_cannot_be_applied_says_why_and_takes_no_other_with_it(table):
    found = compare(table, SETTINGS, ("label", "mondrian:nowhere", "mondrian:k"), seeds=1)
    assert "needs classes" in found.problem("label")
    label = next(row for row in found.rows if row.remedy == "label")
    assert (label.title, "each class" in label.guarantee) == ("label-conditional", True)
    assert "no column 'nowhere'" in found.problem("mondrian:nowhere")
    assert found.problem("mondrian:k") is None
    assert [row.remedy for row in found.rows if row.dcv is None] == ["label", "mondrian:nowhere"]
    assert found.test_rows("mondrian:k")[0].dcv is not None


class Nowhere(Idle):
    """One that serves no regression."""

    tasks = ("classification",)


@pytest.mark.parametrize("workers", [None, pytest.param(Workers(2), marks=pytest.mark.long)])
def test_remedies_may_be_objects(table, workers):
    asked = (QuantileAdjustment(), Idle(), "mondrian:k", Nowhere())
    measure = StandardMeasure()
    found = compare(table, SETTINGS, asked, measure=measure, seeds=1, workers=workers)
    names = ["base", "quantile", "Idle", "mondrian:k", "Nowhere"]
    assert found.remedies == [found.rows[0].remedy, *found.settings["remedy"]] == names
    assert "does not serve regression" in found.problem("Nowhere")
    result = audit(table, SETTINGS, measure=measure, remedies=asked[:3])
    for row in found.rows:
        if row.problem is None:
            assert row.dcv == result.row(row.segment, row.remedy).dcv
    (idle,), (base,) = found.test_rows("Idle"), found.test_rows("base")
    assert (idle.title, idle.dcv) == ("idling", base.dcv)


@pytest.mark.parametrize(
    ("options", "remedies", "seeds", "sentence"),
    [
        ({}, ("cqr",), None, "no remedy 'cqr'"),
        ({"time": "x"}, REMEDIES, 2, "2 seeds would all be the same; choose 1 seed"),
        ({"target": "w"}, REMEDIES, 1, "no column 'w'"),
        ({}, ("base", "none"), None, "nothing to compare the base with; name a remedy"),
        ({}, ("label", "mondrian:nowhere"), None, "label-conditional: .* choose other remedies"),
        ({}, REMEDIES, 1_000_000, "seeds is 1000000; give a whole number from 1 to 1000"),
        ({"lower": "x", "upper": "z", "audit_only": ()}, REMEDIES, None, "take no remedy"),
    ],
)
def test_what_can_never_be_compared_is_refused(table, options, remedies, seeds, sentence):
    with pytest.raises(InputError, match=sentence):
        compare(table, replace(SETTINGS, **options), remedies, seeds=seeds)


def test_a_fixed_split_has_one_seed(table):
    dated = table.assign(day=np.arange(len(table)))
    assert compare(dated, replace(SETTINGS, time="day"), ("mondrian:k",)).seeds == [3]


@pytest.mark.long
def test_steps_are_told_and_a_stop_keeps_the_whole_seeds(table):
    told = []

    def should_stop():
        return len(told) > 3  # the base, the fit and the test rows of the first seed

    found = compare(
        table, SETTINGS, ("quantile",), seeds=3, on_event=told.append, should_stop=should_stop
    )
    steps = [event for event in told if isinstance(event, StepDone)]
    assert [step.done for step in steps] == list(range(1, len(steps) + 1))
    assert all(step.asked == 9 for step in steps)
    assert (found.stopped, found.seeds) == (True, [3])


@pytest.mark.long
def test_an_interaction_that_no_straight_line_sees_is_mended_by_pairs_alone():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 12_000))
    noise = np.exp(0.5 * np.clip(x * z, -2.0, 2.0))
    table = pd.DataFrame({"x": x, "z": z, "y": x + noise * rng.normal(size=len(x))})
    settings = AuditSettings(target="y", measure="standard", estimator="trees")
    found = compare(table, settings, ("quantile", "quantile-pairs"), seeds=1)
    dcv = {name: np.mean([r.dcv for r in found.test_rows(name)]) for name in found.remedies}
    assert dcv["quantile"] == pytest.approx(dcv["base"], rel=0.15)
    assert dcv["quantile-pairs"] < 0.3 * dcv["base"]


PATH = AuditSettings(target="y", search="paper", measure="standard")


@pytest.fixture(scope="module")
def uneven():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1_000))
    return pd.DataFrame({"x": x, "z": z, "y": x + rng.normal(size=1_000) * np.exp(0.6 * z)})


@pytest.mark.long
def test_every_point_is_an_audit_with_its_penalty(uneven):
    path = penalty_path(uneven, PATH, (1.0, 0.1))
    assert [row.penalty for row in path.of("test")] == [None, 1.0, 0.5, 0.1]
    for row in path.rows:
        name = "base" if row.penalty is None else "ifacm"
        penalty = 0.0 if row.penalty is None else row.penalty
        same = audit(uneven, replace(PATH, penalty=penalty)).row(row.figures.subset, name)
        for figure in ("dcv", "inefficiency", "accuracy"):
            assert getattr(row.figures, figure) == pytest.approx(getattr(same, figure))


def test_of_rows_with_weights_adjusting_costs_what_it_does_in_an_audit(uneven):
    weighted = uneven.head(500).assign(w=np.where(np.arange(500) % 10, 1.0, 4.0))
    settings = replace(PATH, weight="w", search="restarted")
    *_, last = penalty_path(weighted, settings, ()).of("training")
    assert last.cost == audit(weighted, settings).comparison("ifacm").cost
    # 3 terms, w = 0.09, and of 200 training rows a tenth with weight 4 for 1: Kish's n is 135
    assert last.cost == pytest.approx(np.sqrt(3 * 0.09 / 135.0), rel=0.1)


def test_a_stop_leaves_the_smaller_penalties_out(uneven):
    told = []
    path = penalty_path(
        uneven, PATH, (0.1, 0.01), on_event=told.append, should_stop=lambda: len(told) > 2
    )
    assert path.stopped
    assert [row.penalty for row in path.of("test")] == [None, 0.5, 0.1]
    # three terms, fitted on 400 rows
    base, *_, last = (row.cost for row in path.of("test"))
    assert (base, last) == (0.0, pytest.approx(math.sqrt(3 * 0.09 / 400)))


def points(*figures, cost=0.0):
    base, *others = figures
    rows = [(None, *base), *((1.0 / 10**i, *pair) for i, pair in enumerate(others))]
    return [
        PenaltyRow(
            penalty,
            SimpleNamespace(inefficiency=size, dcv=dcv),
            cost=0.0 if penalty is None else cost,
        )
        for penalty, size, dcv in rows
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # half the width buys nearly all of the evenness
        (points((1.0, 0.10), (1.1, 0.02), (1.2, 0.018), (2.0, 0.01)), 1.0),
        # 0.9 - 0.125 below the straight line, against 0.7 - 0.0125
        (points((1.0, 0.10), (1.1, 0.03), (1.3, 0.021), (2.0, 0.02)), 1.0),
        # a straight line has no knee: the lowest DCV
        (points((1.0, 0.10), (1.1, 0.09), (1.2, 0.08), (1.3, 0.07)), 0.01),
        # what training rows cannot tell apart goes by the size
        (points((1.0, 0.10), (0.9, 0.03), (1.2, 0.02), (2.0, 0.01), cost=0.04), 1.0),
        # nothing changes, or costs more than it mends
        (points((1.0, 0.10), (1.0, 0.10)), None),
        (points((1.0, 0.02), (1.1, 0.01), cost=0.03), None),
    ],
)
def test_the_knee(rows, expected):
    assert knee(rows) == expected
