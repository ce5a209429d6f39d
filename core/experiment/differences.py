"""Means and spreads over seeds."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from .. import levels
from ..messages import Sentence
from ..remedies.names import DEFAULT
from .compared_rows import BASE, ComparedRow, Difference, RemedyComparison
from .figures import ResultRow, told_in


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; NaN for fewer than two, or not finite, values."""
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - two make a spread
        return math.nan
    return statistics.stdev(values)  # exact: of values alike 0, and squares may be beyond floats


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


_TOLD = [name for row in (ResultRow, ComparedRow) for name in told_in("differences", row)]

_ENOUGH = 10
_FEW = (
    "Intervals of differences over {seeds} seeds are some {times:.1f} times as wide as they would "
    "be over {enough}, as the spread over so few is hardly known."
)
_BETTER = (
    "By {seeds} seeds {title} has a clearly lower DCV than {default}, {dcv:.4f} in place of "
    "{dcv_default:.4f} on average; its {size_word} is {size_change} that of {default}.{guarantee}"
)


def paired_difference(
    rows: Sequence[ComparedRow], remedy: str, against: str, figure: str, test_share: float
) -> Difference | None:
    """Return the difference over the seeds that have both; None if none has.

    ``test_share`` is the number of test rows by that of rows fitted or calibrated on.
    """
    ours, theirs = (_by_seed(rows, name, figure) for name in (remedy, against))
    seeds = [seed for seed in ours if seed in theirs]
    if not seeds:
        return None
    differences = [ours[seed] - theirs[seed] for seed in seeds]
    mean, deviation = float(np.mean(differences)), spread(differences)
    found = Difference(
        remedy=remedy,
        against=against,
        figure=figure,
        seeds=len(seeds),
        mean=mean,
        standard_deviation=None if math.isnan(deviation) else deviation,
    )
    if found.standard_deviation is None:
        return found
    error = deviation * _error(len(seeds), test_share)
    low, high, p_value = _students(mean, error, len(seeds) - 1)
    return replace(found, low=low, high=high, p_value=p_value)


def _error(seeds: int, test_share: float) -> float:
    """Return the standard error of a mean over seeds, in deviations of one."""
    return math.sqrt(1.0 / seeds + test_share)


def few_seeds(seeds: int, test_share: float) -> Iterator[Sentence]:
    """Yield a note where intervals are wide for the number of seeds alone."""
    if 1 < seeds < _ENOUGH:
        own, enough = (_quantile(n - 1) * _error(n, test_share) for n in (seeds, _ENOUGH))
        yield Sentence("compare.few_seeds", _FEW, seeds=seeds, enough=_ENOUGH, times=own / enough)


def _quantile(freedom: int) -> float:
    return float(stats.t.ppf(0.975, freedom))


def _students(mean: float, error: float, freedom: int) -> tuple[float, float, float]:
    if error == 0.0:
        return mean, mean, float(mean == 0.0)
    reach = _quantile(freedom) * error
    return mean - reach, mean + reach, 2.0 * float(stats.t.sf(abs(mean) / error, freedom))


def differences(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float
) -> list[Difference]:
    """Return every figure's difference of each remedy from the base."""
    found = (
        paired_difference(rows, remedy, BASE, figure, test_share)
        for remedy in remedies
        if remedy != BASE
        for figure in _TOLD
    )
    return [each for each in found if each is not None]


def verdict(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float, size_word: str
) -> Iterator[Sentence]:
    """Yield a sentence on the remedy of the lowest DCV, of those clearly below the default's.

    Each of the others is compared with the default at the level of one claim by their number.
    """
    if DEFAULT not in remedies:
        return
    others = [remedy for remedy in remedies if remedy not in (BASE, DEFAULT)]
    better: dict[str, Difference] = {}
    for remedy in others:
        found = paired_difference(rows, remedy, DEFAULT, "dcv", test_share)
        is_clear = found is not None and found.p_value is not None and found.mean < 0.0
        if found is not None and is_clear and (found.p_value or 0.0) <= levels.EFFECT / len(others):
            better[remedy] = found
    if not better:
        return
    best = min(better, key=lambda remedy: better[remedy].mean)
    row = next(row for row in rows if row.remedy == best and row.problem is None)
    other = next(row for row in rows if row.remedy == DEFAULT)
    ours, theirs = _mean(rows, best, "inefficiency"), _mean(rows, DEFAULT, "inefficiency")
    yield Sentence(
        "compare.better",
        _BETTER,
        seeds=better[best].seeds,
        title=row.title,
        default=other.title,
        dcv=_mean(rows, best, "dcv"),
        dcv_default=_mean(rows, DEFAULT, "dcv"),
        size_word=size_word,
        size_change=_times(ours / theirs if theirs else math.nan),
        guarantee="" if row.guarantee == other.guarantee else f" {row.guarantee}",
    )


def _times(ratio: float) -> str:
    return f"{100.0 * ratio:.1f} % of" if math.isfinite(ratio) else "beyond comparison with"


def _mean(rows: Sequence[ComparedRow], remedy: str, figure: str) -> float:
    return float(np.mean([*_by_seed(rows, remedy, figure).values()]))


def _by_seed(rows: Sequence[ComparedRow], remedy: str, figure: str) -> dict[int, float]:
    values = {
        row.seed: getattr(row, figure)
        for row in rows
        if (row.remedy, row.segment) == (remedy, "test")
    }
    return {s: float(v) for s, v in values.items() if v is not None and math.isfinite(v)}
