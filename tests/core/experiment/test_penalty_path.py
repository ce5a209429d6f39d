"""IFACM over its penalties: each fit is that by itself, and the knee is where one would draw it."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit
from evencover.core.experiment.comparison import PenaltyRow, knee, penalty_path

SETTINGS = AuditSettings(target="y", search="paper", measure="standard")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 1_000))
    return pd.DataFrame({"x": x, "z": z, "y": x + rng.normal(size=1_000) * np.exp(0.6 * z)})


@pytest.mark.long
def test_every_point_is_an_audit_with_its_penalty(table):
    path = penalty_path(table, SETTINGS, (1.0, 0.1))
    assert [row.penalty for row in path.of("test")] == [None, 1.0, 0.5, 0.1]
    for row in path.rows:
        name = "base" if row.penalty is None else "ifacm"
        penalty = 0.0 if row.penalty is None else row.penalty
        same = audit(table, replace(SETTINGS, penalty=penalty)).row(row.figures.subset, name)
        for figure in ("dcv", "inefficiency", "accuracy", "dcv_floor"):
            assert getattr(row.figures, figure) == pytest.approx(getattr(same, figure))


def test_of_rows_with_weights_adjusting_costs_what_it_does_in_an_audit(table):
    weighted = table.head(500).assign(w=np.where(np.arange(500) % 10, 1.0, 4.0))
    settings = replace(SETTINGS, weight="w", search="restarted")
    *_, last = penalty_path(weighted, settings, ()).of("training")
    assert last.cost == audit(weighted, settings).comparison("ifacm").cost
    # 3 terms, w = 0.09, and of 200 training rows a tenth with weight 4 for 1: Kish's n is 135
    assert last.cost == pytest.approx(np.sqrt(3 * 0.09 / 135.0), rel=0.1)


def test_a_stop_leaves_the_smaller_penalties_out(table):
    told = []
    path = penalty_path(
        table, SETTINGS, (0.1, 0.01), on_event=told.append, should_stop=lambda: len(told) > 2
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
