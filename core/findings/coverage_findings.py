"""For whom coverage is too low, and what the adjustments make of it: the headline."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from ..conformal.rank import threshold_rank
from ..segments.by_segment import SegmentRow
from ..segments.statistics import FEWEST_COMPARED, SIZE
from ..segments.under_coverage import Coverage, Group, is_below, lower_than_all
from .finding import Finding
from .result import AuditedPredictor, AuditResult

_HARDLY = 0.25
"""Of a shortfall, the share that an adjustment must take away for it to be called mended."""


def coverage_findings(result: AuditResult) -> list[Finding]:
    """Return for whom coverage is too low, what adjustments make of it, and how many others.

    Where coverage of all test rows is below the confidence level by more than chance explains,
    that comes first. The group named is that of the clearly under-covered segments, lower than
    all rows together, where most rows are missed; if there is none, the surest of the rules found
    by search. Where nothing is clear the findings say so, and what could have been seen.
    """
    if _holds_all(result):
        return [_says_nothing(result)]
    group = _worst_group(result)
    return [
        _overall(result),
        *_who(result, group),
        *(f for predictor in result.predictors[1:] for f in _effect(result, predictor, group)),
        *_counts(result, group),
    ]


def _holds_all(result: AuditResult) -> bool:
    """Say whether the sets of all test rows hold every value or label."""
    if _too_few_calibration_rows(result):
        return True
    segments = result.object_segments(result.reference)
    return bool(segments) and all(1.0 in (row.share_infinite, row.share_full) for row in segments)


def _too_few_calibration_rows(result: AuditResult) -> bool:
    rank = threshold_rank(result.data.calibration, result.settings["cl"])
    return result.predictors[0].is_calibrated and rank == 0


def _says_nothing(result: AuditResult) -> Finding:
    return Finding(
        kind="sets-hold-all",
        topic="coverage",
        severity="problem",
        predictor=result.reference,
        figures={
            "calibration": result.data.calibration,
            "too_few": _too_few_calibration_rows(result),
        },
        advice="more-rows",
    )


def _worst_group(result: AuditResult) -> Group | None:
    """Return the group that is clearly lower than all rows: a segment before a rule."""
    first = result.reference
    coverage = result.coverage(first)
    segments = lower_than_all(result.too_low(first), coverage)
    groups: list[Group] = [*segments, *lower_than_all(result.worst_found(first), coverage)]
    return groups[0] if groups else None


def _overall(result: AuditResult) -> Finding:
    coverage = result.coverage(result.reference)
    return Finding(
        kind="coverage-overall",
        topic="coverage",
        severity="problem" if coverage.is_low else "neutral",
        predictor=result.reference,
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


def _who(result: AuditResult, group: Group | None) -> list[Finding]:
    """Return who is worse off than all rows, or that nobody is known to be."""
    first = result.reference
    coverage = result.coverage(first)
    if group is not None:
        return [
            Finding(
                kind="group-lower-still" if coverage.is_low else "group-low",
                topic="coverage",
                severity="problem",
                predictor=first,
                who=group,
                figures={
                    "accuracy": group.accuracy,
                    "low": group.low,
                    "high": group.high,
                    "missed": round(group.n * (coverage.level - group.accuracy)),
                },
                certainty=group.q_value,
            )
        ]
    segments = result.object_segments(first)
    rules = len(result.of(result.worst_segments, first))
    none = Finding(
        kind="no-group" if segments else "no-segment",
        topic="coverage",
        predictor=first,
        figures={
            "segments": len(segments),
            "rules": rules,
            "overall": _status(coverage),
        },
    )
    if coverage.is_low:
        return [none]
    return [*_too_high(result)[:1], none, *_power(result, segments)]


def _too_high(result: AuditResult) -> list[Finding]:
    first = result.reference
    highest = max(result.settings["cl"], result.coverage(first).share)
    return [
        Finding(
            kind="group-over",
            topic="coverage",
            predictor=first,
            who=row,
            figures={"accuracy": row.accuracy},
            certainty=row.q_value,
        )
        for row in result.failing_segments(first)
        if row.accuracy > highest and row.q_value <= SIZE
    ]


def _power(result: AuditResult, segments: Sequence[SegmentRow]) -> list[Finding]:
    """Return how small a shortfall half of the segments have the rows to show."""
    if not segments:
        return []
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    return [
        Finding(
            kind="power",
            topic="coverage",
            predictor=result.reference,
            figures={"best": min(shortfalls), "typical": statistics.median(shortfalls)},
        )
    ]


def _effect(result: AuditResult, predictor: AuditedPredictor, group: Group | None) -> list[Finding]:
    """Return what one adjustment makes of the group, or of all rows where these are too low."""
    name, first = predictor.name, result.reference
    before, after = result.coverage(first), result.coverage(name)
    if not predictor.adjusts:
        advice = "recalibrate" if before.is_low else ""
        return [Finding(kind="nothing-adjusted", topic="remedy", predictor=name, advice=advice)]
    figures: dict[str, Any] = {"size_change": _size_change(result, name), "overall": after.share}
    if group is not None:
        rows: list[Group] = [*result.segments, *result.worst_segments]
        figures["of_group"] = _accuracies(rows, group)[name]
    kind, spoilt_kind = "effect-overall", "group-spoilt"
    shares: tuple[float, float] | None = None
    if before.is_low:
        kind, spoilt_kind, shares = "effect-on-all", "group-low-too", (before.share, after.share)
    elif group is not None:
        kind, shares = "effect-on-group", (group.accuracy, figures["of_group"])
    if shares is not None:
        figures |= {"before": shares[0], "after": shares[1], "effect": _how(*shares, before.level)}
    effect = Finding(
        kind=kind,
        topic="remedy",
        predictor=name,
        who=group,
        figures=figures | {"low": after.is_low},
        advice="recalibrate" if before.is_low and after.is_low else "",
    )
    spoilt = _spoilt(result, name, spoilt_kind)
    if kind == "effect-on-group" and after.is_low:
        harmed = Finding(
            kind="all-rows-low-after",
            topic="remedy",
            severity="problem",
            predictor=name,
            figures={"accuracy": after.share},
        )
        return [effect, harmed, *spoilt]
    return [effect, *spoilt]


def _how(before: float, after: float, level: float) -> str:
    gain = after - before
    if gain >= _HARDLY * (level - before):
        return "raised"
    return "none" if gain <= 0.0 else "hardly"


def _size_change(result: AuditResult, name: str) -> float | None:
    """Return by what share sets grow on average; None where that has no meaning."""
    before, after = (
        result.row("test", each).inefficiency_original_units for each in (result.reference, name)
    )
    known = all(math.isfinite(size) and size > 0.0 for size in (before, after))
    return after / before - 1.0 if known else None


def _spoilt(result: AuditResult, name: str, kind: str) -> list[Finding]:
    """Return for whom coverage is too low after but was not before: most rows missed."""
    new = _newly_low(result, name)
    if not new:
        return []
    row = new[0]
    return [
        Finding(
            kind=kind,
            topic="remedy",
            severity="problem",
            predictor=name,
            who=row,
            figures={
                "before": _of_group(result, row).accuracy,
                "after": row.accuracy,
                "also": result.coverage(name).is_low,
            },
            certainty=_certainty(row, result, name),
        )
    ]


def _newly_low(result: AuditResult, name: str) -> list[SegmentRow]:
    level: float = result.settings["cl"]
    return [row for row in result.too_low(name) if not is_below(_of_group(result, row), level)]


def _of_group(result: AuditResult, row: SegmentRow) -> SegmentRow:
    """Return the reference's figures of the group of a row."""
    return next(r for r in result.of(result.segments, result.reference) if r.group == row.group)


def _certainty(row: SegmentRow, result: AuditResult, name: str) -> float | None:
    """Return the q-value of a row that is surely lower than all rows together."""
    return row.q_value if lower_than_all([row], result.coverage(name)) else None


def _counts(result: AuditResult, named: Group | None) -> list[Finding]:
    """Return how many groups have clearly too little coverage, by whichever predictor."""
    first = result.reference
    low = {name: result.too_low(name) for name in result.names}
    rules = {name: result.worst_found(name) for name in result.names}
    is_low = result.coverage(first).is_low
    others = result.names[1:]
    if named is None and not is_low and not any(low[name] or rules[name] for name in others):
        return []
    found = [
        Finding(
            kind="groups-counted",
            topic="groups",
            severity="problem" if any(low.values()) else "neutral",
            predictor=first,
            figures={
                "segments": len(result.object_segments(first)),
                "low": {name: len(rows) for name, rows in low.items()},
                "new": {name: len(_newly_low(result, name)) for name in others},
                "named": {name: rows[:4] for name, rows in low.items()},
                "all_low": is_low,
            },
        ),
        *_worst_segment(result, named, low[first]),
    ]
    if result.worst_segments:
        found.append(_rules_counted(result))
    before = len(low[first]) + len(rules[first])
    return found + [
        Finding(
            kind="no-fewer-groups",
            topic="groups",
            severity="problem",
            predictor=name,
        )
        for name in (p.name for p in result.predictors[1:] if p.adjusts)
        if 0 < before <= len(low[name]) + len(rules[name])
    ]


def _worst_segment(
    result: AuditResult, named: Group | None, low: Sequence[SegmentRow]
) -> list[Finding]:
    compared = [row for row in low if row.n >= FEWEST_COMPARED]
    lowest = min(compared, key=lambda row: row.accuracy, default=None)
    if lowest is None or lowest is named:
        return []
    return [
        Finding(
            kind="worst-segment",
            topic="groups",
            severity="problem",
            predictor=result.reference,
            who=lowest,
            figures={
                "fewest": FEWEST_COMPARED,
                "accuracy": _accuracies(result.segments, lowest),
            },
            certainty=_certainty(lowest, result, result.reference),
        )
    ]


def _rules_counted(result: AuditResult) -> Finding:
    """Return how many rules there are, with that of lowest coverage before, of those found."""
    found = result.worst_found(result.reference)
    compared = [row for row in found if row.n >= FEWEST_COMPARED]
    lowest = min(compared, key=lambda row: row.accuracy, default=None)
    return Finding(
        kind="rules-counted",
        topic="groups",
        severity="problem" if found else "neutral",
        predictor=result.reference,
        who=lowest,
        figures={
            "found": {name: len(result.worst_found(name)) for name in result.names},
            "accuracy": {} if lowest is None else _accuracies(result.worst_segments, lowest),
        },
    )


def _accuracies(rows: Sequence[Group], of: Group) -> dict[str, float]:
    return {row.predictor: row.accuracy for row in rows if row.group == of.group}
