"""Test rows compared with each other: by segment, by rules searched for, by audit-only columns."""

from collections.abc import Mapping
from typing import Any

from ..conformal.prediction_sets import Outcomes
from ..messages import Sentence
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.split import group_codes
from ..segments.by_audit_only import diagnose_audit_only
from ..segments.by_segment import segment_rows
from ..segments.gaps import gap_rows
from ..segments.grouping import (
    SegmentVariables,
    Variable,
    cohort_notes,
    compared_with,
    small_value_notes,
)
from ..segments.search.worst_segments import worst_segments


def divide(data: PreparedData, settings: AuditSettings) -> SegmentVariables:
    """Return what the test rows are divided by; see :class:`SegmentVariables` for its errors."""
    columns, train, test = segment_columns(data), data.train.rows, data.test.rows
    return SegmentVariables(data.table, columns, train, test, settings, data.label.task)


def compare(
    divisions: SegmentVariables,
    data: PreparedData,
    settings: AuditSettings,
    outcomes: Mapping[str, Outcomes],
) -> tuple[list[Variable], dict[str, Any], list[Sentence]]:
    """Return what the test rows are divided by, the result's tables that compare them, and notes.

    ``outcomes`` are those of the test rows' sets, by the predictor's name.
    """
    test, level = data.test.rows, settings.confidence_level
    variables = list(divisions)
    correct = {name: found.correct for name, found in outcomes.items()}
    segments = segment_rows(variables, outcomes)
    group = data.roles.group
    clusters = None if group is None else group_codes(data.table[group].rows(test))
    hidden = diagnose_audit_only(
        data.table, data.roles.audit_only, data.train.rows, test, correct, level
    )
    searched = worst_segments(data.table.rows(test, _rule_columns(data)), correct, groups=clusters)
    tables = {
        "segments": segments,
        "gaps": gap_rows(segments, level, compared_with(variables, settings)),
        "worst_segments": searched.rows,
        "audit_only": hidden.rows,
    }
    notes = [*hidden.notes, *small_value_notes(variables), *cohort_notes(variables)]
    return variables, tables, notes


def segment_columns(data: PreparedData) -> list[str]:
    """Return the columns to divide by: those of rules, and the one that keeps rows together."""
    return [*_rule_columns(data), *filter(None, [data.roles.group])]


def _rule_columns(data: PreparedData) -> list[str]:
    """Return the model's columns, those it would repeat, and audit-only ones.

    Rules do not name values of the column that keeps rows together: each is in one half alone.
    """
    repeated = {name for name, _ in data.encoder.dropped_}
    used = set(data.encoder.columns_)
    features = [column for column in data.roles.features if column in used | repeated]
    return [*features, *data.roles.audit_only]
