"""An audit's result as text for a terminal."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.findings.result import ResultRow
from evencover.core.segments.by_audit_only import AuditOnlyRow
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.by_set_size import SizeStratumRow
from evencover.core.segments.gaps import GapRow
from evencover.core.segments.search.worst_segments import WorstSegmentRow

from ..wording.page_texts import TOO_FEW, one_line

_RESULT_COLUMNS = [
    "segment",
    "algorithm",
    "accuracy",
    "inefficiency",
    "inefficiency_original_units",
    "dcv",
    "dcv_floor",
    "dcv_floor_unadjusted",
    "p_value",
    "dcv_corrected",
    "dcv_corrected_low",
    "dcv_corrected_high",
]
_OTHER_MEASURES = "The field's other measures, on test rows:"
_OTHER_COLUMNS = [
    *("algorithm", "dcv_crossfitted", "ert_l1", "ert_under", "ert_over", "ert_l2", "ert_log"),
    *("worst_slab_coverage", "size_stratified_coverage"),
]
_SEGMENT_COLUMNS = [
    *("variable", "value", "n", "accuracy_base", "accuracy_adjusted"),
    *("q_value_base", "q_value_adjusted", "detectable"),
]
_FAILING = (
    "Coverage is clearly off (its 95 % interval excludes the level) in {} test segments before and "
    "{} after, by chance alone in about {:.0f}; allowing for so many looks, {} and {} of them "
    "differ from the overall coverage (q up to 0.05)."
)
_WORST_COLUMNS = [
    *("rule", "n", "accuracy_base", "accuracy_adjusted"),
    *("low_base", "high_base", "q_value_base", "q_value_adjusted"),
]
_WORST = (
    "Worst segments, searched for on one half of the test rows and judged on the other (n and "
    "figures are the other half's): {} of {} rules have clearly low coverage before, {} after."
)
_AUDIT_ONLY_COLUMNS = [
    *("column", "algorithm", "dcv", "dcv_floor", "dcv_corrected"),
    *("dcv_corrected_low", "dcv_corrected_high", "p_value"),
]
_LARGEST = "Those with the largest shortfall or excess in rows {}:"
_GAPS = (
    "Largest gap in accuracy between a segment and the one its variable is compared with, and its "
    "95 % interval (Newcombe's, for the largest of several), before and after. What is named "
    "label: goes by the true label, for which nothing promises the level:"
)
_GAP_COLUMNS = [
    *("variable", "reference", "gap_segment_base", "gap_base", "gap_low_base", "gap_high_base"),
    *("gap_segment_adjusted", "gap_adjusted", "gap_low_adjusted", "gap_high_adjusted"),
]
_STRATA = "Accuracy by size of the prediction set (before and after hold different rows):"
_STRATUM_COLUMNS = ["algorithm", "size", "n", "accuracy", "low", "high"]
_REPEAT_COLUMNS = [
    "segment",
    "algorithm",
    *(f"{name}_{of}" for name in ("accuracy", "inefficiency", "dcv") for of in ("mean", "sd")),
]
_SHOWN_SEGMENTS = 10
_SHOWN_RULES = 5


def to_text(result: AuditResult) -> str:
    """Return the main figures, the segments that fail most clearly, and what to know."""
    before, after = result.failing_segments(), result.failing_segments("adjusted")
    total = len(result.object_segments())
    blocks = [
        _heading(result),
        _table(result.results, _result_columns(result)),
        "\n".join(result.findings),
        _FAILING.format(
            f"{len(before)} of {total}",
            len(after),
            total / 20,
            result.surely_off("base"),
            result.surely_off("adjusted"),
        ),
    ]
    for failing, when in ((before, "before"), (after, "after")):
        if failing:
            blocks.append(_LARGEST.format(when))
            blocks.append(_table(failing[:_SHOWN_SEGMENTS], _SEGMENT_COLUMNS))
    blocks += _worst(result)
    if result.audit_only:
        blocks.append("DCV by audit-only columns, on test rows:")
        blocks.append(_table(result.audit_only, _AUDIT_ONLY_COLUMNS))
    blocks += _further(result)
    test = [row for row in result.results if row.segment == "test"]
    blocks += [_OTHER_MEASURES, _table(test, _OTHER_COLUMNS)]
    if result.repeats is not None:
        blocks += [
            f"Mean and spread (standard deviation) over {len(result.repeats.seeds)} seeds",
            pd.DataFrame(result.repeats.results)[_REPEAT_COLUMNS].to_string(
                index=False, float_format="{:.4g}".format, na_rep=""
            ),
        ]
    told = [f"Left out: {left.column} {left.reason}." for left in result.data.dropped]
    told += result.notes
    return "\n\n".join([*blocks, "\n".join(map(one_line, told))]).rstrip() + "\n"


def _result_columns(result: AuditResult) -> list[str]:
    """Return the columns to show: what was asked for, and what the estimator has."""
    columns = list(_RESULT_COLUMNS)
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        columns = [c for c in columns if not c.startswith(("dcv_floor", "dcv_corrected"))]
        columns.insert(columns.index("p_value"), "dcv_crossfitted")
    if result.settings["permutations"]:
        columns.insert(columns.index("dcv") + 1, "dcv_floor_simulated")
        columns.append("p_value_permuted")
    return columns


def _further(result: AuditResult) -> list[str]:
    """Return the gaps between groups, accuracy by size, and which segments are too small."""
    blocks = []
    gaps = sorted((g for g in result.gaps if not math.isnan(g.gap_base)), key=_size, reverse=True)
    if gaps:
        blocks += [_GAPS, _table(gaps[:_SHOWN_SEGMENTS], _GAP_COLUMNS)]
    if result.size_strata:
        blocks += [_STRATA, _table(result.size_strata, _STRATUM_COLUMNS)]
    small = [row for row in result.segments if row.n > 0 and math.isnan(row.detectable)]
    if small:
        named = ", ".join(f"{row.variable}: {row.value}" for row in small[:_SHOWN_SEGMENTS])
        more = ", ..." if len(small) > _SHOWN_SEGMENTS else ""
        blocks.append(f"{TOO_FEW.capitalize()} (segments: {len(small)}): {one_line(named)}{more}.")
    return blocks


def _size(gap: GapRow) -> float:
    return abs(gap.gap_base)


def _heading(result: AuditResult) -> str:
    settings = result.settings
    heading = (
        f"Confidence level {settings['cl']}, C {settings['c']} ({settings['penalty']} penalty), "
        f"{settings['search']} search: {len(result.iterations)} IFACM layers"
    )
    lines = [heading]
    estimator, inside = settings["estimator"], settings["ifacm_estimator"]
    if not estimator == inside == next(iter(ESTIMATORS)):
        lines.append(f"Correctness estimated by {estimator}, within IFACM by {inside}")
    lines += [f"Cohort {one_line(f'{n}: {rule}')}" for n, rule in settings["cohorts"].items()]
    return "\n".join(lines)


def _worst(result: AuditResult) -> list[str]:
    if not result.worst_segments:
        return []
    before, after = result.worst_found(), result.worst_found("adjusted")
    blocks = [_WORST.format(len(before), len(result.worst_segments), len(after))]
    shown = [row for row in result.worst_segments if row in before or row in after]
    if shown:
        blocks.append(_table(shown[:_SHOWN_RULES], _WORST_COLUMNS))
    return blocks


_Row = ResultRow | SegmentRow | GapRow | SizeStratumRow | WorstSegmentRow | AuditOnlyRow


def _table(rows: Sequence[_Row], columns: list[str]) -> str:
    frame = pd.DataFrame([asdict(row) for row in rows])[columns]
    return frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
