"""The audit: from a table to the figures of every predictor, and what they say."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from ..errors import InputError
from ..events import Listener, StopRequest, ignore, never
from ..experiment.experiment import Experiment
from ..experiment.out_of_core import AllRows
from ..experiment.predictors import candidates
from ..messages import Sentence
from ..preparation.prepare import Plan, plan
from ..preparation.settings import AuditSettings
from ..segments.grouping import SegmentVariables
from ..tables.fingerprint import UNNAMED, Origin
from ..tables.lazy import LazyTable
from ..tables.table import Table
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
    typed = Table.of(table)
    experiment = Experiment(
        table=typed,
        settings=settings,
        candidates=candidates(settings),
        seeds=range(settings.seed, settings.seed + settings.repeats),
        origin=origin.of(typed.frame),
        is_audit=True,
        unread=unread,
        rows=rows,
        with_replay=with_replay,
        on_event=on_event,
        should_stop=should_stop,
    )
    experiment.run()
    results = [with_findings(AuditResult.about(e)) for e in experiment.examinations.values()]
    if not results:
        raise next(iter(experiment.refusals.values()))
    if settings.repeats == 1:
        return results[0]
    return _over_seeds(results, experiment.refused_seeds, settings)


def _over_seeds(
    results: Sequence[AuditResult],
    refused: Mapping[int, InputError],
    settings: AuditSettings,
) -> AuditResult:
    """Return the first of the results, with what those of all seeds say, and what was refused."""
    first, done = results[0], len(results)
    if done + len(refused) < settings.repeats:
        sentence = "The audit was stopped: of {asked} repeats, {done} are there."
        note = Sentence("repeats.stopped", sentence, asked=settings.repeats, done=done)
        first = replace(first, stopped=True, notes=[note, *first.notes])
    impossible = [ImpossibleSeed(s, error.sentence.without_cells()) for s, error in refused.items()]
    return replace(
        first,
        settings=first.settings | {"seed": settings.seed},  # as asked, to be asked for again
        asked=settings,
        repeats=replace(summarise(results), impossible=impossible),
    )


def check(table: pd.DataFrame | Table, settings: AuditSettings) -> Plan:
    """Return what an audit would be of; raise the :class:`InputError` that it would raise.

    All that takes encoded rows is left out: no column may be left for the model.
    """
    made = plan(table, settings)
    SegmentVariables(made, settings)
    return made
