"""How large the sets of a variable's groups are beside each other, before and after a remedy."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..arrays import BoolArray, FloatArray
from ..rows.outcomes import Outcomes
from ..rows.weights import mean_and_error
from .audited_rows import TestRows
from .grouping import Variable
from .statistics import FEWEST_JUDGED, LEVEL, NORMAL

GROWN = 1.05
"""Times a ratio before: what makes sizes more uneven by less is nothing that anybody sees."""

_TAIL = (1.0 - LEVEL) / 2.0

Estimate = tuple[float, float, float]
"""A figure and the ends of its 95 % interval."""


@dataclass(frozen=True)
class SizeChange:
    """What an adjustment makes of the sizes of groups' sets, by the same test rows as pairs.

    ``growth`` is the mean size after to that before in ``group``, whose sets become larger beside
    those of ``other`` than they were; the ratios are of :func:`size_ratio`. ``unevenness`` is how
    many times as unequal as before these two are, at least: in less than 1 of 20 cases chance alone
    has any pair of groups, of any of the variables asked about, exceed it.
    """

    column: str
    group: str
    other: str
    growth: Estimate
    growth_of_other: Estimate
    ratio_before: Estimate
    ratio_after: Estimate
    unevenness: float

    @property
    def is_uneven(self) -> bool:
        """Whether sizes are clearly more uneven after than they were."""
        return self.unevenness > GROWN


def mean_size(test_rows: TestRows, predictor: str, inside: BoolArray) -> tuple[float, float]:
    """Return the mean size of some rows' sets and its relative standard error, as of many rows."""
    sizes = test_rows.sets[predictor].sizes[inside]
    mean, error = _mean_and_error(sizes, test_rows.outcomes[predictor].part(inside))
    return mean, 0.0 if mean == 0.0 or math.isinf(mean) else error / mean


def _mean_and_error(values: FloatArray, rows: Outcomes) -> tuple[float, float]:
    mean, error, freedom = mean_and_error(values, rows.weights, rows.clusters)
    few = float(stats.t.ppf(1.0 - _TAIL, freedom)) / NORMAL if freedom else 1.0
    return mean, few * error


def size_ratio(
    test_rows: TestRows, predictor: str, variable: Variable
) -> tuple[Estimate, str, str] | None:
    """Return the largest mean size of a group's sets to the smallest, and the names of both.

    Any pair may be the one, which the interval allows for. Of groups with rows enough; None where
    these are fewer than two, and NaN where two have infinite sets.
    """
    groups = _groups(variable)
    if len(groups) < 2:  # noqa: PLR2004 - a ratio
        return None
    means, errors = np.array([mean_size(test_rows, predictor, rows) for rows in groups.values()]).T
    with np.errstate(divide="ignore"):
        ratio, off = _beside(np.log(means), errors)
    low = np.max(ratio - stats.norm.ppf(1.0 - _TAIL / _pairs(groups)) * off)
    ends = np.exp([np.max(ratio), max(0.0, low), np.max(ratio + NORMAL * off)]).tolist()
    names = [*groups]
    if len(endless := np.flatnonzero(np.isinf(means))) > 1:
        return (math.nan, 0.0, math.inf), *(names[place] for place in endless[:2])
    return tuple(ends), names[means.argmax()], names[means.argmin()]


def size_change(
    test_rows: TestRows, before: str, after: str, variable: Variable, asked: int = 1
) -> SizeChange | None:
    """Return what predictor ``after`` makes of sizes; None where there is no ratio.

    ``asked`` is how many variables it is asked of. Two groups are more unequal where their ratio is
    farther from 1 than it was whichever had the larger sets: of two questions both have to be sure,
    each at the level of one by the number of pairs.
    """
    was, now = (size_ratio(test_rows, name, variable) for name in (before, after))
    if was is None or now is None:
        return None
    groups = _groups(variable)
    grown, kept = (
        np.array([_compared(test_rows, (before, after), rows, sign) for rows in groups.values()]).T
        for sign in (-1.0, 1.0)
    )
    reach = float(stats.norm.isf((1.0 - LEVEL) / (asked * _pairs(groups))))
    seen, least = (
        np.minimum(*(moved - times * off for moved, off in (_beside(*grown), _beside(*kept))))
        for times in (0.0, reach)
    )
    for each in (seen, least):
        np.fill_diagonal(each, -math.inf)  # of no pair
    shown = least if least.max() > math.log(GROWN) else seen
    at = np.unravel_index(int(shown.argmax()), shown.shape)
    ends = np.exp(grown[0] + np.outer([0.0, -NORMAL, NORMAL], grown[1]))
    (group, growth), (other, of_other) = (([*groups][k], tuple(ends[:, k].tolist())) for k in at)
    uneven = float(np.exp(least.max()))
    return SizeChange(variable.name, group, other, growth, of_other, was[0], now[0], uneven)


def _compared(
    test_rows: TestRows, names: tuple[str, str], inside: BoolArray, sign: float
) -> tuple[float, float]:
    """Return the logarithm of rows' mean size after, and ``sign`` times that before; its error."""
    (was, now), (of_was, of_now) = zip(
        *((mean_size(test_rows, name, inside)[0], test_rows.sets[name].sizes) for name in names),
        strict=True,
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.log(now) + sign * np.log(was))
    if not math.isfinite(value):  # NaN: infinite as it was
        return 0.0 if math.isnan(value) else value, 0.0
    rows = of_now[inside] / now + sign * of_was[inside] / was
    return value, _mean_and_error(rows, test_rows.outcomes[names[1]].part(inside))[1]


def _groups(variable: Variable) -> dict[str, BoolArray]:
    """Return which rows are in each group with rows enough."""
    codes, names = variable.partition.codes, variable.partition.names
    large = np.flatnonzero(np.bincount(codes, minlength=len(names)) >= FEWEST_JUDGED)
    return {names[place]: codes == place for place in large}


def _pairs(groups: dict[str, BoolArray]) -> float:
    return len(groups) * (len(groups) - 1) / 2


def _beside(values: FloatArray, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far each group's value is above each other's, and the standard errors of that."""
    with np.errstate(invalid="ignore"):
        above = np.nan_to_num(values[:, None] - values, posinf=math.inf, neginf=-math.inf)
    return above, np.hypot(errors[:, None], errors)
