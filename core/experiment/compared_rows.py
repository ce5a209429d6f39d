"""What a comparison of remedies found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..messages import Sentence
from ..preparation.column_names import protected_attributes
from ..remedies.names import parse_remedy, title_of
from ..segments.by_segment import SegmentRow
from ..segments.statistics import FEWEST_JUDGED, Status
from .figures import PAIRED, ResultRow, SubsetName
from .result import Examination

BASE = "base"


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """Figures of one remedy with one seed on one set; those of test rows are None on training rows.

    ``accuracy`` to ``worst_slab_coverage`` are those of :class:`ResultRow`.
    ``worst_segment_coverage`` is the lowest accuracy of those segments that are judged, which is
    below CL by chance alone, and ``worst_segment`` names it; ``low_segments`` counts segments and
    rules with clearly too little coverage. ``size_gap`` is the largest difference in mean width or
    set size between the groups of one audit-only or protected column, that of ``size_gap_of``; None
    where there is no such column: even coverage can be bought with uneven sizes.

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
    worst_slab_coverage: float | None = None
    worst_segment_coverage: float | None = field(default=None, metadata=PAIRED)
    worst_segment: str | None = None
    low_segments: int | None = field(default=None, metadata=PAIRED)
    size_gap: float | None = field(default=None, metadata=PAIRED)
    size_gap_of: str | None = None
    fit_seconds: float | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """Coverage by one remedy with one seed of a group that was clearly too low by the base once."""

    remedy: str
    seed: int
    variable: str
    value: str
    n: int
    accuracy: float
    status: Status | None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A test figure by a remedy less that ``against`` another, on average over the same seeds.

    ``low`` and ``high`` are a 95 % interval, ``p_value`` two-sided, by Student's t with the
    variance of Nadeau and Bengio (2003), "Inference for the generalization error": splits of one
    table share rows, so that seeds are no independent samples. None with one seed.
    """

    remedy: str
    against: str
    figure: str
    seeds: int
    mean: float
    standard_deviation: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class RemedyComparison:
    """Remedies on the same splits: ``rows`` by seed, then by remedy, the base first.

    ``verdict`` says which remedy is clearly better than the default one, if one is; ``stopped``
    that seeds are missing as the work was ended.
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
    titles = {predictor.name: predictor for predictor in result.predictors}
    return [
        ComparedRow(
            remedy=row.predictor,
            title=titles[row.predictor].title,
            seed=seed,
            segment=row.subset,
            guarantee=titles[row.predictor].guarantee,
            **{name: getattr(row, name) for name in _OF_RESULT},
            fit_seconds=result.seconds.fits[row.predictor],
            **(_of_segments(result, row) if row.subset == "test" else {}),
        )
        for row in result.results
    ]


def refused_row(remedy: str, seed: int, problem: str) -> ComparedRow:
    """Return the row of a remedy, or of the base, that could not be applied."""
    title = title_of(remedy)
    return ComparedRow(
        remedy=remedy,
        title=title,
        seed=seed,
        segment="test",
        guarantee="" if title == remedy else parse_remedy(remedy).remedy.guarantee,
        problem=problem,
    )


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
        GroupRow(
            remedy=row.predictor,
            seed=seed,
            variable=row.variable,
            value=row.value,
            n=row.n,
            accuracy=row.accuracy,
            status=row.status,
        )
        for seed, result in results.items()
        for row in result.segments
        if row.group in named and row.n
    ]


def _of_segments(result: Examination, row: ResultRow) -> dict[str, Any]:
    name = row.predictor
    judged = result.object_segments(name)
    worst = min(judged, key=lambda segment: segment.accuracy, default=None)
    gap, variable = _size_gap(result, result.of(result.segments, name))
    return {
        "worst_segment_coverage": None if worst is None else worst.accuracy,
        "worst_segment": None if worst is None else f"{worst.variable} = {worst.value}",
        "low_segments": len(result.too_low(name)) + len(result.rules_too_low(name)),
        "size_gap": gap,
        "size_gap_of": variable,
    }


def _size_gap(
    result: Examination, segments: Sequence[SegmentRow]
) -> tuple[float | None, str | None]:
    features = protected_attributes(result.data.features)
    gaps: dict[str, float] = {}
    for column in dict.fromkeys([*result.settings["audit_only"], *features]):
        sizes = [
            segment.inefficiency
            for segment in segments
            if segment.variable == column
            and segment.kind in ("column", "group")
            and segment.n >= FEWEST_JUDGED
        ]
        if len(sizes) > 1:
            gaps[column] = max(sizes) - min(sizes)
    largest = max(gaps, key=lambda column: gaps[column], default=None)
    return (None, None) if largest is None else (gaps[largest], largest)
