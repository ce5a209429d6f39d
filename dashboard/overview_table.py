"""The table of figures before and after: its columns, and what of a result they show."""

from evencover.core import AuditResult
from evencover.core.result import ResultRow

from .figures.style import NAMES

_FIELDS = {
    "accuracy": "accuracy",
    "inefficiency": "inefficiency",
    "in label's units": "inefficiency_original_units",
    "DCV": "dcv",
    "floor": "dcv_floor",
    "floor unadjusted": "dcv_floor_unadjusted",
    "floor simulated": "dcv_floor_simulated",
    "p-value": "p_value",
    "p-value permuted": "p_value_permuted",
    "DCV corrected": "dcv_corrected",
    "from": "dcv_corrected_low",
    "to": "dcv_corrected_high",
    "DCV cross-fitted": "dcv_crossfitted",
    "DCV: level": "dcv_level",
    "DCV: spread": "dcv_spread",
    "parameters": "parameters",
}
_ON_REQUEST = ("floor simulated", "p-value permuted")


def overview_rows(result: AuditResult) -> list[dict[str, str | float | None]]:
    """Return the figures of each predictor on training and test rows, by the columns' names."""
    asked = bool(result.settings["permutations"])
    shown = {name: field for name, field in _FIELDS.items() if asked or name not in _ON_REQUEST}
    return [_row(row, shown) for row in result.results]


def _row(row: ResultRow, shown: dict[str, str]) -> dict[str, str | float | None]:
    named = {"rows": row.segment, "predictor": NAMES[row.algorithm]}
    return named | {name: getattr(row, field) for name, field in shown.items()}
