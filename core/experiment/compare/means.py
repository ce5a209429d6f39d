"""Figures of a comparison over its seeds: of remedies, and of groups that were too low."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..means import spread
from .result import BASE, ComparedRow, RemedyComparison


@dataclass(frozen=True)
class GroupMeans:
    """Mean accuracy of a group by each remedy, over the seeds by which it has test rows.

    ``low`` counts the seeds by which the base was clearly too low for it.
    """

    variable: str
    value: str
    low: int
    accuracies: dict[str, float]


def mean_of(rows: Sequence[ComparedRow], figure: str) -> float | None:
    """Return the mean of a figure over rows; None where one has none."""
    values = [getattr(row, figure) for row in rows]
    return None if None in values or not values else float(np.mean(values))


def mean_and_spread(rows: Sequence[ComparedRow], figure: str) -> tuple[float, float]:
    """Return the mean of a figure over seeds, NaN if unknown, and its deviation, 0 for one seed."""
    mean = mean_of(rows, figure)
    deviation = spread([float(getattr(row, figure) or 0.0) for row in rows])
    return math.nan if mean is None else mean, 0.0 if math.isnan(deviation) else deviation


def group_means(comparison: RemedyComparison) -> list[GroupMeans]:
    """Return each group that was clearly too low by the base, the lowest mean by it first."""
    found = []
    for variable, value in dict.fromkeys((row.variable, row.value) for row in comparison.groups):
        own = [row for row in comparison.groups if (row.variable, row.value) == (variable, value)]
        low = {row.seed for row in own if row.remedy == BASE and row.status == "low"}
        by_remedy = {
            remedy: [row.accuracy for row in own if row.remedy == remedy]
            for remedy in comparison.remedies
        }
        means = {remedy: float(np.mean(shares)) for remedy, shares in by_remedy.items() if shares}
        found.append(GroupMeans(variable, value, len(low), means))
    return sorted(found, key=lambda group: group.accuracies[BASE])
