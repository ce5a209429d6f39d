"""The audit: from a table to the figures of every predictor, and what they say."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from ..conformal.predictor import Predictor
from ..errors import InputError
from ..events import Listener, RepeatStarted, Stage, StageStarted, StopRequest, ignore, never
from ..experiment.examination import examine
from ..experiment.figures import Seconds
from ..experiment.out_of_core import AllRows
from ..experiment.predictors import Candidate, Fitting, candidates, fitted
from ..messages import Sentence
from ..preparation.prepare import Plan, PreparedData, plan, prepare
from ..preparation.settings import AuditSettings
from ..rows.weights import weights_of
from ..segments.grouping import SegmentVariables
from ..tables.fingerprint import UNNAMED, Origin
from ..tables.lazy import LazyTable
from ..tables.table import Table
from ..threads import single_blas_thread
from .findings import with_findings
from .repeats import summarise
from .result import AuditResult, ImpossibleSeed


def audit(
    table: pd.DataFrame | Table | LazyTable,
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    origin: Origin = UNNAMED,
    with_replay: bool = True,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> AuditResult:
    """Audit conformal prediction on a table, before and after a remedy.

    ``table`` has one row for each example; of a bare frame it is decided here what its columns
    hold, and one that is not in memory is counted where it is. ``unread`` names columns that were
    left out of it, as the settings have no use for them, and ``origin`` is for the record.
    ``with_replay`` says whether to measure what each layer of a remedy does to the test rows, which
    the report and the page show. ``on_event`` receives every stage, evaluation and accepted layer;
    ``should_stop`` is asked before every evaluation: when it says so, the audit goes on with the
    layers accepted so far and says so in its notes.

    With ``settings.repeats`` above 1 the result is that of the first seed, with the mean and spread
    of every figure over the seeds in ``repeats``. A seed by which table and settings do not go
    together is left out and told; raises :class:`InputError` if they do by none.
    """
    rows: AllRows | None = None
    if isinstance(table, LazyTable):
        started = time.perf_counter()
        rows = AllRows.of(table, settings)
        unread = [name for name in table.names if name not in rows.table.names]
        table = rows.sample()
        taken = time.perf_counter() - started
        origin = replace(origin, read_seconds=origin.read_seconds + taken)
    origin = origin.of(table.frame if isinstance(table, Table) else table)
    fitting_of = partial(
        Fitting, on_event=on_event, should_stop=should_stop, with_replay=with_replay
    )
    once = partial(_audit_once, Table.of(table), unread, origin, rows, fitting_of)
    with single_blas_thread():
        results, refused = _by_seed(once, settings, on_event, should_stop)
    if not results:
        raise refused[0][1]
    return results[0] if settings.repeats == 1 else _over_seeds(results, refused, settings)


def _by_seed(
    once: Callable[[AuditSettings], AuditResult],
    settings: AuditSettings,
    on_event: Listener,
    should_stop: StopRequest,
) -> tuple[list[AuditResult], list[tuple[int, InputError]]]:
    """Return the results of the seeds that are possible, and why others are not."""
    results: list[AuditResult] = []
    refused: list[tuple[int, InputError]] = []
    for number in range(settings.repeats):
        on_event(RepeatStarted(number + 1, settings.repeats))
        seed = settings.seed + number
        try:
            result = once(replace(settings, seed=seed))
        except InputError as error:
            refused.append((seed, error))
            continue
        if results and result.stopped:  # half an audit says nothing of the spread
            break
        # the rows of one audit are enough to look at, and may be many
        results.append(replace(result, test_rows=None) if results else result)
        if should_stop():
            break
    return results, refused


def _over_seeds(
    results: Sequence[AuditResult],
    refused: Sequence[tuple[int, InputError]],
    settings: AuditSettings,
) -> AuditResult:
    """Return the first of the results, with what those of all seeds say, and what was refused."""
    first, done = results[0], len(results)
    if done + len(refused) < settings.repeats:
        sentence = "The audit was stopped: of {asked} repeats, {done} are there."
        note = Sentence("repeats.stopped", sentence, asked=settings.repeats, done=done)
        first = replace(first, stopped=True, notes=[note, *first.notes])
    impossible = [ImpossibleSeed(s, error.sentence.without_cells()) for s, error in refused]
    return replace(
        first,
        settings=first.settings | {"seed": settings.seed},  # as asked, to be asked for again
        asked=settings,
        repeats=replace(summarise(results), impossible=impossible),
    )


def _audit_once(
    table: Table,
    unread: Sequence[str],
    origin: Origin,
    rows: AllRows | None,
    fitting_of: Callable[[PreparedData, AuditSettings], Fitting],
    settings: AuditSettings,
) -> AuditResult:
    """Do one audit with one seed; ``rows`` are those that the table is a sample of, if it is."""
    began = time.perf_counter()
    data = prepare(table, settings, unread)
    fitting = fitting_of(data, settings)
    _ = fitting.divisions  # refuses what cannot be divided by before anything is fitted
    read = origin.read_seconds + time.perf_counter() - began
    fits = [_fitted(candidate, fitting) for candidate in candidates(settings)]
    seconds = Seconds(read, {predictor.name: taken for predictor, taken in fits}, 0.0)
    result = examine(fitting, [predictor for predictor, _ in fits], origin, seconds)
    if rows is not None:
        result = rows.counted(result, data, fitting.divisions).judged()
    return with_findings(AuditResult.about(result))


def _fitted(candidate: Candidate, fitting: Fitting) -> tuple[Predictor, float]:
    stage: Stage = "base_model" if candidate.is_reference else "remedy"
    fitting.on_event(StageStarted(stage, candidate.name))
    return fitted(candidate, fitting)


def check(table: pd.DataFrame | Table, settings: AuditSettings) -> Plan:
    """Return what an audit would be of; raise the :class:`InputError` that it would raise.

    All that takes encoded rows is left out: no column may be left for the model.
    """
    made = plan(table, settings)
    columns, learning, test = made.roles.segment_columns, made.split.learning, made.split.test
    weights = weights_of(made.weights, learning)
    SegmentVariables(made.table, columns, learning, test, settings, made.label.task, weights)
    return made
