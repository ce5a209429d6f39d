"""Test rows compared with each other: by segment, by rules searched for, by audit-only columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..conformal.prediction_sets import Outcomes
from ..messages import Sentence
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.split import group_codes
from ..segments.by_audit_only import diagnose_audit_only
from ..segments.by_segment import segment_rows
from ..segments.gaps import gap_rows
from ..segments.grouping import SegmentVariables, Variable, cohort_notes, compared_with
from ..segments.search.worst_segments import worst_segments


@dataclass(frozen=True)
class Comparison:
    """The tables of an audit that compare test rows, by their names in the result, with notes.

    ``variables`` are what the test rows are divided by.
    """

    variables: list[Variable]
    tables: Mapping[str, Any]
    notes: list[Sentence]


def divide(data: PreparedData, settings: AuditSettings) -> SegmentVariables:
    """Return what the test rows are divided by; see :class:`SegmentVariables` for its errors."""
    return SegmentVariables(
        data.table,
        segment_columns(data),
        data.train.rows,
        data.test.rows,
        settings,
        data.label.task,
    )


def compare(
    divisions: SegmentVariables,
    data: PreparedData,
    settings: AuditSettings,
    outcomes: Mapping[str, Outcomes],
) -> Comparison:
    """Compare the test rows by all that they are divided by, for each predictor's outcomes."""
    test, level = data.test.rows, settings.confidence_level
    variables = list(divisions)
    correct = {name: found.correct for name, found in outcomes.items()}
    segments = segment_rows(variables, outcomes)
    group = settings.group
    hidden = diagnose_audit_only(
        data.table,
        data.roles.audit_only,
        data.train.rows,
        test,
        correct,
        level,
    )
    tables = {
        "segments": segments,
        "gaps": gap_rows(segments, level, compared_with(variables, settings)),
        "worst_segments": worst_segments(
            data.table.rows(test, segment_columns(data)),
            correct,
            groups=None if group is None else group_codes(data.table[group].rows(test)),
        ),
        "audit_only": hidden.rows,
    }
    return Comparison(variables, tables, [*hidden.notes, *cohort_notes(variables)])


def segment_columns(data: PreparedData) -> list[str]:
    """Return the columns to divide by: the model's, those it would repeat, and audit-only ones."""
    repeated = {name for name, _ in data.encoder.dropped_}
    used = set(data.encoder.columns_)
    features = [column for column in data.roles.features if column in used | repeated]
    return [*features, *data.roles.audit_only]
