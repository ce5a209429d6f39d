"""Findings as JSON has them."""

from collections.abc import Mapping
from typing import Any

from ..segments.by_segment import SegmentRow
from ..segments.search.worst_segments import WorstSegmentRow
from .result import Finding
from .sentences import Context, sentence


def finding_to_json(finding: Finding, context: Context) -> dict[str, Any]:
    """Return a finding as JSON has it, with its sentence."""
    return {
        "kind": finding.kind,
        "topic": finding.topic,
        "severity": finding.severity,
        "algorithm": finding.predictor,
        "who": _plain(finding.who),
        "figures": _plain(finding.figures),
        "certainty": finding.certainty,
        "advice": finding.advice,
        "sentence": sentence(finding, context),
    }


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, SegmentRow):
        return {name: getattr(value, name) for name in ("variable", "value", "kind", "n")}
    if isinstance(value, WorstSegmentRow):
        return {"rule": value.rule, "n": value.n}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
