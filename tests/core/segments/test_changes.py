"""What an adjustment changes in groups of the same rows: counted by hand."""

import math

import numpy as np
import pytest
from rows import held

from evencover.core.segments.changes import change_rows

NAMES = [("sex", "f"), ("sex", "m"), ("sex", "x")]


def outcomes(clusters=None, **correct):
    return {name: held(of_one, clusters) for name, of_one in correct.items()}


def test_gains_and_losses_are_counted_by_hand():
    found = change_rows(
        NAMES,
        np.array([0, 0, 0, 0, 0, 1, 1, -1]),
        outcomes(
            base=[1, 0, 0, 0, 1, 1, 1, 0],
            ifacm=[1, 1, 1, 1, 0, 1, 1, 1],
            other=[1, 0, 0, 0, 1, 0, 1, 1],
        ),
        ["ifacm", "other"],
    )
    assert [(row.predictor, *row.group) for row in found] == [
        (name, *group) for name in ("ifacm", "other") for group in NAMES
    ]
    assert [(row.n, row.gained, row.lost, row.change) for row in found] == [
        (5, 3, 1, 0.4),
        (2, 0, 0, 0.0),
        (0, 0, 0, 0.0),
        (5, 0, 0, 0.0),
        (2, 0, 1, -0.5),
        (0, 0, 0, 0.0),
    ]
    # McNemar: of four rows that change one or none to one side, 5 of 16, doubled
    assert [row.p_value for row in found] == pytest.approx([10 / 16, 1.0, 1.0, 1.0, 1.0, 1.0])
    women = found[0]
    change, discordant = 2 / 7, 5 / 7  # half a row more of each of the four kinds
    half = 1.959964 * math.sqrt((discordant - change**2) / 7)
    assert (women.low, women.high) == pytest.approx((change - half, change + half), abs=1e-6)


def test_clusters_change_as_one():
    """Ten owners of 20 rows: of two of them all rows become right, of one all wrong."""
    owner = np.repeat(np.arange(10), 20)
    before, after = owner >= 4, (owner >= 5) | (owner < 2)
    (row,) = change_rows(
        [("all", "")],
        np.zeros(200, dtype=int),
        outcomes(owner, base=before, ifacm=after),
        ["ifacm"],
    )
    assert (row.n, row.gained, row.lost, row.change) == (200, 40, 20, 0.1)
    # as good as 10 rows or fewer, two of which gain and one loses
    assert row.p_value == 1.0
    assert row.low < -0.25
    assert row.high > 0.4
    (free,) = change_rows(
        [("all", "")], np.zeros(200, dtype=int), outcomes(base=before, ifacm=after), ["ifacm"]
    )
    assert free.p_value < 0.02


def test_an_adjustment_of_nothing_is_no_change():
    right = np.arange(100) % 10 > 0
    (row,) = change_rows(
        NAMES[:1], np.zeros(100, dtype=int), outcomes(base=right, ifacm=right), ["ifacm"]
    )
    assert (row.gained, row.lost, row.change, row.p_value) == (0, 0, 0.0, 1.0)
    assert row.low == -row.high < 0.0
