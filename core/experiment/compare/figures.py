"""What a comparison takes from one seed's audit of all remedies."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...preparation.column_names import protected_attribute
from ...remedies.names import parse_remedy
from ...segments.by_segment import SegmentRow
from ...segments.statistics import FEWEST_JUDGED
from ..figures import ResultRow
from ..result import Examination
from .result import BASE, ComparedRow, GroupRow

_OF_RESULT = (
    *("accuracy", "inefficiency", "inefficiency_original_units", "dcv", "dcv_floor"),
    *("dcv_corrected", "dcv_corrected_low", "dcv_corrected_high", "dcv_crossfitted", "p_value"),
    *("ert_l1", "ert_l2", "worst_slab_coverage"),
)


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
    parsed = None if remedy == BASE else parse_remedy(remedy)
    return ComparedRow(
        remedy=remedy,
        title=remedy if parsed is None else parsed.title,
        seed=seed,
        segment="test",
        guarantee="" if parsed is None else parsed.remedy.guarantee,
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
    features = [name for name in result.data.features if protected_attribute(name) is not None]
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
