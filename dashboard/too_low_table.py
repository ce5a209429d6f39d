"""The table of the groups whose coverage is clearly too low, before or after."""

from dataclasses import asdict
from typing import Any

from evencover.core import AuditResult
from evencover.core.headline import segment_in_words


def too_low_rows(result: AuditResult) -> list[dict[str, Any]]:
    """Return them with their figures, those of before first, most rows missed first."""
    before, after = result.too_low(), result.too_low("adjusted")
    rows = [*before, *(row for row in after if row not in before)]
    return [{"group": segment_in_words(row)} | asdict(row) for row in rows]
