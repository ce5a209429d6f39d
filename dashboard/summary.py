"""An audit's result as text for a terminal."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd

from evencover.core import AuditResult
from evencover.core.estimators import ESTIMATORS
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
    "{} after, by chance alone in about {:.0f}."
)
_LARGEST = "Those with the largest shortfall or excess in rows {}:"
_REPEAT_COLUMNS = [
    "segment",
    "algorithm",
    *(f"{name}_{of}" for name in ("accuracy", "inefficiency", "dcv") for of in ("mean", "sd")),
]
_SHOWN_SEGMENTS = 10


def to_text(result: AuditResult) -> str:
    """Return the main figures, the segments that fail most clearly, and what to know."""
    before, after = result.failing_segments(), result.failing_segments("adjusted")
    total = sum(row.n > 0 for row in result.segments)
    blocks = [
        _heading(result),
        _table(result.results, _result_columns(result)),
        "\n".join(result.findings),
        _FAILING.format(f"{len(before)} of {total}", len(after), total / 20),
    ]
    for failing, when in ((before, "before"), (after, "after")):
        if failing:
            blocks.append(_LARGEST.format(when))
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


def _heading(result: AuditResult) -> str:
    settings = result.settings
    heading = (
        f"Confidence level {settings['cl']}, C {settings['c']} ({settings['penalty']} penalty), "
        f"{settings['search']} search: {len(result.iterations)} IFACM layers"
    )
    estimator, inside = settings["estimator"], settings["ifacm_estimator"]
    if estimator == inside == next(iter(ESTIMATORS)):
        return heading
    return f"{heading}\nCorrectness estimated by {estimator}, within IFACM by {inside}"


def _table(rows: Sequence[ResultRow | SegmentRow], columns: list[str]) -> str:
    frame = pd.DataFrame([asdict(row) for row in rows])[columns]
    return frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
