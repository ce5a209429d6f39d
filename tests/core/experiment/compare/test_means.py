"""Means over seeds, worked by hand."""

import math
from types import SimpleNamespace

import pytest

from evencover.core.experiment.compare.means import group_means, mean_and_spread, mean_of
from evencover.core.experiment.compare.result import GroupRow, RemedyComparison


def group(value, seed, remedy, accuracy, status="fine"):
    return GroupRow(
        remedy=remedy,
        seed=seed,
        variable="county",
        value=value,
        n=50,
        accuracy=accuracy,
        status=status,
    )


def test_a_group_s_means_are_over_the_seeds_that_have_it_and_the_lowest_is_first():
    groups = [
        *(group("Kent", seed, "base", share) for seed, share in ((0, 0.85), (1, 0.87))),
        group("Devon", 0, "base", 0.7, "low"),
        group("Devon", 1, "base", 0.8, "low"),
        group("Devon", 2, "base", 0.9),
        group("Devon", 1, "quantile", 0.88),
    ]
    remedies = ["base", "quantile", "label"]
    found = group_means(RemedyComparison({}, "", [0, 1, 2], remedies, [], groups, [], [], [], 0.0))
    told = [(g.value, g.low, {k: round(v, 9) for k, v in g.accuracies.items()}) for g in found]
    assert told == [
        ("Devon", 2, {"base": 0.8, "quantile": 0.88}),
        ("Kent", 0, {"base": 0.86}),
    ]


def test_a_mean_is_of_all_rows_or_not_known():
    known = [SimpleNamespace(dcv=0.01), SimpleNamespace(dcv=0.03)]
    assert mean_of(known, "dcv") == pytest.approx(0.02)
    assert mean_and_spread(known, "dcv") == pytest.approx((0.02, 0.02 / math.sqrt(2.0)))
    assert mean_and_spread(known[:1], "dcv") == (0.01, 0.0)
    assert mean_of([*known, SimpleNamespace(dcv=None)], "dcv") is None
    assert mean_of([], "dcv") is None
