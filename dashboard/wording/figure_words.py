"""Figures in words: the three that matter, coverage, gaps and sizes, and what a run has done."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.exploration.groups import GroupFigures
from evencover.core.messages import counted, listed, visible
from evencover.core.report.effects import same_group
from evencover.core.report.groups import holds_all, judged_groups, low_groups
from evencover.core.report.result import grouped
from evencover.core.report.wording import brief, in_brief, percent, signed_end
from evencover.core.segments.by_period import PeriodRow
from evencover.core.segments.by_segment import GapRow
from evencover.core.segments.statistics import FEWEST_JUDGED
from evencover.core.segments.under_coverage import JudgedRow

from . import page_texts
from .formatting import ShownPredictor, number, plain, predictors, signed_points
from .rows import ShownSegment, watched

_LONGEST = 40  # signs of a group in the name of a figure


class KeyFigure(NamedTuple):
    """A figure by the predictor that the advice is to use, and what it is before, if that differs.

    ``term`` is of the glossary.
    """

    name: str
    value: str
    detail: str
    term: str


def key_figures(result: AuditResult) -> list[KeyFigure]:
    """Return coverage of the group named, or the lowest, and of all rows, and the sets' size."""
    first, used = result.reference, result.advised
    before, after = (result.row("test", name) for name in (first, used))

    def of(name: str, say: Callable[[str], str], term: str, more: str = "") -> KeyFigure:
        was = f"{result.words.when(first)} {say(first)}{more}" if used != first else ""
        return KeyFigure(name, say(used), was, term)

    shown, low = [], low_groups(result, first) or low_groups(result, used)
    group = next(iter(low), None) or min(judged_groups(result), key=_accuracy, default=None)
    if group is not None and not holds_all(result):
        name = visible(brief(in_brief(group), _LONGEST))
        by = {one: same_group(result, group, one) for one in (first, used)}
        name = name if low else f"Lowest, not clearly low: {name}"
        shown.append(of(name, lambda one: percent(by[one].accuracy), "coverage"))
    accuracies = {first: before.accuracy, used: after.accuracy}
    sizes = {row.predictor: row.inefficiency_original_units for row in (before, after)}
    ratio = sizes[used] / sizes[first] if math.isfinite(sizes[first]) and sizes[first] else math.nan
    change = "" if not math.isfinite(ratio) else f", {percent(ratio - 1.0, '+z.1f')}"
    size = f"Mean {'width' if result.is_regression else 'set size'}"
    return [
        *shown,
        of("All test rows", lambda one: percent(accuracies[one]), "coverage"),
        of(size, lambda one: number(sizes[one]), "inefficiency", change),
    ]


def _accuracy(row: JudgedRow) -> float:
    return row.accuracy


def coverage_in_words(found: GroupFigures | ShownSegment, given: Sequence[ShownPredictor]) -> str:
    """Return how many rows there are, and coverage by each predictor with its interval."""
    if found.n == 0:
        return page_texts.NOTHING_LEFT
    shares = []
    for by in given:
        one = found.figures[by.name]
        share, low, high = (100.0 * end for end in (one.accuracy, one.low, one.high))
        shares.append(f"{share:.1f} % ({low:.1f} to {high:.1f}){by.at}")
    return f"{counted(found.n, 'test row')} · coverage {', '.join(shares)}"


def sizes_in_words(
    found: GroupFigures, given: Sequence[ShownPredictor], *, are_intervals: bool
) -> str:
    """Return the mean sizes of the sets by each predictor."""
    name = "mean width" if are_intervals else "mean set size"
    sizes = [f"{number(found.figures[by.name].size)}{by.at}" for by in given]
    return f"{name} {', '.join(sizes)}"


def watched_gaps(result: AuditResult) -> dict[str, str]:
    """Return the largest gap within each audit-only column and each that may be protected."""
    gaps = {next(iter(of.values())).variable: of for of in grouped(result.gaps)}
    return {name: gap_in_words(gaps[name], predictors(result)) for name in watched(result)}


def gap_in_words(gaps: Mapping[str, GapRow], given: Sequence[ShownPredictor]) -> str:
    """Return the lowest group and the largest gap by each predictor, with its interval."""
    first = gaps[given[0].name]
    if first.gap_segment is None:
        return f"too few groups of {FEWEST_JUDGED} test rows or more to compare"
    lowest: dict[str | None, list[str]] = {}
    largest: dict[str | None, list[str]] = {}
    for by in given:
        row = gaps[by.name]
        lowest.setdefault(row.lowest_segment, []).append(f"{percent(row.lowest)}{by.at}")
        size, low, high = signed_points(row.gap), *map(signed_end, (row.gap_low, row.gap_high))
        told = f"{size} points{by.at} (95 % interval {low} to {high})"
        largest.setdefault(row.gap_segment, []).append(told)
    compared = first.groups - 1
    gap = "largest gap" if compared == 1 else f"largest of {compared} gaps"
    small = f"; too small to compare: {first.left_out:,}" if first.left_out else ""
    return (
        f'lowest {_by_group(lowest)}; {gap} to "{brief(first.reference)}": '
        f"{_by_group(largest)}{small}"
    )


def _by_group(told: Mapping[str | None, Sequence[str]]) -> str:
    return "; ".join(f'"{brief(name or "")}" {", ".join(texts)}' for name, texts in told.items())


def periods_in_words(rows: Sequence[PeriodRow], given: Sequence[ShownPredictor]) -> str:
    """Return how many coverages of one kind's periods are outside of the band, and what that is."""
    outside = Counter(row.predictor for row in rows if row.is_outside)
    count = sum(row.predictor == given[0].name for row in rows)
    what, told = rows[0].kind.replace("time", "period"), [f"{outside[b.name]}{b.at}" for b in given]
    many = f"Of {counted(count, what)} with {FEWEST_JUDGED} test rows or more"
    adapted = page_texts.ABOUT_ADAPTED if any(row.adapted is not None for row in rows) else ""
    return f"{many}, outside of the band: {', '.join(told)}. {page_texts.ABOUT_PERIODS} {adapted}"


def what_is_shown(words: str, n: int) -> str:
    """Return, in Markdown, of which rows a chart or table is."""
    rows = counted(n, "test row")
    return f"{rows} with {plain(words)}." if words else f"All {rows}."


def finished(layers: Mapping[str, int], seconds: float, *, stopped: bool) -> str:
    """Return in a sentence what a run has done; layers are counted by the adjustments' titles."""
    counts = [f"{counted(n, 'layer') if n else 'no layer'} of {of}" for of, n in layers.items()]
    accepted = f": {listed(counts)} accepted" if counts else ""
    return f"The run {'was stopped' if stopped else 'is finished'}{accepted}, in {seconds:.1f} s."
