"""The table of the groups whose coverage is clearly too low, before or after."""

from dataclasses import asdict
from typing import Any, NamedTuple

from evencover.core import AuditResult
from evencover.core.findings.headline import segment_in_words
from evencover.core.findings.result import ResultRow

from . import page_texts
from .page_texts import NAMES


class Column(NamedTuple):
    """A column of a table: its name, how numbers are written, what it means."""

    name: str
    form: str = ""
    help: str = ""


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


_LEVEL = "Ends of Wilson's 95 % interval."

OVERVIEW = {name: Column(name) for name in ("rows", "predictor")} | {
    name: Column(name, form, help_) for name, (form, help_) in page_texts.OVERVIEW_COLUMNS.items()
}
SEGMENTS = {
    "variable": Column("variable"),
    "value": Column("segment"),
    "n": Column("n", "%d", "Test rows of the segment."),
    "accuracy_base": Column("before", "%.3f", "Share of sets that hold the true label."),
    "accuracy_adjusted": Column("after", "%.3f", "The same after the adjustment."),
    "q_value_base": Column(
        "q, before", "%.2g", "Up to 0.05 a difference from overall coverage is unlikely chance."
    ),
    "q_value_adjusted": Column("q, after", "%.2g"),
    "detectable": Column(
        "detectable", "%.3f", "The shortfall that so many rows would show in four of five cases."
    ),
    "low_base": Column("from, before", "%.3f", _LEVEL),
    "high_base": Column("to, before", "%.3f"),
    "low_adjusted": Column("from, after", "%.3f"),
    "high_adjusted": Column("to, after", "%.3f"),
    "inefficiency_base": Column("size, before", "%.4g", "Mean width, standardised, or set size."),
    "inefficiency_adjusted": Column("size, after", "%.4g"),
    "remark": Column("remark"),
}
TOO_LOW = {
    "group": Column("group"),
    "n": Column("test rows", "%d"),
    "accuracy_base": Column("before", "%.3f", "Share of sets that hold the true label."),
    "accuracy_adjusted": Column("after", "%.3f", "The same after the adjustment."),
    "low_base": Column("likely from, before", "%.3f", _LEVEL),
    "high_base": Column("to, before", "%.3f"),
    "low_adjusted": Column("likely from, after", "%.3f"),
    "high_adjusted": Column("to, after", "%.3f"),
    "q_value_base": Column("q, before", "%.2g", "Up to 0.05 it is unlikely to be chance."),
    "q_value_adjusted": Column("q, after", "%.2g"),
}
GAPS = {
    field: Column(name, "%d" if field in ("groups", "left_out") else "%.3f", help_)
    for field, (name, help_) in page_texts.GAP_COLUMNS.items()
}
SIZE_STRATA = {
    "algorithm": Column("predictor"),
    "size": Column("size"),
    "n": Column("n", "%d"),
    "accuracy": Column("accuracy", "%.3f"),
    "low": Column("from", "%.3f", _LEVEL),
    "high": Column("to", "%.3f"),
}
WORST = {
    "rule": Column("rule"),
    "n": Column("n", "%d", "Rows of the judging half that the rule holds for."),
    "accuracy_base": Column("before", "%.3f", "Share of their sets that hold the true label."),
    "accuracy_adjusted": Column("after", "%.3f", "The same after the adjustment."),
    "q_value_base": Column("q, before", "%.2g", "Up to 0.05 low coverage is unlikely chance."),
    "q_value_adjusted": Column("q, after", "%.2g"),
    "n_test": Column("n, all", "%d", "All test rows that the rule holds for, of both halves."),
    "low_base": Column("from, before", "%.3f", _LEVEL),
    "high_base": Column("to, before", "%.3f"),
    "low_adjusted": Column("from, after", "%.3f"),
    "high_adjusted": Column("to, after", "%.3f"),
}
AUDIT_ONLY = {"column": Column("column"), "algorithm": Column("predictor")} | {
    field: Column(page_texts.AUDIT_ONLY_NAMES[field], form, help_)
    for field, (form, help_) in page_texts.AUDIT_ONLY_COLUMNS.items()
}
OTHER_MEASURES = {"algorithm": Column("predictor")} | {
    field: Column(name, form, help_)
    for field, (name, form, help_) in page_texts.OTHER_MEASURES.items()
}
LAYERS = {
    "iteration": Column("layer", "%d"),
    "gamma": Column("gamma", "%.5f"),
    "delta": Column("delta", "%.5f"),
    "dcv": Column("training DCV", "%.5f"),
    "inefficiency": Column("training inefficiency", "%.4f"),
    "objective": Column("objective", "%.5f"),
    "evaluations": Column("evaluations", "%d"),
    "seconds": Column("seconds", "%.2f"),
}
COEFFICIENTS = {
    "feature": Column("feature"),
    "segment": Column("rows"),
    "algorithm": Column("predictor"),
    "coefficient": Column("coefficient", "%.4f"),
    "standard_error": Column("standard error", "%.4f"),
}
REPEATS = {
    "segment": Column("rows"),
    "algorithm": Column("predictor"),
    "repeats": Column("audits", "%d"),
    "accuracy_mean": Column("accuracy", "%.4f"),
    "accuracy_sd": Column("± accuracy", "%.4f"),
    "inefficiency_mean": Column("inefficiency", "%.4f"),
    "inefficiency_sd": Column("± inefficiency", "%.4f"),
    "dcv_mean": Column("DCV", "%.4f"),
    "dcv_sd": Column("± DCV", "%.4f"),
}
DROPPED = {"column": Column("column"), "reason": Column("why")}
SETTINGS = {"name": Column("setting"), "value": Column("value")}


def too_low_rows(result: AuditResult) -> list[dict[str, Any]]:
    """Return them with their figures, those of before first, most rows missed first."""
    before, after = result.too_low(), result.too_low("adjusted")
    rows = [*before, *(row for row in after if row not in before)]
    return [{"group": segment_in_words(row)} | asdict(row) for row in rows]
