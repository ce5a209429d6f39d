"""What an audit found, in two or three sentences for a reader in a hurry."""

import math
import statistics
from collections.abc import Sequence

from .conditions import in_a_rule
from .result import AuditResult, ResultRow
from .segment_tests import FEWEST_COMPARED, SIZE
from .segments import SegmentRow
from .worst_segments import WorstSegmentRow

_SMALLEST_Q = 0.001
_HARDLY = 0.25
"""Of a shortfall, the share that an adjustment must take away for it to be called mended."""

_SHORT = 0.5
"""Percentage points below the level that are worth a word."""

_NAMED = 3
_NOTHING = "The adjustment (IFACM) found nothing to adjust: after is as before."

_Group = SegmentRow | WorstSegmentRow


def headline(result: AuditResult) -> list[str]:
    """Return for whom coverage is too low, what the adjustment makes of it, and how many others.

    The group named is that of the clearly under-covered segments where most rows are missed; if
    there is none, the surest of the rules found by search. "Clearly" asks that the segment's 95 %
    interval lies below the confidence level and that its q-value against the overall coverage is
    at most 0.05. Where nothing is clear the sentences say so, and what could have been seen.
    """
    before, after = result.row("test", "base"), _after(result)
    if math.isinf(before.inefficiency):
        return [_infinite(result)]
    groups = result.too_low() or result.worst_found()[:1]
    if groups:
        return [
            _overall(result, before) + _but(groups[0], result),
            _mended(groups[0], result, before, after),
            _counts(result),
        ]
    over = _too_high(result)
    first = _overall(result, before) + (_over(over[0]) if over else ".")
    sentences = [f"{first} {_no_evidence(result)}", _without_group(result, before, after)]
    return [*sentences, _counts(result)] if result.too_low("adjusted") else sentences


def _infinite(result: AuditResult) -> str:
    return (
        f"The prediction intervals are infinite, as {result.data.calibration} calibration rows are "
        f"too few for a confidence level of {_level(result)}: they hold every value and say "
        "nothing. Use more rows, or a lower level."
    )


def segment_in_words(row: SegmentRow) -> str:
    """Return what a segment is, such as "county = Devon" or "age >= 65"."""
    if row.kind == "pair":
        return f"{row.variable}: {row.value}"
    if row.kind == "cohort":
        return row.variable
    if not row.is_band:
        return f"{row.variable} = {in_a_rule(row.value)}"
    relation = " " if row.value.startswith(("<", ">=")) else " = "
    return f"{row.variable}{relation}{row.value}"


def _after(result: AuditResult) -> ResultRow:
    return next(row for row in result.results if row.segment == "test" and row.algorithm != "base")


def _too_high(result: AuditResult) -> list[SegmentRow]:
    level = result.settings["cl"]
    return [
        row
        for row in result.failing_segments()
        if row.accuracy_base > level and row.q_value_base <= SIZE
    ]


def _overall(result: AuditResult, before: ResultRow) -> str:
    sentence = (
        f"{_percent(before.accuracy)} of the prediction {_sets(result)} hold the true "
        f"{result.settings['target']}, where {_level(result)} was promised"
    )
    if before.accuracy < result.drift.accuracy_low:
        return f"{sentence} (fewer than chance explains)"
    if before.accuracy > result.drift.accuracy_high:
        return f"{sentence} (more than chance explains)"
    return sentence


def _but(group: _Group, result: AuditResult) -> str:
    missed = round(group.n * (result.settings["cl"] - group.accuracy_base))
    return (
        f"; but only {_percent(group.accuracy_base)} do for {_whom(group)} (likely between "
        f"{_percent(group.low_base)} and {_percent(group.high_base)}), {missed:,} fewer than "
        f"promised. This is unlikely to be chance ({_q(group.q_value_base)})."
    )


def _over(group: SegmentRow) -> str:
    return (
        f"; {_percent(group.accuracy_base)} do for {_whom(group)}, which is more than needed "
        f"({_q(group.q_value_base)})."
    )


def _whom(group: _Group) -> str:
    rows = "1 test row" if group.n == 1 else f"{group.n:,} test rows"
    if isinstance(group, WorstSegmentRow):
        return f"those {rows} with {group.rule} that had no part in the search for this rule"
    relation = "of" if group.kind == "cohort" else "with"
    return f"the {rows} {relation} {segment_in_words(group)}"


def _mended(group: _Group, result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    if not result.iterations:
        return _NOTHING
    level = result.settings["cl"]
    gain = group.accuracy_adjusted - group.accuracy_base
    how = "brings them to {}"
    if gain < _HARDLY * (level - group.accuracy_base):
        how = f"{'does not mend' if gain <= 0.0 else 'hardly changes'} this: {{}} after"
    short = 100.0 * (level - group.accuracy_adjusted)
    lack = f", {short:.1f} points short of the promise" if short >= _SHORT else ""
    how = how.format(_percent(group.accuracy_adjusted))
    sentence = f"The adjustment (IFACM) {how}{lack}{_price(result, before, after)}."
    return f"{sentence} {_harm(result)}".rstrip()


def _harm(result: AuditResult) -> str:
    """Return for whom the adjustment makes coverage too low: most rows missed; or nothing."""
    before = result.too_low()
    spoilt = [row for row in result.too_low("adjusted") if row not in before]
    if not spoilt:
        return ""
    worst = spoilt[0]
    return (
        f"But it makes coverage too low for {_whom(worst)}: {_percent(worst.accuracy_base)} before "
        f"and {_percent(worst.accuracy_adjusted)} after ({_q(worst.q_value_adjusted)})."
    )


def _without_group(result: AuditResult, before: ResultRow, after: ResultRow) -> str:
    if not result.iterations:
        return _NOTHING
    sentence = (
        f"After the adjustment (IFACM) it is {_percent(after.accuracy)} overall"
        f"{_price(result, before, after)}."
    )
    return f"{sentence} {_harm(result)}".rstrip()


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


def _counts(result: AuditResult) -> str:
    before, after = result.too_low(), result.too_low("adjusted")
    rules = [len(result.worst_found(when)) for when in ("base", "adjusted")]
    new = sum(row not in before for row in after)
    sentences = [
        (
            f"Coverage is clearly too low in {len(before)} of the "
            f"{len(result.object_segments()):,} segments looked at before{_named(before)}, and in "
            f"{len(after) or 'none'} after{f', {new} of them new' if new else ''}"
        )
    ]
    compared = [row for row in before if row.n >= FEWEST_COMPARED]
    lowest = min(compared, key=lambda row: row.accuracy_base, default=None)
    if lowest is not None and lowest is not before[0]:
        sentences.append(
            f"Among those of {FEWEST_COMPARED} rows or more it is worst for {_whom(lowest)}: "
            f"{_percent(lowest.accuracy_base)} before ({_q(lowest.q_value_base)}) and "
            f"{_percent(lowest.accuracy_adjusted)} after"
        )
    if result.worst_segments:
        sentences.append(
            "A search for combinations of conditions, judged on rows of their own, finds "
            f"{rules[0] or 'none'} with clearly low coverage before and {rules[1] or 'none'} after"
            f"{_lowest_rule(result)}"
        )
    if result.iterations and 0 < len(before) + rules[0] <= len(after) + rules[1]:
        sentences.append("So no fewer groups have too little coverage after than before")
    return f"{'. '.join(sentences)}."


def _lowest_rule(result: AuditResult) -> str:
    """Return the rule under which coverage is lowest before, of those found; nothing for none."""
    found = [row for row in result.worst_found() if row.n >= FEWEST_COMPARED]
    if not found:
        return ""
    lowest = min(found, key=lambda row: row.accuracy_base)
    return (
        f". It is lowest for {lowest.rule}: {_percent(lowest.accuracy_base)} before and "
        f"{_percent(lowest.accuracy_adjusted)} after, of {lowest.n} such rows"
    )


def _named(segments: Sequence[SegmentRow]) -> str:
    if not segments:
        return ""
    more = ["..."] if len(segments) > _NAMED else []
    return f" ({', '.join([*map(segment_in_words, segments[:_NAMED]), *more])})"


def _no_evidence(result: AuditResult) -> str:
    segments = result.object_segments()
    searched = " and no rule found by search" if result.worst_segments else ""
    return (
        f"No segment of the {len(segments):,} looked at{searched} has coverage that is clearly too "
        f"low: there is no evidence of a problem. {_power(segments)}"
    )


def _power(segments: Sequence[SegmentRow]) -> str:
    told = [row.detectable for row in segments if not math.isnan(row.detectable)]
    if not told:
        return "But the segments have too few test rows to show one."
    return (
        f"Half of the segments have enough test rows for a shortfall of "
        f"{100.0 * statistics.median(told):.0f} percentage points to be seen in four of five cases."
    )


def _sets(result: AuditResult) -> str:
    return "intervals" if result.settings["task"] == "regression" else "sets"


def _level(result: AuditResult) -> str:
    return f"{100.0 * result.settings['cl']:g} %"


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _q(q_value: float) -> str:
    return f"q < {_SMALLEST_Q}" if q_value < _SMALLEST_Q else f"q = {q_value:.2g}"
