"""For whom coverage is too low: the group to name, or what there is without one.

Each kind of finding is one function, which takes its figures from the result and says them.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import itemgetter
from typing import Any

from scipy import stats

from .. import levels
from ..messages import counted
from ..segments.binning import OTHER
from ..segments.by_segment import SegmentRow
from ..segments.grouping import EMPTY_COHORT
from ..segments.statistics import FEWEST_JUDGED
from ..segments.under_coverage import Coverage, JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from .class_findings import class_findings
from .dependence_findings import (
    BY_TREES,
    by_trees_of,
    chance_in_words,
    on_audit_only,
    p_value_of,
    seen_columns,
)
from .groups import (
    holds_all,
    is_lower,
    low_by_kind,
    low_groups,
    named_group,
    too_few_calibration_rows,
)
from .result import AuditResult, Finding, Severity
from .wording import brief, certainty_in_words, in_brief, percent, points, rows_in_words

_MOST_NAMED = 3
_MOST_LISTED = 20  # of the groups named beforehand, each of which is to be told
_SHORT = 0.5  # percentage points that are worth a word


def coverage_findings(result: AuditResult) -> list[Finding]:
    """Return how coverage of all test rows is, and for whom it is clearly too low.

    A cohort without rows comes first, then that coverage of all rows is below the confidence level
    by more than chance explains, where it is. Each group named beforehand that is too low is told,
    whatever may be behind it. Without any group that is clearly too low, evidence
    that coverage depends on columns is said as that; without this, too, that there is none, and
    what could have been seen. A class that is surely missed is told, though nothing promises the
    level for it; and so is who is not judged: the lowest of single clusters, what has few test rows
    and what has none.
    """
    empty = [
        _finding(result, "no-rows", str(note), {"note": note}, "problem")
        for note in result.notes
        if note.code == EMPTY_COHORT
    ]
    if holds_all(result):
        return [*empty, _sets_hold_all(result)]
    group, missed = named_group(result), class_findings(result)
    named = _no_group(result, class_missed=bool(missed))
    if group:
        named = [_group(result, group), *_named_too(result, group)]
    unjudged = [*_single_cluster(result), *_too_small(result), *_untested(result)]
    return [*empty, _overall(result), *named, *missed, *unjudged]


def _finding(
    result: AuditResult,
    kind: str,
    sentence: str,
    figures: Mapping[str, Any],
    severity: Severity = "neutral",
    *,
    who: JudgedRow | None = None,
    certainty: float | None = None,
) -> Finding:
    first = result.reference
    return Finding(kind, "coverage", first, sentence, severity, who, figures, certainty)


def _sets_hold_all(result: AuditResult) -> Finding:
    figures = {"calibration": result.data.calibration, "too_few": too_few_calibration_rows(result)}
    why = " for all test rows"
    if figures["too_few"]:
        rows = counted(result.data.calibration, "calibration row")
        are = "is" if result.data.calibration == 1 else "are"
        why = f", as {rows} {are} too few for a confidence level of {result.promised}"
    text = f"The prediction sets hold every class{why}: they say nothing."
    if result.is_regression and result.settings.get("cap_width"):
        text = f"The prediction intervals reach as far as the cap lets them{why}: they say nothing."
    elif result.is_regression:
        text = f"The prediction intervals are infinite{why}: they hold every value and say nothing."
    return _finding(result, "sets-hold-all", text, figures, "problem")


def _overall(result: AuditResult) -> Finding:
    coverage, status = result.coverage(result.reference), _status(result)
    calibration = result.data.calibration if result.predictors[0].is_calibrated else None
    figures = {
        "accuracy": coverage.share,
        "level": coverage.level,
        "least": coverage.least,
        "most": coverage.most,
        "status": status,
        "calibration": calibration,
        "clusters": result.drift.clusters,
    }
    band, chance = _band(result, coverage), "chance"
    if calibration is not None:
        chance = f"the chance of drawing {counted(calibration, 'calibration row')}"
    remark = {
        "low": ": fewer than chance explains, so the promise is not kept for the test rows as "
        "a whole",
        "high": f": more than chance explains, so the {result.sets} are larger than needed",
        "tied": f": more, as the scores of {percent(result.drift.tied)} of the rows are tied at "
        "the threshold, and no threshold parts them",
        "unlucky": "" if band else f" (fewer, which {chance} can explain)",
        "as-promised": "",
    }[status]
    target = brief(result.settings["target"])
    text = (
        f"{percent(coverage.share)} of the prediction {result.sets} hold the true {target}, where "
        f"{result.promised} was promised{band}{remark}."
    )
    severity: Severity = "problem" if coverage.is_low else "neutral"
    return _finding(result, "coverage-overall", text, figures, severity)


def _status(result: AuditResult) -> str:
    coverage = result.coverage(result.reference)
    if coverage.is_low:
        return "low"
    if coverage.is_high:
        return "tied" if result.drift.is_by_ties else "high"
    return "unlucky" if coverage.is_unlucky else "as-promised"


def _band(result: AuditResult, coverage: Coverage) -> str:
    """Return where chance puts coverage of rows that are not independent."""
    clusters, group = result.drift.clusters, result.settings["group"]
    if clusters is None:
        return ""
    of_what = f"{counted(clusters, 'cluster')} of rows that may be alike"
    if group is not None:
        of_what = f"{counted(clusters, 'value')} of {brief(group)}"
    least, most = points(coverage.least), points(coverage.most)
    return f" ({of_what}: in 99 of 100 audits chance alone puts it between {least} and {most} %)"


def _group(result: AuditResult, group: JudgedRow) -> Finding:
    coverage, looked_at = result.coverage(result.reference), 1
    if isinstance(group, SegmentRow):
        judged = result.object_segments(result.reference)
        looked_at = sum(row.family == group.family for row in judged)
    missed = round(group.n * (coverage.level - group.accuracy))
    rule = group.rule if isinstance(group, WorstSegmentRow) else None  # which explains others
    told = [group, *_named_too_low(result)]
    others = [row for row in result.too_low(result.reference) if row not in told]
    beside = next((row for row in others if rule == row.overlaps != row.explained_by), None)
    figures = {
        "of_all": coverage.share,
        "accuracy": group.accuracy,
        "low": group.low,
        "high": group.high,
        "missed": missed,
        "looked_at": looked_at,
        "low_groups": len(low_groups(result, result.reference)),
        "beside": beside,
    }
    who = (
        f"{rows_in_words(group)} (likely between {percent(group.low)} and {percent(group.high)}), "
        f"{counted(missed, 'row')} fewer than promised"
    )
    only = "But only" if coverage.share >= coverage.level else "Only"
    kind, text = "group-low", f"{only} {percent(group.accuracy)} do for {who}. This is"
    if coverage.is_low:
        kind = "group-lower-still"
        text = f"Coverage is lower still, {percent(group.accuracy)}, for {who}. "
        text += "That these are worse off than the others is"
    q = group.q_value if coverage.is_low else group.judged_q
    text += f" unlikely to be chance {_beside_it(group, q, figures)}"
    return _finding(result, kind, text, figures, "problem", who=group, certainty=q)


def _beside_it(group: JudgedRow, q: float, figures: Mapping[str, Any]) -> str:
    """Return how sure it is that a group is too low, and what there is to say of other rows."""
    told, beside, more = [f"({certainty_in_words('q', q)})"], figures["beside"], ""
    if figures["looked_at"] != 1:
        count = f"{figures['looked_at']:,}"
        told[0] += f"; picked from {count} of its kind, it is likely not quite so low"
    few = "its other rows are too few to say whether they are as well off as all"
    if beside is not None:
        of = f"{percent(beside.accuracy)} of {beside.n:,} test rows"
        told.append(f"{in_brief(beside)} is too low, too ({of}), and {few}")
    elif isinstance(group, SegmentRow) and group.overlaps:
        if group.explained_by:
            few = "its other rows are shown to be as well off as all, to within 5 points"
        told.append(f"With {brief(group.overlaps)} it is lower still, and {few}")
    if figures["low_groups"] > 1:
        more = f" In all, {figures['low_groups']:,} groups are clearly too low, see below."
    return f"{'. '.join(told)}.{more}"


def _named_too_low(result: AuditResult) -> list[SegmentRow]:
    return [row for row in low_by_kind(result)[0] if row.family == "named"]


def _named_too(result: AuditResult, first: JudgedRow) -> list[Finding]:
    """Return what is to be said of groups named beforehand that are too low, beside the first."""
    low = [row for row in _named_too_low(result) if row is not first]
    if not low:
        return []
    level = result.settings["cl"]
    told = [
        f"{in_brief(row)} ({percent(row.accuracy)} of {row.n:,} test rows, "
        f"{counted(round(row.n * (level - row.accuracy)), 'row')} fewer than promised, "
        f"{certainty_in_words('q', row.judged_q)})"
        for row in low[:_MOST_LISTED]
    ]
    more = f" and {len(low) - len(told):,} more, see below" if len(low) > len(told) else ""
    text = f"Too low, too, of what was named beforehand: {'; '.join(told)}{more}."
    figures = {"groups": low}
    return [_finding(result, "named-low", text, figures, "problem", who=low[0])]


def _no_group(result: AuditResult, *, class_missed: bool) -> list[Finding]:
    segments = result.object_segments(result.reference)
    rules = result.of(result.worst_segments, result.reference)
    overall, lower = _status(result), list(filter(partial(is_lower, result), segments))
    uneven = _uneven(result, is_by_groups=bool(lower))
    seen = [row.found_p_value for row in result.comparisons]  # on the training rows
    is_hinted = _tested(result, levels.EFFECT) or any(p and p <= levels.EFFECT for p in seen)
    evidence = "clear evidence" if is_hinted else "evidence"
    figures = {
        "segments": len(segments),
        "rules": len(rules),
        "overall": overall,
        "uneven": bool(uneven),
        "class_missed": class_missed,
    }
    conclusion = "has coverage that is clearly too low"
    less = "there is no clear evidence that any group gets less than was promised"
    if overall == "low":
        conclusion = "is clearly worse off than all rows together"
    elif lower:
        one = min(lower, key=lambda row: row.q_value)
        sure = certainty_in_words("q", one.q_value)
        conclusion += f", though {in_brief(one)} has clearly less than all rows together "
        conclusion += f"({percent(one.accuracy)} of {one.n:,}, {sure})"
    elif overall == "unlucky" or uneven:
        conclusion = "has coverage that is clearly lower than that of all rows"
    elif class_missed:
        conclusion += f", but a class has: by columns {less}"
    elif overall in ("high", "tied"):
        conclusion += f": {less}"
    else:
        conclusion += f": there is no {evidence} of a problem"
    n = len(segments)
    looked_at = "(one was looked at)" if n == 1 else f"of the {n:,} looked at"
    nor = " and no rule found by search" if rules else ""
    kind, text = "no-group", f"No segment {looked_at}{nor} {conclusion}."
    if not segments:
        kind = "no-segment"
        text = "There is no segment with rows enough to judge, so nothing is known of groups."
        if not any(row.kind == "column" for row in result.of(result.segments, result.reference)):
            text = (
                "There is no column to make groups by, so nothing is known of groups: bring some."
            )
    none = _finding(result, kind, text, figures)
    if uneven or overall == "low" or not segments:
        return [none, *uneven]
    return [none, _power(result, segments)]


def _single_cluster(result: AuditResult) -> list[Finding]:
    """Return the lowest value of the column that keeps rows together, without a claim."""
    rows = [r for r in result.of(result.segments, result.reference) if r.kind == "group"]
    single = [row for row in rows if row.n >= FEWEST_JUDGED and row.value != OTHER]
    lowest = min(single, key=lambda row: row.accuracy, default=None)
    whole = result.data.weights.get("test", result.data.test)
    if lowest is None or lowest.high >= result.settings["cl"] or lowest.counted >= whole:
        return []
    share = result.coverage(result.reference).share
    rest = (share * whole - lowest.accuracy * lowest.counted) / (whole - lowest.counted)
    text = (
        f"Of values of {brief(lowest.variable)} with {FEWEST_JUDGED} test rows or more "
        f"({len(single):,}), {in_brief(lowest)} has the lowest coverage: "
        f"{percent(lowest.accuracy)} of {lowest.n:,} test rows, and {percent(rest)} of all others. "
        "Rows of one value may be alike, so that each has a coverage of its own by chance: single "
        "ones are not judged."
    )
    figures = {"values": len(single), "accuracy": lowest.accuracy, "rest": rest}
    return [_finding(result, "single-cluster", text, figures, who=lowest)]


def _small(result: AuditResult) -> list[SegmentRow]:
    """Return which classes and groups have too few test rows to be judged, the unlikeliest first.

    Of groups that nobody named those of which fewer sets hold their label than promised.
    """
    rows, level = result.of(result.segments, result.reference), result.settings["cl"]
    groups = (row for row in rows if row.n and not row.family)
    small = [
        row
        for row in groups
        if row.kind in ("pair", "label")
        or (row.kind == "column" and (row.named or row.accuracy < level))
    ]

    def place(row: SegmentRow) -> tuple[bool, bool, float]:
        return row.kind != "label", not row.named, _chance_of_so_few(row, level)

    return sorted(small, key=place)


def _too_small(result: AuditResult) -> list[Finding]:
    small = _small(result)
    if not small:
        return []
    told = [f"{in_brief(row)} ({percent(row.accuracy)} of {_worth(row)})" for row in small]
    is_cut = any(row.kind == "column" and not row.named for row in small)
    only = ", those below the level alone unless they were named" if is_cut else ""
    text = (
        f"Too small to judge, by fewer than {FEWEST_JUDGED} independent test rows{only}: "
        f"{_first(told)}."
    )
    return [_finding(result, "too-small", text, {"groups": small})]


def _worth(row: SegmentRow) -> str:
    """Return how many rows a small group has, and how many independent ones they are worth."""
    return f"{row.n:,}{f', worth {row.n_effective:,}' if row.n >= FEWEST_JUDGED else ''}"


def _untested(result: AuditResult) -> list[Finding]:
    values = result.data.untested
    if not values:
        return []
    named = [f"{brief(of.column)} = {brief(of.value)} ({of.rows:,} rows)" for of in values]
    them = "it" if len(values) == 1 else "them"
    text = f"No row of {_first(named)} is a test row: nothing is known of {them}."
    return [_finding(result, "untested", text, {"values": [asdict(value) for value in values]})]


def _first(named: Sequence[str]) -> str:
    more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more


def _tested(result: AuditResult, least: float = 0.0) -> list[tuple[str, float]]:
    """Return on which columns coverage depends, with p-values up to a claim's level, or so much."""
    row = result.row("test", result.reference)
    tests = [("", p_value_of(row), levels.FEATURES), (BY_TREES, by_trees_of(row), levels.TREES)]
    tests += [
        (of, each.p_value, levels.AUDIT_ONLY)
        for of, each in on_audit_only(result, result.reference)
    ]
    return [(of, p_value) for of, p_value, size in tests if p_value <= max(size, least)]


def _uneven(result: AuditResult, *, is_by_groups: bool) -> list[Finding]:
    """Return that coverage depends on columns, though no group with rows enough is too low."""
    sure = _tested(result)
    if not sure:
        return []
    of, p_value = sure[0]
    is_of_features = of in ("", BY_TREES)
    columns = {*(result.data.features if is_of_features else result.settings["audit_only"])}
    small = [row for row in _small(result) if columns & {*row.columns}]
    how = "" if is_by_groups else ": it is uneven without any single group that shows it"
    odds = [_chance_of_so_few(row, result.settings["cl"]) for row in small]
    chance, row = min(zip(odds, small, strict=True), key=itemgetter(0), default=(1.0, None))
    if row is not None and chance <= levels.EFFECT / len(small):
        how = f": it is uneven, which may be due to {in_brief(row)}, too small to judge"
    elif how and (lowest := _lowest_of(result, columns if is_of_features else {of})) is not None:
        how = f": it is uneven, though the lowest ({in_brief(lowest)}, {percent(lowest.accuracy)} "
        how += f"of {lowest.n:,}) is by itself not surely too low"
    text = (
        f"Yet there is clear evidence that coverage depends on {seen_columns(of)} "
        f"({chance_in_words(p_value)}){how}."
    )
    return [_finding(result, "uneven", text, {"of": of}, "problem", certainty=p_value)]


def _lowest_of(result: AuditResult, columns: set[str]) -> SegmentRow | None:
    """Return the lowest of the groups judged that go by some of the columns."""
    judged = result.object_segments(result.reference)
    by_them = (row for row in judged if columns.issuperset(row.columns))
    return min(by_them, key=lambda row: row.accuracy, default=None)


def _chance_of_so_few(row: SegmentRow, level: float) -> float:
    """Return the exact chance of so few sets that hold their label, were the promise kept."""
    return float(stats.binom.cdf(round(row.accuracy * row.n_effective), row.n_effective, level))


def _power(result: AuditResult, segments: Sequence[SegmentRow]) -> Finding:
    """Return how small a shortfall half of the segments have the rows to show."""
    shortfalls = [math.inf if math.isnan(row.detectable) else row.detectable for row in segments]
    best, typical = min(shortfalls), statistics.median(shortfalls)
    in_points = 100.0 * typical
    if math.isinf(best):
        text = "But the segments have too few test rows to show one."
    elif math.isinf(typical):
        text = "But half of the segments or more have too few test rows to show one."
    else:
        size = "less than 1 percentage point"
        if in_points >= _SHORT:
            is_one = round(in_points) == 1
            size = "1 percentage point" if is_one else f"{in_points:.0f} percentage points"
        text = (
            f"Half of the segments have test rows enough to show a shortfall of {size} in four of "
            "five cases."
        )
    return _finding(result, "power", text, {"best": best, "typical": typical})
