"""The audit: from a table to the figures before and after a remedy."""

import importlib.metadata
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from sklearn.frozen import FrozenEstimator

from .audit_only import diagnose_audit_only
from .blas import single_blas_thread
from .drift import check_drift
from .events import Listener, RepeatStarted, StageStarted, StopRequest, ignore, never
from .examination import Examination, examine
from .findings import audit_only_findings, findings
from .measures import MEASURES, ConformityMeasure, ScoringMeasure
from .penalties import PENALTIES
from .preparation import PreparedData, prepare
from .rank import smallest_calibration_size, threshold_rank
from .remedies import REMEDIES, Remedy
from .repeats import summarise
from .result import (
    AuditResult,
    DataSummary,
    DroppedColumn,
    Seconds,
)
from .searches import SEARCHES
from .segments import Judged, segment_rows
from .settings import AuditSettings
from .split import group_codes
from .worst_segments import WorstSegmentRow, worst_segments

BASE = "base"
REMEDY = "ifacm"


def audit(
    table: pd.DataFrame,
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    source: str = "table",
    read_seconds: float = 0.0,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> AuditResult:
    """Audit conformal prediction on a table, before and after IFACM.

    With ``settings.repeats`` above 1 the result is that of the first seed, with the mean and
    spread of every figure over the seeds in ``repeats``.

    Parameters
    ----------
    table
        One row for each example.
    settings
        Roles of the columns, confidence level, penalty and split.
    unread
        Names of columns that are left out of ``table``, as the settings have no use for them.
    source, read_seconds
        Where the table came from and how long it took to read, for the record.
    on_event
        Told of every stage, evaluation and accepted layer.
    should_stop
        Asked before every evaluation; when it says so, the audit goes on with the layers
        accepted so far and says so in its notes.

    Raises
    ------
    InputError
        If table and settings do not go together; the message says why and what to do.
    """
    results: list[AuditResult] = []
    with single_blas_thread():
        for number in range(settings.repeats):
            on_event(RepeatStarted(number + 1, settings.repeats))
            seeded = replace(settings, seed=settings.seed + number)
            result = _audit(table, seeded, unread, source, read_seconds, on_event, should_stop)
            if results and result.stopped:  # half an audit says nothing of the spread
                break
            results.append(result)
            if should_stop():
                break
    if settings.repeats == 1:
        return results[0]
    return replace(_told_of_missing(results, settings.repeats), repeats=summarise(results))


def _told_of_missing(results: list[AuditResult], repeats: int) -> AuditResult:
    """Return the first result, which says so if there are fewer than were asked for."""
    first = results[0]
    if len(results) == repeats:
        return first
    note = f"The audit was stopped: of {repeats} repeats, {len(results)} are there."
    return replace(first, stopped=True, notes=[note, *first.notes])


def _audit(
    table: pd.DataFrame,
    settings: AuditSettings,
    unread: Sequence[str],
    source: str,
    read_seconds: float,
    on_event: Listener,
    should_stop: StopRequest,
) -> AuditResult:
    clock = _Clock()
    data = prepare(table, settings, unread)
    prepared = clock.lap()
    on_event(StageStarted("base_model"))
    base = _fit_base(data, settings)
    base_model = clock.lap()
    on_event(StageStarted("ifacm"))
    remedy = _fit_remedy(base, data, settings, on_event, should_stop)
    adjusted = clock.lap()
    on_event(StageStarted("audit"))
    before = examine(BASE, base, data, settings.confidence_level)
    after = examine(REMEDY, remedy, data, settings.confidence_level, terms=remedy.n_terms_)
    segments = segment_rows(
        data.frame,
        (*_variables(data), *data.roles.audit_only),
        data.train.rows,
        data.test.rows,
        base=Judged(before["test"].correct, before["test"].sizes),
        adjusted=Judged(after["test"].correct, after["test"].sizes),
    )
    worst = _worst_segments(data, settings.group, before["test"], after["test"])
    hidden = diagnose_audit_only(
        data.frame,
        data.roles.audit_only,
        data.roles.categorical,
        data.train.rows,
        data.test.rows,
        {BASE: before["test"].correct, REMEDY: after["test"].correct},
        settings.confidence_level,
    )
    drift = check_drift(
        data.calibration.X,
        data.test.X,
        before["test"].row.accuracy,
        settings.confidence_level,
    )
    examined = clock.lap()
    examinations = [before["training"], before["test"], after["training"], after["test"]]
    return AuditResult(
        settings=_settings_as_used(settings, data, source),
        data=_summary(data),
        results=[examination.row for examination in examinations],
        iterations=remedy.iterations_,
        coefficients=[row for e in examinations for row in e.coefficients],
        segments=segments,
        worst_segments=worst,
        audit_only=hidden.rows,
        drift=drift,
        seconds=Seconds(
            read=read_seconds + prepared,
            base_model=base_model,
            ifacm=adjusted,
            audit=examined,
            total=read_seconds + prepared + base_model + adjusted + examined,
        ),
        notes=[
            *data.notes,
            *_base_notes(base),
            *_size_notes(data, settings),
            *drift.notes(),
            *remedy.notes_,
            *(note for e in examinations for note in e.notes()),
            *hidden.notes,
        ],
        findings=[
            *findings(before["test"].row, after["test"].row, settings.confidence_level),
            *audit_only_findings(hidden.rows, settings.confidence_level),
        ],
        stopped=remedy.stopped_,
    )


class _Clock:
    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        last, self._last = self._last, time.perf_counter()
        return self._last - last


def _fit_base(data: PreparedData, settings: AuditSettings) -> ConformityMeasure:
    entry = MEASURES[settings.measure_for(data.label.task)]
    return entry.measure(**data.label.measure_parameters).fit(data.train.X, data.train.y)


def _fit_remedy(
    base: ConformityMeasure,
    data: PreparedData,
    settings: AuditSettings,
    on_event: Listener,
    should_stop: StopRequest,
) -> Remedy:
    remedy = REMEDIES[REMEDY](
        FrozenEstimator(base),
        confidence_level=settings.confidence_level,
        penalty=settings.penalty,
        penalty_form=PENALTIES[settings.penalty_form](),
        search=SEARCHES[settings.search](),
    )
    return remedy.fit(data.train.X, data.train.y, on_event=on_event, should_stop=should_stop)


def _variables(data: PreparedData) -> list[str]:
    """Return the columns to divide by: those of the model, and those it would repeat."""
    repeated = {name for name, _ in data.encoder.dropped_}
    used = set(data.encoder.columns_)
    return [column for column in data.roles.features if column in used | repeated]


def _worst_segments(
    data: PreparedData, group: str | None, before: Examination, after: Examination
) -> list[WorstSegmentRow]:
    test = data.test.rows
    return worst_segments(
        data.frame[[*_variables(data), *data.roles.audit_only]].iloc[test],
        before.correct,
        after.correct,
        categorical=data.roles.categorical,
        groups=None if group is None else group_codes(data.frame[group].iloc[test]),
    )


def _settings_as_used(settings: AuditSettings, data: PreparedData, source: str) -> dict[str, Any]:
    task = data.label.task
    return {
        "table": source,
        "target": settings.target,
        "task": task,
        "cl": settings.confidence_level,
        "c": settings.penalty,
        "penalty": settings.penalty_form,
        "search": settings.search,
        "measure": settings.measure_for(task),
        "features": settings.features,
        "drop": settings.drop,
        "audit_only": settings.audit_only,
        "categorical": settings.categorical,
        "numeric": settings.numeric,
        "log_target": settings.log_target,
        "split": None if settings.split_column else settings.split,
        "split_column": settings.split_column,
        "stratify": settings.stratify,
        "group": settings.group,
        "time": settings.time,
        "seed": settings.seed,
        "repeats": settings.repeats,
        "version": importlib.metadata.version("evencover"),
    }


def _summary(data: PreparedData) -> DataSummary:
    dropped = (*data.roles.dropped, *data.encoder.dropped_)
    return DataSummary(
        rows=len(data.frame) + data.rows_without_label,
        rows_without_label=data.rows_without_label,
        train=len(data.train.y),
        calibration=len(data.calibration.y),
        test=len(data.test.y),
        features=data.encoder.columns_,
        encoded_features=data.encoder.names_,
        dropped=[DroppedColumn(column, reason) for column, reason in dropped],
    )


def _base_notes(base: ConformityMeasure) -> list[str]:
    if isinstance(base, ScoringMeasure) and not base.converged_:
        return [
            "The base model's optimiser ended at its bound of iterations, short of its optimum."
        ]
    return []


def _size_notes(data: PreparedData, settings: AuditSettings) -> list[str]:
    n, level = len(data.calibration.y), settings.confidence_level
    if threshold_rank(n, level) > 0:
        return []
    needed = smallest_calibration_size(level)
    return [
        (
            f"{n} calibration rows are too few for confidence level {level}, which needs {needed}: "
            "every label is kept and every interval is infinite."
        )
    ]
