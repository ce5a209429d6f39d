"""An audit's result as text for a terminal."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from evencover.core import AuditResult
from evencover.core.audit_only import AuditOnlyRow
from evencover.core.result import ResultRow
from evencover.core.segments import SegmentRow
from evencover.core.worst_segments import WorstSegmentRow

from .texts import one_line

_RESULT_COLUMNS = [
    "segment",
    "algorithm",
    "accuracy",
    "inefficiency",
    "inefficiency_original_units",
    "dcv",
    "dcv_floor",
    "dcv_corrected",
    "dcv_corrected_low",
    "dcv_corrected_high",
    "p_value",
]
_SEGMENT_COLUMNS = [
    *("variable", "value", "n", "accuracy_base", "accuracy_adjusted"),
    *("q_value_base", "q_value_adjusted", "detectable"),
]
_FAILING = (
    "Coverage is clearly off (its 95 % interval excludes the level) in {} test segments before and "
    "{} after, by chance alone in about {:.0f}."
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
    total = sum(row.n > 0 for row in result.segments)
    blocks = [
        _heading(result),
        _table(result.results, _RESULT_COLUMNS),
        "\n".join(result.findings),
        _FAILING.format(f"{len(before)} of {total}", len(after), total / 20),
    ]
    for failing, when in ((before, "before"), (after, "after")):
        if failing:
            blocks.append(_LARGEST.format(when))
            blocks.append(_table(failing[:_SHOWN_SEGMENTS], _SEGMENT_COLUMNS))
    blocks += _worst(result)
    if result.audit_only:
        blocks.append("DCV by audit-only columns, on test rows:")
        blocks.append(_table(result.audit_only, _AUDIT_ONLY_COLUMNS))
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


def _heading(result: AuditResult) -> str:
    settings = result.settings
    return (
        f"Confidence level {settings['cl']}, C {settings['c']} ({settings['penalty']} penalty), "
        f"{settings['search']} search: {len(result.iterations)} IFACM layers"
    )


def _worst(result: AuditResult) -> list[str]:
    if not result.worst_segments:
        return []
    before, after = result.worst_found(), result.worst_found("adjusted")
    blocks = [_WORST.format(len(before), len(result.worst_segments), len(after))]
    shown = [row for row in result.worst_segments if row in before or row in after]
    if shown:
        blocks.append(_table(shown[:_SHOWN_RULES], _WORST_COLUMNS))
    return blocks


_Row = ResultRow | SegmentRow | WorstSegmentRow | AuditOnlyRow


def _table(rows: Sequence[_Row], columns: list[str]) -> str:
    frame = pd.DataFrame([asdict(row) for row in rows])[columns]
    return frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
