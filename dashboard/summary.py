"""An audit's result as text for a terminal."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from evencover.core import AuditResult
from evencover.core.result import ResultRow
from evencover.core.segments import SegmentRow

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
    "{} after, by chance alone in about {:.0f}; those with the largest shortfall or excess in rows "
    "before:"
)
_REPEAT_COLUMNS = [
    "segment",
    "algorithm",
    *(f"{name}_{of}" for name in ("accuracy", "inefficiency", "dcv") for of in ("mean", "sd")),
]
_SHOWN_SEGMENTS = 10


def to_text(result: AuditResult) -> str:
    """Return the main figures, the segments that fail most clearly, and what to know."""
    failing = result.failing_segments()
    share = f"{len(failing)} of {len(result.segments)}"
    blocks = [
        f"Confidence level {result.settings['cl']}, {len(result.iterations)} IFACM layers",
        _table(result.results, _RESULT_COLUMNS),
        "\n".join(result.findings),
        _FAILING.format(share, len(result.failing_segments("adjusted")), len(result.segments) / 20),
    ]
    if failing:
        blocks.append(_table(failing[:_SHOWN_SEGMENTS], _SEGMENT_COLUMNS))
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


def _table(rows: Sequence[ResultRow | SegmentRow], columns: list[str]) -> str:
    frame = pd.DataFrame([asdict(row) for row in rows])[columns]
    return frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
