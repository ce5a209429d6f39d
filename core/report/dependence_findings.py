"""How coverage depends on the features and on audit-only columns, and how sure that is."""

import math
from typing import Any

from .. import levels
from ..experiment.figures import ResultRow
from ..segments.by_audit_only import AuditOnlyRow
from .result import AuditResult, Finding

_Row = ResultRow | AuditOnlyRow

COLUMNS = "the audit-only columns"


def dependence_findings(result: AuditResult) -> list[Finding]:
    """Return how sure a dependence is by each predictor, and how large."""
    rows = [result.row("test", name) for name in result.names]
    if math.isnan(p_value_of(rows[0])):
        word = "right" if rows[0].accuracy == 1.0 else "wrong"
        return [Finding("all-alike", "dependence", rows[0].predictor, figures={"word": word})]
    found = [_depends(result, row) for row in rows if not math.isnan(p_value_of(row))]
    return [*found, *(_depends(result, row, of) for of, row in on_audit_only(result))]


def on_audit_only(result: AuditResult) -> list[tuple[str, AuditOnlyRow]]:
    """Return the rows of the audit-only columns together, or of the only one, with their name."""
    rows = result.audit_only[: len(result.names)]
    known = (row for row in rows if not math.isnan(row.p_value))
    return [(COLUMNS if row.joint else row.column, row) for row in known]


def p_value_of(row: _Row) -> float:
    """Return the p-value of the estimator behind DCV where there is one, else of the score test.

    NaN where nothing tells, as of outcomes that are all equal.
    """
    permuted = row.p_value_permuted if isinstance(row, ResultRow) else None
    value = row.p_value if permuted is None else permuted
    return math.nan if value is None else value


def _depends(result: AuditResult, row: _Row, of: str = "") -> Finding:
    """Return how sure a dependence is, and how large; ``of`` says on what, if not the features."""
    p_value = p_value_of(row)
    adjusted = row.predictor in result.adjustments
    size = levels.AUDIT_ONLY if of else levels.FEATURES
    coverage = result.coverage(row.predictor)
    figures: dict[str, Any] = {
        "of": of,
        "in_a_line": row.in_a_line
        if isinstance(row, AuditOnlyRow)
        else row.p_value_permuted is None,
        "is_sure": p_value <= size,
        # DCV holds the level, too, which the score test does not look at
        "off_over_all": coverage.is_low or coverage.is_high,
        "size": size + levels.OVERALL,
        "corrected": row.dcv_corrected,
        "low": row.dcv_corrected_low,
        "high": row.dcv_corrected_high,
        "dcv": row.dcv,
        "floor": row.dcv_floor,
    }
    return Finding(
        "dependence-left" if adjusted else "dependence",
        "audit-only" if of else "dependence",
        row.predictor,
        # what an adjustment leaves behind is weighed by its effect
        severity="problem" if p_value <= size and not adjusted else "neutral",
        figures=figures,
        certainty=p_value,
    )
