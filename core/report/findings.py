"""What a result says: findings made of all figures, and their sentences."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .coverage_findings import count_findings, coverage_findings
from .dependence_findings import dependence_findings
from .remedy_findings import advice_findings, remedy_findings
from .result import HEADLINE, AuditResult, Finding
from .sentences import Context, sentence

_IN_ORDER = (
    coverage_findings,
    remedy_findings,
    advice_findings,
    count_findings,
    dependence_findings,
)


def with_findings(result: AuditResult) -> AuditResult:
    """Return a result whose groups are judged, with what its figures say."""
    findings = [finding for find in _IN_ORDER for finding in find(result)]
    told = paragraphs(findings, Context.of(result))
    return replace(
        result,
        findings=findings,
        headline=list(told.headline.values()),
        advice=told.headline.get(("advice", ""), ""),
        explanations=told.explanations,
    )


class Paragraphs(NamedTuple):
    """A paragraph for each topic, and predictor where it matters, and the sentences after them."""

    headline: dict[tuple[str, str], str]
    explanations: list[str]


def paragraphs(findings: Sequence[Finding], context: Context) -> Paragraphs:
    """Return what findings say, the headline's topics first."""
    headline: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        if finding.topic in HEADLINE:
            whose = finding.predictor if finding.topic == "remedy" else ""
            headline.setdefault((finding.topic, whose), []).append(sentence(finding, context))
    rest = [sentence(each, context) for each in findings if each.topic not in HEADLINE]
    return Paragraphs({topic: " ".join(text) for topic, text in headline.items()}, rest)
