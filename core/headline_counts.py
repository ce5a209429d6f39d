"""How many groups have clearly too little coverage before, and how many after."""

from collections.abc import Sequence

from .headline_words import (
    in_brief,
    percent,
    q_in_words,
    rule_in_brief,
    segments_counted,
    whom,
)
from .low_coverage import Group, lower_than_all, newly_low
from .result import AuditResult
from .segment_tests import FEWEST_COMPARED
from .segments import SegmentRow

_NAMED = 3


def counts_in_words(result: AuditResult, named: Group | None) -> str:
    """Return how many there are, and the worst of them unless it is ``named`` already."""
    before, after = result.too_low(), result.too_low("adjusted")
    rules = [len(result.worst_found(when)) for when in ("base", "adjusted")]
    sentences = [
        _segments(result, before, after),
        *_worst_segment(result, before, named),
    ]
    if result.worst_segments:
        sentences.append(
            "A search for combinations of conditions, judged on rows of their own, finds "
            f"{rules[0] or 'none'} with clearly low coverage before and {rules[1] or 'none'} after"
            f"{_lowest_rule(result)}"
        )
    if result.iterations and 0 < len(before) + rules[0] <= len(after) + rules[1]:
        sentences.append("So no fewer groups have too little coverage after than before")
    return f"{'. '.join(sentences)}."


def _segments(
    result: AuditResult, before: Sequence[SegmentRow], after: Sequence[SegmentRow]
) -> str:
    coverage = result.coverage()
    new = len(newly_low(after, coverage.level))
    start = "Segment by segment, coverage" if coverage.is_low("base") else "Coverage"
    total = segments_counted(len(result.object_segments()))
    return (
        f"{start} is clearly too low in {len(before):,} of {total} looked at before"
        f"{_names(before)}, and in {f'{len(after):,}' if after else 'none'} after"
        f"{'' if before else _names(after)}"
        f"{f', {new:,} of them new' if new else ''}"
    )


def _worst_segment(
    result: AuditResult, before: Sequence[SegmentRow], named: Group | None
) -> list[str]:
    compared = [row for row in before if row.n >= FEWEST_COMPARED]
    lowest = min(compared, key=lambda row: row.accuracy_base, default=None)
    if lowest is None or lowest is named:
        return []
    sure = lower_than_all([lowest], "base", result.coverage())
    evidence = f" ({q_in_words(lowest.q_value_base)})" if sure else ""
    told = (
        f"Among those of {FEWEST_COMPARED} rows or more it is worst for {whom(lowest)}: "
        f"{percent(lowest.accuracy_base)} before{evidence} and "
        f"{percent(lowest.accuracy_adjusted)} after"
    )
    return [told]


def _lowest_rule(result: AuditResult) -> str:
    """Return the rule under which coverage is lowest before, of those found; nothing for none."""
    found = [row for row in result.worst_found() if row.n >= FEWEST_COMPARED]
    if not found:
        return ""
    lowest = min(found, key=lambda row: row.accuracy_base)
    return (
        f". It is lowest for {rule_in_brief(lowest.rule)}: {percent(lowest.accuracy_base)} before "
        f"and {percent(lowest.accuracy_adjusted)} after, of {lowest.n:,} such rows"
    )


def _names(segments: Sequence[SegmentRow]) -> str:
    if not segments:
        return ""
    more = ["..."] if len(segments) > _NAMED else []
    return f" ({', '.join([*map(in_brief, segments[:_NAMED]), *more])})"
