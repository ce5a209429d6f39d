"""Cohorts asked about after an audit: its tables with them, without doing the audit again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..experiment.segment_tables import segment_tables
from ..messages import Sentence
from ..preparation.settings import AuditSettings
from ..segments.grouping import EMPTY_COHORT, cohort_names, cohort_notes, cohort_variables
from .findings import with_findings
from .result import AuditResult

_LEFT_OUT = "The reference group '{group}' of '{name}' was left out, as there is no such cohort."
_OF_REPEATS = "repeats.other-cohorts"


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
    tables = segment_tables(test_rows, settings, result.adjustments)
    found = replace(
        result,
        settings=result.settings
        | {"cohorts": dict(settings.cohorts), "looks": dict(settings.looks)}
        | {"reference": dict(kept)},
        asked=settings,
        test_rows=test_rows,
        **tables._asdict(),
        notes=[
            *(note for note in result.notes if note.code != EMPTY_COHORT),
            *cohort_notes(variables.values()),
            *(Sentence("reference.left-out", _LEFT_OUT, name=n, group=g) for n, g in left_out),
            *_note_on_repeats(result, asked, settings),
        ],
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


def _note_on_repeats(
    result: AuditResult, before: AuditSettings, after: AuditSettings
) -> list[Sentence]:
    noted = any(note.code == _OF_REPEATS for note in result.notes)
    if result.repeats is None or noted or before.all_cohorts == after.all_cohorts:
        return []
    names = ", ".join(f"'{name}'" for name, _ in before.all_cohorts) or "none"
    sentence = "The figures over the repeats have the cohorts that the audit was run with: {names}."
    return [Sentence(_OF_REPEATS, sentence, names=names)]
