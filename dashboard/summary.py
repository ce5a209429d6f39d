"""An audit's result as text for a terminal."""

import pandas as pd

from evencover.core import AuditResult

from .exports import to_tables

_RESULT_COLUMNS = [
    "segment",
    "algorithm",
    "accuracy",
    "inefficiency",
    "inefficiency_original_units",
    "dcv",
    "dcv_floor",
]
_SEGMENT_COLUMNS = ["variable", "value", "n", "accuracy_base", "accuracy_adjusted"]
_SHOWN_SEGMENTS = 8


def to_text(result: AuditResult) -> str:
    """Return the main figures, the segments furthest from the confidence level, and notes."""
    tables = to_tables(result)
    level = result.settings["cl"]
    segments = tables["segments"].query("n > 0")
    furthest = (segments["accuracy_base"] - level).abs().sort_values(ascending=False).index
    blocks = [
        f"Confidence level {level}, {len(result.iterations)} IFACM layers",
        _table(tables["results"][_RESULT_COLUMNS]),
        "Test segments whose base accuracy is furthest from the confidence level",
        _table(segments.loc[furthest[:_SHOWN_SEGMENTS], _SEGMENT_COLUMNS]),
    ]
    blocks += [f"Left out: {dropped.column} {dropped.reason}." for dropped in result.data.dropped]
    return "\n\n".join(blocks + result.notes) + "\n"


def _table(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, float_format="{:.4g}".format, na_rep="")
