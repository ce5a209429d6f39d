"""The audit: from a table to the figures of every predictor, and what they say.

>>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)]})
>>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
>>> result = audit(rows, AuditSettings(target="y", remedies=("none",)))
>>> result.names, round(result.row("test", "base").accuracy, 1)
(['base'], 0.9)
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd

from ..conformal.measures import ConformityMeasure
from ..events import Listener, StopRequest, ignore, never
from ..experiment.examination import segment_tables
from ..experiment.experiment import Experiment
from ..experiment.out_of_core import AllRows
from ..experiment.predictors import OwnAlgorithms, candidates
from ..messages import Sentence
from ..preparation.prepare import Plan, plan
from ..preparation.settings import AuditSettings
from ..remedies.base import Remedy
from ..segments.grouping import (
    EMPTY_COHORT,
    SegmentVariables,
    cohort_names,
    cohort_notes,
    cohort_variables,
)
from ..tables.lazy import LazyTable
from ..tables.table import UNNAMED, Origin, Table
from .advice_findings import advice_findings
from .coverage_findings import count_findings, coverage_findings
from .dependence_findings import dependence_findings
from .remedy_findings import remedy_findings
from .repeats import summarise
from .result import AuditResult, ImpossibleSeed

_FINDINGS = (
    coverage_findings,
    remedy_findings,
    advice_findings,
    count_findings,
    dependence_findings,
)
"""What makes them, in the order of reading."""

_LEFT_OUT = "The reference group '{group}' of '{name}' was left out, as there is no such cohort."
_OF_REPEATS = "repeats.other-cohorts"
_REPEATS_STAY = (
    "The figures over the repeats have the cohorts that the audit was run with: {names}."
)


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
    experiment = _experiment(table, own.settings(settings), unread, origin, own)
    experiment.with_replay = with_replay
    experiment.on_event, experiment.should_stop = on_event, should_stop
    return _result(experiment)


def _experiment(
    table: pd.DataFrame | Table | LazyTable,
    settings: AuditSettings,
    unread: Sequence[str],
    origin: Origin,
    own: OwnAlgorithms,
) -> Experiment:
    rows = None
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
        candidates=candidates(settings, own),
        seeds=range(settings.seed, settings.seed + settings.repeats),
        origin=origin.of(typed.frame),
        is_audit=True,
        own=own,
        unread=unread,
        rows=rows,
    )


def _result(experiment: Experiment) -> AuditResult:
    """Return the first seed's result, with what those of all seeds say, and what was refused."""
    experiment.run()
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


def with_findings(result: AuditResult) -> AuditResult:
    """Return a result whose groups are judged, with what its figures say."""
    return replace(result, findings=[finding for find in _FINDINGS for finding in find(result)])


def with_cohorts(result: AuditResult, cohorts: Sequence[tuple[str, str]]) -> AuditResult:
    """Return the result of the audit with these cohorts, names and rules, instead of those it has.

    Those that the audit was not asked for are made after looking at its results, and marked so.

    It equals the audit done with them, but for the times and ``repeats``, where the cohorts of the
    audit stay, as a note says: the rows of the other seeds are no longer there. Reference groups of
    cohorts that are gone are left out, with a note on each. The result has to have its test rows in
    memory; raises :class:`InputError` if cohorts are unusable, as :class:`AuditSettings` and
    :func:`audit` do.
    """
    test_rows, asked = result.test_rows, result.asked
    if test_rows is None or asked is None:
        raise ValueError("the result holds no test rows; take it as the audit gave it")
    others = [variable for variable in test_rows.variables if not variable.rule]
    names = [variable.name for variable in others]
    settings = cohorts_replaced(asked, cohorts, names)
    added = cohort_variables(test_rows.table, names, settings)
    variables = {variable.name: variable for variable in (*others, *added)}
    kept = tuple(
        (name, group)
        for name, group in settings.reference
        if name in variables and group in variables[name].partition.names
    )
    left_out = [pair for pair in asked.reference if pair not in kept]
    settings = replace(settings, reference=kept)
    test_rows = replace(test_rows, variables=tuple(variables.values()))
    notes = [
        *(note for note in result.notes if note.code != EMPTY_COHORT),
        *cohort_notes(variables.values()),
        *(Sentence("reference.left-out", _LEFT_OUT, name=n, group=g) for n, g in left_out),
    ]
    is_noted = any(note.code == _OF_REPEATS for note in notes)
    if result.repeats and not is_noted and asked.all_cohorts != settings.all_cohorts:
        of_audit = ", ".join(f"'{name}'" for name, _ in asked.all_cohorts) or "none"
        notes.append(Sentence(_OF_REPEATS, _REPEATS_STAY, names=of_audit))
    found = replace(
        result,
        settings=result.settings
        | {"cohorts": dict(settings.cohorts), "looks": dict(settings.looks)}
        | {"reference": dict(kept)},
        asked=settings,
        test_rows=test_rows,
        **segment_tables(test_rows, settings, result.adjustments),
        notes=notes,
    )
    return with_findings(found.judged())


def cohorts_replaced(
    settings: AuditSettings, cohorts: Sequence[tuple[str, str]], others: Iterable[str] = ()
) -> AuditSettings:
    """Return settings with other cohorts, without reference groups of those that are gone.

    Cohorts that the settings do not have are made after looking.
    ``others`` names the variables that are no cohorts, of which one may be called like a cohort's.
    Raises :class:`InputError` if cohorts are unusable whatever the table, as :class:`AuditSettings`
    does.
    """
    kept = {name for name, _ in cohorts}
    names = cohort_names(others, settings.all_cohorts)
    before = zip(names, settings.all_cohorts, strict=True)
    gone = {variable for variable, (name, _) in before if name not in kept}
    reference = tuple(pair for pair in settings.reference if pair[0] not in gone)
    asked = tuple(cohort for cohort in cohorts if cohort in settings.cohorts)
    looks = tuple(cohort for cohort in cohorts if cohort not in settings.cohorts)
    return replace(settings, cohorts=asked, looks=looks, reference=reference)
