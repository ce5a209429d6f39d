"""The audit: from a table to the figures of every predictor, and what they say.

>>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)]})
>>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
>>> result = audit(rows, AuditSettings(target="y", remedies=("none",)))
>>> result.names, round(result.row("test", "base").accuracy, 1)
(['base'], 0.9)
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ..conformal.measures import ConformityMeasure
from ..events import Listener, StopRequest, ignore, never
from ..experiment.experiment import Experiment
from ..experiment.out_of_core import AllRows
from ..experiment.predictors import OwnAlgorithms, candidates
from ..messages import Sentence
from ..preparation.prepare import Plan, plan
from ..preparation.settings import AuditSettings
from ..remedies import Remedy
from ..segments.grouping import SegmentVariables
from ..tables.fingerprint import UNNAMED, Origin
from ..tables.lazy import LazyTable
from ..tables.table import Table
from .findings import with_findings
from .repeats import summarise
from .result import AuditResult, ImpossibleSeed


def audit(  # noqa: PLR0913 - each is named
    table: pd.DataFrame | Table | LazyTable,
    settings: AuditSettings,
    *,
    unread: Sequence[str] = (),
    origin: Origin = UNNAMED,
    measure: ConformityMeasure | None = None,
    remedies: Sequence[str | Remedy] | None = None,
    with_replay: bool = True,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> AuditResult:
    """Audit conformal prediction on a table, before and after remedies.

    With ``settings.repeats`` above 1 the result is that of the first seed, with the mean and spread
    of every figure over the seeds in ``repeats``. A seed by which table and settings do not go
    together is left out and told; raises :class:`InputError` if they do by none.

    Parameters
    ----------
    table
        One row for each example. Of a bare frame it is decided here what its columns hold; one
        that is not in memory is counted where it is.
    settings
        What is asked for: the label's column, the confidence level, the remedies and so on.
    unread, origin
        Columns that were left out of the table, as the settings have no use for them, and where it
        comes from: for the record.
    measure, remedies
        Objects, of Evencover's classes or your own, in place of those that the settings name. They
        are used as they are, but that a remedy has the level of the settings and, where it has no
        base, the fitted measure; a name among remedies stands for what settings make of it. In the
        result an object goes by its class, and one with a penalty by that, too: "ifacm@0.5".
    with_replay
        Whether to measure what each layer of a remedy does to the test rows, as the report shows.
    on_event
        Receives every stage, evaluation and accepted layer.
    should_stop
        Asked before every evaluation. When it says so, the audit goes on with the layers accepted
        so far and says so in its notes.
    """
    own = OwnAlgorithms.of(measure, remedies)
    experiment = _experiment(table, own.settings(settings), unread, origin)
    experiment.own, experiment.candidates = own, candidates(experiment.settings, own)
    experiment.with_replay = with_replay
    experiment.on_event, experiment.should_stop = on_event, should_stop
    experiment.run()
    return _result(experiment)


def _experiment(
    table: pd.DataFrame | Table | LazyTable,
    settings: AuditSettings,
    unread: Sequence[str],
    origin: Origin,
) -> Experiment:
    """Return the experiment that an audit is, with a sample of a table that is not in memory."""
    rows: AllRows | None = None
    if isinstance(table, LazyTable):
        started = time.perf_counter()
        rows = AllRows.of(table, settings)
        unread = [name for name in table.names if name not in rows.table.names]
        table = rows.sample()
        taken = time.perf_counter() - started
        origin = replace(origin, read_seconds=origin.read_seconds + taken)
    typed = Table.of(table)
    return Experiment(
        table=typed,
        settings=settings,
        candidates=candidates(settings),
        seeds=range(settings.seed, settings.seed + settings.repeats),
        origin=origin.of(typed.frame),
        is_audit=True,
        unread=unread,
        rows=rows,
    )


def _result(experiment: Experiment) -> AuditResult:
    """Return the first seed's result, with what those of all seeds say, and what was refused."""
    settings, refused = experiment.settings, experiment.refused_seeds
    results = [with_findings(AuditResult.about(e)) for e in experiment.examinations.values()]
    if not results:
        raise next(iter(refused.values()))
    first, done = results[0], len(results)
    if settings.repeats == 1:
        return first
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
