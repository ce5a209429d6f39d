"""What the dashboard says where it looks at a part of the test rows."""

from collections.abc import Sequence

from .formatting import number, plain
from .predictors import Predictor
from .rows import Row, figure

NO_FILTER = (
    "**No filter**: all {n:,} test rows. Click a point or a cell of a chart, or choose a row of "
    "a table on its left, to look at those rows alone."
)
COHORTS_GIVEN_UP = "The cohorts do not go with this run, which is shown with its own:"
OTHER_COHORTS = (
    "The cohorts have changed since these results were computed, and the test rows are no longer "
    "kept: run it again to see the cohorts of now."
)
NOTHING_LEFT = "No test row is left: none has all of this in common."
ALL_ROWS = "All test rows, whatever the filter."
FINDINGS_OF_ALL = (
    "The sentences, the figures and the tabs below are of all test rows; the histogram is of those "
    "that the filter leaves."
)
TABLES_OF_ALL = "The tables below are of all test rows, whatever the filter."
CLICK_SEGMENT = "Click a point to look at its rows alone."
CLICK_ROW = "Choose a row, on its left, to look at the test rows that the rule holds for."
ABOUT_ALONG = (
    "Coverage in bands of about equally many test rows, finer than the segments, with 95 % "
    "(Wilson) intervals. With so many bands a few are off by chance: look for what holds over "
    "several in a row."
)
ABOUT_HEAT = (
    "Coverage where two variables meet: brown below the confidence level, blue above it, grey with "
    "the number of rows where these are fewer than 30 and say too little. These are looks and no "
    "tests: of so many cells some are off by chance. Click a cell to look at its rows alone."
)
ABOUT_MAP = (
    "Coverage by place, in cells that are about square on the ground: brown below the confidence "
    "level, blue above it, crossed grey where fewer than 30 test rows say too little. These are "
    "looks and no tests: of so many cells some are off by chance. Click a cell to look at its "
    "rows alone."
)
BEYOND_MAP = "Left out, as they lie far from all others: {n:,} test rows."
ABOUT_HISTOGRAM = (
    "How the estimated probability p(x) of a correct set is spread over the test rows. A faultless "
    "predictor has CL for every row, but for the noise of estimation: about 95 % of its p(x) would "
    "lie in the grey band."
)
ABOUT_EXAMPLES = (
    "Test rows one by one. *row* is the row's number in your table, the first below the header "
    "being 1.[[ A layer's step above 0 widens the row's interval or set, one below 0 narrows it.]]"
)
ABOUT_COHORTS = (
    "A cohort is a segment of your own, with a name. It is in every table from then on, in "
    "exports, and in the next run. One made after looking at the results gets no q-value and is "
    "never called too low: what is chosen because it looks bad on these rows proves nothing on "
    "them. Ask for it before a run on other rows, by --cohort, to have it judged."
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


def rows_in_words(n: int) -> str:
    """Return a number of test rows."""
    return "1 test row" if n == 1 else f"{n:,} test rows"


def coverage_in_words(figures: Row, given: Sequence[Predictor]) -> str:
    """Return how many rows there are, and coverage by each predictor with its interval."""
    if figures["n"] == 0:
        return NOTHING_LEFT
    shares = [f"{_share(figures, by)}{by.at}" for by in given]
    return f"{rows_in_words(figures['n'])} · coverage {', '.join(shares)}"


def sizes_in_words(figures: Row, given: Sequence[Predictor], *, are_intervals: bool) -> str:
    """Return the mean sizes of the sets by each predictor."""
    name = "mean width" if are_intervals else "mean set size"
    sizes = [f"{number(figure(figures, 'size', by))}{by.at}" for by in given]
    return f"{name} {', '.join(sizes)}"


def gap_in_words(gap: Row, given: Sequence[Predictor]) -> str:
    """Return the largest gap between groups by each predictor, with its interval."""
    if figure(gap, "gap_segment", given[0]) is None:
        return "too few groups of 30 test rows or more to compare."
    each = (
        f"{figure(gap, 'gap_segment', by)} {_points(figure(gap, 'gap', by))} "
        f"({_points(figure(gap, 'gap_low', by))} to {_points(figure(gap, 'gap_high', by))}){by.at}"
        for by in given
    )
    return f"largest gap in points to {gap['reference']}, 95 % interval: {', '.join(each)}"


def what_is_shown(words: str, n: int) -> str:
    """Return, in Markdown, of which rows a chart or table is."""
    if not words:
        return f"All {rows_in_words(n)}."
    return f"{rows_in_words(n)[0].upper()}{rows_in_words(n)[1:]} with {plain(words)}."


def _points(share: float) -> str:
    return f"{100.0 * share:+.1f}"


def _share(figures: Row, by: Predictor) -> str:
    share, low, high = (100.0 * figure(figures, key, by) for key in ("accuracy", "low", "high"))
    return f"{share:.1f} % ({low:.1f} to {high:.1f})"
