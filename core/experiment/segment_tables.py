"""Test rows compared with each other: by segment, by rules searched for, before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .. import levels
from ..conformal.predictor import Predictor
from ..coverage.dcv import noise_floor
from ..coverage.diagnosis import change_of_unevenness
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..rows.outcomes import IntervalSets, Outcomes
from ..rows.weights import weighted_mean, weighted_median, weights_of
from ..segments.audited_rows import TestRows
from ..segments.by_segment import SegmentRow, segment_rows
from ..segments.changes import ChangeRow, change_rows, changes_by_variable
from ..segments.gaps import GapRow, gap_rows
from ..segments.grouping import compared_with
from ..segments.worst_segments import explaining_rule
from .evaluation import Evaluation
from .figures import AdjustmentRow


class SegmentTables(NamedTuple):
    """The tables of a result that go by segments, under their names there."""

    segments: list[SegmentRow]
    gaps: list[GapRow]
    changes: list[ChangeRow]


def segment_tables(
    test_rows: TestRows, settings: AuditSettings, adjustments: Sequence[str]
) -> SegmentTables:
    """Return figures, gaps and changes of all segments of the test rows, and changes of rules."""
    level, outcomes = settings.confidence_level, test_rows.outcomes
    segments = segment_rows(test_rows.variables, outcomes, level)
    references = compared_with(test_rows.variables, settings)
    return SegmentTables(
        _explained(segments, test_rows, level),
        gap_rows(segments, test_rows.law, references),
        _changes(test_rows, outcomes, adjustments),
    )


def _explained(
    segments: Sequence[SegmentRow], test_rows: TestRows, level: float
) -> list[SegmentRow]:
    """Return the rows, those that are low with the low rule that their shortfall is due to, if any.

    Of several rules that of the first rank.
    """
    first, searched = next(iter(test_rows.sets)), test_rows.searched
    judged = [r for r in searched.rows if r.predictor == first and r.family]
    low = [r for r in judged if r.high < level]
    low = sorted((r for r in low if r.q_value <= levels.SEARCH), key=lambda r: r.rank)
    rules = {r.rule: searched.holds[r.rule] for r in low}
    partitions = {variable.name: variable.partition for variable in test_rows.variables}
    outcomes = test_rows.outcomes[first]

    def explained(row: SegmentRow) -> SegmentRow:
        if row.predictor != first or row.family != "objects" or not row.high < level:
            return row
        inside = partitions[row.variable].rows(row.value)
        rule = explaining_rule(inside, rules, outcomes, searched.judging, level)
        return row if rule is None else replace(row, explained_by=rule)

    return list(map(explained, segments))


def _changes(
    test_rows: TestRows, outcomes: Mapping[str, Outcomes], adjustments: Sequence[str]
) -> list[ChangeRow]:
    searched = test_rows.searched
    rows = changes_by_variable(test_rows.variables, outcomes, adjustments)
    for rule, inside in searched.holds.items():
        codes = np.where(inside & searched.judging, 0, -1)
        rows += change_rows([(rule, "")], codes, outcomes, adjustments)
    return rows


def adjustment_rows(
    evaluations: Sequence[Evaluation],
    adjustments: Sequence[Predictor],
    data: PreparedData,
    level: float,
) -> list[AdjustmentRow]:
    """Return what each adjustment changes over all test rows.

    ``evaluations`` are those of all predictors and subsets, the reference's first.
    """
    on_test = {e.predictor.name: e for e in evaluations if e.subset == "test"}
    before = next(iter(on_test.values()))
    first = evaluations[0]
    training = first.diagnosis.evidence if first.subset == "training" else None
    rows = []
    for predictor in adjustments:
        after, count = on_test[predictor.name], predictor.fit_.terms
        median, mean = _size_ratios(before, after)
        difference, error, p_value = change_of_unevenness(
            before.diagnosis.crossfitted_terms,
            after.diagnosis.crossfitted_terms,
            before.outcomes,
        )
        rows.append(
            AdjustmentRow(
                predictor=predictor.name,
                size_ratio_median=median,
                size_ratio_mean=mean,
                unevenness_change=difference,
                unevenness_standard_error=error,
                unevenness_p_value=p_value,
                cost=None if count is None else noise_floor(count, data.train.effective, level),
                found=None if training is None else training.corrected,
                found_p_value=None if training is None else training.p_value,
            )
        )
    return rows


def _size_ratios(before: Evaluation, after: Evaluation) -> tuple[float | None, float | None]:
    """Return median and mean of the rows' own widths after to those before."""
    one, other = before.sets, after.sets
    if not isinstance(one, IntervalSets) or not isinstance(other, IntervalSets):
        return None, None
    widths, wider = one.sizes, other.sizes
    known = np.isfinite(widths) & np.isfinite(wider) & (widths > 0.0)
    if not known.any():
        return None, None
    ratios, weights = wider[known] / widths[known], weights_of(before.outcomes.weights, known)
    return weighted_median(ratios, weights), weighted_mean(ratios, weights)
