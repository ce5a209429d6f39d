"""What the headline says where no group is clearly under-covered."""

import math
import statistics
from collections.abc import Sequence

from .headline_words import NO_SEGMENT, no_group
from .low_coverage import Coverage
from .result import AuditResult
from .segments import SegmentRow

_LEAST_POINTS = 0.5
"""Percentage points that are not told as 0."""


def no_evidence(result: AuditResult) -> str:
    """Return that no group is clearly under-covered, and how small a shortfall would show."""
    segments = result.object_segments()
    if not segments:
        return NO_SEGMENT
    none = no_group(len(segments), len(result.worst_segments))
    return f"{none} has {_conclusion(result.coverage())} {_power(segments)}"


def _conclusion(coverage: Coverage) -> str:
    if coverage.is_unlucky():
        return (
            "coverage that is clearly lower than that of all rows: there is no evidence that any "
            "group is worse off than the others."
        )
    if coverage.is_high("base"):
        return (
            "coverage that is clearly too low: there is no evidence that any group gets less than "
            "was promised."
        )
    return "coverage that is clearly too low: there is no evidence of a problem."


def _power(segments: Sequence[SegmentRow]) -> str:
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    if math.isinf(min(shortfalls)):
        return "But the segments have too few test rows to show one."
    typical = 100.0 * statistics.median(shortfalls)
    if math.isinf(typical):
        return "But half of the segments or more have too few test rows to show one."
    points = "1 percentage point" if round(typical) == 1 else f"{typical:.0f} percentage points"
    return (
        f"Half of the segments have enough test rows for a shortfall of "
        f"{'less than 1 percentage point' if typical < _LEAST_POINTS else points} to be seen in "
        "four of five cases."
    )
