"""For whom coverage is too low: the group to name, or what there is without one."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from .. import levels
from ..conformal.rank import threshold_rank
from ..segments.by_segment import SegmentRow
from ..segments.grouping import EMPTY_COHORT
from ..segments.search.worst_segments import WorstSegmentRow
from ..segments.under_coverage import Coverage, Group, is_lower_than_all
from .dependence_findings import on_audit_only, p_value_of
from .result import AuditResult, Finding, Severity

_NAMED = 4

_Find = Callable[..., Finding]


def holds_all(result: AuditResult) -> bool:
    """Say whether the reference's sets hold every label, so that they say nothing."""
    segments = result.of(result.segments, result.reference)
    segments = [row for row in segments if row.n > 0]
    return _too_few_calibration_rows(result) or (
        bool(segments) and all(1.0 in (row.share_infinite, row.share_full) for row in segments)
    )


def coverage_findings(result: AuditResult) -> list[Finding]:
    """Return how coverage of all test rows is, and for whom it is clearly too low.

    A cohort without rows comes first, then that coverage of all rows is below the confidence level
    by more than chance explains, where it is. Without any group that is clearly too low, evidence
    that coverage depends on columns is said as that; without this, too, that there is none, and
    what could have been seen. A class that is surely missed is told, though nothing promises the
    level for it; and so is what has no test row.
    """
    find = partial(Finding, topic="coverage", predictor=result.reference)
    empty = [
        find("no-rows", severity="problem", figures={"note": note})
        for note in result.notes
        if note.code == EMPTY_COHORT
    ]
    if holds_all(result):
        figures = {
            "calibration": result.data.calibration,
            "too_few": _too_few_calibration_rows(result),
        }
        return [*empty, find("sets-hold-all", severity="problem", figures=figures)]
    group, missed = named_group(result), _class_missed(result, find)
    without = _no_group(result, find, class_missed=bool(missed)) if group is None else []
    named = [] if group is None else [_group(result, group, find)]
    return [*empty, _overall(result, find), *named, *without, *missed, *_untested(result, find)]


def named_group(result: AuditResult) -> Group | None:
    """Return the group to name: of the segments too low that where most rows are missed.

    Where a rule found by search explains its shortfall, the rule; without any such segment the
    first rule that is too low. Where coverage of all rows is too low a group has to be lower still.
    """
    first = result.reference
    coverage = result.coverage(first)
    segments, rules = result.too_low(first), result.rules_too_low(first)
    if coverage.is_low:
        segments = [r for r in segments if is_lower_than_all(r, coverage, levels.SEGMENTS)]
        rules = [r for r in rules if is_lower_than_all(r, coverage, levels.SEARCH)]
    if not segments:
        return rules[0] if rules else None
    return next((rule for rule in rules if rule.rule == segments[0].explained_by), segments[0])


def change_of(result: AuditResult, name: str, group: Group) -> dict[str, float]:
    """Return by how much an adjustment changes a group's coverage, and its interval."""
    made = result.change(name, group.group)
    return {"change": made.change, "change_low": made.low, "change_high": made.high}


def is_clear(made: Mapping[str, float]) -> bool:
    """Say whether a change is more than chance explains."""
    return not made["change_low"] <= 0.0 <= made["change_high"]


def count_findings(result: AuditResult) -> list[Finding]:
    """Return how many groups are too low by each predictor, and what became of them."""
    low = {name: result.too_low(name) for name in result.names}
    rules = {name: result.rules_too_low(name) for name in result.names}
    if holds_all(result) or not any([*low.values(), *rules.values()]):
        return []
    figures = {
        "segments": len(result.object_segments(result.reference)),
        "low": {name: len(rows) for name, rows in low.items()},
        "named": {name: rows[:_NAMED] for name, rows in low.items()},
        "statuses": {name: _statuses(result, name) for name in result.adjustments},
        "rules": len(result.of(result.worst_segments, result.reference)),
        "rules_low": {name: len(rows) for name, rows in rules.items()},
    }
    severity: Severity = "problem" if low[result.reference] else "neutral"
    return [Finding("groups-counted", "groups", result.reference, severity, figures=figures)]


def _statuses(result: AuditResult, name: str) -> dict[str, int]:
    rows = result.of(result.segments, name)
    return {
        status: sum(row.status == status for row in rows)
        for status in ("mended", "better", "unchanged", "new")
    }


def _too_few_calibration_rows(result: AuditResult) -> bool:
    rank = threshold_rank(result.data.calibration, result.settings["cl"])
    return result.predictors[0].is_calibrated and rank == 0


def _overall(result: AuditResult, find: _Find) -> Finding:
    coverage = result.coverage(result.reference)
    figures = {
        "accuracy": coverage.share,
        "level": coverage.level,
        "least": coverage.least,
        "most": coverage.most,
        "status": _status(coverage),
        "calibration": result.data.calibration if result.predictors[0].is_calibrated else None,
        "clusters": result.drift.clusters,
    }
    severity = "problem" if coverage.is_low else "neutral"
    return find("coverage-overall", severity=severity, figures=figures)


def _status(coverage: Coverage) -> str:
    if coverage.is_low:
        return "low"
    if coverage.is_high:
        return "high"
    return "unlucky" if coverage.is_unlucky else "as-promised"


def _group(result: AuditResult, group: Group, find: _Find) -> Finding:
    coverage = result.coverage(result.reference)
    looked_at, rest = 1, None
    if isinstance(group, SegmentRow):
        looked_at = len(result.object_segments(result.reference))
        if group.kind == "group":
            whole = result.data.weights.get("test", result.data.test)
            others = whole - group.counted
            rest = (coverage.share * whole - group.accuracy * group.counted) / others
    return find(
        "group-lower-still" if coverage.is_low else "group-low",
        severity="problem",
        who=group,
        figures={
            "of_all": coverage.share,
            "accuracy": group.accuracy,
            "low": group.low,
            "high": group.high,
            "missed": round(group.n * (coverage.level - group.accuracy)),
            "looked_at": looked_at,
            "rest": rest,
            "more": len(_others_too_low(result, group)),
        },
        certainty=group.q_value,
    )


def _others_too_low(result: AuditResult, group: Group) -> list[SegmentRow]:
    """Return the segments that are too low beside a group, but for what its rule explains."""
    rule = group.rule if isinstance(group, WorstSegmentRow) else None
    low = result.too_low(result.reference)
    return [row for row in low if row is not group and row.explained_by != rule]


def _no_group(result: AuditResult, find: _Find, *, class_missed: bool) -> list[Finding]:
    first, coverage = result.reference, result.coverage(result.reference)
    segments = result.object_segments(first)
    rules = result.of(result.worst_segments, first)
    uneven = _uneven(result, find)
    figures = {
        "segments": len(segments),
        "rules": len(rules),
        "overall": _status(coverage),
        "uneven": bool(uneven),
        "class_missed": class_missed,
    }
    none = find("no-group" if segments else "no-segment", figures=figures)
    return [none, *uneven] if uneven or coverage.is_low else [none, *_power(segments, find)]


def missed_class(result: AuditResult) -> SegmentRow | None:
    """Return the class that is missed most by any predictor, where it is surely below the level."""
    if result.settings["task"] == "regression":
        return None
    level = result.settings["cl"]
    missed = [
        row
        for row in result.segments
        if row.family == "label" and row.high < level and row.q_value <= levels.SEGMENTS
    ]
    return max(missed, key=lambda row: row.counted * (level - row.accuracy), default=None)


def _class_missed(result: AuditResult, find: _Find) -> list[Finding]:
    worst = missed_class(result)
    if worst is None:
        return []
    accuracy = {row.predictor: row.accuracy for row in result.segments if row.group == worst.group}
    figures = {
        "class": worst.value,
        "accuracy": accuracy,
        "changes": {name: change_of(result, name, worst) for name in result.adjustments},
    }
    return [find("class-missed", who=worst, figures=figures, certainty=worst.q_value)]


def _untested(result: AuditResult, find: _Find) -> list[Finding]:
    untested = result.data.untested
    figures = {"values": [asdict(value) for value in untested]}
    return [find("untested", figures=figures)] if untested else []


def _uneven(result: AuditResult, find: _Find) -> list[Finding]:
    """Return that coverage depends on columns, though no single group shows it."""
    row = result.row("test", result.reference)
    tests = [("", p_value_of(row), levels.FEATURES)]
    tests += [
        (of, each.p_value, levels.AUDIT_ONLY)
        for of, each in on_audit_only(result)
        if each.predictor == result.reference
    ]
    return [
        find("uneven", severity="problem", figures={"of": of}, certainty=p_value)
        for of, p_value, size in tests
        if p_value <= size
    ][:1]


def _power(segments: Sequence[SegmentRow], find: _Find) -> list[Finding]:
    """Return how small a shortfall half of the segments have the rows to show."""
    if not segments:
        return []
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    figures = {"best": min(shortfalls), "typical": statistics.median(shortfalls)}
    return [find("power", figures=figures)]
