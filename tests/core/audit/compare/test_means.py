"""Means over seeds, worked by hand."""

from evencover.core.audit.compare.means import group_means
from evencover.core.audit.compare.result import GroupRow, RemedyComparison


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
