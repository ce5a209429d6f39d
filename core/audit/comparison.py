"""For whom coverage is off: test rows by segment, by rules searched for, by audit-only columns."""

from dataclasses import dataclass

from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..preparation.split import group_codes
from ..segments.by_audit_only import AuditOnlyRow, diagnose_audit_only
from ..segments.by_segment import SegmentRow, segment_rows
from ..segments.gaps import GapRow, gap_rows
from ..segments.grouping import SegmentVariables, Variable, cohort_notes, compared_with
from ..segments.search.worst_segments import WorstSegmentRow, worst_segments
from .examination import Examination


@dataclass(frozen=True)
class Disparities:
    """The tables of an audit that compare rows with each other, and what had to be said.

    ``variables`` are what the test rows are divided by for ``segments``.
    """

    variables: list[Variable]
    segments: list[SegmentRow]
    gaps: list[GapRow]
    worst_segments: list[WorstSegmentRow]
    audit_only: list[AuditOnlyRow]
    notes: list[str]


def divide(data: PreparedData, settings: AuditSettings) -> SegmentVariables:
    """Return what the test rows are divided by.

    Raises
    ------
    InputError
        If pairs, cut points, cohorts or reference groups do not go together with the table.
    """
    return SegmentVariables(
        data.table,
        segment_columns(data),
        data.train.rows,
        data.test.rows,
        settings,
        data.label.task,
    )


def find_disparities(
    divisions: SegmentVariables,
    data: PreparedData,
    settings: AuditSettings,
    before: Examination,
    after: Examination,
) -> Disparities:
    """Compare the test rows of two predictors by all that they are divided by."""
    test, level = data.test.rows, settings.confidence_level
    variables = list(divisions)
    segments = segment_rows(variables, base=before.judged, adjusted=after.judged)
    group = settings.group
    worst = worst_segments(
        data.table.rows(test, segment_columns(data)),
        before.judged.correct,
        after.judged.correct,
        groups=None if group is None else group_codes(data.table[group].rows(test)),
    )
    hidden = diagnose_audit_only(
        data.table,
        data.roles.audit_only,
        data.train.rows,
        test,
        {e.row.algorithm: e.judged.correct for e in (before, after)},
        level,
    )
    gaps = gap_rows(segments, level, compared_with(variables, settings))
    notes = [*hidden.notes, *cohort_notes(variables)]
    return Disparities(variables, segments, gaps, worst, hidden.rows, notes)


def segment_columns(data: PreparedData) -> list[str]:
    """Return the columns to divide by: the model's, those it would repeat, and audit-only ones."""
    repeated = {name for name, _ in data.encoder.dropped_}
    used = set(data.encoder.columns_)
    features = [column for column in data.roles.features if column in used | repeated]
    return [*features, *data.roles.audit_only]
