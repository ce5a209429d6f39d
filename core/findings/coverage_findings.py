"""For whom coverage is too low, and what the adjustments make of it: the headline."""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from ..conformal.rank import threshold_rank
from ..segments.by_segment import SegmentRow
from ..segments.search.worst_segments import WorstSegmentRow
from ..segments.statistics import FEWEST_COMPARED, SIZE
from ..segments.under_coverage import Coverage, Group, is_below, lower_than_all
from .result import AuditedPredictor, AuditResult, Finding

_HARDLY = 0.25
"""Of a shortfall, the share that an adjustment must take away for it to be called mended."""

_NAMED = 4

_Find = Callable[..., Finding]
_Group = TypeVar("_Group", SegmentRow, WorstSegmentRow)


def coverage_findings(result: AuditResult) -> list[Finding]:
    """Return for whom coverage is too low, what adjustments make of it, and how many others.

    Where coverage of all test rows is below the confidence level by more than chance explains,
    that comes first. The group named is that of the clearly under-covered segments, lower than
    all rows together, where most rows are missed; if there is none, the surest of the rules found
    by search. Where nothing is clear the findings say so, and what could have been seen.
    """
    find = partial(Finding, topic="coverage", predictor=result.reference)
    too_few = _too_few_calibration_rows(result)
    if too_few or _holds_all(result.object_segments(result.reference)):
        figures = {"calibration": result.data.calibration, "too_few": too_few}
        return [find("sets-hold-all", severity="problem", figures=figures, advice="more-rows")]
    group = _worst_group(result)
    return [
        _overall(result, find),
        *(_no_group(result, find) if group is None else [_group(result, group, find)]),
        *(f for predictor in result.predictors[1:] for f in _remedy(result, predictor, group)),
        *_counts(result, group),
    ]


def _too_few_calibration_rows(result: AuditResult) -> bool:
    rank = threshold_rank(result.data.calibration, result.settings["cl"])
    return result.predictors[0].is_calibrated and rank == 0


def _holds_all(segments: Sequence[SegmentRow]) -> bool:
    return bool(segments) and all(1.0 in (row.share_infinite, row.share_full) for row in segments)


def _worst_group(result: AuditResult) -> Group | None:
    """Return the group that is clearly lower than all rows: a segment before a rule."""
    first = result.reference
    coverage = result.coverage(first)
    segments = lower_than_all(result.too_low(first), coverage)
    groups: list[Group] = [*segments, *lower_than_all(result.worst_found(first), coverage)]
    return groups[0] if groups else None


def _overall(result: AuditResult, find: _Find) -> Finding:
    coverage = result.coverage(result.reference)
    return find(
        "coverage-overall",
        severity="problem" if coverage.is_low else "neutral",
        figures={
            "accuracy": coverage.share,
            "level": coverage.level,
            "status": _status(coverage),
            "calibration": result.data.calibration,
        },
    )


def _status(coverage: Coverage) -> str:
    if coverage.is_low:
        return "low"
    if coverage.is_high:
        return "high"
    return "unlucky" if coverage.is_unlucky else "as-promised"


def _group(result: AuditResult, group: Group, find: _Find) -> Finding:
    coverage = result.coverage(result.reference)
    return find(
        "group-lower-still" if coverage.is_low else "group-low",
        severity="problem",
        who=group,
        figures={
            "accuracy": group.accuracy,
            "low": group.low,
            "high": group.high,
            "missed": round(group.n * (coverage.level - group.accuracy)),
        },
        certainty=group.q_value,
    )


def _no_group(result: AuditResult, find: _Find) -> list[Finding]:
    first, coverage = result.reference, result.coverage(result.reference)
    segments, status = result.object_segments(first), _status(coverage)
    rules = result.of(result.worst_segments, first)
    figures = {"segments": len(segments), "rules": len(rules), "overall": status}
    none = find("no-group" if segments else "no-segment", figures=figures)
    if coverage.is_low:
        return [none]
    highest = max(coverage.level, coverage.share)
    over = [
        find("group-over", who=row, figures={"accuracy": row.accuracy}, certainty=row.q_value)
        for row in result.failing_segments(first)
        if row.accuracy > highest and row.q_value <= SIZE
    ]
    return [*over[:1], none, *_power(segments, find)]


def _power(segments: Sequence[SegmentRow], find: _Find) -> list[Finding]:
    """Return how small a shortfall half of the segments have the rows to show."""
    if not segments:
        return []
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    figures = {"best": min(shortfalls), "typical": statistics.median(shortfalls)}
    return [find("power", figures=figures)]


def _remedy(result: AuditResult, predictor: AuditedPredictor, group: Group | None) -> list[Finding]:
    """Return what one adjustment makes of the group, or of all rows where these are too low.

    Of a predictor that is none: what coverage it has.
    """
    name, before = predictor.name, result.coverage(result.reference)
    find = partial(Finding, topic="remedy", predictor=name)
    if predictor.is_adjustment and not predictor.adjusts:
        return [find("nothing-adjusted", advice="recalibrate" if before.is_low else "")]
    after = result.coverage(name)
    figures: dict[str, Any] = {
        "size_change": _size_change(result, name),
        "overall": after.share,
        "low": after.is_low,
    }
    if group is not None:
        figures["of_group"] = _accuracies([*result.segments, *result.worst_segments], group)[name]
    if not predictor.is_adjustment:
        return [find("beside", who=group, figures=figures)]
    spoilt = _spoilt(result, name, "group-low-too" if before.is_low else "group-spoilt", find)
    if before.is_low:
        figures |= _effect(before.share, after.share, before.level)
        advice = "recalibrate" if after.is_low else ""
        return [find("effect-on-all", who=group, figures=figures, advice=advice), *spoilt]
    if group is None:
        return [find("effect-overall", figures=figures), *spoilt]
    figures |= _effect(group.accuracy, figures["of_group"], before.level)
    effect = find("effect-on-group", who=group, figures=figures)
    harm = find("all-rows-low-after", severity="problem", figures={"accuracy": after.share})
    return [effect, *([harm] if after.is_low else []), *spoilt]


def _effect(before: float, after: float, level: float) -> dict[str, Any]:
    gain = after - before
    small = "none" if gain <= 0.0 else "hardly"
    effect = "raised" if gain >= _HARDLY * (level - before) else small
    return {"before": before, "after": after, "effect": effect}


def _size_change(result: AuditResult, name: str) -> float | None:
    """Return by what share sets grow on average; None where that has no meaning."""
    before, after = (
        result.row("test", each).inefficiency_original_units for each in (result.reference, name)
    )
    known = all(math.isfinite(size) and size > 0.0 for size in (before, after))
    return after / before - 1.0 if known else None


def _spoilt(result: AuditResult, name: str, kind: str, find: _Find) -> list[Finding]:
    """Return for whom coverage is too low after but was not before: most rows missed."""
    figures = {"also": result.coverage(name).is_low}
    return [
        find(
            kind,
            severity="problem",
            who=row,
            figures=figures | {"before": _of_group(result, row).accuracy, "after": row.accuracy},
            certainty=_certainty(row, result, name),
        )
        for row in _newly_low(result, name)[:1]
    ]


def _newly_low(result: AuditResult, name: str) -> list[SegmentRow]:
    level: float = result.settings["cl"]
    return [row for row in result.too_low(name) if not is_below(_of_group(result, row), level)]


def _of_group(result: AuditResult, row: SegmentRow) -> SegmentRow:
    return next(r for r in result.of(result.segments, result.reference) if r.group == row.group)


def _certainty(row: SegmentRow, result: AuditResult, name: str) -> float | None:
    return row.q_value if lower_than_all([row], result.coverage(name)) else None


def _counts(result: AuditResult, named: Group | None) -> list[Finding]:
    """Return how many groups have clearly too little coverage, by whichever predictor."""
    first, *others = result.names
    find = partial(Finding, topic="groups", predictor=first)
    low = {name: result.too_low(name) for name in result.names}
    rules = {name: result.worst_found(name) for name in result.names}
    is_low = result.coverage(first).is_low
    if named is None and not is_low and not any(low[name] or rules[name] for name in others):
        return []
    counted = find(
        "groups-counted",
        severity="problem" if any(low.values()) else "neutral",
        figures={
            "segments": len(result.object_segments(first)),
            "low": {name: len(rows) for name, rows in low.items()},
            "new": {name: len(_newly_low(result, name)) for name in others},
            "named": {name: rows[:_NAMED] for name, rows in low.items()},
            "all_low": is_low,
        },
    )
    adjusting = [p.name for p in result.predictors[1:] if p.is_adjustment and p.adjusts]
    before = len(low[first]) + len(rules[first])
    no_fewer = [
        find("no-fewer-groups", predictor=name, severity="problem")
        for name in adjusting
        if 0 < before <= len(low[name]) + len(rules[name])
    ]
    return [counted, *_worst_segment(result, named, find), *_rules_counted(result, find), *no_fewer]


def _worst_segment(result: AuditResult, named: Group | None, find: _Find) -> list[Finding]:
    lowest = _lowest(result.too_low(result.reference))
    if lowest is None or lowest is named:
        return []
    figures = {"fewest": FEWEST_COMPARED, "accuracy": _accuracies(result.segments, lowest)}
    certainty = _certainty(lowest, result, result.reference)
    return [
        find("worst-segment", severity="problem", who=lowest, figures=figures, certainty=certainty)
    ]


def _rules_counted(result: AuditResult, find: _Find) -> list[Finding]:
    """Return how many rules there are, with that of lowest coverage before, of those found."""
    if not result.worst_segments:
        return []
    lowest = _lowest(result.worst_found(result.reference))
    found = {name: len(result.worst_found(name)) for name in result.names}
    accuracy = {} if lowest is None else _accuracies(result.worst_segments, lowest)
    figures = {"found": found, "accuracy": accuracy}
    severity = "problem" if any(found.values()) else "neutral"
    return [find("rules-counted", severity=severity, who=lowest, figures=figures)]


def _lowest(rows: Iterable[_Group]) -> _Group | None:
    compared = [row for row in rows if row.n >= FEWEST_COMPARED]
    return min(compared, key=lambda row: row.accuracy, default=None)


def _accuracies(rows: Sequence[Group], of: Group) -> dict[str, float]:
    return {row.predictor: row.accuracy for row in rows if row.group == of.group}
