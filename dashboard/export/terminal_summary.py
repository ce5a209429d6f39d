"""An audit's result as text for a terminal."""

import math
from collections.abc import Sequence

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.messages import one_line
from evencover.core.segments.binning import INSIDE

from ..options import hint_line
from ..wording import rows, tables
from ..wording.figure_words import watched_gaps
from ..wording.formatting import predictors, worded
from ..wording.rows import Row
from ..wording.tables import TableSpec

_WORST = (
    "Worst segments, searched for on one half of the test rows and judged on the other (n and "
    "figures are the other half's): {}"
)
_GAPS = (
    "Largest gap in accuracy between a segment and the one its variable is compared with, and its "
    "95 % interval (Newcombe's; those of all groups of one variable hold together)[[, before and "
    "after]]. What is named label: goes by the true label, for which the remedy label alone "
    "promises the level:"
)
_STRATA = "Accuracy by size of the prediction set[[ (before and after hold different rows)]]:"
_OTHER_MEASURES = "The field's other measures, on test rows{}:"
_SURE = " (ert_log is -infinite: the estimate was sure, by 0 or 1, of a set that is otherwise)"
_OVER_SEEDS = (
    "Mean over {} seeds, and standard deviation of one split (as splits share rows, the mean for "
    "new rows is hardly surer):"
)


def to_text(result: AuditResult) -> str:
    """Return the main figures, the segments that fail most clearly, and what to know."""
    hinted = {hint.sentence: hint_line(hint) for hint in result.hints}
    notes = [hinted.get(note, note) for note in result.notes]
    left_out = [f"Left out: {left.column} {left.reason}." for left in result.data.dropped]
    gaps = [row for row in result.of(result.gaps, result.reference) if row.gap_segment]
    test_rows = [row for row in result.results if row.subset == "test"]
    of_cohorts = [one for one in rows.segments(result) if one.kind in ("cohort", "look")]
    cohorts = [one.fields for one in of_cohorts if one.value == INSIDE]
    low = {row.rule for name in result.names for row in result.rules_too_low(name)}
    worst = [row for row in tables.WORST.rows(result) if row["rule"] in low]
    sure = _SURE if any(row.ert_log == -math.inf for row in test_rows) else ""
    seeds = [] if result.repeats is None else result.repeats.seeds
    gaps_told = [one_line(f"{name}: {gap}") for name, gap in watched_gaps(result).items()]
    watched = "\n".join(["Protected and audit-only columns:", *gaps_told])
    blocks = [
        _heading(result),
        "\n".join([*result.headline, *rows.over_seeds(result)]),
        *([watched] if gaps_told else []),
        *_titled("", result, tables.OVERVIEW),
        "\n".join(result.explanations),
        *_titled("Groups with clearly too little coverage:", result, tables.TOO_LOW),
        *_titled("Cohorts and looks:", result, tables.SEGMENTS, cohorts),
        *([_WORST.format(rows.rules_counted(result))] if result.worst_segments else []),
        *_titled("", result, tables.WORST, worst),
        *_titled("DCV by audit-only columns, on test rows:", result, tables.AUDIT_ONLY),
        *_titled(_GAPS, result, tables.GAPS, tables.GAPS.rows(result)[: len(gaps)]),
        *_titled(_STRATA, result, tables.SIZE_STRATA),
        *_titled(_OTHER_MEASURES.format(sure), result, tables.OTHER_MEASURES),
        *_titled(_OVER_SEEDS.format(len(seeds)), result, tables.REPEATS),
        "\n".join(map(one_line, [*left_out, *notes])),
    ]
    return "\n\n".join(blocks).rstrip() + "\n"


def _titled(
    title: str, result: AuditResult, spec: TableSpec, shown: Sequence[Row] | None = None
) -> list[str]:
    """Return a title and the first rows of a table; nothing where there is none."""
    shown = spec.rows(result) if shown is None else shown
    first = shown[: spec.most_in_terminal]
    if not first:
        return []
    columns = spec.shown(first, predictors(result, over_seeds=spec.over_seeds), spec.terminal_to)
    text = tables.text_table(rows.with_words(first), columns)
    return [worded(title, result.predictors), text] if title else [text]


def _heading(result: AuditResult) -> str:
    settings = result.settings
    lines = [f"Confidence level {settings['cl']}"]
    estimator, inside = settings["estimator"], settings["ifacm_estimator"]
    by = f"Correctness estimated by {estimator}"
    if rows.has_path(result):
        how = ", C {c} ({penalty} penalty), {search} search".format(**settings)
        lines[0] += f"{how}: {len(result.iterations)} IFACM layers"
        by += f", within IFACM by {inside}"
    if not estimator == inside == next(iter(ESTIMATORS)):
        lines.append(by)
    for what, named in (("Cohort", settings["cohorts"]), ("Look", settings["looks"])):
        lines += [f"{what} {one_line(f'{name}: {rule}')}" for name, rule in named.items()]
    return "\n".join(lines)
