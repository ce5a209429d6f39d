"""What the headline says where no group is clearly under-covered."""

import math
import statistics
from collections.abc import Sequence

from ..conformal.rank import threshold_rank
from ..segments.by_segment import SegmentRow
from ..segments.statistics import FEWEST_COMPARED, SIZE
from ..segments.under_coverage import Coverage, Group, lower_than_all, newly_low
from .result import AuditResult, ResultRow
from .wording import (
    NO_SEGMENT,
    brief,
    in_brief,
    no_group,
    percent,
    q_in_words,
    rule_in_brief,
    segment_in_words,
    segments_counted,
    whom,
)

__all__ = ["headline", "segment_in_words"]

_HARDLY = 0.25
"""Of a shortfall, the share that an adjustment must take away for it to be called mended."""

_SHORT = 0.5
"""Percentage points below the level that are worth a word."""

_NOTHING = "The adjustment (IFACM) found nothing to adjust: after is as before."
_RESTORED = "Calibration rows that are like the test rows would restore the promise."


def headline(result: AuditResult) -> list[str]:
    """Return for whom coverage is too low, what the adjustment makes of it, and how many others.

    Where coverage of all test rows is below the confidence level by more than chance explains,
    that comes first. The group named is that of the clearly under-covered segments, lower than
    all rows together, where most rows are missed; if there is none, the surest of the rules found
    by search. Where nothing is clear the sentences say so, and what could have been seen.
    """
    if _holds_all(result):
        return [_says_nothing(result)]
    before, after = result.row("test", "base"), _after(result)
    group = _worst_group(result)
    if result.coverage().is_low("base"):
        return [
            f"{_overall(result, before)} {_lower_still(group, result)}",
            _restored(group, result, before, after),
            counts_in_words(result, group),
        ]
    if group is not None:
        return [
            _overall(result, before) + _but(group, result),
            _mended(group, result, before, after),
            counts_in_words(result, group),
        ]
    over = _too_high(result)
    first = _overall(result, before) + (_over(over[0]) if over else ".")
    sentences = [f"{first} {no_evidence(result)}", _without_group(result, before, after)]
    if result.too_low("adjusted") or result.worst_found("adjusted"):
        sentences.append(counts_in_words(result, None))
    return sentences


def _holds_all(result: AuditResult) -> bool:
    """Say whether the sets of all test rows hold every value or label."""
    if threshold_rank(result.data.calibration, result.settings["cl"]) == 0:
        return True
    segments = result.object_segments()
    return bool(segments) and all(
        1.0 in (row.share_infinite_base, row.share_full_base) for row in segments
    )


def _says_nothing(result: AuditResult) -> str:
    intervals = result.settings["task"] == "regression"
    few = threshold_rank(result.data.calibration, result.settings["cl"]) == 0
    return (
        f"The prediction {_sets(result)} {'are infinite' if intervals else 'hold every class'}"
        + (
            f", as {result.data.calibration} calibration rows are too few for a confidence level "
            f"of {_level(result)}"
            if few
            else " for all test rows"
        )
        + f": they {'hold every value and ' if intervals else ''}say nothing. Use more rows, or a "
        "lower level."
    )


def _worst_group(result: AuditResult) -> Group | None:
    """Return the group that is clearly lower than all rows: a segment before a rule."""
    coverage = result.coverage()
    segments = lower_than_all(result.too_low(), "base", coverage)
    groups: list[Group] = [*segments, *lower_than_all(result.worst_found(), "base", coverage)]
    return groups[0] if groups else None


def _after(result: AuditResult) -> ResultRow:
    return next(row for row in result.results if row.segment == "test" and row.algorithm != "base")


def _too_high(result: AuditResult) -> list[SegmentRow]:
    highest = max(result.settings["cl"], result.coverage().base)
    return [
        row
        for row in result.failing_segments()
        if row.accuracy_base > highest and row.q_value_base <= SIZE
    ]


def _overall(result: AuditResult, before: ResultRow) -> str:
    coverage = result.coverage()
    sentence = (
        f"{percent(before.accuracy)} of the prediction {_sets(result)} hold the true "
        f"{brief(result.settings['target'])}, where {_level(result)} was promised"
    )
    if coverage.is_low("base"):
        return (
            f"{sentence}: fewer than chance explains, so the promise is not kept for the test rows "
            "as a whole."
        )
    if coverage.is_high("base"):
        return f"{sentence} (more than chance explains)"
    if coverage.is_unlucky():
        return (
            f"{sentence} (fewer, as the chance of drawing {result.data.calibration:,} calibration "
            "rows can explain)"
        )
    return sentence


def _but(group: Group, result: AuditResult) -> str:
    return (
        f"; but only {percent(group.accuracy_base)} do for {whom(group)} "
        f"({_likely(group)}), {_missed(group, result):,} fewer than promised. This is unlikely to "
        f"be chance ({q_in_words(group.q_value_base)})."
    )


def _lower_still(group: Group | None, result: AuditResult) -> str:
    """Return who is worse off than all rows, where these are too low themselves."""
    if group is not None:
        return (
            f"Coverage is lower still, {percent(group.accuracy_base)}, for {whom(group)} "
            f"({_likely(group)}), {_missed(group, result):,} fewer than promised. That these are "
            f"worse off than the others is unlikely to be chance "
            f"({q_in_words(group.q_value_base)})."
        )
    total = len(result.object_segments())
    if total == 0:
        return NO_SEGMENT
    none = no_group(total, len(result.worst_segments))
    return f"{none} is clearly worse off than all rows together."


def _likely(group: Group) -> str:
    return f"likely between {percent(group.low_base)} and {percent(group.high_base)}"


def _missed(group: Group, result: AuditResult) -> int:
    level: float = result.settings["cl"]
    return round(group.n * (level - group.accuracy_base))


def _over(group: SegmentRow) -> str:
    return (
        f"; {percent(group.accuracy_base)} do for {whom(group)}, which is more than needed "
        f"({q_in_words(group.q_value_base)})."
    )


def _mended(group: Group, result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    if not result.iterations:
        return _NOTHING
    effect = _effect("them", group.accuracy_base, group.accuracy_adjusted, result)
    sentence = f"The adjustment (IFACM) {effect}{_price(result, before, after)}."
    return f"{sentence} {_harm(result)}".rstrip()


def _restored(group: Group | None, result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    """Return what the adjustment makes of coverage that is too low for all rows together."""
    if not result.iterations:
        return f"{_NOTHING} {_RESTORED}"
    effect = _effect("all rows", before.accuracy, after.accuracy, result)
    named = f" ({percent(group.accuracy_adjusted)} for {in_brief(group)})" if group else ""
    sentence = f"The adjustment (IFACM) {effect}{named}{_price(result, before, after)}."
    remedy = _RESTORED if result.coverage().is_low("adjusted") else ""
    return " ".join(filter(None, [sentence, _also_low(result), remedy]))


def _effect(them: str, base: float, adjusted: float, result: AuditResult) -> str:
    level = result.settings["cl"]
    gain = adjusted - base
    how = f"brings {them} to {percent(adjusted)}"
    if gain < _HARDLY * (level - base):
        how = f"{'does not mend' if gain <= 0.0 else 'hardly changes'} this: "
        how += f"{percent(adjusted)} after"
    short = 100.0 * (level - adjusted)
    return f"{how}, {short:.1f} points short of the promise" if short >= _SHORT else how


def _harm(result: AuditResult, *, told: bool = False) -> str:
    """Return for whom the adjustment makes coverage too low: most rows missed; or nothing.

    All rows come first, unless they are ``told`` of already.
    """
    coverage = result.coverage()
    sentences = []
    if coverage.is_low("adjusted") and not told:
        sentences.append(
            f"But over all rows coverage is {percent(coverage.adjusted)} after, less than chance "
            "explains."
        )
    spoilt = newly_low(result.too_low("adjusted"), coverage.level)
    if spoilt:
        start = "It also" if sentences else "But it"
        sentences.append(f"{start} makes coverage too low for {_change(spoilt[0], coverage)}.")
    return " ".join(sentences)


def _also_low(result: AuditResult) -> str:
    """Return who has clearly too little coverage after as all rows had before: most missed."""
    coverage = result.coverage()
    new = newly_low(result.too_low("adjusted"), coverage.level)
    if not new:
        return ""
    return f"After it coverage is clearly too low, too, for {_change(new[0], coverage)}."


def _change(group: SegmentRow, coverage: Coverage) -> str:
    sure = lower_than_all([group], "adjusted", coverage)
    evidence = f" ({q_in_words(group.q_value_adjusted)})" if sure else ""
    return (
        f"{whom(group)}: {percent(group.accuracy_base)} before and "
        f"{percent(group.accuracy_adjusted)} after{evidence}"
    )


def _without_group(result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    if not result.iterations:
        return _NOTHING
    low = ", less than chance explains" if result.coverage().is_low("adjusted") else ""
    sentence = (
        f"After the adjustment (IFACM) it is {percent(after.accuracy)} overall{low}"
        f"{_price(result, before, after)}."
    )
    return f"{sentence} {_harm(result, told=True)}".rstrip()


def _price(result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    """Return by how much sets grow on average, as a clause."""
    sizes = before.inefficiency_original_units, after.inefficiency_original_units
    if not all(math.isfinite(size) and size > 0.0 for size in sizes):
        return ""
    change = 100.0 * (sizes[1] / sizes[0] - 1.0)
    told = f"{abs(change):.1f}"
    is_regression = result.settings["task"] == "regression"
    if told == "0.0":
        same = "wide" if is_regression else "large"
        return f"; over all rows {_sets(result)} stay about as {same} as before on average"
    more, less = ("wider", "narrower") if is_regression else ("larger", "smaller")
    return (
        f"; over all rows {_sets(result)} become {told} % {less if change < 0.0 else more} on "
        "average"
    )


def _sets(result: AuditResult) -> str:
    return "intervals" if result.settings["task"] == "regression" else "sets"


def _level(result: AuditResult) -> str:
    return f"{100.0 * result.settings['cl']:g} %"


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


_LEAST_POINTS = 0.5
"""Percentage points that are not told as 0."""


def no_evidence(result: AuditResult) -> str:
    """Return that no group is clearly under-covered, and how small a shortfall would show."""
    segments = result.object_segments()
    if not segments:
        return NO_SEGMENT
    none = no_group(len(segments), len(result.worst_segments))
    return f"{none} has {_conclusion(result.coverage())} {_power(segments)}"


def _conclusion(coverage: Coverage) -> str:
    if coverage.is_unlucky():
        return (
            "coverage that is clearly lower than that of all rows: there is no evidence that any "
            "group is worse off than the others."
        )
    if coverage.is_high("base"):
        return (
            "coverage that is clearly too low: there is no evidence that any group gets less than "
            "was promised."
        )
    return "coverage that is clearly too low: there is no evidence of a problem."


def _power(segments: Sequence[SegmentRow]) -> str:
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    if math.isinf(min(shortfalls)):
        return "But the segments have too few test rows to show one."
    typical = 100.0 * statistics.median(shortfalls)
    if math.isinf(typical):
        return "But half of the segments or more have too few test rows to show one."
    points = "1 percentage point" if round(typical) == 1 else f"{typical:.0f} percentage points"
    return (
        f"Half of the segments have enough test rows for a shortfall of "
        f"{'less than 1 percentage point' if typical < _LEAST_POINTS else points} to be seen in "
        "four of five cases."
    )
