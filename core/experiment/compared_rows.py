"""What a comparison of remedies found: rows by seed, and their means, spreads and differences."""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from scipy import stats

from .. import levels
from ..messages import Passage, Sentence
from ..preparation.column_names import protected_attributes
from ..remedies.names import DEFAULT, title_of
from ..segments.statistics import FEWEST_JUDGED, Status
from .result import PAIRED, Examination, ResultRow, SubsetName, told_in

BASE = "base"
_DRAWS = 200

_ONE_ERROR = 0.32
"""The two-sided p-value of a difference of one standard error."""


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """Figures of one remedy with one seed on one set; those of test rows are None on training rows.

    ``accuracy`` to ``worst_slab_coverage`` are those of :class:`ResultRow`.
    ``worst_segment_coverage`` is the lowest accuracy of those segments that are judged, which is
    below CL by chance alone, and ``worst_segment`` names it; ``low_segments`` counts segments, and
    rules found for any remedy, with clearly too little coverage. ``size_gap`` is the largest
    difference in mean width or set size between the groups of one audit-only or protected column,
    that of ``size_gap_of``; None without one: even coverage can be bought with uneven sizes.
    ``size_gap_by_chance`` is what it is on average where sizes have nothing to do with the groups,
    by permuting them; None where it is not known.

    ``choice`` is the candidate that the training rows chose, of a remedy that chooses.
    ``problem`` says why the remedy could not be applied, of which there are no figures then.
    """

    remedy: str
    title: str
    seed: int
    segment: SubsetName
    guarantee: str
    accuracy: float | None = None
    inefficiency: float | None = None
    inefficiency_original_units: float | None = None
    dcv: float | None = None
    dcv_floor: float | None = None
    dcv_corrected: float | None = None
    dcv_corrected_low: float | None = None
    dcv_corrected_high: float | None = None
    dcv_crossfitted: float | None = None
    p_value: float | None = None
    ert_l1: float | None = None
    ert_l2: float | None = None
    dcv_crossfitted_trees: float | None = None
    ert_l2_trees: float | None = None
    ert_l2_trees_low: float | None = None
    ert_l2_trees_high: float | None = None
    p_value_trees: float | None = None
    worst_slab_coverage: float | None = None
    worst_segment_coverage: float | None = field(default=None, metadata=PAIRED)
    worst_segment: str | None = None
    low_segments: int | None = field(default=None, metadata=PAIRED)
    size_gap: float | None = field(default=None, metadata=PAIRED)
    size_gap_by_chance: float | None = None
    size_gap_of: str | None = None
    fit_seconds: float | None = None
    choice: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class GroupRow:
    """Coverage by one remedy with one seed of a group that was clearly too low by the base once."""

    remedy: str
    seed: int
    variable: str
    value: str
    n: int
    accuracy: float
    status: Status | None


@dataclass(frozen=True)
class Difference:
    """A test figure by a remedy less that ``against`` another, on average over the same seeds.

    ``low`` and ``high`` are a 95 % interval, ``p_value`` two-sided, by Student's t with the
    variance of Nadeau and Bengio (2003), "Inference for the generalization error": splits of one
    table share rows, so that seeds are no independent samples. With one seed those of accuracy,
    size and unevenness (see :class:`AdjustmentRow`) are by its test rows as pairs, others None.
    """

    remedy: str
    against: str
    figure: str
    seeds: int
    mean: float
    standard_deviation: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class RemedyComparison:
    """Remedies on the same splits: ``rows`` by seed, then by remedy, the base first.

    ``ranking`` are the remedies by merit, of which so many of the first are ``tied``, see
    :func:`ranked`; ``verdict`` says which is clearly better than the default one, if one is;
    ``stopped`` that seeds are missing as the work ended.
    """

    settings: dict[str, Any]
    fingerprint: str
    seeds: list[int]
    remedies: list[str]
    rows: list[ComparedRow]
    groups: list[GroupRow]
    differences: list[Difference]
    verdict: list[Sentence]
    notes: list[Sentence]
    seconds: float
    stopped: bool = False
    ranking: list[str] = field(default_factory=list)
    tied: int = 0

    def test_rows(self, remedy: str) -> list[ComparedRow]:
        """Return a remedy's figures on test rows, of the seeds that have any."""
        of_one = (row for row in self.rows if (row.remedy, row.segment) == (remedy, "test"))
        return [row for row in of_one if row.problem is None]

    def problem(self, remedy: str) -> str | None:
        """Return why a remedy has no figures by some seed; None where it has them by all."""
        return next((r.problem for r in self.rows if r.remedy == remedy and r.problem), None)


_OF_RESULT = {each.name for each in fields(ComparedRow)} & {each.name for each in fields(ResultRow)}


def compared_rows(result: Examination, seed: int) -> list[ComparedRow]:
    """Return the figures of each predictor, those on test rows with what segments say."""
    by_name = {predictor.name: predictor for predictor in result.predictors}
    return [
        ComparedRow(
            remedy=row.predictor,
            title=by_name[row.predictor].title,
            seed=seed,
            segment=row.subset,
            guarantee=by_name[row.predictor].guarantee,
            **{name: getattr(row, name) for name in _OF_RESULT},
            fit_seconds=result.seconds.fits[row.predictor],
            choice=getattr(by_name[row.predictor].fit.choice, "remedy", None),
            **(_of_segments(result, row.predictor) if row.subset == "test" else {}),
        )
        for row in result.results
    ]


def with_titles_over_seeds(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Return the rows with one title for each remedy: where seeds choose differently, what each."""
    titles = {}
    for name in {row.remedy for row in rows}:
        own = [row for row in rows if row.remedy == name]
        counts = Counter(row.choice for row in own if row.choice and row.segment == "test")
        told = ", ".join(f"{choice} {seeds}" for choice, seeds in counts.most_common())
        if len({row.title for row in own}) > 1:
            titles[name] = title_of(name) + f" ({told})" * bool(told)
    return [replace(row, title=titles.get(row.remedy, row.title)) for row in rows]


def group_rows(results: Mapping[int, Examination]) -> list[GroupRow]:
    """Return coverage of each group that was clearly too low by the base with some seed.

    Bands of a number hang on the split, and are no groups over seeds.
    """
    named = dict.fromkeys(
        row.group
        for result in results.values()
        for row in result.too_low(result.reference)
        if not row.is_band
    )
    return [
        GroupRow(row.predictor, seed, row.variable, row.value, row.n, row.accuracy, row.status)
        for seed, result in results.items()
        for row in result.segments
        if row.group in named and row.n
    ]


def _of_segments(result: Examination, predictor: str) -> dict[str, Any]:
    judged = result.object_segments(predictor)
    worst = min(judged, key=lambda segment: segment.accuracy, default=None)
    return {
        "worst_segment_coverage": None if worst is None else worst.accuracy,
        "worst_segment": None if worst is None else f"{worst.variable} = {worst.value}",
        "low_segments": len(result.too_low(predictor)) + len(result.rules_too_low(predictor)),
        **(result.size_gaps.get(predictor) or size_gap(result, predictor)),
    }


def size_gap(result: Examination, predictor: str) -> dict[str, Any]:
    """Return the largest gap in size by name, what it is by chance, and whose it is."""
    used, features = result.settings, result.data.features
    columns = *used["audit_only"], *protected_attributes(features, used["not_protected"])
    sizes: dict[str, list[float]] = {column: [] for column in columns}
    for row in result.of(result.segments, predictor):
        if row.variable in sizes and row.kind in ("column", "group") and row.n >= FEWEST_JUDGED:
            sizes[row.variable].append(row.inefficiency)
    gaps = {column: max(own) - min(own) for column, own in sizes.items() if len(own) > 1}
    widest = max(gaps, key=lambda column: gaps[column], default=None)
    return {
        "size_gap": max(gaps.values(), default=None),
        "size_gap_by_chance": _gap_by_chance(result, predictor, widest),
        "size_gap_of": widest,
    }


def _gap_by_chance(result: Examination, predictor: str, column: str | None) -> float | None:
    rows = result.test_rows
    if rows is None or column is None:
        return None
    outcomes, rng = rows.outcomes[predictor], np.random.default_rng(0)
    if not outcomes.are_independent or not np.isfinite(outcomes.sizes).all():
        return None
    (codes,) = (each.partition.codes for each in rows.variables if each.name == column)
    n = np.bincount(codes)
    large = n >= FEWEST_JUDGED
    drawn = (np.bincount(codes, rng.permutation(outcomes.sizes)) for _ in range(_DRAWS))
    return float(np.mean([np.ptp(sums[large] / n[large]) for sums in drawn]))


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation with n - 1; NaN for fewer than two, or not finite, values."""
    if len(values) < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - two make a spread
        return math.nan
    return statistics.stdev(values)  # exact: of values alike 0, and squares may be beyond floats


def mean_of(rows: Sequence[ComparedRow], figure: str) -> float | None:
    """Return the mean of a figure over rows; None where one has none."""
    values = [getattr(row, figure) for row in rows]
    return None if None in values or not values else float(np.mean(values))


def mean_and_spread(rows: Sequence[ComparedRow], figure: str) -> tuple[float, float]:
    """Return the mean of a figure over seeds, NaN if unknown, and its deviation, 0 for one seed."""
    mean = mean_of(rows, figure)
    deviation = spread([float(getattr(row, figure) or 0.0) for row in rows])
    return math.nan if mean is None else mean, 0.0 if math.isnan(deviation) else deviation


_TOLD = [name for row in (ResultRow, ComparedRow) for name in told_in("differences", row)]

_UNITS = "inefficiency_original_units"
JUDGED = "ert_l2_trees"
"""What remedies are ranked by: a judge by straight lines would not see what is left by lines."""

_ENOUGH = 10
_FEW = (
    "Intervals of differences over {seeds} seeds are some {times:.1f} times as wide as they would "
    "be over {enough}, as the spread over so few is hardly known."
)
_BETTER = (
    "By {seeds} seeds {title} has a clearly lower ERT by trees than {default}, {ert:.5f} in "
    "place of {ert_default:.5f} on average; its {size_word} is {size_change} that of {default}."
    "{guarantee}"
)

_BEYOND = "beyond comparison with"
_LOWEST = (
    "Of {count} {what} {title} has the lowest ERT by trees, {ert:.5f} on average. The lowest of "
    "several is in part the luckiest: {by}.{beside} Judge what you choose on other rows."
)
_BY = "were all as good, it would be {by:.5f} too low on average, as far as seeds tell"
_LEVELS = (np.arange(10_000) + 0.5) / 10_000


def paired_difference(
    rows: Sequence[ComparedRow], remedy: str, against: str, figure: str, test_share: float
) -> Difference | None:
    """Return the difference over the seeds that have both; None if none has.

    ``test_share`` is the number of test rows by that of rows fitted or calibrated on.
    """
    ours, theirs = (_by_seed(rows, name, figure) for name in (remedy, against))
    differences = [ours[seed] - theirs[seed] for seed in ours if seed in theirs]
    if not differences:
        return None
    n, mean, deviation = len(differences), float(np.mean(differences)), spread(differences)
    if math.isnan(deviation):
        return Difference(remedy, against, figure, n, mean)
    ends = _ends(mean, deviation * _error(n, test_share), stats.t(n - 1))
    return Difference(remedy, against, figure, n, mean, deviation, **ends)


def _ends(mean: float, error: float, law: Any) -> dict[str, float]:  # noqa: ANN401 - of scipy
    """Return the 95 % interval and two-sided p-value of a mean; ``law`` is of mean by error."""
    reach = float(law.ppf(0.975)) * error
    p_value = 2.0 * float(law.sf(abs(mean) / error)) if error else float(mean == 0.0)
    return {"low": mean - reach, "high": mean + reach, "p_value": p_value}


def _error(seeds: int, test_share: float) -> float:
    """Return the standard error of a mean over seeds, in deviations of one."""
    return math.sqrt(1.0 / seeds + test_share)


def few_seeds(seeds: int, test_share: float) -> Iterator[Sentence]:
    """Yield a note where intervals are wide for the number of seeds alone."""
    if 1 < seeds < _ENOUGH:
        own, enough = (stats.t.ppf(0.975, n - 1) * _error(n, test_share) for n in (seeds, _ENOUGH))
        yield Sentence("compare.few_seeds", _FEW, seeds=seeds, enough=_ENOUGH, times=own / enough)


def lowest_told(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float, what: str = "remedies"
) -> Iterator[Sentence]:
    """Yield by how much the lowest ERT of several remedies is too low, for being the lowest.

    That is at most, on average: where all are as good, and errors of their means normal. What all
    have in common by a seed plays no part; variances are widened as those of differences.
    """
    by_seed = {name: _by_seed(rows, name, JUDGED) for name in remedies if name != BASE}
    by_seed = {name: of for name, of in by_seed.items() if of}
    seeds = sorted(set.intersection(*map(set, by_seed.values()))) if by_seed else []
    if len(by_seed) < 2 or not seeds:  # noqa: PLR2004 - of one there is no choice
        return
    found = np.array([[of[seed] for of in by_seed.values()] for seed in seeds])
    (n, count), means = found.shape, found.mean(axis=0)
    by = "by how much, one seed cannot tell"
    if n > 1:
        off = found - means - found.mean(axis=1, keepdims=True) + means.mean()
        deviation = math.sqrt(float((off**2).sum()) / ((n - 1) * (count - 1)))
        largest = stats.norm.ppf(_LEVELS ** (1.0 / count)).mean()  # of so many normal variables
        by = _BY.format(by=deviation * _error(n, test_share) * largest)
    best = int(means.argmin())
    name = [*by_seed][best]
    title = next(row.title for row in rows if row.remedy == name)
    made = paired_difference(rows, name, BASE, JUDGED, test_share)
    is_lower = made is None or (made.high is not None and made.high < 0.0)
    beside = "" if is_lower else " It is not clearly below that of the base."
    values = {"count": count, "what": what, "title": title, "ert": float(means[best])}
    yield Sentence("compare.lowest", _LOWEST, **values, by=Passage(by), beside=beside)


def ranked(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float
) -> tuple[list[str], int]:
    """Return the names by merit: the lower the mean ERT by trees, the better; how many are tied.

    Those within a standard error of the lowest come first, the smallest sets ahead; by one seed
    those within its 95 % interval. What has no figures comes last.
    """
    known = [name for name in remedies if _by_seed(rows, name, JUDGED)]
    lowest = min(known, key=lambda name: _mean(rows, name, JUDGED), default="")

    def place(name: str) -> tuple[bool, float]:
        found = paired_difference(rows, name, lowest, JUDGED, test_share)
        ert = _mean(rows, name, JUDGED)
        if found is None or found.p_value is None:
            is_above = ert > _mean(rows, lowest, f"{JUDGED}_high")
        else:
            is_above = found.p_value <= _ONE_ERROR
        return is_above, ert if is_above else _mean(rows, name, "inefficiency")

    places = {name: place(name) for name in known}
    last = [name for name in remedies if name not in known]
    return [*sorted(known, key=places.__getitem__), *last], sum(not p[0] for p in places.values())


def differences(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float
) -> list[Difference]:
    """Return every figure's difference of each remedy from the first, as the base is."""
    first, *others = remedies
    found = (
        paired_difference(rows, remedy, first, figure, test_share)
        for remedy in others
        for figure in _TOLD
    )
    return [each for each in found if each is not None]


def by_rows(result: Examination, rows: Sequence[ComparedRow]) -> list[Difference]:
    """Return differences by one seed: of accuracy, size and unevenness by its test rows as pairs.

    That is how far other test rows would change them, not other rows to fit and calibrate on.
    """
    found = {(each.remedy, each.figure): each for each in differences(rows, result.names, 0.0)}
    for made in result.comparisons:
        by, change = made.predictor, result.change(made.predictor)
        ends: dict[str, Any] = {name: getattr(change, name) for name in ("low", "high", "p_value")}
        found[by, "accuracy"] = replace(found[by, "accuracy"], **ends)
        sizes = made.size_change, made.size_change_error
        in_units = [scale * of for of in sizes] if (scale := _unit(result, by)) else [math.nan] * 2
        uneven = made.unevenness_change, made.unevenness_standard_error
        told = {"inefficiency": sizes, _UNITS: in_units, "unevenness": uneven}
        for figure, (mean, error) in told.items():
            if math.isfinite(error):
                ends = _ends(mean, error, stats.norm)
                found[by, figure] = Difference(by, result.reference, figure, 1, mean, **ends)
    return list(found.values())


def _unit(result: Examination, by: str) -> float | None:
    """Return what one of the standardised label is in its units; None where that is no number."""
    both = [result.row("test", name) for name in (result.reference, by)]
    one, other = (row.inefficiency_original_units / (row.inefficiency or math.nan) for row in both)
    return one if math.isclose(one, other, rel_tol=1e-6) else None


def verdict(
    rows: Sequence[ComparedRow], remedies: Sequence[str], test_share: float, size_word: str
) -> Iterator[Sentence]:
    """Yield a sentence on the remedy of the lowest ERT, of those clearly below another's.

    That other is the first, as the base is, then the default. Each of the rest is compared with it
    at the level of one claim by their number.
    """
    for against in dict.fromkeys((remedies[0], DEFAULT)):
        others = [remedy for remedy in remedies if remedy not in (remedies[0], against)]
        if others and against in remedies:
            yield from _better(rows, others, against, test_share, size_word)


def _better(
    rows: Sequence[ComparedRow],
    others: Sequence[str],
    against: str,
    test_share: float,
    size_word: str,
) -> Iterator[Sentence]:
    found = {name: paired_difference(rows, name, against, JUDGED, test_share) for name in others}
    better = {
        name: difference
        for name, difference in found.items()
        if difference is not None
        and difference.p_value is not None
        and difference.p_value <= levels.EFFECT / len(others)
        and difference.mean < 0.0
    }
    if not better:
        return
    best = min(better, key=lambda remedy: better[remedy].mean)
    row = next(row for row in rows if row.remedy == best and row.problem is None)
    other = next(row for row in rows if row.remedy == against)
    ours, theirs = _mean(rows, best, "inefficiency"), _mean(rows, against, "inefficiency")
    ratio = ours / theirs if theirs else math.nan
    yield Sentence(
        "compare.better",
        _BETTER,
        seeds=better[best].seeds,
        title=row.title,
        against=against,
        default="the base" if against == BASE else other.title,
        ert=_mean(rows, best, JUDGED),
        ert_default=_mean(rows, against, JUDGED),
        size_word=size_word,
        size_change=f"{100.0 * ratio:.1f} % of" if math.isfinite(ratio) else _BEYOND,
        guarantee="" if row.guarantee == other.guarantee else f" {row.guarantee}",
    )


def _mean(rows: Sequence[ComparedRow], remedy: str, figure: str) -> float:
    values = [*_by_seed(rows, remedy, figure).values()]
    return float(np.mean(values)) if values else math.nan


def _by_seed(rows: Sequence[ComparedRow], remedy: str, figure: str) -> dict[int, float]:
    values = {
        row.seed: getattr(row, figure)
        for row in rows
        if (row.remedy, row.segment) == (remedy, "test")
    }
    return {s: float(v) for s, v in values.items() if v is not None and math.isfinite(v)}
