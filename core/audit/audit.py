"""The audit: from a table to the figures before and after a remedy."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from sklearn.frozen import FrozenEstimator

from ..conformal.measures import MEASURES, ConformityMeasure
from ..coverage.diagnosis import with_columns
from ..coverage.estimators import ESTIMATORS
from ..coverage.exchangeability import check_drift
from ..coverage.histogram import probability_bins
from ..coverage.permutation import Chance, simulate_chance
from ..events import Listener, RepeatStarted, StageStarted, StopRequest, ignore, never
from ..findings.explanations import audit_only_findings, findings, level_finding, worst_finding
from ..findings.headline import headline
from ..findings.result import AuditResult, Seconds, SegmentName
from ..preparation.prepare import PreparedData, prepare
from ..preparation.settings import AuditSettings
from ..remedies import REMEDIES, Remedy
from ..remedies.ifacm.penalties import PENALTIES
from ..remedies.ifacm.searches import SEARCHES
from ..tables.fingerprint import Origin, rows_fingerprint
from ..tables.table import Table
from ..threads import single_blas_thread
from .comparison import divide, find_disparities, segment_columns
from .examination import Examination, examine
from .notes import base_notes, estimator_notes, size_notes
from .provenance import audited_objects, data_summary, settings_as_used
from .repeats import summarise

BASE = "base"
REMEDY = "ifacm"


def audit(
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    source: str = "table",
    fingerprint: str | None = None,
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
        One row for each example; of a bare frame it is decided here what its columns hold.
    settings
        Roles of the columns, confidence level, penalty and split.
    unread
        Names of columns that are left out of ``table``, as the settings have no use for them.
    source, fingerprint, read_seconds
        Where the table came from, what its bytes add up to, and how long it took to read, for the
        record. Without a fingerprint the values have one made: see :func:`rows_fingerprint`.
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
    frame = table.frame if isinstance(table, Table) else table
    origin = Origin(source, fingerprint or rows_fingerprint(frame), read_seconds)
    typed = Table.of(table)
    with single_blas_thread():
        for number in range(settings.repeats):
            on_event(RepeatStarted(number + 1, settings.repeats))
            seeded = replace(settings, seed=settings.seed + number)
            result = _audit(typed, seeded, unread, origin, on_event, should_stop)
            if results and result.stopped:  # half an audit says nothing of the spread
                break
            # the rows of one audit are enough to look at, and may be many
            results.append(replace(result, objects=None) if results else result)
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
    table: Table,
    settings: AuditSettings,
    unread: Sequence[str],
    origin: Origin,
    on_event: Listener,
    should_stop: StopRequest,
) -> AuditResult:
    clock = _Clock()
    data = prepare(table, settings, unread)
    divisions = divide(data, settings)
    prepared = clock.lap()
    on_event(StageStarted("base_model"))
    base = _fit_base(data, settings)
    base_model = clock.lap()
    on_event(StageStarted("ifacm"))
    remedy = _fit_remedy(base, data, settings, on_event, should_stop)
    adjusted = clock.lap()
    on_event(StageStarted("audit"))
    before = examine(BASE, base, data, settings)
    after = _examine_after(before, remedy, data, settings)
    found = find_disparities(divisions, data, settings, before["test"], after["test"])
    chance = _chance(before["test"], after["test"], data, settings, on_event, should_stop)
    drift = check_drift(
        data.calibration.X,
        data.test.X,
        before["test"].row.accuracy,
        settings.confidence_level,
    )
    examined = clock.lap()
    before["test"] = _with_chance(before["test"], chance)
    after["test"] = _with_chance(after["test"], chance)
    examinations = [before["training"], before["test"], after["training"], after["test"]]
    result = AuditResult(
        settings=settings_as_used(settings, data, origin.name),
        data=data_summary(data, origin.fingerprint),
        results=[examination.row for examination in examinations],
        iterations=remedy.iterations_,
        coefficients=[row for e in examinations for row in e.coefficients],
        segments=found.segments,
        gaps=found.gaps,
        size_strata=[*before["test"].strata, *after["test"].strata],
        worst_segments=found.worst_segments,
        audit_only=found.audit_only,
        drift=drift,
        seconds=Seconds(
            read=origin.read_seconds + prepared,
            base_model=base_model,
            ifacm=adjusted,
            audit=examined,
            total=origin.read_seconds + prepared + base_model + adjusted + examined,
        ),
        notes=[
            *data.notes,
            *base_notes(base),
            *size_notes(len(data.calibration.y), settings.confidence_level),
            *drift.notes(),
            *remedy.notes_,
            *estimator_notes(settings),
            *chance.notes(),
            *(note for e in examinations for note in e.notes()),
            *found.notes,
        ],
        stopped=remedy.stopped_ or chance.done < chance.asked,
        probabilities=probability_bins(
            {BASE: before["test"].probability, REMEDY: after["test"].probability}
        ),
        asked=settings,
        objects=audited_objects(
            data,
            segment_columns(data),
            found.variables,
            before["test"],
            after["test"],
            remedy.steps(data.test.X),
        ),
    )
    return replace(result, headline=headline(result), findings=_findings(result))


def _examine_after(
    before: dict[SegmentName, Examination],
    remedy: Remedy,
    data: PreparedData,
    settings: AuditSettings,
) -> dict[SegmentName, Examination]:
    if remedy.n_terms_ == 0:  # nothing was adjusted: after is as before
        return {segment: examination.of(REMEDY) for segment, examination in before.items()}
    return examine(REMEDY, remedy, data, settings, terms=remedy.n_terms_)


def _findings(result: AuditResult) -> list[str]:
    before, after = result.row("test", BASE), result.row("test", REMEDY)
    level = result.settings["cl"]
    return [
        level_finding(before, after, result.drift),
        *findings(before, after, level),
        *audit_only_findings(result.audit_only, level),
        worst_finding(
            result.worst_found(), result.worst_found("adjusted"), len(result.worst_segments)
        ),
    ]


def _chance(
    before: Examination,
    after: Examination,
    data: PreparedData,
    settings: AuditSettings,
    on_event: Listener,
    should_stop: StopRequest,
) -> Chance:
    return simulate_chance(
        with_columns(data.test.X, data.test.independent_columns),
        {BASE: before.judged.correct, REMEDY: after.judged.correct},
        ESTIMATORS[settings.estimator](),
        settings.confidence_level,
        settings.permutations,
        on_event=on_event,
        should_stop=should_stop,
    )


def _with_chance(examination: Examination, chance: Chance) -> Examination:
    row = replace(
        examination.row,
        dcv_floor_simulated=chance.floor,
        p_value_permuted=chance.p_values[examination.row.algorithm],
    )
    return replace(examination, row=row)


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
        estimator=ESTIMATORS[settings.ifacm_estimator](),
        penalty_form=PENALTIES[settings.penalty_form](),
        search=SEARCHES[settings.search](),
    )
    return remedy.fit(data.train.X, data.train.y, on_event=on_event, should_stop=should_stop)
