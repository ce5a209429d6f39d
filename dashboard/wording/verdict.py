"""For whom coverage is off before, and for whom after, in a few sentences."""

from evencover.core import AuditResult
from evencover.core.findings.headline import segment_in_words
from evencover.core.segments.by_segment import SegmentRow

from .page_texts import percent, plain

_LARGEST = "Largest shortfall or excess, counted in rows,"


def verdict(result: AuditResult) -> str:
    """Return in Markdown for whom coverage is off before, and for whom after."""
    total = len(result.object_segments())
    before, after = result.failing_segments("base"), result.failing_segments("adjusted")
    level = f"{percent(result.settings['cl'], '.6g')}"
    counts = f"{len(before)} of {total} segments before, {len(after)} after"
    sentences = [
        (
            f"The 95 % interval of coverage excludes {level} in **{counts}** IFACM (by chance "
            f"alone in about {total / 20:.0f}); allowing for so many looks, "
            f"{result.surely_off('base')} and {result.surely_off('adjusted')} of them "
            "differ from the overall coverage (q up to 0.05)."
        )
    ]
    if before:
        sentences.append(f"{_LARGEST} before: {_movement(before[0])}.")
    if after and not (before and after[0] == before[0]):
        sentences.append(f"{_LARGEST} after: {_movement(after[0])}.")
    elif after:
        sentences.append("After it is largest there, too.")
    hidden = [row for row in after if row.variable in result.settings["audit_only"]]
    if hidden and hidden[0] not in (after[0], *before[:1]):
        sentences.append(f"Of the audit-only columns: {_movement(hidden[0])}.")
    return " ".join(sentences)


def _movement(row: SegmentRow) -> str:
    where = f"**{plain(segment_in_words(row))}** ({row.n:,} test rows)"
    before, after = percent(row.accuracy_base), percent(row.accuracy_adjusted)
    return f"{where}, {before} before and {after} after"
