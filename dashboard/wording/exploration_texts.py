"""What the dashboard says where it looks at a part of the test rows."""

from collections.abc import Mapping, Sequence

from evencover.core import AuditResult
from evencover.core.exploration.groups import Figures, GroupFigures
from evencover.core.messages import counted
from evencover.core.report.json_rows import grouped
from evencover.core.report.wording import brief, percent
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.gaps import GapRow
from evencover.core.segments.statistics import FEWEST_JUDGED

from .formatting import number, plain, signed_points
from .predictors import ShownPredictor, predictors
from .rows import ShownSegment, watched

NO_FILTER = (
    "**No filter**: all {n:,} test rows. Click a point or cell, or choose a table's row (by "
    "keyboard: Shift + Space), to see those alone."
)
COHORTS_GIVEN_UP = "The cohorts do not go with this run, which is shown with its own:"
OTHER_COHORTS = (
    "The cohorts have changed since these results were computed, and the test rows are no longer "
    "kept: run it again to see the cohorts of now."
)
NOTHING_LEFT = "No test row is left: none has all of this in common."
ALL_ROWS = "All test rows, whatever the filter."
FINDINGS_OF_ALL = "The filter is for the histogram alone; all else is of all test rows."
ABOUT_ALONG = (
    "Bands of about equally many test rows, with 95 % (Wilson) intervals. A few are off by chance: "
    "look for what holds over several in a row."
)
_A_LOOK = (
    "Brown is below the confidence level, blue above, grey too few rows (under "
    f"{FEWEST_JUDGED}). A look and no test: of so many cells some are off by chance."
)
ABOUT_HEAT = _A_LOOK
ABOUT_MAP = f"Cells are about square on the ground. {_A_LOOK}"
BEYOND_MAP = "Left out, as they lie far from all others: {n:,} test rows."
ABOUT_HISTOGRAM = "Without any fault about 95 % of p(x) would lie in the grey band, by noise alone."
ABOUT_EXAMPLES = (
    "*row* counts from 1 below your table's header.[[ A layer's step above 0 widens the row's "
    "interval or set.]]"
)
ABOUT_COHORTS = (
    "A cohort is a segment of your own, in every table, in exports and in the next run. One made "
    "once the results were seen is a **look**."
)
ABOUT_LOOK = (
    "This cohort is a look, made once the results were seen: what is chosen for being bad on "
    "these rows proves nothing on them, so it is not judged. To have it judged, ask for it by "
    "`--cohort` before a run on other rows."
)
RULE_HELP = (
    "Conditions joined by and: age >= 65, 18 <= age < 65, district = Old or New, income is "
    "missing. Names and values with a comma, a quote or a sign are put in double quotes."
)
NOT_AS_A_RULE = "The active filter cannot be written as a rule."
ORDER_NAMES = {
    "missed before": "missed[[ before the adjustment]], lowest p(x) first",
    "moved most": "moved most by the layers",
    "widest after": "widest[[ after the adjustment]]",
    "table order": "as in the table",
}


def coverage_in_words(found: GroupFigures | ShownSegment, given: Sequence[ShownPredictor]) -> str:
    """Return how many rows there are, and coverage by each predictor with its interval."""
    if found.n == 0:
        return NOTHING_LEFT
    shares = [f"{_share(found.figures[by.name])}{by.at}" for by in given]
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
        size, low, high = map(signed_points, (row.gap, row.gap_low, row.gap_high))
        told = f"{size} points{by.at} (95 % interval {low} to {high})"
        largest.setdefault(row.gap_segment, []).append(told)
    small = f"; too small to compare: {first.left_out:,}" if first.left_out else ""
    return (
        f'lowest {_by_group(lowest)}; largest gap to "{brief(first.reference)}": '
        f"{_by_group(largest)}{small}"
    )


def _by_group(told: Mapping[str | None, Sequence[str]]) -> str:
    return "; ".join(f'"{brief(name or "")}" {", ".join(texts)}' for name, texts in told.items())


def what_is_shown(words: str, n: int) -> str:
    """Return, in Markdown, of which rows a chart or table is."""
    rows = counted(n, "test row")
    return f"{rows} with {plain(words)}." if words else f"All {rows}."


def _share(found: Figures | SegmentRow) -> str:
    share, low, high = (100.0 * end for end in (found.accuracy, found.low, found.high))
    return f"{share:.1f} % ({low:.1f} to {high:.1f})"
