"""Which groups are judged, which of them are too low, and which one is named: for all views.

A group counts once, however many segments and rules it is.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from .. import levels
from ..conformal.rank import threshold_rank
from ..messages import counted
from ..segments.by_segment import SegmentRow
from ..segments.statistics import Status
from ..segments.under_coverage import JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from .result import AuditResult, Finding
from .wording import in_brief

_NAMED = 4  # groups that a finding has; a sentence names fewer
_MOST_NAMED = 3
_BECAME: Mapping[Status, str] = {
    "mended": "mended",
    "better": "better, but still too low",
    "unchanged": "without a clear gain",
    "unclear": "neither clearly too low still nor clearly mended",
    "new": "new",
}


def holds_all(result: AuditResult) -> bool:
    """Say whether the reference's sets hold every label, so that they say nothing."""
    segments = result.of(result.segments, result.reference)
    segments = [row for row in segments if row.n > 0]
    # an interval with one infinite end does not hold all
    return too_few_calibration_rows(result) or (
        bool(segments)
        and all(row.accuracy == 1.0 for row in segments)
        and all(1.0 in (row.share_infinite, row.share_full) for row in segments)
    )


def too_few_calibration_rows(result: AuditResult) -> bool:
    """Say whether no threshold can promise the level."""
    rank = threshold_rank(result.data.calibration, result.settings["cl"])
    return result.predictors[0].is_calibrated and rank == 0


def named_group(result: AuditResult) -> JudgedRow | None:
    """Return the group to name first: of the segments too low that where most rows are missed.

    Where its shortfall may be due to a rule found by search, the rule, unless the segment was named
    beforehand; without any segment the first rule that is too low.
    """
    segments, rules = low_by_kind(result)
    if not segments:
        return rules[0] if rules else None
    same = segments[0].counts_as
    asked = (row for row in segments if row.counts_as == same and row.named)
    first = next(asked, segments[0])  # of the same rows what somebody named
    may_be = (rule for rule in rules if rule.rule == first.overlaps and first.family != "named")
    return next(may_be, first)


def low_by_kind(result: AuditResult) -> tuple[list[SegmentRow], list[WorstSegmentRow]]:
    """Return segments and rules that are too low; of all rows too low, those lower still."""
    first, is_lower_still = result.reference, partial(is_lower, result)
    segments, rules = result.too_low(first), result.rules_too_low(first)
    if result.coverage(first).is_low:
        return list(filter(is_lower_still, segments)), list(filter(is_lower_still, rules))
    return segments, rules


def low_groups(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return a predictor's segments and rules that are too low, in the one order of all views.

    First the group of the headline, then what was named beforehand, other segments, and rules.
    """
    named = named_group(result)

    def place(row: JudgedRow) -> tuple[bool, bool]:
        return named is None or row.group != named.group, row.family != "named"

    return once(sorted([*result.too_low(name), *result.rules_too_low(name)], key=place))


def all_groups(result: AuditResult, name: str) -> list[JudgedRow]:
    """Return a predictor's segments and rules."""
    return [*result.of(result.segments, name), *result.of(result.worst_segments, name)]


def once(rows: Iterable[JudgedRow]) -> list[JudgedRow]:
    """Return groups without one that is another by the same rule, or rows: the first."""
    found: dict[object, JudgedRow] = {}
    for row in rows:
        found.setdefault(row.counts_as, row)
    return list(found.values())


def judged_groups(result: AuditResult) -> list[JudgedRow]:
    """Return the reference's segments and rules that have rows enough to be judged."""
    first = result.reference
    return once([*result.object_segments(first), *result.of(result.worst_segments, first)])


def is_lower(result: AuditResult, row: JudgedRow) -> bool:
    """Say whether a group's coverage is clearly lower than that of all rows."""
    share = result.coverage(result.reference).share
    return row.accuracy < share and row.q_value <= levels.GROUPS[row.family]


def count_findings(result: AuditResult) -> list[Finding]:
    """Return how many groups are too low by each predictor, and what became of them."""
    low = {name: low_groups(result, name) for name in result.names}
    if holds_all(result) or not any(low.values()):
        return []
    first, *others = result.names
    statuses = {}
    for name in others:
        then = {row.group: row.status for row in all_groups(result, name)}
        of_low = [then[row.group] for row in low[first]]
        of_low += [row.status for row in low[name] if row.status == "new"]
        statuses[name] = {of: of_low.count(of) for of in _BECAME}
    named = ", ".join(map(in_brief, low[first][:_MOST_NAMED]))
    more = ", ..." if len(low[first]) > _MOST_NAMED else ""
    in_brackets = f" ({named}{more})" if named else ""
    judged = len(judged_groups(result))
    text = f"{len(low[first]):,} of {counted(judged, 'group')} judged"
    text += f"{result.words.at(first)}{in_brackets}"
    for name in others:
        counts = [f"{n:,} {_BECAME[of]}" for of, n in statuses[name].items() if n]
        became = f" ({', '.join(counts)})" if counts else ""
        text += f", and in {len(low[name]) or 'none'}{result.words.at(name)}{became}"
    return [
        Finding(
            *("groups-counted", "groups", first),
            f"Coverage is clearly too low in {text}.",
            severity="problem" if low[first] else "neutral",
            figures={
                "groups": judged,
                "low": {name: len(rows) for name, rows in low.items()},
                "named": {name: rows[:_NAMED] for name, rows in low.items()},
                "statuses": statuses,
            },
        )
    ]
