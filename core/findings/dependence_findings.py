"""How coverage depends on the features, how sure that is, and what the searches found."""

import math
from functools import partial
from typing import Any

from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_segment import SegmentRow
from .result import AuditResult, Finding, ResultRow

CLEAR = 0.01
SOME = 0.05
_BEYOND_NOISE = 1.5
"""Times its floor, a DCV that estimation noise no longer explains."""

_Row = ResultRow | AuditOnlyRow


def dependence_findings(result: AuditResult) -> list[Finding]:
    """Return what the figures of the test rows say of how even coverage is.

    A reader is not to take a large p-value for proof that coverage is even, a small one after the
    adjustment for its failure, or either for a statement on bends and interactions.
    """
    return [
        _level(result),
        *_dependence(result),
        *_on_audit_only(result),
        _search(result),
        *_intervals(result),
    ]


def _level(result: AuditResult) -> Finding:
    figures = {
        "accuracy": {name: result.row("test", name).accuracy for name in result.names},
        "low": result.drift.accuracy_low,
        "high": result.drift.accuracy_high,
    }
    return Finding("level", "level", result.reference, figures=figures)


def _dependence(result: AuditResult) -> list[Finding]:
    rows = [result.row("test", name) for name in result.names]
    found: list[Finding] = []
    for row in rows:
        if row.p_value is None or math.isnan(row.p_value):
            word = "right" if row.accuracy == 1.0 else "wrong"
            figures = {"word": word}
            found.append(Finding("all-alike", "dependence", row.predictor, figures=figures))
            if row is rows[0]:
                return found
            continue
        adjusted = row.predictor in result.adjustments
        found.append(_depends(row, adjusted=adjusted))
        if adjusted:
            found += _meaning(rows[0], row)
    if _is_by_formula(rows[0]):
        found.append(Finding("scope", "dependence", rows[0].predictor))
    return found


def _depends(row: _Row, *, adjusted: bool, of: str = "") -> Finding:
    """Return how sure a dependence is, and how large; ``of`` says on what, if not the features."""
    p_value = _p_value(row)
    own = _is_by_formula(row) or _permuted(row) is not None
    return Finding(
        "dependence-left" if adjusted else "dependence",
        "audit-only" if of else "dependence",
        row.predictor,
        severity="problem" if p_value <= SOME else "neutral",
        figures={
            "of": of,
            "in_a_line": not own,
            "corrected": row.dcv_corrected,
            "low": row.dcv_corrected_low,
            "high": row.dcv_corrected_high,
            "crossfitted": None if isinstance(row, AuditOnlyRow) else row.dcv_crossfitted,
        },
        certainty=p_value,
    )


def _meaning(before: ResultRow, after: ResultRow) -> list[Finding]:
    find = partial(Finding, topic="dependence", predictor=after.predictor)
    if _is_less_even(before, after):
        return [find("less-even", severity="problem", advice="keep-base")]
    if _p_value(after) > SOME or after.dcv_floor is None:
        return []
    figures = {
        "explained": after.dcv <= _BEYOND_NOISE * after.dcv_floor,
        "dcv": after.dcv,
        "floor": after.dcv_floor,
        "floor_unadjusted": after.dcv_floor_unadjusted,
    }
    return [find("dependence-explained", figures=figures)]


def _is_less_even(before: ResultRow, after: ResultRow) -> bool:
    """Say whether the deviation is larger after, by more than it is known to before."""
    if before.dcv_corrected_high is None or after.dcv_corrected is None:
        return False
    return after.dcv_corrected > before.dcv_corrected_high


def _on_audit_only(result: AuditResult) -> list[Finding]:
    """Return how coverage depends on the audit-only columns together, or on the only one."""
    rows = result.audit_only[: len(result.names)]
    if not rows or math.isnan(rows[0].p_value):
        return []
    of = "the audit-only columns" if rows[0].joint else rows[0].column
    found = []
    for row in (row for row in rows if not math.isnan(row.p_value)):
        adjusted = row.predictor in result.adjustments
        found.append(_depends(row, adjusted=adjusted, of=of))
        if adjusted and row.p_value <= SOME:
            found.append(Finding("audit-only-unseen", "audit-only", row.predictor))
    return found


def _search(result: AuditResult) -> Finding:
    """Return how many rules of clearly low coverage there are, with the surest of them."""
    first = result.reference
    rules = result.of(result.worst_segments, first)
    found = {name: result.worst_found(name) for name in result.names}
    low = [row for rows in found.values() for row in rows]
    figures: dict[str, Any] = {"rules": len(rules), "found": {n: len(f) for n, f in found.items()}}
    if not low:
        kind = "no-rule-found" if rules else "nothing-to-search"
        return Finding(kind, "search", first, figures=figures)
    surest = {row.predictor: row for row in result.worst_segments if row.group == low[0].group}
    figures |= {
        "accuracy": {name: row.accuracy for name, row in surest.items()},
        "low": surest[first].low,
        "high": surest[first].high,
    }
    return Finding("rules-found", "search", first, "problem", low[0], figures)


def _intervals(result: AuditResult) -> list[Finding]:
    """Return how many segments' intervals exclude CL, with those of most rows concerned."""
    segments = len(result.object_segments(result.reference))
    if not segments:
        return []
    failing = {name: result.failing_segments(name) for name in result.names}
    figures = {
        "segments": segments,
        "failing": {name: len(rows) for name, rows in failing.items()},
        "sure": {name: result.surely_off(name) for name in result.names},
    }
    found = [Finding("intervals-counted", "intervals", result.reference, figures=figures)]
    of_most: dict[object, tuple[SegmentRow, list[str]]] = {}
    for name, rows in failing.items():
        if rows:
            of_most.setdefault(rows[0].group, (rows[0], []))[1].append(name)
    found += [_largest(result, "largest-departure", row, names) for row, names in of_most.values()]
    last = result.names[-1]
    hidden = [row for row in failing[last] if row.variable in result.settings["audit_only"]]
    if hidden and hidden[0].group not in of_most:
        found.append(_largest(result, "largest-audit-only", hidden[0], [last]))
    return found


def _largest(result: AuditResult, kind: str, row: SegmentRow, names: list[str]) -> Finding:
    accuracy = {r.predictor: r.accuracy for r in result.segments if r.group == row.group}
    figures = {"accuracy": accuracy, "largest": names}
    return Finding(kind, "intervals", names[0], who=row, figures=figures)


def _p_value(row: _Row) -> float:
    """Return the p-value of the estimator behind DCV, as far as there is one."""
    permuted = _permuted(row)
    value = row.p_value if permuted is None else permuted
    assert value is not None  # noqa: S101 - asked by the caller
    return value


def _is_by_formula(row: _Row) -> bool:
    return row.dcv_formula != "none"


def _permuted(row: _Row) -> float | None:
    return None if isinstance(row, AuditOnlyRow) or _is_by_formula(row) else row.p_value_permuted
