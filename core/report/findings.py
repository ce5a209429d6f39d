"""What a result says: findings made of all figures, and their sentences."""

from dataclasses import replace

from .advice_findings import advice_findings
from .coverage_findings import count_findings, coverage_findings
from .dependence_findings import dependence_findings
from .remedy_findings import remedy_findings
from .result import AuditResult

_IN_ORDER = (
    coverage_findings,
    remedy_findings,
    advice_findings,
    count_findings,
    dependence_findings,
)


def with_findings(result: AuditResult) -> AuditResult:
    """Return a result whose groups are judged, with what its figures say."""
    return replace(result, findings=[finding for find in _IN_ORDER for finding in find(result)])
