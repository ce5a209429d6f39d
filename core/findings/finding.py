"""A finding: what an audit has to say, as data; :mod:`.sentences` puts it into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import Group

Topic = Literal[
    "coverage", "remedy", "groups", "level", "dependence", "audit-only", "search", "intervals"
]
"""What it is about, in the order of reading; the first three make the headline."""

HEADLINE: tuple[Topic, ...] = ("coverage", "remedy", "groups")

Severity = Literal["problem", "good", "neutral"]


@dataclass(frozen=True)
class Finding:
    """One thing that the test rows say of a predictor's sets.

    ``kind`` is such as "group-low"; ``who`` the group of rows it is of, None for all of them or
    none in particular; ``figures`` what it says, by name; ``certainty`` the p- or q-value behind
    it; ``advice`` a kind of advice, empty for none.
    """

    kind: str
    topic: Topic
    predictor: str
    severity: Severity = "neutral"
    who: Group | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    certainty: float | None = None
    advice: str = ""


def who_in_json(who: Group | None) -> dict[str, Any] | None:
    """Return which rows are meant: those of a segment, or those under a rule."""
    if who is None:
        return None
    if isinstance(who, SegmentRow):
        return {"variable": who.variable, "value": who.value, "kind": who.kind, "n": who.n}
    return {"rule": who.rule, "n": who.n}
