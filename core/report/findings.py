"""What a result says: findings made of all figures, and their sentences."""

from dataclasses import replace

from .advice_findings import advice_findings
from .coverage_findings import count_findings, coverage_findings
from .dependence_findings import dependence_findings
from .remedy_findings import remedy_findings
from .result import HEADLINE, AuditResult

_IN_ORDER = (
    coverage_findings,
    remedy_findings,
    advice_findings,
    count_findings,
    dependence_findings,
)


def with_findings(result: AuditResult) -> AuditResult:
    """Return a result whose groups are judged, with what its figures say.

    The headline has a paragraph for each topic, and remedy; sentences of other topics explain it.
    """
    findings = [finding for find in _IN_ORDER for finding in find(result)]
    headline: dict[tuple[str, str], list[str]] = {}
    for one in findings:
        if one.topic in HEADLINE:
            whose = one.predictor if one.topic == "remedy" else ""
            headline.setdefault((one.topic, whose), []).append(one.sentence)
    paragraphs = {topic: " ".join(sentences) for topic, sentences in headline.items()}
    return replace(
        result,
        findings=findings,
        headline=list(paragraphs.values()),
        advice=paragraphs.get(("advice", ""), ""),
        explanations=[one.sentence for one in findings if one.topic not in HEADLINE],
    )
